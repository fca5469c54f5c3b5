"""Exercise 5.2: merge_heads."""

from exercises.common.heads import _D, _MOVES, _SHAPES, _SIZES, _TOLD_BY_NUMBERS
from exercises.common.inputs import AXES, B, H, T, normal
from exercises.e5_2_merge_heads.misconceptions import MISCONCEPTIONS
from feedback import Exercise, TestCase
from helpers.heads import merge_heads, split_heads

EXERCISE = Exercise(
    id="5.2", name="merge_heads", signature="merge_heads(x)", minutes=5, difficulty=2,
    gives="the heads of each position side by side again: (B, H, T, D) to (B, T, C), the way back from split_heads",
    reference=merge_heads, arguments=("x",), returns=("merged",), axis_names=AXES | _SIZES,
    cases=(*(TestCase(name, (normal(b, h, t, d, seed=60 + i),)) for i, (name, b, t, h, d) in enumerate(_SHAPES)),
            TestCase("float64", (normal(B, H, T, _D, seed=69).double(),))),
    minimal_inputs=tuple((split_heads(x, 2).contiguous(),) for x in _TOLD_BY_NUMBERS),
    misconceptions=MISCONCEPTIONS,
    hints=(
        "It is split_heads backwards: first the two axes change places again, then the last two become one.",
        "(B, H, T, D) to (B, T, H, D) to (B, T, C). After a transpose view refuses; reshape and flatten do not.",
        "x.transpose(1, 2).flatten(-2)",
    ),
    properties=_MOVES,
    when_correct="merge_heads(split_heads(x, H)) is x again: no number was changed on the way.",
)
