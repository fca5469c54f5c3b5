"""Rotations of features (9.1 and 9.2): inputs and explanations of wrong numbers; the mistakes are in rotary.md."""

import math

import torch

from exercises.common import explainers, properties
from exercises.common.devices import keeps_to_the_device
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, H, T, hidden_only, normal
from feedback import Property, TestCase
from feedback.page_exercise import exercise

FIRST_FIVE = torch.arange(T)
CASES = (  # x, positions, and the base if it is not 10,000
    TestCase("one vector per position, positions 0 to 4", (normal(T, 6, seed=1), FIRST_FIVE)),
    TestCase("heads and items", (normal(B, H, T, 14, seed=2), FIRST_FIVE)),
    TestCase("positions in no order", (normal(B, T, 6, seed=4), torch.tensor([11, 0, 3, 3, 200]))),
    TestCase("positions that are floats", (normal(T, 6, seed=5), FIRST_FIVE + 0.5)),
    TestCase("base 100", (normal(B, H, T, 10, seed=6), FIRST_FIVE, 100.0)),
    TestCase("two features", (normal(B, T, 2, seed=7), FIRST_FIVE)),
    TestCase("float64", (normal(B, T, 6, seed=10, dtype=torch.float64), FIRST_FIVE), rtol=5e-4, atol=5e-4),
    TestCase("positions up to 2,000", (normal(4, 6, seed=11), torch.tensor([0, 50, 999, 2000])), atol=5e-4),
    TestCase("as many items as positions", (normal(T, H, T, 6, seed=12), FIRST_FIVE)),
    *(
        TestCase("hidden positions", (normal(B, H, T, 6, seed=13), torch.tensor(numbers)))
        for numbers in hidden_only(lambda draw: [[draw.randrange(60) for _ in range(T)]])
    ),
)
MINIMAL = (
    (torch.tensor([[1.0, 0.0]]), torch.tensor([1])),
    (torch.tensor([[1.0, 0.0, 1.0, 0.0]]), torch.tensor([1]), 100.0),
    (torch.tensor([[0.0, 1.0, 0.0, 2.0]]), torch.tensor([1]), 100.0),
    (torch.tensor([[1.0, 0.0], [1.0, 0.0]]), torch.tensor([0, 1])),
    (torch.tensor([[[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0, 3.0, 0.0, 0.0]]]), torch.tensor([2])),
)


def first_wrong_feature(case):
    """Show the entry that is furthest off, with the position of its vector."""
    at = explainers.worst(case.first, case.expected_first)
    position = case.args[1].flatten()[at[-2]].item()
    return (
        f"at position {position:g}, feature {at[-1]} of your result is {explainers.number(case.first[at])}, and "
        f"{explainers.number(case.expected_first[at])} is right"
    )


def turned_by(case, pair):
    """Show the learner's angle and the right one, where they differ most.

    `pair` splits features into (first, second), as the exercise does. If lengths changed, which no rotation does, or
    the angles are right, show the entry that is furthest off.
    """
    x, positions, base = (*case.args, 10000.0)[:3]
    before, after = (torch.complex(*(part.double() for part in pair(t))) for t in (x, case.first))
    if not torch.allclose(before.abs(), after.abs(), atol=1e-3):
        return first_wrong_feature(case)
    size = x.size(-1)
    right = positions.double()[:, None] * base ** (-torch.arange(0, size, 2).double() / size)
    got = (after / before).angle()
    difference = torch.remainder(got - right + math.pi, 2 * math.pi) - math.pi
    difference = difference.nan_to_num()  # a pair (0, 0) has no angle
    at = explainers.worst(difference, torch.zeros_like(difference))
    if abs(difference[at]) < 1e-3:
        return first_wrong_feature(case)
    wanted = torch.remainder(right[at[-2:]] + math.pi, 2 * math.pi) - math.pi
    return (
        f"at position {positions[at[-2]].item():g} your pair {at[-1]} is turned by {got[at]:.4f}, "
        f"and should be turned by {wanted:.4f} (radians, up to whole turns)"
    )


@Property.named(
    "lengths-change",
    "Try your formula on the pair (1, 0): it becomes (cos, sin). Which lines of your code make these two?",
)
def lengths_kept(case):
    before, after = (t.double().norm(dim=-1) for t in (case.args[0], case.first))
    if torch.allclose(before, after, rtol=1e-3, atol=1e-3):
        return None
    at = explainers.worst(after, before)
    return (
        f"A rotation keeps the length of every vector; x[{', '.join(map(str, at))}] was "
        f"{explainers.number(before[at])} long, and is now {explainers.number(after[at])}."
    )


def rotation_exercise(reference):
    """Return exercise 9.1 or 9.2, which differ in which two features are a pair."""
    return exercise(
        reference,
        returns=("turned",),
        axis_names=AXES | dict.fromkeys((4, 6, 14, 10), "D"),
        cases=CASES,
        minimal_inputs=MINIMAL,
        # a single pair has only the frequency 1, so pairing and sign are judged there first
        stage_of=lambda args: int(args[0].size(-1) > 2),
        properties=(properties.FINITE, lengths_kept),
        behavioral_tests=(
            gradients_flow(reference, (normal(2, 3, 6, seed=33), torch.tensor([4, 5, 6])), ("x", None)),
            keeps_to_the_device("x", normal(2, 3, 6, seed=34), torch.tensor([4, 5, 6])),
        ),
    )
