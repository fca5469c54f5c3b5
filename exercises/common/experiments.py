"""Behavioral tests by experiment: change one part of the input, and see which parts of the result change."""

import torch

from exercises.common.explainers import largest, position
from feedback import BehavioralTest

ITEMS_HINT = "The batch axis stays in front untouched. Which line sums over it, or mistakes it for positions?"
BOTH_AXES_HINT = "The axes B and H stay in front. Does a line sum over them, or mistake one of them for the positions?"
ITEMS_AND_HEADS = "Items and heads, at [item, head], must not mix"


def largest_difference(before, after):
    return float((before - after).abs().max())


def items_apart(inputs, changes=None, ask=lambda attempt, *inputs: attempt(*inputs)):
    """Return a test that changes one item of a batch of two and checks that the other item's result stays the same.

    inputs     the inputs, each with the batch axis in front
    changes    what is added to each input at the changed item; 1 by default
    ask        ask(attempt, *inputs) calls the answer
    """
    changes = changes or (1,) * len(inputs)

    def test(attempt):
        before = _results(ask(attempt, *(x.clone() for x in inputs)))
        for changed, other in ((1, 0), (0, 1)):
            only = torch.arange(2) == changed
            new = (x + only.view(-1, *[1] * (x.dim() - 1)) * by for x, by in zip(inputs, changes, strict=True))
            after = _results(ask(attempt, *new))
            moved = max(largest_difference(a[other], b[other]) for a, b in zip(before, after, strict=True))
            if moved > 1e-4:
                return (
                    f"The items of a batch must not affect each other: when item {changed} changed, the result for "
                    f"item {other} changed by up to {moved:.4f}."
                )
        return None

    return BehavioralTest("items-mixed", test, ITEMS_HINT)


def _results(value):
    return value if isinstance(value, tuple) else (value,)


def that_mix(rule, before, change, positions=((1, 2), (0, 0))):
    """Change one position after another; return a sentence, begun by the rule, on another one that moves, or None.

    before     an array of vectors, by position, such as (item, head)
    change     change(position) returns the same array after a change at that position
    """
    for at in positions:
        moved = (before - change(at)).abs().amax(-1)
        moved[at] = 0
        if moved.max() > 1e-5:
            return (
                f"{rule}: when the one at {position(at)} changed, the result at {position(largest(moved))} moved by "
                f"{float(moved.max()):.4f}."
            )
    return None
