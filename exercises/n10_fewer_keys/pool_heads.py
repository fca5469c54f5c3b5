"""pool_heads: the reference and its test cases."""

import torch

from exercises.common import explainers, properties
from exercises.common.inputs import AXES, normal
from feedback import TestCase
from feedback.page_exercise import exercise


def pool_heads(weight, num_heads, groups):
    """Make one key or value head out of the heads of each group: their mean.

    Shapes: weight (H * D, C) -> (G * D, C)
    Source: Ainslie et al. 2023; notebook 10
    """
    heads = weight.unflatten(0, (groups, num_heads // groups, -1))  # (G, H/G, D, C)
    return heads.mean(dim=1).flatten(0, 1)


def rows_of(case):
    """Show the rows of weight whose mean is right, where the learner's numbers are furthest off."""
    weight, heads, groups = case.args
    row = explainers.worst(case.first, case.expected_first)[0]
    size = len(weight) // heads
    group, d = divmod(row, size)
    rows = [(group * (heads // groups) + h) * size + d for h in range(heads // groups)]
    names = ", ".join(map(str, rows))
    return f"row {row} should be the mean of the rows {names} of weight. {explainers.entry(case).capitalize()}"


def counted(heads, size, groups):
    """Return a weight whose rows hold their own numbers."""
    return torch.arange(float(heads * size))[:, None], heads, groups


EXERCISE = exercise(
    pool_heads,
    returns=("pooled",),
    axis_names=AXES | {12: "H * D", 18: "H * D", 40: "H * D", 6: "G * D", 7: "C", 11: "C", 10: ""},
    cases=(
        TestCase("4 heads of 3 rows, 2 groups", (normal(12, 7, seed=1), 4, 2)),
        TestCase("6 heads of 3 rows, 3 groups", (normal(18, 7, seed=3), 6, 3)),
        TestCase("8 heads of 5 rows, 2 groups, float64", (normal(40, 11, seed=4, dtype=torch.float64), 8, 2)),
        TestCase("one group", (normal(12, 11, seed=5), 4, 1)),
    ),
    minimal_inputs=(counted(2, 1, 1), counted(2, 2, 1), counted(4, 1, 2), counted(6, 1, 2)),
    properties=(properties.FINITE,),
)
