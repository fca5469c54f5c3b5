"""What people get wrong in exercise 9.1, rotate_pairs."""

import torch

from exercises.common.rotary import steps
from exercises.common.rotary.explainers import first_wrong_feature, turned_by
from exercises.common.rotary.mistakes import rotation_mistakes

PAIRS = "Features 0 and 1 are a pair, 2 and 3 are the next. Which slices take every other feature?"


def turned(case):
    return turned_by(case, steps.neighbors) or first_wrong_feature(case)


known = rotation_mistakes(steps.rotation_from(steps.neighbors, steps.join_neighbors), turned)


known(
    "halves",
    means="Feature i was turned together with feature i + D/2. Here neighbors are pairs: features 2i and 2i + 1.",
    hint=PAIRS,
    explain=first_wrong_feature,
)
known.also("halves", pair=steps.halves, join=steps.join_halves)


@known(
    "not-put-back",
    means="The pairs are the right ones, but the results were joined in halves: all first features, then all second "
    "ones.",
    hint="Feature 2i of the result is the first one of pair i, and feature 2i + 1 the second. `torch.cat` puts them "
    "elsewhere.",
    explain=first_wrong_feature,
    step="join",
)
def joined_in_halves(a, b):
    return torch.cat([a, b], dim=-1)


known("taken-in-halves", means="The pairs were taken from the two halves of x, and put back as neighbors.", hint=PAIRS)
known.also("taken-in-halves", pair=steps.halves)


@known(
    "order-within-the-pair",
    means="The two features of each pair have changed places in the result.",
    hint="The first feature of the result is a cos - b sin.",
    explain=first_wrong_feature,
    step="join",
)
def second_first(a, b):
    return steps.join_neighbors(b, a)


@known(
    "stacked-along-another-axis",
    means="The two results were stacked along another axis than the last, so that the reshape mixed up pairs.",
    hint="Stack a and b so that they are neighbors in memory: a new last axis of size 2, which is then joined to the "
    "one before it.",
    step="join",
)
def stacked_before_the_features(a, b):
    return torch.stack([a, b], dim=-2).flatten(-2).roll(1, -1)


@known(
    "angle-for-each-feature",
    means="The two features of a pair were turned by different angles: each feature got a frequency of its own.",
    hint="Both features of pair i share one angle, position · base**(-2i / D).",
    explain=first_wrong_feature,
)
def a_frequency_for_each_feature(x, positions, base=10000.0):
    size = x.size(-1)
    angle = positions.double()[:, None] * base ** (-torch.arange(size).double() / size)
    swapped = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    return (x * angle.cos() + swapped * angle.sin()).to(x.dtype)


@known.also("angle-for-each-feature")
def twice_the_index_of_each_feature(x, positions, base=10000.0):
    size = x.size(-1)
    angle = positions.double()[:, None] * base ** (-2 * torch.arange(size).double() / size)
    swapped = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    return (x * angle.cos() + swapped * angle.sin()).to(x.dtype)


@known(
    "angles-repeated-in-halves",
    means="The rotated partners are neighbors, but the cosines and sines stand in halves, `cat([angles, angles])`: "
    "the two features of a pair get different angles.",
    hint="Feature 2i and feature 2i + 1 need the same angle. `repeat_interleave` and `cat` order copies differently.",
    explain=first_wrong_feature,
)
def angles_in_halves(x, positions, base=10000.0):
    angle = steps.angles(positions, steps.frequencies(x.size(-1), base))
    angle = torch.cat([angle, angle], dim=-1)
    swapped = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    return (x * angle.cos() + swapped * angle.sin()).to(x.dtype)


@known(
    "positions-along-another-axis",
    means="The angles of the positions met another axis of x than T.",
    hint="x is (..., T, D), so the angles are (T, D/2): they line up with the last two axes by themselves.",
)
def angles_with_an_axis_too_many(x, positions, base=10000.0):
    angle = steps.angles(positions, steps.frequencies(x.size(-1), base))[:, None]
    a, b = steps.neighbors(x)
    return steps.join_neighbors(*(part.to(x.dtype) for part in steps.turn(a, b, angle)))
