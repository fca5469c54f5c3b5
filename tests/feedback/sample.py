"""A small exercise of the engine's own, which has nothing to do with attention: the share of each number in its row."""

import torch

from feedback import Exercise, Misconception, Property, TestCase


def shares(x, scale=None):
    """The reference: x (R, C), scale (C,) or None -> (shares (R, C), sums (R,))."""
    x = x if scale is None else x * scale
    sums = x.sum(dim=1)
    return x / sums[:, None], sums


def over_columns(x, scale=None):
    x = x if scale is None else x * scale
    sums = x.sum(dim=0)
    return x / sums, sums


def without_scale(x, scale=None):
    return shares(x)


def scale_added(x, scale=None):
    return shares(x if scale is None else x + scale)


def not_divided(x, scale=None):
    return x if scale is None else x * scale, shares(x, scale)[1]


def means_not_sums(x, scale=None):
    first, sums = shares(x, scale)
    return first, sums / x.size(1)


KNOWN = (
    Misconception("over-columns", "Columns were summed, not rows.", "Which axis should disappear?", (over_columns,)),
    Misconception("scale-ignored", "scale was never used.", "Where does scale come in?", (without_scale,)),
    Misconception("scale-added", "scale was added.", "It is a factor.", (scale_added,)),
    Misconception("not-divided", "Nothing was divided.", "A share is a part of the sum.", (not_divided,)),
    Misconception("means-not-sums", "The means were returned, not the sums.", "Divided by what?", (means_not_sums,)),
)


def rows_sum_to_one(case):
    return None if torch.allclose(case.first.sum(1), torch.ones(len(case.first))) else "Each row must sum to 1."


X, Y, SCALE = torch.arange(1.0, 11).reshape(2, 5), torch.arange(2.0, 17).reshape(3, 5), torch.tensor([1.0, 2, 3, 4, 6])

LIMITATION = "The product of two large numbers is not finite."

EXERCISE = Exercise(
    id="9.1",
    minutes=1,
    difficulty=1,
    reference=shares,
    returns=("shares", "sums"),
    cases=(
        TestCase("a table", (X, None)),
        TestCase("a tall table", (Y, None)),
        TestCase("a scaled table", (X, SCALE)),
        TestCase("a table of large numbers", (X * 1e30, None), limitation=LIMITATION),
    ),
    minimal_inputs=(
        (torch.tensor([[1.0, 1.0], [1.0, 1.0]]), None),
        (torch.tensor([[1.0, 3.0]]), None),
        (torch.tensor([[1.0, 3.0], [2.0, 4.0]]), None),
    ),
    misconceptions=KNOWN,
    hints=("Sum the rows.", "x / x.sum(dim=1)[:, None]"),
    when_correct="Shares sum to 1.",
    stage_of=lambda args: args[1] is not None,
    judge_first=("sums",),
    properties=(Property("rows-do-not-sum-to-1", rows_sum_to_one, "Divide by what?"),),
)
