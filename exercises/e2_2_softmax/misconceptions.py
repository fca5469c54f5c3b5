"""What people get wrong in exercise 2.2, softmax."""

import math

import torch.nn.functional as F

from exercises.common import explainers
from exercises.common.attention.mistakes import AXIS_FROM_THE_FRONT_HINT, AXIS_FROM_THE_FRONT_MEANS
from feedback import Misconceptions

known = Misconceptions()


def divided(exponentials, dim=-1):
    """The last step of a softmax: each row is divided by its sum, or by another one."""
    return exponentials / exponentials.sum(dim=dim, keepdim=True)


def shifted(scores):
    """The exponentials after the maximum of each row was subtracted."""
    return (scores - scores.amax(-1, keepdim=True)).exp()


# ---------------------------------------------------------------- large scores

WHICH_NUMBER = (
    "A softmax does not change when the same number is subtracted from a whole row. Which number makes "
    "every exponent at most 0?"
)


@known(
    "overflow",
    means="Right for small scores, but `exp(1000)` is too large for a float: it becomes inf, and inf / inf is NaN.",
    hint=WHICH_NUMBER,
    explain=explainers.not_a_number,
)
def nothing_subtracted(scores):
    return divided(scores.exp())


@known.also("overflow")
def nothing_subtracted_with_epsilon(scores):
    return scores.exp() / (scores.exp().sum(-1, keepdim=True) + 1e-6)


@known(
    "overflow-in-float64",
    means="float64 only moves the limit: it overflows at `exp(710)` instead of `exp(89)`, and inf / inf is NaN.",
    hint=WHICH_NUMBER,
    explain=explainers.not_a_number,
)
def calculated_in_float64(scores):
    return divided(scores.double().exp()).to(scores.dtype)


@known.also("overflow-in-float64")
def calculated_in_float64_returned_in_float32(scores):
    return divided(scores.double().exp()).float()


@known(
    "overflow-hidden",
    means="`exp(1000)` is inf, and the NaN that follows was replaced: a large score now gets the replacement, not its "
    "share.",
    hint=f"Keep the inf from arising. {WHICH_NUMBER}",
)
def nan_replaced(scores):
    return divided(scores.exp()).nan_to_num(0.0)


@known.also("overflow-hidden")
def nan_replaced_by_1(scores):
    return divided(scores.exp()).nan_to_num(1.0)


@known(
    "clamped",
    means="Scores beyond a limit were cut off (clamped): scores that differ become equal, and so do their weights.",
    hint=f"Nothing has to be cut off. {WHICH_NUMBER}",
)
def clamped_above(scores):
    return divided(scores.clamp(max=80).exp())


@known.also("clamped")
def clamped_on_both_sides(scores):
    return divided(scores.clamp(-80, 80).exp())


@known(
    "mean-subtracted",
    means="A mean was subtracted. The largest score can still be far above it, and then exp overflows.",
    hint=WHICH_NUMBER,
    explain=explainers.not_a_number,
)
def minus_the_mean(scores):
    return divided((scores - scores.mean(-1, keepdim=True)).exp())


@known.also("mean-subtracted")
def minus_the_mean_of_all(scores):
    return divided((scores - scores.mean()).exp())


@known(
    "last-subtracted",
    means="The last score of each row was subtracted. Another one can still be far above it, and then exp overflows.",
    hint=WHICH_NUMBER,
    explain=explainers.not_a_number,
)
def minus_the_last(scores):
    return divided((scores - scores[..., -1:]).exp())


@known(
    "min-subtracted",
    means="The smallest score of each row was subtracted. The largest one can still be far above it, and then exp "
    "overflows.",
    hint=WHICH_NUMBER,
    explain=explainers.not_a_number,
)
def minus_the_smallest(scores):
    return divided((scores - scores.amin(-1, keepdim=True)).exp())


@known(
    "first-subtracted",
    means="The first score of each row was subtracted. Another one can still be far above it, and then exp overflows.",
    hint=WHICH_NUMBER,
    explain=explainers.not_a_number,
)
def minus_the_first(scores):
    return divided((scores - scores[..., :1]).exp())


@known(
    "position-subtracted",
    means="The position of the largest score was subtracted (argmax, or the indices of max), not the score itself.",
    hint="`max(dim=-1)` gives two things, values and indices. Which of them is the score?",
    explain=explainers.not_a_number,
)
def minus_the_position(scores):
    return divided((scores - scores.argmax(-1, keepdim=True)).exp())


@known(
    "max-of-columns",
    means="The maximum was taken down the columns; each row needs its own.",
    hint="The scores of a row lie along the last axis.",
    explain=explainers.not_a_number,
)
def minus_the_largest_of_axis_0(scores):
    return divided((scores - scores.amax(0, keepdim=True)).exp())


@known.also("max-of-columns")
def minus_the_largest_of_the_columns(scores):
    return divided((scores - scores.amax(-2, keepdim=True)).exp())


@known(
    "largest-size",
    means="In a row of -1000s nothing negative was subtracted (a largest absolute value, or 0): every exponential "
    "becomes 0, and 0 / 0 is NaN.",
    hint="Subtract the largest score itself, with its sign.",
    explain=explainers.not_a_number,
)
def minus_the_largest_size(scores):
    return divided((scores - scores.abs().amax(-1, keepdim=True)).exp())


@known(
    "one-maximum-for-all",
    means="One number is subtracted from all rows, such as the largest score of the whole tensor. In a row far below "
    "it every exponential becomes 0, and 0 / 0 is NaN.",
    hint="Each row needs its own largest score: look along the last axis alone.",
    explain=explainers.not_a_number,
)
def minus_the_largest_of_all(scores):
    return divided((scores - scores.max()).exp())


@known(
    "subtracted-after-exp",
    means="Something was subtracted after exp, which changes the weights; only a number that is subtracted before exp "
    "leaves them as they are.",
    hint="Which numbers have to be small, so that exp does not overflow?",
)
def maximum_subtracted_after_exp(scores):
    return divided(scores.exp() - scores.exp().amax(-1, keepdim=True))


@known(
    "shifted-on-one-side",
    means="The maximum was subtracted only in the numerator, or only in the denominator: the two no longer cancel.",
    hint="Subtract first, once; then use the same exponentials in both places.",
    explain=explainers.row_sum,
)
def shifted_above(scores):
    return shifted(scores) / scores.exp().sum(-1, keepdim=True)


@known.also("shifted-on-one-side")
def shifted_below(scores):
    return scores.exp() / shifted(scores).sum(-1, keepdim=True)


# ---------------------------------------------------------------- the axis


@known(
    "over-the-rows",
    means="The softmax runs over the wrong axis: columns sum to 1, rows do not.",
    hint="Each query shares out its attention among the keys, and the keys are the last axis.",
    explain=explainers.row_sum,
)
def over_the_queries(scores):
    return scores.softmax(-2)


@known.also("over-the-rows")
def over_the_queries_with_overflow(scores):
    return divided(scores.exp(), -2)


@known.also("over-the-rows")
def over_the_queries_after_the_maximum_of_rows(scores):
    return divided(shifted(scores), -2)


@known(
    "axis-from-the-front", means=AXIS_FROM_THE_FRONT_MEANS, hint=AXIS_FROM_THE_FRONT_HINT, explain=explainers.row_sum
)
def over_axis_0(scores):
    return scores.softmax(0)


@known.also("axis-from-the-front")
def over_axis_1(scores):
    return scores.softmax(1)


@known.also("axis-from-the-front")
def over_axis_2(scores):
    return scores.softmax(2)


@known.also("axis-from-the-front")
def over_the_axis_that_torch_guesses(scores):
    return F.softmax(scores)


@known.also("axis-from-the-front")
def over_axis_0_with_overflow(scores):
    return divided(scores.exp(), 0)


@known.also("axis-from-the-front")
def over_axis_1_with_overflow(scores):
    return divided(scores.exp(), 1)


@known(
    "over-everything",
    means="All the numbers of the tensor together sum to 1, instead of each row.",
    hint="`sum()` without an axis adds up everything. Along which axis do the scores of a row lie?",
    explain=explainers.row_sum,
)
def over_all_numbers(scores):
    exponentials = (scores - scores.max()).exp()
    return exponentials / exponentials.sum()


@known.also("over-everything")
def over_all_numbers_with_overflow(scores):
    return scores.exp() / scores.exp().sum()


@known.also("over-everything")
def over_all_numbers_after_the_maximum_of_rows(scores):
    return shifted(scores) / shifted(scores).sum()


# ---------------------------------------------------------------- the formula


@known(
    "softmax-twice",
    means="A softmax was applied twice: the second one flattens what the first one made.",
    hint="Once is enough: the rows sum to 1 after it.",
    explain=explainers.sharpness,
)
def softmax_twice(scores):
    return scores.softmax(-1).softmax(-1)


@known("sign", means="The order is reversed: the smallest score got the largest weight.", hint="exp(s), not exp(-s).")
def negated(scores):
    return (-scores).softmax(-1)


@known(
    "no-exponential",
    means="The scores are divided by their sum without the exponential, so weights can be negative.",
    hint="exp makes every number positive and keeps the order; then divide by the sum.",
)
def divided_without_exp(scores):
    return divided(scores)


@known(
    "divided-by-scores",
    means="The exponentials were divided by the sum of the scores, not by their own sum.",
    hint="Give the exponentials a name: what is in the numerator is also what is summed in the denominator.",
    explain=explainers.row_sum,
)
def divided_by_the_sum_of_scores(scores):
    return scores.exp() / scores.sum(-1, keepdim=True)


@known.also("divided-by-scores")
def shifted_and_divided_by_the_sum_of_scores(scores):
    return shifted(scores) / scores.sum(-1, keepdim=True)


@known.also("divided-by-scores")
def shifted_and_divided_by_the_sum_of_shifted_scores(scores):
    return shifted(scores) / (scores - scores.amax(-1, keepdim=True)).sum(-1, keepdim=True)


@known(
    "not-divided",
    means="The exponentials were never divided by the sum of their row.",
    hint="A row of weights must sum to 1.",
    explain=explainers.row_sum,
)
def exponentials_alone(scores):
    return scores.exp()


@known.also("not-divided")
def shifted_exponentials_alone(scores):
    return shifted(scores)


@known(
    "log-softmax",
    means="These are the logarithms of the weights.",
    hint="`log_softmax` is used in losses; attention wants the weights themselves.",
    explain=explainers.row_sum,
)
def logarithms(scores):
    return scores.log_softmax(-1)


@known(
    "sigmoid",
    means="A sigmoid treats each score on its own; its rows do not sum to 1.",
    hint="In a softmax the keys of a row compete: each exponential is divided by the sum of its row.",
    explain=explainers.row_sum,
)
def sigmoids(scores):
    return scores.sigmoid()


@known("base-two", means="These are powers of 2 instead of powers of e.", hint="Use torch.exp.")
def powers_of_two(scores):
    return (scores * math.log(2)).softmax(-1)
