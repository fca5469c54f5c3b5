"""Exercise 10.1: grouped_attention."""

import torch

from exercises.common import properties
from exercises.common.experiments import items_apart
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, D, S, T, normal, some_hidden
from exercises.e10_1_grouped_attention.misconceptions import known
from exercises.e10_1_grouped_attention.reference import grouped_attention
from feedback import Exercise, TestCase


def arguments(seed, heads, groups, t=T, s=S, d=D, b=B, dtype=torch.float32):
    return (
        normal(b, heads, t, d, seed=seed, dtype=dtype),
        *(normal(b, groups, s, d, seed=seed + i, dtype=dtype) for i in (1, 2)),
    )


def by_hand(q, k, v):
    """Heads of one feature, from one list of numbers per head: queries, keys and values."""
    return tuple(torch.tensor(x)[None, :, :, None] for x in (q, k, v))


def with_a_mask(args):
    """A stage: without a mask first."""
    return int(len(args) > 3 and args[3] is not None)


EXERCISE = Exercise(
    minutes=10,
    difficulty=2,
    gives="the pair (out, weights), (B, H, T, D) and (B, H, T, S): attention in which query head h reads the keys and "
    "values of group h // (H / G), scaled by `sqrt(D)`; the mask is bool, True = may attend",
    reference=grouped_attention,
    returns=("out", "weights"),
    axis_names=AXES | {6: "H", 4: "H", 8: "H", 3: "G", 12: "H"},
    stage_of=with_a_mask,
    cases=(
        TestCase("6 heads, 3 groups", arguments(1, 6, 3)),
        TestCase("8 heads, 4 groups, as many queries as keys", arguments(4, 8, 4, s=T)),
        TestCase("12 heads, 3 groups", arguments(7, 12, 3)),
        TestCase("one group, as in multi-query attention", arguments(10, 4, 1)),
        TestCase("as many groups as heads", arguments(13, 4, 4)),
        TestCase("float64", arguments(16, 6, 3, dtype=torch.float64)),
        TestCase("one query", arguments(19, 6, 3, t=1)),
        TestCase("a mask (T, S)", (*arguments(22, 6, 3), some_hidden(T, S, seed=25))),
        TestCase("a mask for padding, (B, 1, 1, S)", (*arguments(26, 6, 3), some_hidden(B, 1, 1, S, seed=29))),
        TestCase("a mask for each head", (*arguments(30, 6, 3), some_hidden(1, 6, T, S, seed=33))),
        TestCase("a mask (S,)", (*arguments(34, 6, 3), some_hidden(S, seed=37))),
        TestCase("as many items as groups", (*arguments(38, 6, 3, b=3), some_hidden(3, 1, 1, S, seed=41))),
    ),
    minimal_inputs=(
        by_hand([[1.0], [1.0]], [[0.0, 1.0]], [[0.0, 4.0]]),
        by_hand([[1.0], [1.0], [1.0], [1.0]], [[0.0, 1.0], [0.0, 3.0]], [[0.0, 4.0], [0.0, 8.0]]),
        by_hand([[1.0], [2.0], [1.0], [2.0]], [[0.0], [1.0]], [[1.0], [4.0]]),
        tuple(x.repeat(1, 1, 1, 4) for x in by_hand([[1.0], [1.0]], [[0.0, 1.0]], [[0.0, 4.0]])),
        (*by_hand([[1.0], [1.0]], [[0.0, 1.0]], [[0.0, 4.0]]), torch.tensor([True, False])),
    ),
    judge_first=("weights",),
    misconceptions=known,
    none_hints=properties.WEIGHTS_ARE_NONE,
    hints=(
        "How many query heads read one group? Which are they, for group 0?",
        "Either give each query head a copy of its group's keys and values, (B, H, S, D), or give q an axis "
        "for the groups, (B, G, H / G, T, D), so that keys and values broadcast.",
        "`k.repeat_interleave(H // G, dim=1)` puts the copies of group 0 first. The rest is attention as you know it: "
        "scale, mask, softmax, mix.",
    ),
    properties=(properties.FINITE, properties.POSITIVE, properties.ROWS, properties.HIDDEN),
    behavioral_tests=(
        items_apart(arguments(42, 4, 2)),
        gradients_flow(grouped_attention, arguments(45, 4, 2, 3, 5, 4), ("q", "k", "v")),
    ),
    when_correct="H questions, G sets of answers: only the keys and values of G heads have to be kept.",
)
