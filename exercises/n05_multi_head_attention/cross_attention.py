"""cross_attention: the reference, its steps and test cases; the page next to it says the rest."""

import copy
import math

import torch

from exercises.common import heads, properties
from exercises.common.attention import multi_head_from
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, H, S, T, normal
from feedback import TestCase
from feedback.page_exercise import exercise
from helpers.heads import merge_heads, split_heads


def cross_attention(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q = split_heads(q_proj(x), num_heads)  # (B, H, T, D)
    k = split_heads(k_proj(context), num_heads)  # (B, H, S, D)
    v = split_heads(v_proj(context), num_heads)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, H, T, S)
    weights = scores.softmax(dim=-1)
    return out_proj(merge_heads(weights @ v)), weights


def assemble(**steps):
    """Build an answer to 5.4 with these steps replaced."""
    attend = multi_head_from(**steps)
    return lambda x, context, q, k, v, out, num_heads: attend(x, context, (q, k, v, out), num_heads)


def arguments(seed, b, t, s, h, d, dtype=torch.float32):
    return (
        normal(b, t, h * d, seed=seed, dtype=dtype),
        normal(b, s, h * d, seed=seed + 20, dtype=dtype),
        *heads.random_layers(h * d, seed, dtype),
        h,
    )


def low_scores(seed, low):
    """Return the arguments of a test case with scores around `low`."""
    x, context, *layers, h = arguments(seed, B, T, S, H, heads.D)
    return x, context, *heads.with_scores_around(low, layers), h


def minimal(x, context):
    return (torch.tensor(x), torch.tensor(context), *heads.simple_layers(len(x[0][0])), 2)


def ask(attempt, x, context, layers):
    return attempt(x.clone(), context.clone(), *copy.deepcopy(layers), H)


EXERCISE = exercise(
    cross_attention,
    assemble=assemble,
    **properties.OUT_AND_WEIGHTS,
    error_meanings=(
        (
            rf"batch2 tensor to be: \[\d+, ({T}|{S})\] but got: \[\d+, (?!\1)({T}|{S})\]",
            f"Where weights (B, H, T, S) meet values (B, H, S, D), T = {T} positions of x met S = {S} of context. Were "
            "keys and values both made from context?",
        ),
    ),
    axis_names=AXES | {**heads.SIZES, 7: "S", 13: "T"},
    cases=(
        TestCase("a longer context", arguments(100, B, T, S, H, 11)),
        TestCase("a shorter context", arguments(101, B, 13, S, H, heads.D)),
        TestCase("float64", arguments(102, B, T, S, H, heads.D, torch.float64)),
        TestCase("six heads of eleven features", arguments(103, B, T, S, 6, 11)),
        TestCase("one head", arguments(104, B, T, S, 1, 10)),
        TestCase("one item", arguments(105, 1, T, S, H, heads.D)),
        TestCase("one position that asks", arguments(106, B, 1, S, H, heads.D)),
        TestCase("a context of one position", arguments(107, B, T, 1, H, heads.D)),
        TestCase("a context as long as x", arguments(108, B, T, T, H, heads.D)),
        TestCase("as many heads as positions", arguments(109, B, 8, S, 8, heads.D)),
        TestCase(
            "scores around -150",
            low_scores(111, -150),
            limitation="It has a limit: try scores around -150. There exp gives 0 for each of them, and a row's sum "
            "is 0; torch's own softmax subtracts the largest score of each row first.",
        ),
    ),
    minimal_inputs=(
        minimal([[[1.0, 0.0]]], [[[0.0, 1.0], [1.0, 1.0]]]),
        minimal([[[1.0, 0.0], [0.0, 1.0]]], [[[0.0, 1.0], [1.0, 1.0]]]),
    ),
    properties=(properties.FINITE, properties.POSITIVE, properties.ROWS),
    behavioral_tests=(
        *heads.behavioral_tests(ask, cross_attention, self_attention=False),
        gradients_flow(
            cross_attention, arguments(110, B, T, S, H, heads.D), ("x", "context", *heads.PROJECTIONS, None)
        ),
    ),
)
