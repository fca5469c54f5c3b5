"""attend_flattened: the reference, its steps and test cases; the page next to it says the rest."""

import math
from dataclasses import replace

import torch

from exercises.common import explainers
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, D, H, S, T, normal, some_hidden
from feedback import FunctionRunner, TestCase
from feedback.page_exercise import exercise


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
    """Show the hidden key of an item that gets the largest weight."""
    return explainers.hidden_weight(replace(case, args=(case.args[-1][:, None],)))


def _inputs(items, heads, seed):
    q, k, v = normal(items, heads, T, D, seed=seed), *normal(2, items, heads, S, D, seed=seed + 1)
    return q, k, v, some_hidden(items, T, S, seed=seed + 2)


def _one_text(query, keys, values):
    """Return a single text with one head and one query, which sees every key."""
    q, k, v = (torch.tensor(z).view(1, 1, len(z), -1) for z in ([query], keys, values))
    return q, k, v, torch.ones(1, 1, len(keys), dtype=torch.bool)


def _sizes(args):
    """Describe what the code was given, for the card of an exception."""
    (items, heads, queries, width), keys = args[0].shape, args[1].size(2)
    return f"It was called with B = {items}, H = {heads}, T = {queries}, S = {keys} and D = {width}."


_INPUTS = _inputs(B, H, seed=11)
EXERCISE = exercise(
    attend_flattened,
    returns=("out", "weights"),
    axis_names=AXES,
    cases=(
        TestCase("a single text", _inputs(1, H, seed=1)),
        TestCase("a batch of two", _INPUTS),
        TestCase("two texts, one head", _inputs(B, 1, seed=31)),
    ),
    minimal_inputs=(_one_text([1.0, 2, 1, 2], [[2.0, 1, 2, 1], [1, 1, 1, 1]], [4.0, 2]),),
    runner=FunctionRunner(describe=_sizes),
    stage_of=lambda args: int(len(args[0]) > 1),  # a single text first
    judge_first=("weights",),
    behavioral_tests=(gradients_flow(attend_flattened, _INPUTS, ("q", "k", "v", None)),),
)
