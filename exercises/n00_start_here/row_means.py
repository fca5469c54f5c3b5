"""row_means: the reference, its steps and test cases; the page next to it says the rest."""

import torch

from exercises.common.inputs import AXES, D, S, T, normal, round_numbers
from feedback import TestCase
from feedback.page_exercise import exercise


def row_means(x):
    """Average each row.

    Shapes: x (R, C) -> (R,)
    Source: notebook 00
    """
    return x.mean(dim=1)


EXERCISE = exercise(
    row_means,
    returns=("means",),
    axis_names=AXES | {5: "R", 7: "C", 11: "R", 17: "C"},
    cases=(
        TestCase("a table", (normal(T, S),)),
        TestCase("a tall table", (normal(D, S, seed=2),)),
        TestCase("a table of float64", (normal(T, S, seed=3).double(),)),
        TestCase("one row", (normal(1, S, seed=4),)),
        TestCase("a wide table", (normal(T, 17, seed=5),)),
        TestCase("zeros, and numbers that repeat", (torch.tensor([[0.0, 2, 2], [1, 1, 4], [0, 0, 3]]),)),
    ),
    minimal_inputs=((round_numbers(1, 2),), (round_numbers(2, 2),), (round_numbers(2, 3),)),
)
