"""Exercise 5.4: cross_attention."""

import copy

import torch

from exercises.common import properties, references
from exercises.common.heads import (
    _D,
    _PROJECTIONS,
    _SIZES,
)
from exercises.common.inputs import AXES, B, H, S, T, normal
from exercises.common.multi_head import (
    experiments,
    random_layers,
    simple_layers,
)
from exercises.e5_4_cross_attention.misconceptions import MISCONCEPTIONS
from feedback import Exercise, TestCase


def _ask_cross(attempt, x, context, layers):
    return attempt(x.clone(), context.clone(), *copy.deepcopy(layers), H)


def _crossing(seed, b, t, s, h, d, dtype=torch.float32):
    """Arguments for 5.4."""
    return (normal(b, t, h * d, seed=seed, dtype=dtype), normal(b, s, h * d, seed=seed + 20, dtype=dtype),
            *random_layers(h * d, seed, dtype), h)


def _small_cross(x, context):
    return (torch.tensor(x), torch.tensor(context), *simple_layers(len(x[0][0])), 2)


EXERCISE = Exercise(
    id="5.4", name="cross_attention",
    signature="cross_attention(x, context, q_proj, k_proj, v_proj, out_proj, num_heads)", minutes=6, difficulty=2,
    gives="the pair (out, weights), where x (B, T, C) asks and context (B, S, C) answers: out (B, T, C), weights "
          "(B, H, T, S)",
    reference=references.cross_attention, arguments=("x", "context", *_PROJECTIONS, "num_heads"),
    returns=("out", "weights"), axis_names=AXES | {**_SIZES, 7: "S"},
    cases=(
        TestCase("a longer context", _crossing(100, B, T, S, H, 11)),
        TestCase("a shorter context", _crossing(101, B, S, T, H, _D)),
        TestCase("float64", _crossing(102, B, T, S, H, _D, torch.float64)),
        TestCase("six heads of eleven features", _crossing(103, B, T, S, 6, 11)),
        TestCase("one head", _crossing(104, B, T, S, 1, 10)),
        TestCase("one item", _crossing(105, 1, T, S, H, _D)),
        TestCase("one position that asks", _crossing(106, B, 1, S, H, _D)),
        TestCase("a context of one position", _crossing(107, B, T, 1, H, _D)),
        TestCase("a context as long as x", _crossing(108, B, T, T, H, _D)),
        TestCase("as many heads as positions", _crossing(109, B, 8, S, 8, _D)),
    ),
    minimal_inputs=(_small_cross([[[1.0, 0.0]]], [[[0.0, 1.0], [1.0, 1.0]]]),
           _small_cross([[[1.0, 0.0], [0.0, 1.0]]], [[[0.0, 1.0], [1.0, 1.0]]]),
           _small_cross([[[1.0, 0, 0, 1]]], [[[0.0, 1, 1, 0], [1, 0, 0, 2]]]),
           _small_cross([[[1.0, 0, 0, 1], [0, 1, 2, 0]]], [[[0.0, 1, 1, 0], [1, 0, 0, 2], [1, 1, 0, 0]]])),
    misconceptions=MISCONCEPTIONS,
    hints=(
        "It is exercise 5.3 without a mask, and only two letters differ: which of q, k and v come from context?",
        "q = split_heads(q_proj(x), num_heads); k = split_heads(k_proj(context), num_heads), and v likewise. The "
        "weights are (B, H, T, S).",
    ),
    properties=(properties.FINITE, properties.POSITIVE, properties.ROWS),
    behavioral_tests=experiments(_ask_cross, references.cross_attention, all_move=False),
    when_correct="x decided what to look for, context what there is to find: this is how a decoder reads its source.",
)
