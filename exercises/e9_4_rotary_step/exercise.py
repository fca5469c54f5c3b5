"""Exercise 9.4: rotary_step."""

import torch

from exercises.common import pieces, properties
from exercises.common.experiments import largest_difference
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, H, normal
from exercises.e9_4_rotary_step.misconceptions import known
from exercises.e9_4_rotary_step.reference import rotary_step
from feedback import BehavioralTest, Exercise, FunctionRunner, TestCase


def step(attempt, new, past):
    return pieces.pair(attempt(*new) if past is None else attempt(*new, past))


call = pieces.caller(step)


def arguments(seed, sizes, b=B, h=H, d=6, dtype=torch.float32):
    return *(normal(b, h, sum(sizes), d, seed=seed + i, dtype=dtype) for i in range(3)), sizes


def stage_of(args):
    """One call first, where there is no past; then single tokens; then pieces of several."""
    sizes = args[-1]
    return 0 if len(sizes) == 1 else 1 if max(sizes[1:]) == 1 else 2


# ---------------------------------------------------------------- behavioral tests


def shifted_text(attempt):
    """In one call, out does not depend on positions but on distances: a token in front changes only what is read."""
    q, k, v = (normal(1, 2, 4, 4, seed=59 + i) for i in range(3))
    values = torch.ones_like(v)
    out = call(attempt, q, k, values, [4])
    if out.shape != v.shape or largest_difference(out, values) < 1e-3:
        return None
    return "out is a mean of values: where all values are 1, out must be 1. Yours is not; are the values turned?"


EXERCISE = Exercise(
    minutes=15,
    difficulty=3,
    gives="(out, past): out (B, H, T, D) is causal attention of the new tokens to the past and to each other, "
    "scaled by `sqrt(D)`, with queries and keys turned in pairs by their positions in the whole text, base 10,000; "
    "past is whatever the next call needs, and may be continued more than once",
    reference=rotary_step,
    returns=("out",),
    axis_names=AXES | {4: "D", 6: "D", 14: "D", 9: "T", 12: "T", 1: "T"},
    runner=FunctionRunner(call, input_names=("q", "k", "v", "pieces"), describe=pieces.in_words),
    cases=(
        TestCase("five tokens at once", arguments(1, [5])),
        TestCase("one token", arguments(4, [1])),
        TestCase("five tokens, then four times one", arguments(7, [5, 1, 1, 1, 1])),
        TestCase("one token after the other", arguments(10, [1, 1, 1, 1, 1, 1, 1])),
        TestCase("three, four and five tokens", arguments(13, [3, 4, 5])),
        TestCase("one token, then seven, then one", arguments(16, [1, 7, 1], d=14)),
        TestCase("one item and one head, two features", arguments(19, [2, 2, 3], 1, 1, 2)),
        TestCase("float64", arguments(22, [3, 1, 2], dtype=torch.float64), rtol=5e-4, atol=5e-4),
        TestCase("up to position 300", arguments(25, [290, 3, 7], 1, 1), rtol=5e-4, atol=5e-4),
    ),
    minimal_inputs=(
        pieces.by_hand([1.0, 1.0], [1.0, 1.0], [0.0, 1.0], [2]),
        pieces.by_hand([1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [0.0, 1.0, 4.0], [3]),
        pieces.by_hand([1.0, 1.0], [2.0, 2.0], [0.0, 1.0], [1, 1]),
        pieces.by_hand([1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [0.0, 1.0, 4.0], [1, 1, 1]),
        pieces.by_hand([1.0, 1.0, 2.0, 1.0], [2.0, 3.0, 2.0, 1.0], [0.0, 1.0, 4.0, 2.0], [2, 2]),
        pieces.by_hand([1.0, 1.0, 2.0, 1.0, 1.0], [2.0, 3.0, 2.0, 1.0, 2.0], [0.0, 1.0, 4.0, 2.0, 8.0], [2, 2, 1]),
    ),
    misconceptions=known,
    hints=(
        "It is exercise 6.5 with one more step. At which position does the first new token stand, if the past holds 5?",
        "What is kept of a token: its key before or after the rotation? Its position never changes. And what about its "
        "value?",
        "`positions = torch.arange(old, old + T)`; turn q and k, and join `past[0]` with the turned k. The "
        "rest is 6.5: the mask `torch.ones(T, old + T, dtype=torch.bool).tril(old)`, scores, softmax, `weights @ v`.",
    ),
    stage_of=stage_of,
    properties=(properties.FINITE,),
    behavioral_tests=(
        BehavioralTest("values-changed", shifted_text, "Only queries and keys are turned; values are averaged."),
        pieces.pieces_differ(step),
        pieces.past_shared(step, rotary_step),
        gradients_flow(rotary_step, arguments(31, [2, 1], 1, 2, 4), ("q", "k", "v", None), call=call),
    ),
    when_correct="A query sees only how far away each key is, so a key that has been turned can be kept as it is.",
)
