"""merge_heads: the reference, its steps and test cases; the page next to it says the rest."""

import torch

from exercises.common.gradients import gradients_flow
from exercises.common.heads import SIZES
from exercises.common.inputs import AXES, B, H, T, normal
from exercises.n05_multi_head_attention.split_and_merge import NAMED_BY_POSITION, PROPERTIES, SHAPES
from feedback import TestCase
from feedback.page_exercise import exercise
from helpers.heads import split_heads


def merge_heads(x):
    return x.transpose(1, 2).flatten(-2)  # (B, T, H, D), then (B, T, C)


EXERCISE = exercise(
    merge_heads,
    returns=("merged",),
    axis_names=AXES | SIZES,
    cases=(
        *(TestCase(name, (normal(b, h, t, d, seed=60 + i),)) for i, (name, b, t, h, d) in enumerate(SHAPES)),
        TestCase("float64", (normal(B, H, T, 4, seed=69, dtype=torch.float64),), rtol=0.0, atol=0.0),
        TestCase("one head of one item", (normal(1, 1, T, 4, seed=66),)),
    ),
    minimal_inputs=tuple((split_heads(x, 2).contiguous(),) for x in NAMED_BY_POSITION),
    error_meanings=(
        (
            r"(not enough values|too many values) to unpack.*",
            "x has four axes, (B, H, T, D): the batch is one of them, and is unpacked too.",
        ),
    ),
    properties=PROPERTIES,
    behavioral_tests=(gradients_flow(merge_heads, (normal(B, H, T, 4, seed=68),), ("x",)),),
)
