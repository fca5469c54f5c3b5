"""Answers to exercise 7.2 with two mistakes at once: naming either is true, naming a third is not."""

# ruff: noqa: RET503 - a return inside a loop is what learners do

import torch
import torch.nn.functional as F

from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("mean-over-all", "normalized")
def mean_over_all_normalized(hidden, mask):
    return F.normalize(hidden.mean(dim=1), dim=-1)


@both("mask-inverted", "divided-by-length")
def padding_summed_and_divided_by_length(hidden, mask):
    return (hidden * ~mask.unsqueeze(-1)).sum(dim=1) / hidden.size(1)


@both("not-divided", "axis-kept")
def sum_with_its_axis(hidden, mask):
    return (hidden * mask.unsqueeze(-1)).sum(dim=1, keepdim=True)


@both("padding-summed", "count-not-lined-up")
def everything_over_a_flat_count(hidden, mask):
    return hidden.sum(dim=1) / mask.sum(dim=1)


@both("over-features", "not-divided")
def sums_of_features(hidden, mask):
    return torch.where(mask, hidden.sum(dim=-1), 0.0)


@both("one-item-only", "mean-over-all")
def first_mean_over_all(hidden, mask):
    for item in hidden:
        return item.mean(dim=0)
