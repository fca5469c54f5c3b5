"""Exercise 3.1: causal_mask."""

from exercises.common.inputs import AXES, hidden_only
from exercises.e3_1_causal_mask.misconceptions import known
from exercises.e3_1_causal_mask.reference import causal_mask
from feedback import Exercise, TestCase


def other_lengths(draw):
    return draw.sample(range(14, 60), 2)


EXERCISE = Exercise(
    minutes=4,
    difficulty=1,
    gives="a mask, bool (length, length), True on and below the diagonal: True = may attend",
    reference=causal_mask,
    returns=("mask",),
    axis_names=AXES | dict.fromkeys((2, 3, 5, 7, 13, 130), "length"),
    dtype_hints={"mask": "A mask holds True and False"},
    cases=tuple(TestCase(f"length {n}", (n,)) for n in (5, 7, 2, 1, 13, 130, *hidden_only(other_lengths))),
    minimal_inputs=((1,), (2,), (3,)),
    misconceptions=known,
    hints=(
        "Draw the mask for 3 tokens: a row for each query, a column for each key. What shape do the True entries have?",
        "Start from a square of True, `torch.ones(length, length, dtype=torch.bool)`, and keep a triangle of it.",
        "tril keeps the lower triangle together with the diagonal.",
    ),
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
    when_correct="Row i is True up to column i: a position sees itself and its past.",
)
