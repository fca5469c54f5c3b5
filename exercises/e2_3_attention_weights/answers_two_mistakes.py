"""Answers to exercise 2.3 with two mistakes at once: the checker may name either, and no third."""

import math

import torch
import torch.nn.functional as F

from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("no-scale", "axis-from-the-front")
def unscaled_over_axis_1(q, k):
    return torch.softmax(q @ k.transpose(-2, -1), dim=1)


@both("no-scale", "axis-from-the-front")
def unscaled_without_an_axis(q, k):
    return F.softmax(q @ k.mT)


@both("scaled-by-d", "over-queries")
def over_d_and_over_queries(q, k):
    return (q @ k.transpose(-2, -1) / q.size(-1)).softmax(dim=-2)


@both("fixed-scale", "fixed-axes")
def over_8_with_counted_axes(q, k):
    return F.softmax(torch.bmm(q, k.transpose(1, 2)) / 8, dim=2)


@both("no-scale", "fixed-axes")
def unscaled_with_counted_axes(q, k):
    return torch.softmax(q @ k.transpose(0, 1), dim=-1)


@both("scaled-by-another", "axis-from-the-front")
def root_of_keys_over_axis_1(q, k):
    return torch.softmax(q @ k.mT / math.sqrt(k.size(-2)), dim=1)


@both("no-scale", "log-softmax")
def unscaled_logarithms(q, k):
    return F.log_softmax(q @ k.mT, dim=-1)


@both("all-axes-reversed", "scaled-by-another")
def capital_t_over_the_root_of_len(q, k):
    return torch.softmax(q @ k.T / len(q) ** 0.5, dim=-1)
