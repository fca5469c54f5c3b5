"""What people get wrong in exercise 2.4, attention."""

import math

from exercises.common import explainers
from exercises.common.attention.mistakes import (
    COMPARE_MISTAKES,
    MIX_MISTAKES,
    MULTIPLIES,
    PRODUCT_MISTAKES,
    SCALE_MISTAKES,
    SOFTMAX_MISTAKES,
    scores_as_they_are,
    unscaled,
    weights_first,
)
from exercises.common.attention.steps import attention_from, compare, scale
from feedback import Misconceptions

known = Misconceptions(attention_from)
known.include(
    MIX_MISTAKES,
    "only-out",
    "only-weights",
    "swapped-pair",
    hints={"swapped-pair": "Return out first: `attention(q, k, v)` gives (out, weights)."},
)
known.also("swapped-pair", scale=unscaled, give=weights_first)
known.include(
    SCALE_MISTAKES,
    means={
        "scaled-by-another": "The scores were divided by the square root of another number than D: of a number of "
        "positions "
        "or items, or of the width of the values."
    },
)
known.include(SOFTMAX_MISTAKES, "over-queries", "axis-from-the-front", "softmax-twice", "no-softmax")
known.also("no-softmax", scale=unscaled, softmax=scores_as_they_are)
known.include(COMPARE_MISTAKES)
known.include(PRODUCT_MISTAKES, "fixed-axes", "elementwise")
known.include(
    MIX_MISTAKES, "scores-returned", "mixed-by-scores", "weights-transposed", "keys-as-values", "queries-as-values"
)


@known.also("axis-from-the-front", step="softmax")
def over_axis_2(scores):
    return scores.softmax(dim=2)


@known.also("scaled-by-another")
def scaled_by_the_width_of_the_values(q, k, v):
    weights = (compare(q, k) / math.sqrt(v.size(-1))).softmax(-1)
    return weights @ v, weights


@known(
    "output-scaled",
    means="The division by `sqrt(D)` came at the very end, on out; the scores were not divided.",
    hint="Scale the scores, before the softmax: afterwards it is too late.",
    explain=explainers.sharpness,
)
def out_scaled(q, k, v):
    weights = compare(q, k).softmax(-1)
    return weights @ v * scale(q, k), weights


@known(
    "mixed-element-by-element",
    means="The weights and the values are multiplied element by element, so their sizes do not fit.",
    hint="Row i of out adds up all the values, each times its weight. Which product of two matrices does that?",
    step="mix",
    raised_in=MULTIPLIES,
)
def weights_times_values(weights, v, q, k):
    return weights * v
