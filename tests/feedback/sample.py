"""A small exercise of the engine's own, which has nothing to do with attention: the share of each number in its row."""

import torch

from feedback import Exercise, Misconceptions, Property, TestCase


def shares(x, scale=None):
    """The reference: x (R, C), scale (C,) or None -> (shares (R, C), sums (R,))."""
    x = x if scale is None else x * scale
    sums = x.sum(dim=1)
    return x / sums[:, None], sums


known = Misconceptions()


@known("over-columns", means="Columns were summed, not rows.", hint="Which axis should disappear?")
def over_columns(x, scale=None):
    x = x if scale is None else x * scale
    sums = x.sum(dim=0)
    return x / sums, sums


@known("scale-ignored", means="scale was never used.", hint="Where does scale come in?")
def without_scale(x, scale=None):
    return shares(x)


@known("scale-added", means="scale was added.", hint="It is a factor.")
def scale_added(x, scale=None):
    return shares(x if scale is None else x + scale)


@known("not-divided", means="Nothing was divided.", hint="A share is a part of the sum.")
def not_divided(x, scale=None):
    return x if scale is None else x * scale, shares(x, scale)[1]


@known("means-not-sums", means="The means were returned, not the sums.", hint="What did you divide by?")
def means_not_sums(x, scale=None):
    first, sums = shares(x, scale)
    return first, sums / x.size(1)


def rows_sum_to_one(case):
    return None if torch.allclose(case.first.sum(1), torch.ones(len(case.first))) else "Each row must sum to 1."


X, Y, SCALE = torch.arange(1.0, 11).reshape(2, 5), torch.arange(2.0, 17).reshape(3, 5), torch.tensor([1.0, 2, 3, 4, 6])

EXERCISE = Exercise(
    id="9.1",
    gives="the share of each number in its row, and the sums",
    minutes=1,
    difficulty=1,
    reference=shares,
    returns=("shares", "sums"),
    cases=(
        TestCase("a table", (X, None)),
        TestCase("a tall table", (Y, None)),
        TestCase("a scaled table", (X, SCALE)),
        TestCase(
            "a table of large numbers", (X * 1e30, None), limitation="The product of two large numbers is not finite."
        ),
    ),
    minimal_inputs=(
        (torch.tensor([[1.0, 1.0], [1.0, 1.0]]), None),
        (torch.tensor([[1.0, 3.0]]), None),
        (torch.tensor([[1.0, 3.0], [2.0, 4.0]]), None),
    ),
    misconceptions=known,
    hints=("Sum the rows.", "x / x.sum(dim=1)[:, None]"),
    when_correct="Shares sum to 1.",
    stage_of=lambda args: args[1] is not None,
    judge_first=("sums",),
    properties=(Property("rows-do-not-sum-to-1", rows_sum_to_one, "Divide by what?"),),
)
