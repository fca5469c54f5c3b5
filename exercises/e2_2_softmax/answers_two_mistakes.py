"""Answers to exercise 2.2 with two mistakes at once: the checker may name either, and no third."""

import torch

from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("overflow", "over-the-rows")
def naive_over_queries(scores):
    powers = torch.exp(scores)
    return powers / powers.sum(-2, keepdim=True)


@both("mean-subtracted", "over-the-rows")
def mean_of_rows_over_queries(scores):
    powers = torch.exp(scores - scores.mean(-1, keepdim=True))
    return powers / powers.sum(dim=-2, keepdim=True)


@both("overflow-hidden", "axis-from-the-front")
def nan_replaced_over_axis_1(scores):
    powers = scores.exp()
    return torch.nan_to_num(powers / powers.sum(dim=1, keepdim=True))


@both("clamped", "over-everything")
def clamped_over_everything(scores):
    powers = scores.clamp(max=60).exp()
    return powers / powers.sum()


@both("one-maximum-for-all", "not-divided")
def shifted_by_the_largest_and_not_divided(scores):
    return torch.exp(scores - scores.max())


@both("base-two", "overflow")
def naive_powers_of_two(scores):
    return 2**scores / (2**scores).sum(dim=-1, keepdim=True)


@both("sign", "overflow")
def naive_and_negated(scores):
    return torch.exp(-scores) / torch.exp(-scores).sum(-1, keepdim=True)
