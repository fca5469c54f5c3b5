"""Exercise 5.1: split_heads."""

from exercises.common.heads import _MOVES, _SHAPES, _SIZES, _TOLD_BY_NUMBERS
from exercises.common.inputs import AXES, B, H, T, normal
from exercises.e5_1_split_heads.misconceptions import MISCONCEPTIONS
from feedback import Exercise, TestCase
from helpers.heads import split_heads

_C = 12  # the width of all heads

EXERCISE = Exercise(
    id="5.1", name="split_heads", signature="split_heads(x, num_heads)", minutes=6, difficulty=2,
    gives="x cut into heads: (B, T, C) to (B, H, T, D), D = C / H, where head h has the features h*D to (h+1)*D of "
          "each position",
    reference=split_heads, arguments=("x", "num_heads"), returns=("heads",), axis_names=AXES | _SIZES,
    cases=(*(TestCase(name, (normal(b, t, h * d, seed=50 + i), h)) for i, (name, b, t, h, d) in enumerate(_SHAPES)),
            TestCase("float64", (normal(B, T, _C, seed=59).double(), H))),
    minimal_inputs=tuple((x, 2) for x in _TOLD_BY_NUMBERS),
    misconceptions=MISCONCEPTIONS,
    hints=(
        "Two steps: one axis is cut in two, then two axes change places. Which axis is cut? Which two then change "
        "places?",
        "(B, T, C) to (B, T, H, D) to (B, H, T, D): view or unflatten cuts, transpose exchanges. Never make the final "
        "shape with view in one go: it has the same sizes, and other numbers.",
        "B, T, C = x.shape; then x.view(B, T, num_heads, C // num_heads).transpose(1, 2)",
    ),
    properties=_MOVES,
    when_correct="The heads now stand beside the batch: every formula for (..., T, D) works on all of them at once.",
)
