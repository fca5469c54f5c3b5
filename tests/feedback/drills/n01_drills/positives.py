"""A tensor, and how many numbers are in it."""

import torch

from feedback import TestCase
from feedback.page_exercise import exercise


def positives(x):
    return x[x > 0], int((x > 0).sum())


EXERCISE = exercise(
    positives,
    returns=("kept", "number"),
    cases=(
        TestCase("both signs", (torch.tensor([1.0, -2, 3, -4, 5]),)),
        TestCase("a zero", (torch.tensor([0.0, 7, -1]),)),
    ),
    minimal_inputs=((torch.tensor([2.0, -1]),), (torch.tensor([0.0, 1]),)),
)
