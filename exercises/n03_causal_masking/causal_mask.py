"""causal_mask: the reference and the test cases; the page next to it says the rest."""

import torch

from exercises.common.inputs import AXES, hidden_only
from feedback import TestCase
from feedback.page_exercise import exercise


def causal_mask(length):
    """Let every position see itself and what came before.

    Shapes: -> (length, length), bool
    """
    return torch.ones(length, length, dtype=torch.bool).tril()


EXERCISE = exercise(
    causal_mask,
    returns=("mask",),
    axis_names=AXES | dict.fromkeys((2, 3, 5, 7, 13, 130), "length"),
    dtype_hints={"mask": "A mask holds True and False"},
    cases=tuple(
        TestCase(f"length {n}", (n,))
        for n in (5, 7, 2, 1, 13, 130, *hidden_only(lambda draw: draw.sample(range(14, 60), 2)))
    ),
    minimal_inputs=((1,), (2,), (3,)),
    error_meanings=(
        (
            r"at least 2 dim",
            "A triangle is cut out of a square, and `torch.ones(n)` is a single row: a mask has a row for each "
            "query and a column for each key.",
        ),
        (
            r"(tril|triu)\(\).*must be Tensor, not int",
            "tril and triu take a tensor and keep a triangle of it: which square do you start from?",
        ),
    ),
)
