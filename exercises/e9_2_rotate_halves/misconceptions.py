"""What people get wrong in exercise 9.2, rotate_halves."""

import torch

from exercises.common.rotary import steps
from exercises.common.rotary.explainers import first_wrong_feature, turned_by
from exercises.common.rotary.mistakes import rotation_mistakes

HALVES = "Feature 0 belongs to feature D/2, feature 1 to D/2 + 1. Which slices take the two halves?"


def turned(case):
    return turned_by(case, steps.halves) or first_wrong_feature(case)


known = rotation_mistakes(steps.rotation_from(steps.halves, steps.join_halves), turned)


known(
    "pairs",
    means="Neighbors were turned together, features 2i and 2i + 1, as in exercise 9.1. Here feature i belongs to "
    "feature i + D/2.",
    hint=HALVES,
    explain=first_wrong_feature,
)
known.also("pairs", pair=steps.neighbors, join=steps.join_neighbors)

known(
    "taken-as-neighbors",
    means="The features were taken as neighbors, and put back in halves.",
    hint=HALVES,
    explain=first_wrong_feature,
)
known.also("taken-as-neighbors", pair=steps.neighbors)

known(
    "put-back-as-neighbors",
    means="The pairs are the right ones, but the results were put back as neighbors.",
    hint="All first features of the pairs belong in the left half of the result.",
    explain=first_wrong_feature,
)
known.also("put-back-as-neighbors", join=steps.join_neighbors)


@known(
    "halves-exchanged",
    means="The two halves of the result have changed places.",
    hint="The left half of the result is a cos - b sin.",
    explain=first_wrong_feature,
    step="join",
)
def right_half_first(a, b):
    return torch.cat([b, a], dim=-1)


@known(
    "mirrored",
    means="Feature i was paired with feature D - 1 - i: the second half was read backward.",
    hint=HALVES,
    explain=first_wrong_feature,
)
def flipped_copy(x, positions, base=10000.0):
    angle = steps.angles(positions, steps.frequencies(x.size(-1), base))
    a, b = x.chunk(2, dim=-1)
    first, second = steps.turn(a, b.flip(-1), angle)
    return torch.cat([first, second.flip(-1)], dim=-1).to(x.dtype)


def with_a_copy(x, cos, sin):
    a, b = x.chunk(2, dim=-1)
    return (x * cos + torch.cat([-b, a], dim=-1) * sin).to(x.dtype)


@known(
    "angles-repeated-as-neighbors",
    means="The features are taken in halves, but the angles were repeated as neighbors, as `repeat_interleave` does: "
    "features i and i + D/2 get different angles.",
    hint="Feature i and feature i + D/2 need the same angle. `repeat_interleave` and `cat` order copies differently.",
    explain=first_wrong_feature,
)
def angles_as_neighbors(x, positions, base=10000.0):
    angle = steps.angles(positions, steps.frequencies(x.size(-1), base)).repeat_interleave(2, dim=-1)
    return with_a_copy(x, angle.cos(), angle.sin())


@known(
    "angle-for-each-feature",
    means="The two features of a pair were turned by different angles: each feature got a frequency of its own.",
    hint="Both features of pair i share one angle, position · base**(-2i / D).",
    explain=first_wrong_feature,
)
def a_frequency_for_each_feature(x, positions, base=10000.0):
    size = x.size(-1)
    angle = positions.double()[:, None] * base ** (-torch.arange(size).double() / size)
    return with_a_copy(x, angle.cos(), angle.sin())


@known(
    "positions-along-another-axis",
    means="The angles of the positions met another axis of x than T.",
    hint="x is (..., T, D), so the angles are (T, D/2): they line up with the last two axes by themselves.",
)
def angles_with_an_axis_too_many(x, positions, base=10000.0):
    angle = steps.angles(positions, steps.frequencies(x.size(-1), base))[:, None]
    return torch.cat(steps.turn(*steps.halves(x), angle), dim=-1).to(x.dtype)
