"""multi_head_attention: the reference, its steps and test cases; the page next to it says the rest."""

import copy
import math

import torch

from exercises.common import properties
from exercises.common.attention import multi_head_from
from exercises.common.gradients import gradients_flow
from exercises.common.heads import (
    LIMITATION_FINITE_FILL,
    LIMITATION_LARGE_SCORES,
    LIMITATION_ONE_AXIS,
    PROJECTIONS,
    SIZES,
    D,
    behavioral_tests,
    is_masked,
    large_score_arguments,
    low_score_arguments,
    lowest_score_arguments,
    self_attention_arguments,
    small_arguments,
)
from exercises.common.inputs import AXES, CAUSAL, B, H, S, T, padded, some_hidden
from feedback import TestCase
from feedback.page_exercise import exercise
from helpers.heads import merge_heads, split_heads
from helpers.masks import causal_mask


def multi_head_attention(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    q = split_heads(q_proj(x), num_heads)  # (B, H, T, D)
    k = split_heads(k_proj(x), num_heads)
    v = split_heads(v_proj(x), num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, H, T, T)
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(dim=-1)
    return out_proj(merge_heads(weights @ v)), weights


def assemble(**steps):
    """An answer to 5.3 with these steps replaced."""
    attend = multi_head_from(**steps)

    def answer(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
        return attend(x, x, (q_proj, k_proj, v_proj, out_proj), num_heads, mask)

    return answer


def ask(attempt, x, context, layers):
    return attempt(x.clone(), *copy.deepcopy(layers), H)


EXERCISE = exercise(
    multi_head_attention,
    assemble=assemble,
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
        TestCase("scores around -7", low_score_arguments(82, -7.22)),
        TestCase("scores around -150", low_score_arguments(84, -150)),
        TestCase(
            "hidden scores far above the visible ones",
            large_score_arguments(86),
            1e-3,
            1e-3,
            limitation=LIMITATION_LARGE_SCORES,
        ),
        TestCase("a very low visible score", lowest_score_arguments(), limitation=LIMITATION_FINITE_FILL),
    ),
    minimal_inputs=small_arguments(),
    square=("mask",),
    properties=(properties.FINITE, properties.POSITIVE, properties.ROWS, properties.HIDDEN),
    behavioral_tests=(
        *behavioral_tests(ask, multi_head_attention, self_attention=True),
        gradients_flow(
            multi_head_attention,
            self_attention_arguments(85, B, T, H, D, some_hidden(T, T)),
            ("x", *PROJECTIONS, None, None),
        ),
    ),
)
