"""Explainers for attention: sentences about the learner's own weights and masks; also the general explainers."""

import torch

from feedback.explainers import (  # noqa: F401  # pages name some of these
    entry,
    first_entries,
    item,
    largest,
    not_a_number,
    shape,
    true_at,
    unraveled,
    worst,
)
from feedback.format import counted, in_a_row, number, position, shortly  # noqa: F401


def first_numbers(row, most):
    """Return the first numbers of a row, at most `most`, in brackets."""
    words = in_a_row(row[:most])
    return f"[{words}, ...]" if len(row) > most else f"[{words}]"


def number_of_row(table, vector):
    """The number of the row that equals a vector, or None."""
    if table.size(-1) != vector.size(-1):
        return None
    same = (table - vector).abs().amax(-1).lt(1e-4)
    return int(same.nonzero()[0]) if same.any() else None


def row_sum(case):
    """The row whose sum is furthest from 1."""
    sums = case.last.double().sum(-1)
    at = worst(sums, torch.ones_like(sums))
    if abs(sums[at] - 1) < 1e-3:
        return entry(case)
    return f"row {position(at)} of your weights sums to {number(sums[at])}; it must sum to 1"


def sharpness(case):
    """The row whose largest weight is furthest from the right one."""
    got, right = case.last.max(-1).values, case.expected_last.max(-1).values
    at = worst(got, right)
    word = "sharper" if got[at] > right[at] else "flatter"
    return (
        f"the largest weight of row {position(at)} is {number(got[at])} where {number(right[at])} is right: "
        f"your rows are {word}"
    )


def given_mask(case):
    """Return the mask of a case, its last argument, or None if there is none."""
    mask = case.args[-1]
    return mask if isinstance(mask, torch.Tensor) and mask.dtype == torch.bool else None


def hidden_weight(case):
    """The hidden key that gets the largest weight."""
    mask = given_mask(case)
    if mask is None or case.last.shape != case.expected_last.shape:
        return shape(case)
    leak = case.last.double().nan_to_num(0.0) * ~mask
    if not leak.any():
        return not_a_number(case) if case.last.isnan().any() else entry(case)
    at = worst(leak, torch.zeros_like(leak))
    return f"key {at[-1]} is hidden from query {at[-2]}, and gets the weight {number(leak[at])} at {position(at)}"


def out_alone(case):
    """Say that the weights are right, and show the entry of out that is furthest off."""
    at = worst(case.first, case.expected_first)
    return (
        f"your weights are right, but your out at {position(at)} is {number(case.first[at])} and "
        f"{number(case.expected_first[at])} is right"
    )
