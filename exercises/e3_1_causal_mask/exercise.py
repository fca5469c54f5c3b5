"""Exercise 3.1: causal_mask."""

from exercises.common.inputs import AXES
from exercises.e3_1_causal_mask.misconceptions import MISCONCEPTIONS
from feedback import Exercise, TestCase
from helpers import masks

EXERCISE = Exercise(
    id="3.1", name="causal_mask", signature="causal_mask(length)", minutes=4, difficulty=1,
    gives="a mask, bool (length, length), True on and below the diagonal: True = may attend",
    reference=masks.causal_mask, arguments=("length",), returns=("mask",),
    axis_names=AXES | dict.fromkeys((2, 3, 5, 7, 13), "length"),
    cases=tuple(TestCase(f"length {n}", (n,)) for n in (5, 7, 2, 1, 13)),
    minimal_inputs=((1,), (2,), (3,)),
    misconceptions=MISCONCEPTIONS,
    hints=(
        "Start from a square of True: torch.ones(length, length, dtype=torch.bool). Then cut a triangle out of it.",
        "tril keeps the lower triangle together with the diagonal.",
    ),
    when_correct="Row i is True up to column i: a position sees itself and its past.",
)
