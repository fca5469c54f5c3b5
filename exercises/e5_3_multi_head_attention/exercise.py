"""Exercise 5.3: multi_head_attention."""

import copy

import torch

from exercises.common import properties
from exercises.common.gradients import gradients_flow
from exercises.common.heads.behavior import behavioral_tests
from exercises.common.heads.inputs import (
    LIMITATION_LARGE_SCORES,
    LIMITATION_ONE_AXIS,
    PROJECTIONS,
    SIZES,
    D,
    is_masked,
    large_score_arguments,
    low_score_arguments,
    self_attention_arguments,
    small_arguments,
)
from exercises.common.inputs import AXES, CAUSAL, B, H, S, T, padded, some_hidden
from exercises.e5_3_multi_head_attention.misconceptions import known
from exercises.e5_3_multi_head_attention.reference import multi_head_attention
from feedback import Exercise, TestCase
from helpers.masks import causal_mask


def ask(attempt, x, context, layers):
    return attempt(x.clone(), *copy.deepcopy(layers), H)


EXERCISE = Exercise(
    minutes=12,
    difficulty=3,
    gives="the pair (out, weights): x (B, T, C) is projected, split into heads, attended, merged and projected again; "
    "out (B, T, C), weights (B, H, T, T)",
    reference=multi_head_attention,
    returns=("out", "weights"),
    judge_first=("weights",),
    none_hints=properties.WEIGHTS_ARE_NONE,
    axis_names=AXES | SIZES,
    stage_of=lambda args: is_masked(args[6] if len(args) > 6 else None),
    cases=(
        TestCase("a batch without a mask", self_attention_arguments(70, B, T, H, D)),
        TestCase("a causal mask (T, T)", self_attention_arguments(71, B, T, H, D, CAUSAL)),
        TestCase(
            "a padding mask (B, 1, 1, T)", self_attention_arguments(72, B, T, H, D, padded(2, 4, max_length=T)[:, None])
        ),
        TestCase("a mask (B, 1, T, T)", self_attention_arguments(73, B, T, H, D, some_hidden(B, 1, T, T))),
        TestCase(
            "a mask for each head, (B, H, T, T)",
            self_attention_arguments(74, B, T, H, D, some_hidden(B, H, T, T, seed=2)),
        ),
        TestCase(
            "a mask (T,)", self_attention_arguments(75, B, T, H, D, some_hidden(T)), limitation=LIMITATION_ONE_AXIS
        ),
        TestCase("float64", self_attention_arguments(76, B, T, H, D, some_hidden(T, T), dtype=torch.float64)),
        TestCase("six heads of eleven features", self_attention_arguments(77, B, S, 6, 11)),
        TestCase("one head, mask=None", self_attention_arguments(78, B, T, 1, 10, None)),
        TestCase("one item", self_attention_arguments(79, 1, T, H, D, some_hidden(1, H, T, T, seed=3))),
        TestCase("one position", self_attention_arguments(80, B, 1, H, D)),
        TestCase("as many heads as positions", self_attention_arguments(81, B, 8, 8, D, causal_mask(8))),
        TestCase("a mask (H, T, T)", self_attention_arguments(83, B, T, H, D, some_hidden(H, T, T, seed=3))),
        TestCase(
            "as many items as heads, a mask (H, T, T)",
            self_attention_arguments(87, H, T, H, D, some_hidden(H, T, T, seed=4)),
        ),
        TestCase("as many items as positions, a mask (T, T)", self_attention_arguments(88, T, T, H, D, CAUSAL)),
        TestCase("scores around -7", low_score_arguments(82, -7.22)),
        TestCase("scores around -150", low_score_arguments(84, -150)),
        TestCase(
            "hidden scores far above the visible ones",
            large_score_arguments(86),
            1e-3,
            1e-3,
            limitation=LIMITATION_LARGE_SCORES,
        ),
    ),
    minimal_inputs=small_arguments(),
    square=("mask",),
    misconceptions=known,
    hints=(
        "You have written every step before: in exercises 5.1 and 5.2, and in notebooks 02 and 03. In which order do "
        "they come, and what shape is there after each?",
        "After `q_proj` there is (B, T, C), after the split (B, H, T, D), and of the scores (B, H, T, T). Attention "
        "with a mask works on (B, H, T, D) as on (T, D); the mask is used only if it is not None.",
        "q = `split_heads(q_proj(x), num_heads)`, and k and v likewise. scores = `q @ k.transpose(-2, -1) / "
        "math.sqrt(q.size(-1))`, filled with -inf where `~mask`, if mask is not None. weights = "
        "`scores.softmax(dim=-1)`; `return out_proj(merge_heads(weights @ v)), weights`",
    ),
    properties=(properties.FINITE, properties.POSITIVE, properties.ROWS, properties.HIDDEN),
    behavioral_tests=(
        *behavioral_tests(ask, multi_head_attention, self_attention=True),
        gradients_flow(
            multi_head_attention,
            self_attention_arguments(85, B, T, H, D, some_hidden(T, T)),
            ("x", *PROJECTIONS, None, None),
        ),
    ),
    when_correct="Each head compares its own features and makes its own weights; `out_proj` mixes what they found.",
)
