"""Exercise 10.2: pool_heads."""

import torch

from exercises.common import properties
from exercises.common.inputs import AXES, normal
from exercises.e10_2_pool_heads.misconceptions import known
from exercises.e10_2_pool_heads.reference import pool_heads
from feedback import Exercise, TestCase


def counted(heads, size, groups):
    """Each row holds its own number."""
    return torch.arange(float(heads * size))[:, None], heads, groups


EXERCISE = Exercise(
    minutes=6,
    difficulty=1,
    gives="the weight (G · D, C) of G heads, each of them the mean of H / G consecutive heads",
    reference=pool_heads,
    returns=("pooled",),
    axis_names=AXES | {12: "H * D", 18: "H * D", 40: "H * D", 6: "G * D", 7: "C", 11: "C", 10: ""},
    cases=(
        TestCase("4 heads of 3 rows, 2 groups", (normal(12, 7, seed=1), 4, 2)),
        TestCase("6 heads of 3 rows, 2 groups", (normal(18, 11, seed=2), 6, 2)),
        TestCase("6 heads of 3 rows, 3 groups", (normal(18, 7, seed=3), 6, 3)),
        TestCase("8 heads of 5 rows, 2 groups, float64", (normal(40, 11, seed=4, dtype=torch.float64), 8, 2)),
        TestCase("one group", (normal(12, 11, seed=5), 4, 1)),
        TestCase("as many groups as heads", (normal(12, 7, seed=6), 4, 4)),
        TestCase("heads of one row", (normal(6, 7, seed=7), 6, 2)),
        TestCase("as many rows as columns", (normal(12, 12, seed=8), 6, 3)),
    ),
    minimal_inputs=(
        counted(2, 1, 1),
        counted(2, 2, 1),
        counted(4, 1, 2),
        counted(4, 2, 2),
        counted(6, 1, 2),
        (torch.tensor([[1.0, 4.0], [3.0, 0.0]]), 2, 1),
    ),
    misconceptions=known,
    hints=(
        "The rows of weight are heads of D rows, one head after another. How many heads make one group, and which?",
        "Give the weight an axis for the groups, one for the heads of a group, and one for the rows of a "
        "head. Over which of them is the mean?",
        "`weight.unflatten(0, (groups, num_heads // groups, -1))` is (G, H/G, D, C). After the mean, two axes "
        "are joined.",
    ),
    properties=(properties.FINITE,),
    when_correct="The cache shrinks by H / G. What the model loses with it, the notebook measures.",
)
