"""Answers to exercise 1.2 with two mistakes at once: the checker may name either, and no third."""

import math

import torch
import torch.nn.functional as F

from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("off-by-one", "fixed-axes")
def the_row_before_in_a_loop(ids, table):
    return torch.stack([table[int(id) - 1] for id in ids])


@both("scaled", "no-single-id")
def scaled_rows_in_a_loop(ids, table):
    return torch.stack([table[id] * math.sqrt(table.shape[1]) for id in ids])


@both("columns", "off-by-one")
def the_column_before(ids, table):
    return table.T[ids - 1]


@both("one-hot-dtype", "one-hot-of-columns")
def whole_one_hot_as_wide_as_a_row(ids, table):
    return F.one_hot(ids, table.shape[1]) @ table


@both("averaged", "scaled")
def scaled_average(ids, table):
    return table[ids].mean(dim=0) * math.sqrt(table.shape[-1])
