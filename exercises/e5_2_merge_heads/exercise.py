"""Exercise 5.2: merge_heads."""

import torch

from exercises.common.gradients import gradients_flow
from exercises.common.heads.inputs import SIZES
from exercises.common.heads.split_and_merge import NAMED_BY_POSITION, PROPERTIES, SHAPES
from exercises.common.inputs import AXES, B, H, T, normal
from exercises.e5_2_merge_heads.misconceptions import known
from exercises.e5_2_merge_heads.reference import merge_heads
from feedback import Exercise, TestCase
from helpers.heads import split_heads

EXERCISE = Exercise(
    minutes=5,
    difficulty=2,
    gives="the heads of each position side by side again: (B, H, T, D) to (B, T, C), the way back from `split_heads`",
    reference=merge_heads,
    returns=("merged",),
    axis_names=AXES | SIZES,
    cases=(
        *(TestCase(name, (normal(b, h, t, d, seed=60 + i),)) for i, (name, b, t, h, d) in enumerate(SHAPES)),
        TestCase("float64", (normal(B, H, T, 4, seed=69, dtype=torch.float64),), rtol=0.0, atol=0.0),
        TestCase("one head of one item", (normal(1, 1, T, 4, seed=66),)),
    ),
    minimal_inputs=tuple((split_heads(x, 2).contiguous(),) for x in NAMED_BY_POSITION),
    misconceptions=known,
    hints=(
        "`split_heads` took two steps. Which of them came last, and what undoes it? What is undone after that?",
        "(B, H, T, D) to (B, T, H, D) to (B, T, C). After a transpose, view may raise an error; reshape and flatten "
        "do not.",
        "x.transpose(1, 2).flatten(-2)",
    ),
    error_meanings=(
        (
            r"(not enough values|too many values) to unpack.*",
            "x has four axes, (B, H, T, D): the batch is one of them, and is unpacked too.",
        ),
    ),
    properties=PROPERTIES,
    behavioral_tests=(gradients_flow(merge_heads, (normal(B, H, T, 4, seed=68),), ("x",)),),
    when_correct="`merge_heads(split_heads(x, H))` is x again: no number was changed on the way.",
)
