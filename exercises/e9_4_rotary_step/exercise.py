"""Exercise 9.4: rotary_step."""

import torch

from exercises.common import properties
from exercises.common.experiments import largest_difference
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, H, normal
from exercises.e9_4_rotary_step.misconceptions import known
from exercises.e9_4_rotary_step.reference import rotary_step
from feedback import BehavioralTest, ContractViolation, Exercise, FunctionRunner, TestCase
from feedback.format import describe

# ---------------------------------------------------------------- how the code is called


def pair(result):
    """out and past, if that is what came back."""
    if not isinstance(result, tuple) or len(result) != 2:
        raise ContractViolation(
            "returns-wrong-type", f"Your code returned {describe(result)}; the pair (out, past) was expected."
        )
    if not isinstance(result[0], torch.Tensor):
        raise ContractViolation(
            "returns-wrong-type",
            f"The first of the two results is out, a tensor (B, H, T, D); yours is {describe(result[0])}.",
        )
    return result


def call(attempt, q, k, v, pieces):
    """out of all tokens, when they come in pieces and what is returned is passed back."""
    outs, past = [], None
    for new in zip(*(x.split(pieces, dim=-2) for x in (q, k, v)), strict=True):
        arguments = [x.clone() for x in new]
        out, past = pair(attempt(*arguments) if past is None else attempt(*arguments, past))
        if out.shape != new[0].shape:
            return out  # the engine says what is wrong with the shape
        outs.append(out)
    return torch.cat(outs, dim=-2)


def in_words(args):
    q, _, _, pieces = args
    sizes = " × ".join(str(n) for n in q.shape)
    calls = f"{len(pieces)} calls with {', '.join(map(str, pieces))} tokens" if len(pieces) > 1 else "one call"
    return f"q, k and v are {sizes}, and came in {calls}; past is what the call before returned."


def arguments(seed, pieces, b=B, h=H, d=6, dtype=torch.float32):
    return *(normal(b, h, sum(pieces), d, seed=seed + i, dtype=dtype) for i in range(3)), pieces


def by_hand(q, k, v, pieces):
    """One head of two features; q, k and v as lists of first features, the second ones being 0."""
    return *(torch.tensor([[x, 0.0] for x in numbers])[None, None] for numbers in (q, k, v)), pieces


def stage_of(args):
    """One call first, where there is no past; then single tokens; then pieces of several."""
    pieces = args[3]
    return 0 if len(pieces) == 1 else 1 if max(pieces[1:]) == 1 else 2


# ---------------------------------------------------------------- behavioral tests


def tokens(seed, count):
    return [normal(1, 2, count, 4, seed=seed + i) for i in range(3)]


def continued_twice(attempt):
    """A past goes on in two ways: the first must not notice the second."""
    start, one, other = tokens(41, 3), tokens(44, 2), tokens(47, 2)
    _, past = pair(attempt(*(x.clone() for x in start)))
    outs, pasts = [], []
    for new in (one, other):
        out, went_on = pair(attempt(*(x.clone() for x in new), past))
        outs.append(out.clone())
        pasts.append(went_on)
    last = tokens(50, 1)
    outs.append(pair(attempt(*(x.clone() for x in last), pasts[0]))[0])
    wanted = [
        call(rotary_step, *(torch.cat(parts, dim=-2) for parts in zip(start, *news, strict=True)), [size])
        for *news, size in ((one, 5), (other, 5), (one, last, 6))
    ]
    names = ("the first", "the second", "the first, after the second had gone on,")
    for name, got, right in zip(names, outs, wanted, strict=True):
        right = right[:, :, -got.size(-2) :]
        if got.shape != right.shape or largest_difference(got, right) > 1e-3:
            return (
                f"One past was continued in two ways: {name} continuation gives other numbers than the same text in "
                "one call. The two share what they should not."
            )
    return None


def all_at_once(attempt):
    """In pieces or at once: the same."""
    q, k, v = tokens(53, 5)
    whole = call(attempt, q, k, v, [5])
    for pieces in ([1, 1, 1, 1, 1], [2, 3]):
        parts = call(attempt, q, k, v, pieces)
        if parts.shape != whole.shape:
            return None
        moved = (whole - parts).abs().amax((0, 1, 3))
        if moved.max() > 1e-3:
            return (
                f"Five tokens in pieces of {', '.join(map(str, pieces))} must give what they give at once; yours "
                f"differ first at token {int((moved > 1e-3).nonzero()[0])}, by up to {float(moved.max()):.4f}."
            )
    return None


def shifted_text(attempt):
    """In one call, out does not depend on positions but on distances: a token in front changes only what is read."""
    q, k, v = tokens(59, 4)
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
    runner=FunctionRunner(call, input_names=("q", "k", "v", "pieces"), describe=in_words),
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
        by_hand([1.0, 1.0], [1.0, 1.0], [0.0, 1.0], [2]),
        by_hand([1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [0.0, 1.0, 4.0], [3]),
        by_hand([1.0, 1.0], [2.0, 2.0], [0.0, 1.0], [1, 1]),
        by_hand([1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [0.0, 1.0, 4.0], [1, 1, 1]),
        by_hand([1.0, 1.0, 2.0, 1.0], [2.0, 3.0, 2.0, 1.0], [0.0, 1.0, 4.0, 2.0], [2, 2]),
        by_hand([1.0, 1.0, 2.0, 1.0, 1.0], [2.0, 3.0, 2.0, 1.0, 2.0], [0.0, 1.0, 4.0, 2.0, 8.0], [2, 2, 1]),
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
        BehavioralTest(
            "pieces-differ",
            all_at_once,
            "Which step depends on how many tokens come at once, or on how many came before?",
        ),
        BehavioralTest(
            "past-shared",
            continued_twice,
            "Make new tensors (`torch.cat`, or a copy) instead of writing into the past or appending to it.",
            required=True,
            while_doing="where a past is continued twice",
        ),
        gradients_flow(rotary_step, arguments(31, [2, 1], 1, 2, 4), ("q", "k", "v", None), call=call),
    ),
    when_correct="A query sees only how far away each key is, so a key that has been turned can be kept as it is.",
)
