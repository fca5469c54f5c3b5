"""Exercise 13.8: weights_by_position."""

import torch

from exercises.common import properties
from exercises.common.inputs import AXES, B, D, H, S, T, normal
from exercises.e13_8_weights_by_position.misconceptions import known
from exercises.e13_8_weights_by_position.reference import weights_by_position
from feedback import Exercise, TestCase


def arguments(seed, t=T, s=S, b=B, h=H, d=D, dtype=torch.float32):
    return normal(b, t, h, d, seed=seed, dtype=dtype), normal(b, s, h, d, seed=seed + 1, dtype=dtype)


def by_hand(q, k):
    """One item with one feature: q and k as lists (T, H) and (S, H)."""
    return torch.tensor(q)[None, :, :, None], torch.tensor(k)[None, :, :, None]


EXERCISE = Exercise(
    minutes=5,
    difficulty=1,
    gives="the attention weights (B, T, S, H): for each query and head, the weights of all keys sum to 1; scores q · "
    "k / "
    "`sqrt(D)`",
    reference=weights_by_position,
    returns=("weights",),
    axis_names=AXES,
    cases=(
        TestCase("five queries, seven keys", arguments(1)),
        TestCase("as many queries as keys", arguments(3, s=T)),
        TestCase("one query", arguments(5, t=1)),
        TestCase("one head", arguments(7, h=1)),
        TestCase("as many heads as keys", arguments(9, h=S)),
        TestCase("one item", arguments(11, b=1)),
        TestCase("float64", arguments(13, dtype=torch.float64)),
    ),
    minimal_inputs=(
        by_hand([[1.0]], [[0.0], [1.0]]),
        by_hand([[1.0], [2.0]], [[0.0], [1.0]]),
        by_hand([[1.0, 2.0]], [[0.0, 1.0], [1.0, 0.0]]),
        tuple(x.repeat(1, 1, 1, 4) for x in by_hand([[1.0]], [[0.0], [1.0]])),
    ),
    misconceptions=known,
    hints=(
        "Which axis of the scores counts what one query chooses among?",
        '`torch.einsum("bthd,bshd->btsh", q, k)` are the dot products: the axes are item, query, key, head.',
    ),
    properties=(properties.FINITE, properties.POSITIVE),
    when_correct="Exhibit 13 had `dim=1`: its scores were in this order, too, and nothing in the shapes tells a "
    "query from "
    "a key.",
)
