"""What people get wrong in exercise 2.3, attention_weights."""

import math

from exercises.common import explainers
from exercises.common.attention.mistakes import (
    COMPARE_MISTAKES,
    PRODUCT_MISTAKES,
    SCALE_MISTAKES,
    SOFTMAX_MISTAKES,
    over_queries,
    unscaled,
)
from exercises.common.attention.steps import compare, weights_from
from feedback import Misconceptions

known = Misconceptions(weights_from)
known.include(
    SCALE_MISTAKES,
    means={  # the number itself is what is asked for
        "no-scale": "The scores go into the softmax as they are: the larger D is, the more they spread.",
        "scaled-by-d": "The scores were divided by D: then they spread less, the larger D is. (Dividing by the right "
        "number twice does the same.)",
    },
    hints={
        "no-scale": "How far do sums of D products spread? Section 5 prints it for three D: which function of D is it?",
        "scaled-by-d": "D is the variance of a sum of D products. How large is its spread, its standard deviation?",
    },
)
known.include(
    SOFTMAX_MISTAKES,
    "over-queries",
    "axis-from-the-front",
    "softmax-twice",
    "no-softmax",
    means={"no-softmax": "These are the scaled scores: the softmax is missing."},
)
known.include(COMPARE_MISTAKES)
known.include(PRODUCT_MISTAKES, "fixed-axes", "elementwise")
known.also("over-queries", scale=unscaled, softmax=over_queries)


@known.also("axis-from-the-front", step="softmax")
def over_axis_2(scores):
    return scores.softmax(dim=2)


@known.also("scaled-by-another", step="scale")
def by_the_root_of_all_numbers(q, k):
    return 1 / math.sqrt(q.numel())


@known(
    "measured-spread",
    means="The scores were divided by their own spread, so each score also depends on the other scores.",
    hint="The divisor is known before any score is: which spread does D alone give to the scores of random q and k?",
    step="scale",
)
def by_the_spread_of_all_scores(q, k):
    return 1 / compare(q, k).std()


@known.also("measured-spread", step="scale")
def by_the_spread_of_each_row(q, k):
    return 1 / compare(q, k).std(dim=-1, keepdim=True)


@known(
    "raw-scores",
    means="These are the bare scores: neither scaled, nor turned into weights.",
    hint="Two steps are missing: the division, then the softmax.",
    explain=explainers.row_sum,
)
def scores_alone(q, k):
    return q @ k.transpose(-2, -1)


@known(
    "not-divided",
    means="These are the exponentials alone: they were never divided by the sum of their row.",
    hint="A row of weights must sum to 1.",
    explain=explainers.row_sum,
    step="softmax",
)
def exponentials(scores):
    return scores.exp()


@known(
    "log-softmax",
    means="These are the logarithms of the weights.",
    hint="`log_softmax` is used in losses; attention wants the weights themselves.",
    explain=explainers.row_sum,
    step="softmax",
)
def logarithms(scores):
    return scores.log_softmax(-1)


@known(
    "sigmoid",
    means="A sigmoid treats each score on its own; its rows do not sum to 1.",
    hint="In a softmax the keys of a row compete for a total of 1.",
    explain=explainers.row_sum,
    step="softmax",
)
def sigmoids(scores):
    return scores.sigmoid()
