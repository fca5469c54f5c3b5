"""rolling_step: the reference and its test cases."""

import math

import torch

from exercises.common import incremental, properties
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, H, normal
from feedback import BehavioralTest, ContractViolation, FunctionRunner, TestCase
from feedback.format import describe
from feedback.page_exercise import exercise


def rolling_step(q, k, v, past, window):
    """Causal attention within a window that goes on after a past, of which only the latest positions are kept.

    Shapes: q, k, v (B, H, T, D), past None or (keys, values), (B, H, P, D) each -> out (B, H, T, D), past
    Source: Mistral 7B, 2023; notebook 11
    """
    if past is not None:
        k, v = torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2)  # (B, H, P + T, D)
    T, S = q.size(2), k.size(2)
    i, j = torch.arange(S - T, S, device=q.device)[:, None], torch.arange(S, device=q.device)
    seen = (j <= i) & (i - j < window)  # (T, S)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, H, T, S)
    weights = scores.masked_fill(~seen, float("-inf")).softmax(dim=-1)
    past = k[:, :, -window:], v[:, :, -window:]
    # A slice alone would keep the memory of everything that was cut off.
    return weights @ v, tuple(x.clone() for x in past)


NEXT = "What can the next token see besides itself? That is what the past must hold."


def step(attempt, new, past, window):
    """Return out and past of one call. Errors: ContractViolation if past is not a pair of keys and values"""
    out, past = incremental.pair(attempt(*new, past, window))
    if not isinstance(past, (tuple, list)) or len(past) != 2 or not all(map(torch.is_tensor, past)):
        raise ContractViolation(
            "returns-wrong-type",
            f"past must be the pair (keys, values), two tensors (B, H, P, D); yours is {describe(past)}.",
        )
    return out, past


call = incremental.caller(step)


def arguments(seed, window, sizes, b=B, h=H, d=11, dtype=torch.float32):
    return *(normal(b, h, sum(sizes), d, seed=seed + i, dtype=dtype) * 1.5 for i in range(3)), window, sizes


def in_words(args):
    return f"{incremental.in_words(args)[:-1]}; window is {args[-2]}."


def stage_of(args):
    """Judge one call, without a past, first; then single tokens; then pieces of several."""
    sizes = args[-1]
    return 0 if len(sizes) == 1 else 1 if max(sizes) == 1 else 2


def past_too_long(attempt):
    """Check the size of the past after each call on a long text."""
    for window, sizes in ((3, [1] * 8), (4, [9, 2, 1]), (1, [2, 1, 1]), (5, [2, 1, 7])):
        past, seen = None, 0
        tensors = [normal(1, 2, sum(sizes), 4, seed=61 + i) for i in range(3)]
        for new in zip(*(x.split(sizes, dim=2) for x in tensors), strict=True):
            _, past = step(attempt, [x.clone() for x in new], past, window)
            seen += new[0].size(2)
            for name, x in zip(("keys", "values"), past, strict=True):
                if x.dim() != 4 or x.shape != (1, 2, x.size(2), 4) or x.size(2) > window:
                    return (
                        f"The numbers are right, but with a window of {window} and after {seen} tokens, the {name} of "
                        f"the past have the shape {tuple(x.shape)}; at most (1, 2, {window}, 4) may be kept."
                    )
    return None


EXERCISE = exercise(
    rolling_step,
    returns=("out",),
    axis_names=AXES | {4: "D", 6: "T", 9: "T", 12: "T", 1: "T", 10: "T"},
    runner=FunctionRunner(call, input_names=("q", "k", "v", "window", "pieces"), describe=in_words),
    cases=(
        TestCase("five tokens at once, a window of 3", arguments(1, 3, [5])),
        TestCase("one token", arguments(7, 3, [1])),
        TestCase("one token after the other, a window of 3", arguments(10, 3, [1] * 7)),
        TestCase("one token after the other, a window of 1", arguments(16, 1, [1] * 3)),
        TestCase("one token, then seven, then one, a window of 3", arguments(28, 3, [1, 7, 1])),
        TestCase("six and six tokens, one item and head, a window of 5", arguments(34, 5, [6, 6], 1, 1, 4)),
        TestCase("float64", arguments(37, 3, [4, 2, 1], dtype=torch.float64)),
    ),
    minimal_inputs=(
        incremental.by_hand([1.0], [1.0], [2.0], 1, [1]),
        incremental.by_hand([1.0, 1.0], [1.0, 2.0], [0.0, 1.0], 2, [2]),
        incremental.by_hand([1.0, 1.0, 1.0], [2.0, 1.0, 2.0], [0.0, 1.0, 4.0], 2, [3]),
        incremental.by_hand([1.0, 1.0], [2.0, 1.0], [0.0, 1.0], 1, [1, 1]),
        incremental.by_hand([1.0, 1.0], [2.0, 1.0], [0.0, 1.0], 2, [1, 1]),
        incremental.by_hand([1.0, 1.0, 1.0], [2.0, 1.0, 2.0], [0.0, 1.0, 4.0], 2, [1, 1, 1]),
    ),
    stage_of=stage_of,
    properties=(properties.FINITE,),
    behavioral_tests=(
        incremental.pieces_differ(step, 3),
        BehavioralTest(
            "past-too-long",
            past_too_long,
            NEXT + " Look at a window of 1, too: `x[-0:]` is all of x.",
            required=True,
            while_doing="while a text grew longer than the window",
        ),
        incremental.past_shared(step, rolling_step, 3),
        gradients_flow(rolling_step, arguments(41, 3, [2, 2, 1], 1, 2, 4), ("q", "k", "v", None, None), call=call),
    ),
)
