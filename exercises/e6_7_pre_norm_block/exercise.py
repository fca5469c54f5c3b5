"""Exercise 6.7, pre_norm_block: one line of the given code is wrong."""

import math

import torch
from torch import nn

from exercises.common.gradients import gradients_flow
from exercises.common.heads.inputs import layer_of
from exercises.common.inputs import B, T, normal
from exercises.e6_7_pre_norm_block.given import pre_norm_block as given
from exercises.e6_7_pre_norm_block.misconceptions import known
from exercises.e6_7_pre_norm_block.reference import pre_norm_block
from feedback import Exercise, TestCase

C = 7


def _norm(weight, bias):
    norm = nn.LayerNorm(len(weight))
    norm.weight = nn.Parameter(weight, requires_grad=False)
    norm.bias = nn.Parameter(bias, requires_grad=False)
    return norm


def _layers(width, seed):
    """A linear layer in the place of each sublayer, and two norms that differ."""
    linear = (
        layer_of(normal(width, width, seed=seed + i) / math.sqrt(width), normal(width, seed=seed + i + 2))
        for i in (0, 1)
    )
    norms = (_norm(1 + normal(width, seed=seed + i) / 4, normal(width, seed=seed + i + 2) / 4) for i in (4, 5))
    return (*linear, *norms)


def _inputs(*leading, width=C, seed):
    return 3 * normal(*leading, width, seed=seed), *_layers(width, 10 * seed)


def _nothing(width):
    return layer_of(torch.zeros(width, width), torch.zeros(width))


def _plain(width):
    return _norm(torch.ones(width), torch.zeros(width))


EXERCISE = Exercise(
    minutes=5,
    difficulty=1,
    gives="what leaves a pre-norm block: to x is added what attention makes of norm_1(x), and to this sum what "
    "feed_forward makes of its norm_2",
    reference=pre_norm_block,
    given=given,
    returns=("out",),
    axis_names={B: "B", T: "T", C: "C", 11: "C"},
    cases=(
        TestCase("a batch", _inputs(B, T, seed=61)),
        TestCase("11 features", _inputs(B, T, width=11, seed=62)),
    ),
    minimal_inputs=((torch.tensor([[[2.0, 6.0]]]), _nothing(2), _nothing(2), _plain(2), _plain(2)),),
    misconceptions=known,
    hints=(
        "Let both sublayers return zeros, and follow x through the lines. What should come out?",
        "Pre-norm leaves the path of the residual connection alone. Which line passes on something else than the sum?",
    ),
    behavioral_tests=(gradients_flow(pre_norm_block, _inputs(B, T, seed=63), ("x", *[None] * 4)),),
    when_correct="With sublayers that return zeros, x comes through untouched: a test of every residual connection.",
)
