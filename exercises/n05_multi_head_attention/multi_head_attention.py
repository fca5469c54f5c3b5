"""multi_head_attention: the reference, its steps and test cases; the page next to it says the rest."""

import copy
import math

from exercises.common import heads, properties
from exercises.common.attention import multi_head_from
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, H, T, some_hidden
from feedback.page_exercise import exercise
from helpers.heads import merge_heads, split_heads


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
    """Build an answer to 5.3 with these steps replaced."""
    attend = multi_head_from(**steps)
    return lambda x, q, k, v, out, num_heads, mask=None: attend(x, x, (q, k, v, out), num_heads, mask)


def ask(attempt, x, context, layers):
    return attempt(x.clone(), *copy.deepcopy(layers), H)


EXERCISE = exercise(
    multi_head_attention,
    assemble=assemble,
    **properties.OUT_AND_WEIGHTS,
    axis_names=AXES | heads.SIZES,
    stage_of=lambda args: heads.is_masked(args[6] if len(args) > 6 else None),
    cases=heads.self_attention_cases(),
    minimal_inputs=heads.small_arguments(),
    square=("mask",),
    properties=(properties.FINITE, properties.POSITIVE, properties.ROWS, properties.HIDDEN),
    behavioral_tests=(
        *heads.behavioral_tests(ask, multi_head_attention, self_attention=True),
        gradients_flow(
            multi_head_attention,
            heads.self_attention_arguments(85, B, T, H, heads.D, some_hidden(T, T)),
            ("x", *heads.PROJECTIONS, None, None),
        ),
    ),
)
