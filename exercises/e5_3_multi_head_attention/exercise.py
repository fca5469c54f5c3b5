"""Exercise 5.3: multi_head_attention."""

import copy

import torch

from exercises.common import properties
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, CAUSAL, B, H, S, T, normal, padded, some_hidden
from exercises.common.multi_head import (
    ONE_AXIS,
    PROJECTIONS,
    SIZES,
    C,
    D,
    behavioral_tests,
    is_masked,
    random_layers,
    simple_layers,
    with_scores_around,
)
from exercises.e5_3_multi_head_attention.misconceptions import known
from exercises.e5_3_multi_head_attention.reference import multi_head_attention
from feedback import Exercise, TestCase
from helpers.masks import causal_mask


def arguments(seed, b, t, h, d, *mask, dtype=torch.float32):
    return normal(b, t, h * d, seed=seed, dtype=dtype), *random_layers(h * d, seed, dtype), h, *mask


def with_low_scores(seed, low):
    return normal(B, T, C, seed=seed), *with_scores_around(low, random_layers(C, seed)), H, CAUSAL


def minimal(x, *mask):
    return (torch.tensor(x), *simple_layers(len(x[0][0])), 2, *mask)


TWO_FEATURES = [[[1.0, 0.0], [0.0, 1.0]]]
FOUR_FEATURES = [[[0.5, 0, 1, -1], [0, 1, -0.5, 0.5]]]


def ask(attempt, x, context, layers):
    return attempt(x.clone(), *copy.deepcopy(layers), H)


EXERCISE = Exercise(
    id="5.3",
    name="multi_head_attention",
    signature="multi_head_attention(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None)",
    minutes=12,
    difficulty=3,
    gives="the pair (out, weights): x (B, T, C) is projected, split into heads, attended, merged and projected again; "
    "out (B, T, C), weights (B, H, T, T)",
    reference=multi_head_attention,
    arguments=("x", *PROJECTIONS, "num_heads", "mask"),
    returns=("out", "weights"),
    judge_first=("weights",),
    none_hints=properties.WEIGHTS_ARE_NONE,
    axis_names=AXES | SIZES,
    stage_of=lambda args: is_masked(args[6] if len(args) > 6 else None),
    cases=(
        TestCase("a batch without a mask", arguments(70, B, T, H, D)),
        TestCase("a causal mask (T, T)", arguments(71, B, T, H, D, CAUSAL)),
        TestCase("a padding mask (B, 1, 1, T)", arguments(72, B, T, H, D, padded(2, 4, max_length=T)[:, None])),
        TestCase("a mask (B, 1, T, T)", arguments(73, B, T, H, D, some_hidden(B, 1, T, T))),
        TestCase("a mask for each head, (B, H, T, T)", arguments(74, B, T, H, D, some_hidden(B, H, T, T, seed=2))),
        TestCase("a mask (T,)", arguments(75, B, T, H, D, some_hidden(T)), limitation=ONE_AXIS),
        TestCase("float64", arguments(76, B, T, H, D, some_hidden(T, T), dtype=torch.float64)),
        TestCase("six heads of eleven features", arguments(77, B, S, 6, 11)),
        TestCase("one head, mask=None", arguments(78, B, T, 1, 10, None)),
        TestCase("one item", arguments(79, 1, T, H, D, some_hidden(1, H, T, T, seed=3))),
        TestCase("one position", arguments(80, B, 1, H, D)),
        TestCase("as many heads as positions", arguments(81, B, 8, 8, D, causal_mask(8))),
        TestCase("a mask (H, T, T)", arguments(83, B, T, H, D, some_hidden(H, T, T, seed=3))),
        TestCase("scores around -7", with_low_scores(82, -7.22)),
        TestCase("scores around -150", with_low_scores(84, -150)),
    ),
    minimal_inputs=(
        minimal(TWO_FEATURES),
        minimal(FOUR_FEATURES),
        minimal(TWO_FEATURES, causal_mask(2)),
        minimal(FOUR_FEATURES, causal_mask(2)),
        minimal([*TWO_FEATURES, [[0.0, 1.0], [1.0, 1.0]]]),
    ),
    misconceptions=known,
    hints=(
        "You have written every step before: in exercises 5.1 and 5.2, and in notebooks 02 and 03. In which order do "
        "they come, and what shape is there after each?",
        "Project, split, attend, merge, project. Attention with a mask works on (B, H, T, D) as on (T, D); the mask is "
        "used only if it is not None.",
        "q = split_heads(q_proj(x), num_heads), and k and v likewise. scores = q @ k.transpose(-2, -1) / "
        "math.sqrt(q.size(-1)), filled with -inf where ~mask, if mask is not None. weights = scores.softmax(dim=-1); "
        "return out_proj(merge_heads(weights @ v)), weights",
    ),
    properties=(properties.FINITE, properties.POSITIVE, properties.ROWS, properties.HIDDEN),
    behavioral_tests=(
        *behavioral_tests(ask, multi_head_attention, self_attention=True),
        gradients_flow(
            multi_head_attention, arguments(85, B, T, H, D, some_hidden(T, T)), ("x", *PROJECTIONS, None, None)
        ),
    ),
    when_correct="Each head compares its own features and makes its own weights; out_proj mixes what they found.",
)
