"""Explainers: sentences made from the learner's own numbers.

Each takes a Comparison and returns one clause about what can be seen there.
"""

from __future__ import annotations

import torch
from torch import allclose as close

from feedback.compare import allclose
from feedback.exercise import Comparison, TestCase
from feedback.format import counted, in_a_row, more_digits, number, position, shortly

TOLERANCE = TestCase("", ())  # with the default tolerances


def worst(actual: torch.Tensor, expected: torch.Tensor) -> tuple[int, ...]:
    """Index of the entry that is furthest off; one that is not finite beats all others."""
    off = (actual.double() - expected.double()).abs().nan_to_num(float("inf"))
    return largest(off.masked_fill(actual == expected, 0))  # -inf - -inf is NaN


def largest(x: torch.Tensor) -> tuple[int, ...]:
    return unraveled(int(x.argmax()), x.shape)


def unraveled(index: int, shape: torch.Size) -> tuple[int, ...]:
    """The index along each axis; torch.unravel_index imports SymPy first, which takes half a second."""
    found = []
    for size in reversed(shape):
        index, along = divmod(index, size)
        found.append(along)
    return tuple(reversed(found))


def entry(case: Comparison) -> str:
    """The entry that is furthest off in the first part of a result that differs; in a list, the first wrong one."""
    if isinstance(case.expected, list):
        return item(case)
    for name, actual, expected in case.leaves:
        if not isinstance(expected, torch.Tensor):
            if not allclose(actual, expected, TOLERANCE):
                return f"your {name} is {shortly(actual)}, and {shortly(expected)} is right"
        elif not close(actual.double(), expected.double(), rtol=1e-4, atol=3e-5):
            at = worst(actual, expected)
            where = f" at {position(at)}" if at else ""
            mine, right = number(actual[at]), number(expected[at])
            if mine.rstrip("0") == right.rstrip("0"):  # as 1.0000 and 1.0
                mine, right = more_digits(actual[at]), more_digits(expected[at])
            if actual.dtype == torch.bool:
                mine, right = str(bool(actual[at])), str(bool(expected[at]))
            number_of = f"the number{where} of your {name}" if where and name.endswith("s") else f"your {name}{where}"
            return f"{number_of} is {mine}, and {right} is right"
    return "your numbers differ from the right ones"


def item(case: Comparison) -> str:
    """The first entry of a list that is not right."""
    if len(case.actual) != len(case.expected):
        return f"your list has {counted(len(case.actual), 'entry', 'entries')}, and {len(case.expected)} would be right"
    both = zip(case.actual, case.expected, strict=True)
    at = next((i for i, (a, b) in enumerate(both) if not allclose(a, b, TOLERANCE)), 0)
    return f"entry {at} of your list is {shortly(case.actual[at])}, and {case.expected[at]!r} is right"


def not_a_number(case: Comparison) -> str:
    """Where the first NaN is."""
    actual = case.last if case.last.isnan().any() else case.first
    bad = actual.isnan()
    if not bad.any():
        return entry(case)
    at = worst(bad, torch.zeros_like(bad))
    verb = "is" if bad.sum() == 1 else "are"
    return f"{int(bad.sum())} of your {bad.numel()} numbers {verb} NaN, the first at {position(at)}"


def shape(case: Comparison) -> str:
    """The two shapes, or where they agree the entry that is furthest off."""
    if case.last.shape == case.expected_last.shape and case.first.shape == case.expected_first.shape:
        return entry(case)
    return f"yours has shape {tuple(case.last.shape)}, and {tuple(case.expected_last.shape)} is right"


def first_entries(case: Comparison) -> str:
    """The first numbers of both, for results of one axis."""
    mine, right = (in_a_row(x.flatten()[:3]) for x in (case.last, case.expected_last))
    return f"yours begins {mine}; {right} is right"


def true_at(case: Comparison) -> str:
    """For masks: an entry that is the wrong way around."""
    at = worst(case.last.float(), case.expected_last.float())
    return f"your mask at {position(at)} is {case.last[at].item()}; {case.expected_last[at].item()} is right"
