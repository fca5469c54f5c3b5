"""What people get wrong in exercise 3.3, mask_by_filling."""

import math

import torch

from exercises.common import explainers
from exercises.common.attention.mistakes import SOFTMAX_MISTAKES
from exercises.common.attention.steps import INF, fill, masked_softmax_from
from exercises.common.inputs import causal_for
from exercises.common.masks.mistakes import (
    MASK_HINTS,
    MASK_MISTAKES,
    add_scores_ignored,
    add_weak_fill,
    least,
    least_of_each_row,
    zero,
)
from feedback import Misconceptions

known = Misconceptions(masked_softmax_from)
known.include(
    MASK_MISTAKES,
    "zero-filled",
    "weak-fill",
    "positive-fill",
    "infinite-fill",
    hints=MASK_HINTS,
    means={
        "infinite-fill": "The fill is +inf or NaN, and every row with a hidden key is NaN: inf - inf is not a number."
    },
)
for below in (15, 30, 50):
    add_weak_fill(known, zero, below)
for below in (1, 2, 5, 10, 20):
    add_weak_fill(known, least, below)
    add_weak_fill(known, least_of_each_row, below)


add_scores_ignored(known)


@known(
    "scaled-again",
    means="The scores were divided once more before the softmax; here they come ready to use.",
    hint="Fill, then softmax: nothing else.",
)
def divided_by_root_of_two(scores, mask):
    return (fill(scores, mask) / math.sqrt(2)).softmax(-1)


@known.also("scaled-again")
def divided_by_root_of_the_number_of_keys(scores, mask):
    return (fill(scores, mask) / math.sqrt(scores.size(-1))).softmax(-1)


@known.also("scaled-again")
def divided_by_root_of_the_number_of_queries(scores, mask):
    return (fill(scores, mask) / math.sqrt(scores.size(-2))).softmax(-1)


known.include(
    MASK_MISTAKES,
    "softmax-twice",
    "true-hides",
    "zero-times-infinity",
    "mask-added",
    "mask-inverted-added",
    "masked-after-softmax",
    "weights-filled",
    "mask-ignored",
    hints=MASK_HINTS,
)


@known(
    "own-causal-mask",
    means="A causal mask hides the future here, whatever mask is given.",
    hint="The argument mask says all that is to be hidden: use it, and nothing else.",
    explain=explainers.hidden_weight,
    step="fill",
)
def future_filled(scores, mask):
    return fill(scores, causal_for(scores))


@known(
    "scores-times-infinity",
    means="Hidden scores were multiplied by a huge negative number or -inf: a negative score becomes a huge "
    "positive one.",
    hint="A hidden score must be replaced, whatever it was.",
    explain=explainers.not_a_number,
    step="fill",
)
def hidden_scores_times_infinity(scores, mask):
    return torch.where(mask, scores, scores * -INF)


@known.also("scores-times-infinity", step="fill")
def hidden_scores_times_a_huge_number(scores, mask):
    return torch.where(mask, scores, scores * -1e9)


known.include(
    SOFTMAX_MISTAKES,
    "no-softmax",
    "over-queries",
    "axis-from-the-front",
    means={"no-softmax": "These are the filled scores: the softmax is missing."},
)


@known.also("axis-from-the-front", step="softmax")
def over_axis_2(scores):
    return scores.softmax(dim=2)


@known.also("no-softmax")
def filled_with_a_finite_number(scores, mask):
    return scores.masked_fill(~mask, -1e9)
