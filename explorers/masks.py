"""Scores to drag up and down, and the weights that result from each mask and each way of applying it."""

import torch
import traitlets

import figures
from explorers import given
from explorers.base import Explorer
from helpers import masks as reference

MOST_WORDS = 12
MASKS = {  # {mask: title of the picture}
    "none": "no mask, only softmax",
    "causal": "causal mask, filled with -∞, then softmax",
    "padding": "padding mask, filled with -∞, then softmax",
    "both": "causal and padding mask, filled with -∞, then softmax",
}


def masks(tokens, scores, real=None, mask="causal"):
    """See how masks hide the future and the padding: choose a mask and a method, and drag a score up or down.

    Shapes: tokens T words, scores (T, T), real T bools, True where the token is real and not padding
            (by default all tokens are real)
    Options: mask is the one chosen when the view opens: "none", "causal", "padding" or "both"
    Units:  scores are what goes into the softmax, already scaled
    Errors: TypeError if the words are not strings, the scores not numbers or `real` not bool; ValueError
            if they do not match, are too many, a score is NaN or infinite, or there is no such mask
    Source: notebook 03
    """
    tokens = given.words("tokens", tokens, MOST_WORDS)
    T = len(tokens)
    scores = given.matrix("scores", scores, T, "pass one matrix of queries times keys, for instance scores[0]")
    given.require_finite("scores", scores, "pass the scores before any mask, and let the explorer hide keys")
    real = _real(real, T)
    return MasksExplorer(tokens, scores, real, _mask(mask, real))


class MasksExplorer(Explorer):
    """The view of one matrix of scores, which has been checked."""

    script = "masks.js"
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    scores = traitlets.Bytes().tag(sync=True)  # float32, (T, T)
    real = traitlets.List(traitlets.Bool()).tag(sync=True)
    mask = traitlets.Unicode().tag(sync=True)  # one of MASKS

    def __init__(self, tokens, scores, real, mask):
        self._scores = scores
        super().__init__(tokens=tokens, scores=given.sent(scores), real=real, mask=mask)

    def picture(self):
        """The view as it opens: the chosen mask, filled with -inf before the softmax."""
        visible = self._visible()
        filled = self._scores.masked_fill(~visible, float("-inf"))
        return figures.weights(filled.softmax(dim=-1), self.tokens, title=MASKS[self.mask], mask=visible)

    def _visible(self):
        """Which query may attend to which key.

        Shapes: -> (T, T) bool
        """
        T = len(self.tokens)
        visible = reference.causal_mask(T) if self.mask in ("causal", "both") else torch.ones(T, T, dtype=torch.bool)
        return visible & torch.tensor(self.real) if self.mask in ("padding", "both") else visible


def _mask(mask, real):
    given.require_one_of("mask", mask, MASKS, "choose one of these names")
    if mask in ("padding", "both") and all(real):
        raise ValueError(
            f"mask {mask!r} needs padding to hide, got no token that is padding; pass real=, or mask='causal'"
        )
    return mask


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
