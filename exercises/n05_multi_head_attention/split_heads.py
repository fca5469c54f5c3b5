"""split_heads: the reference, its steps and test cases; the page next to it says the rest."""

import torch

from exercises.common.gradients import gradients_flow
from exercises.common.heads import SIZES
from exercises.common.inputs import AXES, B, H, T, normal
from exercises.n05_multi_head_attention.split_and_merge import NAMED_BY_POSITION, PROPERTIES, SHAPES
from feedback import TestCase
from feedback.page_exercise import exercise


def split_heads(x, num_heads):
    B, T, C = x.shape
    return x.view(B, T, num_heads, C // num_heads).transpose(1, 2)  # (B, T, H, D), then (B, H, T, D)


EXERCISE = exercise(
    split_heads,
    returns=("heads",),
    axis_names=AXES | SIZES,
    cases=(
        *(TestCase(name, (normal(b, t, h * d, seed=50 + i), h)) for i, (name, b, t, h, d) in enumerate(SHAPES)),
        TestCase("float64", (normal(B, T, 12, seed=59, dtype=torch.float64), H), rtol=0.0, atol=0.0),
    ),
    minimal_inputs=tuple((x, 2) for x in NAMED_BY_POSITION),
    error_meanings=(
        (
            r"(not enough values|too many values) to unpack.*",
            "x has three axes, (B, T, C): the batch is one of them, and is unpacked too.",
        ),
    ),
    properties=PROPERTIES,
    behavioral_tests=(gradients_flow(split_heads, (normal(B, T, 12, seed=58), H), ("x", None)),),
)
