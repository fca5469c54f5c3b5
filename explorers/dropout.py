"""Weights, the random numbers of dropout, and the sum of a row after one draw and after thousands."""

import torch
import traitlets

import figures
from explorers import given
from explorers.base import Explorer

MOST_WORDS = 12
WORD = 2**32 - 1  # the generator's numbers have 32 bits


def dropout(tokens, weights, seed=1):
    """See what dropout does to attention weights: draw again and again, and watch what a row sums to.

    Shapes: tokens T words, weights (T, T) of one head, before dropout
    Units:  a row need not sum to 1; a seed, 0 to 2**32 - 1, gives the same draws in every session
    Errors: TypeError if the words are not strings, the weights not numbers or the seed not an int; ValueError
            if they do not match, are too many, or a weight is negative, NaN or infinite
    Source: notebook 04
    """
    tokens = given.words("tokens", tokens, MOST_WORDS)
    weights = given.matrix("weights", weights, len(tokens), "pass those of one text and head, for instance weights[0]")
    given.require_finite("weights", weights, "pass what comes after the softmax, with the module in .eval()", 0)
    return DropoutExplorer(tokens, weights, _seed(seed))


class DropoutExplorer(Explorer):
    """The view of one matrix of weights, which has been checked."""

    script = "dropout.js"
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    weights = traitlets.Bytes().tag(sync=True)  # float32, (T, T)
    seed = traitlets.Int().tag(sync=True)

    def __init__(self, tokens, weights, seed):
        self._weights = weights
        super().__init__(tokens=tokens, weights=given.sent(weights), seed=seed)

    def picture(self):
        """The view as it opens: the weights, and the first draw with p = 0.5."""
        kept = coins(self.seed, 1, len(self.tokens)) >= 0.5
        return figures.weights_side_by_side(
            {"before dropout": self._weights, "one draw, p = 0.5": self._weights * kept / 0.5}, self.tokens
        )


def coins(seed, draw, T):
    """The random numbers of one draw, the same as coin() gives in dropout.js; draws are counted from 1.

    Shapes: -> (T, T) float64
    Units:  uniform from 0 to 1, without 1
    """
    bits = seed + (torch.arange(T * T) + (draw - 1) * T * T) * 0x9E3779B9
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):  # the last steps of MurmurHash3
        bits = bits & WORD
        bits = (bits ^ bits >> shift) * factor
    bits = bits & WORD
    return (bits ^ bits >> 16).double().view(T, T) / 2**32


def _seed(seed):
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeError(f"seed must be an int, got {type(seed).__name__}; pass a whole number such as 1")
    if not 0 <= seed <= WORD:
        raise ValueError(f"seed must be 0 to {WORD}, got {seed}; pass a small whole number such as 1")
    return seed
