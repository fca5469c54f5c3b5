"""pre_norm_block: the reference, and the layers of its test cases."""

import math

from torch import nn

from exercises.common import explainers
from exercises.common.gradients import gradients_flow
from exercises.common.heads import layer_of
from exercises.common.inputs import B, T, normal
from feedback import TestCase
from feedback.page_exercise import exercise


def pre_norm_block(x, attention, feed_forward, norm_1, norm_2):
    """A pre-norm block: attention and feed-forward, each with its norm and its residual connection.

    Shapes: x (B, T, C) -> (B, T, C); both sublayers and both norms take (B, T, C) to (B, T, C)
    """
    x = x + attention(norm_1(x))
    normal = norm_2(x)
    return x + feed_forward(normal)


def without_sublayers(case):
    """Show what the given code, which ends with norm_2(x), returns if both sublayers return zeros."""
    x, _, _, _, norm_2 = case.args
    goes_in, comes_out = (explainers.first_numbers(z[0, 0].tolist(), 3) for z in (x, norm_2(x)))
    return f"with two sublayers that return zeros, {goes_in} goes in at position 0 and {comes_out} comes out"


C = 7


def norm_with(weight, bias):
    norm = nn.LayerNorm(len(weight)).requires_grad_(False)
    norm.weight.copy_(weight)
    norm.bias.copy_(bias)
    return norm


def layers(width, seed):
    """Return a linear layer for each sublayer, and two different norms."""
    linear = (
        layer_of(normal(width, width, seed=seed + i) / math.sqrt(width), normal(width, seed=seed + i + 2))
        for i in (0, 1)
    )
    norms = (norm_with(1 + normal(width, seed=seed + i) / 4, normal(width, seed=seed + i + 2) / 4) for i in (4, 5))
    return (*linear, *norms)


def arguments(*leading, width=C, seed):
    return 3 * normal(*leading, width, seed=seed), *layers(width, 10 * seed)


EXERCISE = exercise(
    pre_norm_block,
    returns=("out",),
    axis_names={B: "B", T: "T", C: "C", 11: "C"},
    cases=(TestCase("a batch", arguments(B, T, seed=61)), TestCase("11 features", arguments(B, T, width=11, seed=62))),
    minimal_inputs=(),
    behavioral_tests=(gradients_flow(pre_norm_block, arguments(B, T, seed=63), ("x", *[None] * 4)),),
)
