"""Exercise 11.2: rolling_step."""

import torch

from exercises.common import pieces, properties
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, H, normal
from exercises.e11_2_rolling_step.misconceptions import NEXT, known
from exercises.e11_2_rolling_step.reference import rolling_step
from feedback import BehavioralTest, ContractViolation, Exercise, FunctionRunner, TestCase
from feedback.format import describe


def step(attempt, new, past, window):
    """out and past of one call, which is a pair of keys and values."""
    out, past = pieces.pair(attempt(*new, past, window))
    if not isinstance(past, (tuple, list)) or len(past) != 2 or not all(map(torch.is_tensor, past)):
        raise ContractViolation(
            "returns-wrong-type",
            f"past must be the pair (keys, values), two tensors (B, H, P, D); yours is {describe(past)}.",
        )
    return out, past


call = pieces.caller(step)


def arguments(seed, window, sizes, b=B, h=H, d=11, dtype=torch.float32):
    return *(normal(b, h, sum(sizes), d, seed=seed + i, dtype=dtype) * 1.5 for i in range(3)), window, sizes


def in_words(args):
    return f"{pieces.in_words(args)[:-1]}; window is {args[-2]}."


def stage_of(args):
    """One call first, where there is no past; then single tokens; then pieces of several."""
    sizes = args[-1]
    return 0 if len(sizes) == 1 else 1 if max(sizes) == 1 else 2


def past_too_long(attempt):
    """The sizes of what is kept, after each call of a long text."""
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


EXERCISE = Exercise(
    minutes=15,
    difficulty=3,
    gives="(out, past): out (B, H, T, D) is attention of each new token to the `window` latest positions, its own "
    "included, scaled by `sqrt(D)`; past is (keys, values), (B, H, P, D) each in the order of the text, with P at most "
    "`window`, and may be continued more than once",
    reference=rolling_step,
    returns=("out",),
    axis_names=AXES | {4: "D", 6: "T", 9: "T", 12: "T", 1: "T", 10: "T"},
    runner=FunctionRunner(call, input_names=("q", "k", "v", "window", "pieces"), describe=in_words),
    cases=(
        TestCase("five tokens at once, a window of 3", arguments(1, 3, [5])),
        TestCase("three tokens at once, a window of 7", arguments(4, 7, [3])),
        TestCase("one token", arguments(7, 3, [1])),
        TestCase("one token after the other, a window of 3", arguments(10, 3, [1] * 7)),
        TestCase("one token after the other, a window of 2", arguments(13, 2, [1] * 5)),
        TestCase("one token after the other, a window of 1", arguments(16, 1, [1] * 3)),
        TestCase("one token after the other, a window that is never full", arguments(19, 20, [1] * 5)),
        TestCase("five tokens, then four times one, a window of 4", arguments(22, 4, [5, 1, 1, 1, 1])),
        TestCase("two, then three, then five tokens, a window of 4", arguments(25, 4, [2, 3, 5])),
        TestCase("one token, then seven, then one, a window of 3", arguments(28, 3, [1, 7, 1])),
        TestCase("two and two tokens, a window of 1", arguments(31, 1, [2, 2])),
        TestCase("six and six tokens, one item and head, a window of 5", arguments(34, 5, [6, 6], 1, 1, 4)),
        TestCase("float64", arguments(37, 3, [4, 2, 1], dtype=torch.float64)),
    ),
    minimal_inputs=(
        pieces.by_hand([1.0], [1.0], [2.0], 1, [1]),
        pieces.by_hand([1.0, 1.0], [1.0, 2.0], [0.0, 1.0], 2, [2]),
        pieces.by_hand([1.0, 1.0, 1.0], [2.0, 1.0, 2.0], [0.0, 1.0, 4.0], 2, [3]),
        pieces.by_hand([1.0, 1.0], [2.0, 1.0], [0.0, 1.0], 1, [1, 1]),
        pieces.by_hand([1.0, 1.0], [2.0, 1.0], [0.0, 1.0], 2, [1, 1]),
        pieces.by_hand([1.0, 1.0, 1.0], [2.0, 1.0, 2.0], [0.0, 1.0, 4.0], 2, [1, 1, 1]),
        pieces.by_hand([1.0, 1.0, 2.0, 1.0], [2.0, 3.0, 2.0, 1.0], [0.0, 1.0, 4.0, 2.0], 3, [1, 1, 1, 1]),
        pieces.by_hand([1.0, 1.0, 2.0, 1.0], [2.0, 3.0, 2.0, 1.0], [0.0, 1.0, 4.0, 2.0], 2, [2, 2]),
        pieces.by_hand([1.0, 1.0, 2.0, 1.0, 1.0], [2.0, 3.0, 2.0, 1.0, 2.0], [0.0, 1.0, 4.0, 2.0, 8.0], 3, [2, 3]),
    ),
    misconceptions=known,
    hints=(
        "Put the past in front of the new keys and values. Which positions may each new token see, and when can you "
        "forget the others?",
        "First attend, then forget. The mask is that of 11.1, for the last T of P + T positions; what is kept are the "
        "latest positions of keys and values.",
        "`k[:, :, -window:]` keeps the latest `window` positions, or all if there are fewer. (One fewer is enough, but "
        "`k[:, :, -0:]` is all of k.)",
    ),
    stage_of=stage_of,
    properties=(properties.FINITE,),
    behavioral_tests=(
        pieces.pieces_differ(step, 3),
        BehavioralTest(
            "past-too-long",
            past_too_long,
            NEXT + " Look at a window of 1, too: `x[-0:]` is all of x.",
            required=True,
            while_doing="while a text grew longer than the window",
        ),
        pieces.past_shared(step, rolling_step, 3),
        gradients_flow(rolling_step, arguments(41, 3, [2, 2, 1], 1, 2, 4), ("q", "k", "v", None, None), call=call),
    ),
    when_correct="However long the text, the past holds `window` positions: memory and time for a token stay the same.",
)
