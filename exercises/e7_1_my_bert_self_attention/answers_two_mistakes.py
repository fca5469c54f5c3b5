"""Answers to exercise 7.1 with two mistakes at once: naming either is true, naming a third is not."""

import math

from torch import nn

from feedback.bank import TwoMistakes

both = TwoMistakes()


class Steps(nn.Module):
    """A right answer whose steps are methods, so that two of them can be wrong."""

    def __init__(self, config):
        super().__init__()
        C, self.num_heads = config.hidden_size, config.num_attention_heads
        self.query, self.key, self.value = nn.Linear(C, C), nn.Linear(C, C), nn.Linear(C, C)

    def split(self, z):
        return z.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def scale(self, scores, D):
        return scores / math.sqrt(D)

    def hide(self, scores, mask):
        return scores if mask is None else scores.masked_fill(~mask, float("-inf"))

    def merge(self, z):
        return z.transpose(1, 2).flatten(2)

    def forward(self, x, mask=None):
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        weights = self.hide(self.scale(q @ k.mT, q.size(-1)), mask).softmax(-1)
        return self.merge(weights @ v), weights


class Unscaled(Steps):
    def scale(self, scores, D):
        return scores


class InvertedMask(Steps):
    def hide(self, scores, mask):
        return scores if mask is None else scores.masked_fill(mask, float("-inf"))


@both("no-scale", "true-hides")
class UnscaledInvertedMask(Unscaled, InvertedMask):
    pass


@both("true-hides", "merge-not-transposed")
class InvertedMaskMergedByReshape(InvertedMask):
    def merge(self, z):
        return z.reshape(z.size(0), z.size(2), -1)


@both("no-scale", "not-merged")
class UnscaledNotMerged(Unscaled):
    def merge(self, z):
        return z


@both("viewed", "mask-ignored")
class ViewedUnmasked(Steps):
    def split(self, z):
        return z.view(z.size(0), self.num_heads, z.size(1), -1)

    def hide(self, scores, mask):
        return scores


@both("scaled-by-d-model", "weak-fill")
class RootOfAllFeaturesWeakFill(Steps):
    def scale(self, scores, D):
        return scores / math.sqrt(self.num_heads * D)

    def hide(self, scores, mask):
        return scores if mask is None else scores.masked_fill(~mask, -10.0)


@both("scaled-by-d", "residual")
class OverDWithResidual(Steps):
    def scale(self, scores, D):
        return scores / D

    def forward(self, x, mask=None):
        out, weights = super().forward(x, mask)
        return out + x, weights


@both("mask-none", "merge-interleaved")
class AlwaysMaskedMergedInTurns(Steps):
    def hide(self, scores, mask):
        return scores.masked_fill(~mask, float("-inf"))

    def merge(self, z):
        return z.permute(0, 2, 3, 1).flatten(2)
