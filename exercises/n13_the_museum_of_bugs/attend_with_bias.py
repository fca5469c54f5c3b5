"""13.7 attend_with_bias: the mask and bias of exhibit 8."""

import torch
import torch.nn.functional as F

from exercises.common import properties
from exercises.common.experiments import items_apart
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, D, H, S, T, normal
from feedback import TestCase
from feedback.page_exercise import exercise


def attend_with_bias(q, k, v, bias):
    """Attend to the past, with a bias for each key.

    Shapes: q (B, H, T, D), k and v (B, H, S, D), bias (B, H, 1, S) -> (B, H, T, D)
    """
    T, S = q.size(-2), k.size(-2)
    future = torch.ones(T, S, dtype=torch.bool, device=q.device).triu(diagonal=1 + S - T)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=bias.masked_fill(future, -torch.inf))


def arguments(seed, t, s, b=B, h=H, d=D, dtype=torch.float32):
    sizes = ((b, h, t, d), (b, h, s, d), (b, h, s, d), (b, h, 1, s))
    return tuple(normal(*size, seed=seed + i, dtype=dtype) for i, size in enumerate(sizes))


def by_hand(q, k, v, bias):
    """Return arguments with one head of one feature."""
    q, k, v = (torch.tensor(x)[None, None, :, None] for x in (q, k, v))
    return q, k, v, torch.tensor(bias)[None, None, None]


EXERCISE = exercise(
    attend_with_bias,
    returns=("out",),
    axis_names=AXES,
    cases=(
        TestCase("five new tokens after two", arguments(1, T, S)),
        TestCase("a whole text", arguments(5, T, T)),
        TestCase("one new token", arguments(9, 1, S)),
        TestCase("one token and no past", arguments(13, 1, 1)),
        TestCase("float64", arguments(25, T, S, dtype=torch.float64)),
    ),
    minimal_inputs=(
        by_hand([1.0, 1.0], [0.0, 0.0], [2.0, 4.0], [0.0, 0.0]),
        by_hand([1.0, 1.0], [0.0, 1.0, 2.0], [2.0, 4.0, 8.0], [1.0, 0.0, 2.0]),
        tuple(
            x.repeat(1, 1, 1, n)
            for x, n in zip(by_hand([1.0], [0.0, 1.0], [2.0, 4.0], [0.0, 1.0]), (4, 4, 4, 1), strict=True)
        ),
    ),
    properties=(properties.FINITE,),
    behavioral_tests=(
        items_apart(arguments(29, 3, 4, b=2)),
        gradients_flow(attend_with_bias, arguments(33, 3, 5), ("q", "k", "v", "bias")),
    ),
)
