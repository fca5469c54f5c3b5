"""grouped_attention: the reference and its test cases."""

import math

import torch

from exercises.common import explainers, properties
from exercises.common.attention import attention_from, right_weights
from exercises.common.experiments import items_apart
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, D, S, T, normal, some_hidden
from feedback import TestCase
from feedback.page_exercise import exercise


def grouped_attention(q, k, v, mask=None):
    """Several query heads share the keys and values of a group.

    Shapes: q (B, H, T, D), k and v (B, G, S, D), mask broadcastable to (B, H, T, S)
            -> out (B, H, T, D), weights (B, H, T, S)
    Source: Ainslie et al. 2023; notebook 10
    """
    size = q.size(1) // k.size(1)  # H / G query heads read one key head
    k, v = k.repeat_interleave(size, dim=1), v.repeat_interleave(size, dim=1)  # (B, H, S, D)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(dim=-1)
    return weights @ v, weights


def grouped_from(**steps):
    """Build grouped_attention with these steps of `attention_from`."""
    attend = attention_from(**steps)

    def grouped_attention(q, k, v, mask=None):
        return attend(q, *(x.repeat_interleave(q.size(1) // x.size(1), dim=1) for x in (k, v)), mask)

    return grouped_attention


def group_read(case):
    """Show which group of keys the head that is furthest off reads."""
    q, k, _, mask = (*case.args, None)[:4]
    if case.last.shape != case.expected_last.shape:
        return explainers.shape(case)
    heads, groups = q.size(1), k.size(1)
    h = int((case.last - case.expected_last).abs().amax((0, 2, 3)).argmax())
    for g in range(groups):
        if torch.allclose(right_weights(q, k[:, g : g + 1], mask)[:, h], case.last[:, h], atol=1e-4):
            return f"your query head {h} reads group {g}; it should read group {h // (heads // groups)}"
    return explainers.entry(case)


def arguments(seed, heads, groups, t=T, s=S, d=D, b=B, dtype=torch.float32):
    return (
        normal(b, heads, t, d, seed=seed, dtype=dtype),
        *(normal(b, groups, s, d, seed=seed + i, dtype=dtype) for i in (1, 2)),
    )


def by_hand(q, k, v):
    """Return q, k and v with heads of one feature, from one list of numbers per head."""
    return tuple(torch.tensor(x)[None, :, :, None] for x in (q, k, v))


EXERCISE = exercise(
    grouped_attention,
    assemble=grouped_from,
    **properties.OUT_AND_WEIGHTS,
    axis_names=AXES | {6: "H", 4: "H", 8: "H", 3: "G", 12: "H"},
    stage_of=lambda args: len(args) - 3,  # without a mask first
    cases=(
        TestCase("6 heads, 3 groups", arguments(1, 6, 3)),
        TestCase("one group, as in multi-query attention", arguments(10, 4, 1)),
        TestCase("as many groups as heads", arguments(13, 4, 4)),
        TestCase("float64", arguments(16, 6, 3, dtype=torch.float64)),
        TestCase("a mask (T, S)", (*arguments(22, 6, 3), some_hidden(T, S, seed=25))),
        TestCase("a mask for padding, (B, 1, 1, S)", (*arguments(26, 6, 3), some_hidden(B, 1, 1, S, seed=29))),
        TestCase("a mask for each head", (*arguments(30, 6, 3), some_hidden(1, 6, T, S, seed=33))),
        TestCase(
            "a mask (S,)",
            (*arguments(34, 6, 3), some_hidden(S, seed=37)),
            limitation="It has a limit: a mask (S,). `F.scaled_dot_product_attention` wants a mask of two axes or "
            "more, as `torch.atleast_2d(mask)` makes it.",
        ),
        TestCase("as many items as groups", (*arguments(38, 6, 3, b=3), some_hidden(3, 1, 1, S, seed=41))),
    ),
    minimal_inputs=(
        by_hand([[1.0], [1.0]], [[0.0, 1.0]], [[0.0, 4.0]]),
        by_hand([[1.0], [1.0], [1.0], [1.0]], [[0.0, 1.0], [0.0, 3.0]], [[0.0, 4.0], [0.0, 8.0]]),
        tuple(x.repeat(1, 1, 1, 4) for x in by_hand([[1.0], [1.0]], [[0.0, 1.0]], [[0.0, 4.0]])),
        (*by_hand([[1.0], [1.0]], [[0.0, 1.0]], [[0.0, 4.0]]), torch.tensor([True, False])),
    ),
    properties=(properties.FINITE, properties.POSITIVE, properties.ROWS, properties.HIDDEN),
    behavioral_tests=(
        items_apart(arguments(42, 4, 2)),
        gradients_flow(grouped_attention, arguments(45, 4, 2, 3, 5, 4), ("q", "k", "v")),
    ),
)
