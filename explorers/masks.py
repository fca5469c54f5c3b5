"""Scores to drag up and down, and the weights that each mask and each way of applying it gives."""

import torch
import traitlets

from explorers import given
from explorers.base import Explorer
from helpers import masks as reference
from helpers import plots

MOST_WORDS = 12


def masks(tokens, scores, real=None):
    """See what hides the future and the padding: choose a mask and a method, and drag a score up or down.

    Shapes: tokens T words, scores (T, T), real T bools, True where the token is real and not padding
            (all of them if not given; then there is no padding to hide)
    Units:  scores are what goes into the softmax, already scaled
    Errors: TypeError if the words are not strings, the scores not numbers or `real` not bool; ValueError
            if they do not match, are too many, or a score is NaN or infinite
    Source: notebook 03
    """
    tokens = given.words("tokens", tokens, MOST_WORDS)
    T = len(tokens)
    scores = given.matrix("scores", scores, T, "pass one matrix of queries times keys, for instance scores[0]")
    given.require_finite("scores", scores, "pass the scores before any mask, and let the explorer hide keys")
    return MasksExplorer(tokens, scores, _real(real, T))


class MasksExplorer(Explorer):
    """The view of one matrix of scores, which is checked already."""

    script = "masks.js"
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    scores = traitlets.Bytes().tag(sync=True)  # float32, (T, T)
    real = traitlets.List(traitlets.Bool()).tag(sync=True)

    def __init__(self, tokens, scores, real):
        self._scores = scores.clone()  # a copy, in case the tensor changes later
        super().__init__(tokens=tokens, scores=given.sent(scores), real=real)

    def picture(self):
        """The view as it opens: a causal mask, filled with -inf before the softmax."""
        causal = reference.causal_mask(len(self.tokens))
        weights = reference.masked_softmax(self._scores, causal)
        return plots.weights(weights, self.tokens, title="causal mask, filled with -∞, then softmax", mask=causal)


def _real(real, T):
    if real is None:
        return [True] * T
    real = torch.as_tensor(real)
    if real.dtype != torch.bool:
        raise TypeError(
            f"real must be bool, True where a token is real, got {real.dtype}; compare first, "
            "for instance ids != pad_id"
        )
    if real.shape != (T,):
        raise ValueError(
            f"real must have shape ({T},), one bool for each token, got {tuple(real.shape)}; "
            "take one row of a padding mask, for instance mask[0, 0]"
        )
    return real.tolist()
