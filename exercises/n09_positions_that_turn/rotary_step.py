"""rotary_step: the reference and its test cases; the page next to it says the rest."""

import math

import torch

from exercises.common import incremental, properties
from exercises.common.devices import keeps_to_the_device
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, H, normal
from feedback import FunctionRunner, TestCase
from feedback.page_exercise import exercise
from helpers.relative_positions import rotate_pairs


def rotary_step(q, k, v, past=None):
    """Causal attention of new tokens to a past and to each other; the past holds keys that are turned already.

    Shapes: q, k, v (B, H, T, D) -> out (B, H, T, D), and (keys, values) (B, H, S, D) for the next call
    Source: notebook 09
    """
    old = 0 if past is None else past[0].size(-2)
    T = q.size(-2)
    positions = torch.arange(old, old + T, device=q.device)
    q, k = rotate_pairs(q, positions), rotate_pairs(k, positions)
    if past is not None:
        k, v = torch.cat([past[0], k], dim=-2), torch.cat([past[1], v], dim=-2)
    mask = torch.ones(T, old + T, dtype=torch.bool, device=q.device).tril(old)
    scores = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).masked_fill(~mask, float("-inf"))
    return scores.softmax(dim=-1) @ v, (k, v)


def step(attempt, new, past):
    return incremental.pair(attempt(*new) if past is None else attempt(*new, past))


call = incremental.caller(step)


def arguments(seed, sizes, b=B, h=H, d=6, dtype=torch.float32):
    return *(normal(b, h, sum(sizes), d, seed=seed + i, dtype=dtype) for i in range(3)), sizes


def stage_of(args):
    """Judge one call, without a past, first; then single tokens; then pieces of several."""
    sizes = args[-1]
    return 0 if len(sizes) == 1 else 1 if max(sizes[1:]) == 1 else 2


EXERCISE = exercise(
    rotary_step,
    returns=("out",),
    axis_names=AXES | {4: "D", 6: "D", 14: "D", 9: "T", 12: "T", 1: "T"},
    runner=FunctionRunner(call, input_names=("q", "k", "v", "pieces"), describe=incremental.in_words),
    cases=(
        TestCase("five tokens at once", arguments(1, [5])),
        TestCase("one token after the other", arguments(10, [1, 1, 1, 1, 1, 1, 1])),
        TestCase("three, four and five tokens", arguments(13, [3, 4, 5])),
        TestCase("one item and one head, two features", arguments(19, [2, 2, 3], 1, 1, 2)),
        TestCase("float64", arguments(22, [3, 1, 2], dtype=torch.float64), rtol=5e-4, atol=5e-4),
        TestCase("up to position 300", arguments(25, [290, 3, 7], 1, 1), rtol=5e-4, atol=5e-4),
    ),
    minimal_inputs=(
        incremental.by_hand([1.0, 1.0], [1.0, 1.0], [0.0, 1.0], [2]),
        incremental.by_hand([1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [0.0, 1.0, 4.0], [3]),
        incremental.by_hand([1.0, 1.0], [2.0, 2.0], [0.0, 1.0], [1, 1]),
        incremental.by_hand([1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [0.0, 1.0, 4.0], [1, 1, 1]),
    ),
    stage_of=stage_of,
    properties=(properties.FINITE,),
    behavioral_tests=(
        incremental.pieces_differ(step),
        incremental.past_shared(step, rotary_step),
        gradients_flow(rotary_step, arguments(31, [2, 1], 1, 2, 4), ("q", "k", "v", None), call=call),
        keeps_to_the_device("q", *arguments(34, [2, 1], 1, 2, 4), call=call),
    ),
)
