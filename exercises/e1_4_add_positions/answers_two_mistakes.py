"""Answers to exercise 1.4 with two mistakes at once: the checker may name either, and no third."""

import math

import torch

from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("whole-table", "scaled")
def the_whole_table_and_scaled(x, positions):
    return x * math.sqrt(x.shape[-1]) + positions


@both("off-by-one", "multiplied")
def multiplied_by_the_next_rows(x, positions):
    return x * positions[1 : x.shape[1] + 1]


@both("whole-table", "concatenated")
def the_whole_table_next_to_x(x, positions):
    return torch.cat((x, positions), dim=2)


@both("wrong-size", "subtracted")
def as_many_as_items_subtracted(x, positions):
    return x - positions[: x.size(0)]
