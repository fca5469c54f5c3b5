"""Exercise 0.1, row_means: a learner's first check."""

import torch

from exercises.common.inputs import AXES, D, S, T, normal, round_numbers
from exercises.e0_1_row_means.misconceptions import known
from exercises.e0_1_row_means.reference import row_means
from feedback import Exercise, TestCase

EXERCISE = Exercise(
    minutes=3,
    difficulty=1,
    gives="the mean of each row of x: from (R, C) to (R,)",
    reference=row_means,
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
    misconceptions=known,
    hints=(
        "x has two axes, rows and columns. The result has one number for each row, so the columns must go.",
        "`x.mean(dim=...)` makes one axis disappear. Axes are counted from 0: rows are 0, columns are 1.",
    ),
    when_correct="In a mean, sum or maximum, the axis named in dim disappears: you will meet this in every notebook.",
)
