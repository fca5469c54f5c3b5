"""Sentences about a learner's rotated features."""

import math

import torch

from exercises.common import explainers
from exercises.common.rotary.inputs import base_of


def first_wrong_feature(case):
    """The entry that is furthest off, with the angle of its position."""
    if case.first.shape != case.expected_first.shape:
        return explainers.shape(case)
    at = explainers.worst(case.first, case.expected_first)
    position = case.args[1].flatten()[at[-2]].item()
    return (
        f"your feature {at[-1]} at position {position:g} ({explainers.position(at)}) is "
        f"{explainers.number(case.first[at])} and {explainers.number(case.expected_first[at])} is right"
    )


def turned_by(case, pair):
    """The angles by which the learner's code turned, next to the right ones, at the vector where they differ most.

    `pair` takes the features apart, as the exercise does. None where lengths changed: that is no rotation.
    """
    x, positions = case.args[:2]
    if case.first.shape != x.shape or not case.first.numel():
        return None
    before, after = (torch.complex(*(part.double() for part in pair(t))) for t in (x, case.first))
    if not torch.allclose(before.abs(), after.abs(), atol=1e-3):
        return None
    size = x.size(-1)
    right = positions.double()[:, None] * base_of(case.args) ** (-torch.arange(0, size, 2).double() / size)
    got = (after / before).angle()
    difference = torch.remainder(got - right + math.pi, 2 * math.pi) - math.pi
    difference = difference.nan_to_num()  # a pair (0, 0) points nowhere
    at = explainers.worst(difference, torch.zeros_like(difference))
    if abs(difference[at]) < 1e-3:
        return None
    wanted = torch.remainder(right[at[-2:]] + math.pi, 2 * math.pi) - math.pi
    return (
        f"at position {positions[at[-2]].item():g} your pair {at[-1]} is turned by {got[at]:.4f}, "
        f"and should be turned by {wanted:.4f} (radians, up to whole turns)"
    )
