"""13.8 weights_by_position: the softmax of exhibit 13."""

import math

import torch

from exercises.common import properties
from exercises.common.inputs import AXES, B, D, H, S, T, normal
from feedback import TestCase
from feedback.page_exercise import exercise


def weights_by_position(q, k):
    """The weights of all heads, with the heads last.

    Shapes: q (B, T, H, D), k (B, S, H, D) -> (B, T, S, H)
    """
    scores = torch.einsum("bthd,bshd->btsh", q, k) / math.sqrt(q.size(-1))
    return scores.softmax(dim=2)


def arguments(seed, t=T, s=S, b=B, h=H, d=D, dtype=torch.float32):
    return normal(b, t, h, d, seed=seed, dtype=dtype), normal(b, s, h, d, seed=seed + 1, dtype=dtype)


def by_hand(q, k):
    """Return q and k of one item with one feature, from lists (T, H) and (S, H)."""
    return torch.tensor(q)[None, :, :, None], torch.tensor(k)[None, :, :, None]


EXERCISE = exercise(
    weights_by_position,
    returns=("weights",),
    axis_names=AXES,
    cases=(
        TestCase("five queries, seven keys", arguments(1)),
        TestCase("as many queries as keys", arguments(3, s=T)),
        TestCase("one query", arguments(5, t=1)),
        TestCase("as many heads as keys", arguments(9, h=S)),
        TestCase("float64", arguments(13, dtype=torch.float64)),
    ),
    minimal_inputs=(
        by_hand([[1.0]], [[0.0], [1.0]]),
        by_hand([[1.0], [2.0]], [[0.0], [1.0]]),
        by_hand([[1.0, 2.0]], [[0.0, 1.0], [1.0, 0.0]]),
        tuple(x.repeat(1, 1, 1, 4) for x in by_hand([[1.0]], [[0.0], [1.0]])),
    ),
    properties=(properties.FINITE, properties.POSITIVE),
)
