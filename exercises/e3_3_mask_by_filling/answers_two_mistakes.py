"""Answers to exercise 3.3 with two mistakes at once: the checker may name either, and no third."""

import math

import torch
import torch.nn.functional as F

from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("true-hides", "over-queries")
def inverted_over_queries(scores, mask):
    return torch.softmax(scores.masked_fill(mask, float("-inf")), dim=-2)


@both("zero-filled", "over-queries")
def zeroed_over_queries(scores, mask):
    return F.softmax(scores * mask, dim=-2)


@both("weak-fill", "axis-from-the-front")
def weakly_filled_over_axis_1(scores, mask):
    return F.softmax(scores.masked_fill(~mask, -10), dim=1)


@both("mask-ignored", "axis-from-the-front")
def lost_fill_over_axis_0(scores, mask):
    scores.masked_fill(~mask, -1e9)
    return scores.softmax(0)


@both("scaled-again", "true-hides")
def inverted_and_scaled(scores, mask):
    return F.softmax(scores.masked_fill(mask, -1e9) / math.sqrt(scores.size(-1)), dim=-1)


@both("scaled-again", "zero-filled")
def zeroed_and_scaled(scores, mask):
    return F.softmax(scores * mask / scores.size(-1) ** 0.5, dim=-1)


@both("softmax-twice", "masked-after-softmax")
def softmax_twice_then_mask(scores, mask):
    return scores.softmax(-1).softmax(-1) * mask


@both("masked-after-softmax", "over-queries")
def over_queries_then_mask(scores, mask):
    return torch.softmax(scores, dim=-2).masked_fill(~mask, 0.0)


@both("true-hides", "scores-ignored")
def positive_fill_of_visible_keys(scores, mask):
    return torch.where(mask, 1e9, scores).softmax(-1)
