"""Exercise 5.1: split_heads."""

import torch

from exercises.common.gradients import gradients_flow
from exercises.common.heads.inputs import SIZES
from exercises.common.heads.split_and_merge import NAMED_BY_POSITION, PROPERTIES, SHAPES
from exercises.common.inputs import AXES, B, H, T, normal
from exercises.e5_1_split_heads.misconceptions import known
from exercises.e5_1_split_heads.reference import split_heads
from feedback import Exercise, TestCase

EXERCISE = Exercise(
    minutes=6,
    difficulty=2,
    gives="x cut into heads: (B, T, C) to (B, H, T, D), D = C / H, where head h has the features h*D to (h+1)*D - 1 "
    "of each position",
    reference=split_heads,
    returns=("heads",),
    axis_names=AXES | SIZES,
    cases=(
        *(TestCase(name, (normal(b, t, h * d, seed=50 + i), h)) for i, (name, b, t, h, d) in enumerate(SHAPES)),
        TestCase("float64", (normal(B, T, 12, seed=59, dtype=torch.float64), H), rtol=0.0, atol=0.0),
    ),
    minimal_inputs=tuple((x, 2) for x in NAMED_BY_POSITION),
    misconceptions=known,
    hints=(
        "Two steps: one axis is cut in two, then two axes change places. Which axis is cut? Which two then change "
        "places?",
        "(B, T, C) to (B, T, H, D) to (B, H, T, D): view or unflatten cuts, transpose exchanges. Never make the final "
        "shape with view in one go: the sizes are right, and the numbers are in the wrong places.",
        "B, T, C = `x.shape`; then `x.view(B, T, num_heads, C // num_heads).transpose(1, 2)`",
    ),
    error_meanings=(
        (
            r"(not enough values|too many values) to unpack.*",
            "x has three axes, (B, T, C): the batch is one of them, and is unpacked too.",
        ),
    ),
    properties=PROPERTIES,
    behavioral_tests=(gradients_flow(split_heads, (normal(B, T, 12, seed=58), H), ("x", None)),),
    when_correct="The heads are now next to the batch: every formula for (..., T, D) works on all of them at once.",
)
