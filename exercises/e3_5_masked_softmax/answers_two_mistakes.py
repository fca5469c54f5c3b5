"""Answers to exercise 3.5 with two mistakes at once: the checker may name either, and no third."""

import torch
import torch.nn.functional as F

from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("nan-rows", "over-queries")
def minus_infinity_over_queries(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-2)


@both("uniform-rows", "axis-from-the-front")
def finite_fill_over_axis_1(scores, mask):
    return F.softmax(scores.masked_fill(~mask, -1e9), dim=1)


@both("nan-rows", "true-hides")
def minus_infinity_where_visible(scores, mask):
    return F.softmax(scores.masked_fill(mask, float("-inf")), dim=-1)


@both("weak-fill", "over-queries")
def weak_fill_over_queries(scores, mask):
    return F.softmax(scores.masked_fill(~mask, -10.0), dim=-2) * mask


@both("masked-after-softmax", "over-queries")
def zeroed_after_the_softmax_over_queries(scores, mask):
    return F.softmax(scores, dim=-2).masked_fill(~mask, 0.0)


@both("zero-filled", "axis-from-the-front")
def zero_filled_over_axis_0(scores, mask):
    return torch.softmax(scores * mask, dim=0) * mask


@both("swallowed", "no-gradients")
def renormalized_without_gradients(scores, mask):
    with torch.no_grad():
        weights = scores.softmax(-1) * mask
        return weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)


@both("nan-rows", "weak-fill")
def weak_fill_and_nan_rows(scores, mask):
    weights = scores.masked_fill(~mask, -10.0).softmax(-1) * mask
    return weights.masked_fill(~mask.any(-1, keepdim=True), float("nan"))
