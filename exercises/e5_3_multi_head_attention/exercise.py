"""Exercise 5.3: multi_head_attention."""

import copy

import torch

from exercises.common import properties, references
from exercises.common.heads import (
    _D,
    _PROJECTIONS,
    _SIZES,
)
from exercises.common.inputs import AXES, CAUSAL, B, H, S, T, normal, padded, some_hidden
from exercises.common.multi_head import (
    ONE_AXIS,
    around_minus_7,
    experiments,
    random_layers,
    simple_layers,
)
from exercises.e5_3_multi_head_attention.misconceptions import MISCONCEPTIONS
from feedback import Exercise, TestCase
from helpers.masks import causal_mask


def _ask_self(attempt, x, context, layers):
    return attempt(x.clone(), *copy.deepcopy(layers), H)


def _with_layers(seed, b, t, h, d, *mask, dtype=torch.float32, change=lambda layers: layers):
    """Arguments for 5.3."""
    return (normal(b, t, h * d, seed=seed, dtype=dtype), *change(random_layers(h * d, seed, dtype)), h, *mask)


def _small_self(x, *mask):
    return (torch.tensor(x), *simple_layers(len(x[0][0])), 2, *mask)


_TWO = [[[1.0, 0.0], [0.0, 1.0]]]


_FOUR = [[[0.5, 0, 1, -1], [0, 1, -0.5, 0.5]]]


EXERCISE = Exercise(
    id="5.3", name="multi_head_attention",
    signature="multi_head_attention(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None)",
    minutes=12, difficulty=3,
    gives="the pair (out, weights): x (B, T, C) is projected, split into heads, attended, merged and projected again; "
          "out (B, T, C), weights (B, H, T, T)",
    reference=references.multi_head_attention, arguments=("x", *_PROJECTIONS, "num_heads", "mask"),
    returns=("out", "weights"), axis_names=AXES | _SIZES,
    cases=(
        TestCase("a batch without a mask", _with_layers(70, B, T, H, _D)),
        TestCase("a causal mask (T, T)", _with_layers(71, B, T, H, _D, CAUSAL)),
        TestCase("a padding mask (B, 1, 1, T)", _with_layers(72, B, T, H, _D, padded(2, 4, max_length=T)[:, None])),
        TestCase("a mask (B, 1, T, T)", _with_layers(73, B, T, H, _D, some_hidden(B, 1, T, T))),
        TestCase("a mask for each head, (B, H, T, T)", _with_layers(74, B, T, H, _D, some_hidden(B, H, T, T, seed=2))),
        TestCase("a mask (T,)", _with_layers(75, B, T, H, _D, some_hidden(T)), limitation=ONE_AXIS),
        TestCase("float64", _with_layers(76, B, T, H, _D, some_hidden(T, T), dtype=torch.float64)),
        TestCase("six heads of eleven features", _with_layers(77, B, S, 6, 11)),
        TestCase("one head, mask=None", _with_layers(78, B, T, 1, 10, None)),
        TestCase("one item", _with_layers(79, 1, T, H, _D, some_hidden(1, H, T, T, seed=3))),
        TestCase("one position", _with_layers(80, B, 1, H, _D)),
        TestCase("as many heads as positions", _with_layers(81, B, 8, 8, _D, causal_mask(8))),
        TestCase("scores around -7", _with_layers(82, B, T, H, _D, CAUSAL, change=around_minus_7)),
    ),
    minimal_inputs=(_small_self(_TWO), _small_self(_FOUR), _small_self(_TWO, causal_mask(2)),
           _small_self(_FOUR, causal_mask(2)), _small_self([*_TWO, [[0.0, 1.0], [1.0, 1.0]]])),
    misconceptions=MISCONCEPTIONS,
    hints=(
        "You have written every step before: in exercises 5.1 and 5.2, and in notebooks 02 and 03. In which order do "
        "they come, and what shape is there after each?",
        "Project, split, attend, merge, project. Attention with a mask works on (B, H, T, D) as on (T, D); the mask is "
        "used only if it is not None.",
        "q = split_heads(q_proj(x), num_heads), and k and v likewise. scores = q @ k.transpose(-2, -1) / "
        "math.sqrt(q.size(-1)), filled with -inf where ~mask, if mask is not None. weights = scores.softmax(dim=-1); "
        "return out_proj(merge_heads(weights @ v)), weights",
    ),
    properties=(properties.FINITE, properties.POSITIVE, properties.HIDDEN, properties.ROWS),
    behavioral_tests=experiments(_ask_self, references.multi_head_attention, all_move=True),
    when_correct="Each head compares its own features and makes its own weights; out_proj mixes what they found.",
)
