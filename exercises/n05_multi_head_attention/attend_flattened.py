"""attend_flattened: the reference, its steps and test cases; the page next to it says the rest."""

import math

import torch

from exercises.common import explainers
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, D, H, S, T, normal, some_hidden
from feedback import TestCase
from feedback.paged import exercise


def attend_flattened(q, k, v, mask):
    """Attention of all heads, with items and heads in one axis.

    Shapes: q (B, H, T, D), k (B, H, S, D), v (B, H, S, D), mask (B, T, S)
            -> out (B, H, T, D), weights (B, H, T, S)
    """
    B, H, _, D = q.shape
    q, k, v = (z.flatten(0, 1) for z in (q, k, v))  # (B * H, T or S, D)
    mask = mask.repeat_interleave(H, dim=0)  # (B * H, T, S)
    scores = q @ k.transpose(-2, -1) / math.sqrt(D)
    weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)
    return (weights @ v).unflatten(0, (B, H)), weights.unflatten(0, (B, H))


def not_hidden(case):
    """The hidden key of an item that gets the largest weight."""
    weights, mask = case.last, case.args[-1]
    if weights.shape != case.expected_last.shape:
        return explainers.shape(case)
    leak = weights.double().nan_to_num(0.0) * ~mask[:, None]
    if not leak.any():
        return explainers.entry(case)
    b, h, t, s = explainers.unraveled(int(leak.argmax()), leak.shape)
    return (
        f"in item {b}, head {h}, query {t} gives the weight {explainers.number(leak[b, h, t, s])} to key {s}, which "
        "the mask of this item hides from it"
    )


def _inputs(items, heads, seed):
    q, k, v = normal(items, heads, T, D, seed=seed), *normal(2, items, heads, S, D, seed=seed + 1)
    return q, k, v, some_hidden(items, T, S, seed=seed + 2)


_INPUTS = _inputs(B, H, seed=11)
_ONE_KEY_EACH = torch.tensor([[[True, False]], [[False, True]]])  # item 0 reads key 0, item 1 reads key 1

EXERCISE = exercise(
    attend_flattened,
    returns=("out", "weights"),
    axis_names=AXES,
    cases=(
        TestCase("a single text", _inputs(1, H, seed=1)),
        TestCase("a batch of two", _INPUTS),
        TestCase("three texts, two heads", _inputs(3, 2, seed=21)),
        TestCase("two texts, one head", _inputs(B, 1, seed=31)),
    ),
    minimal_inputs=(
        (
            torch.zeros(2, 2, 1, 1),
            torch.zeros(2, 2, 2, 1),
            torch.tensor([1.0, 2.0]).expand(2, 2, 2)[..., None].clone(),
            _ONE_KEY_EACH,
        ),
    ),
    judge_first=("weights",),
    behavioral_tests=(gradients_flow(attend_flattened, _INPUTS, ("q", "k", "v", None)),),
)
