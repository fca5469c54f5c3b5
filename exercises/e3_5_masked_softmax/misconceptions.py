"""What people get wrong in exercise 3.5, masked_softmax."""

import torch

from exercises.common import explainers
from exercises.common.attention.mistakes import SOFTMAX_MISTAKES
from exercises.common.attention.steps import INF, masked_softmax_from
from exercises.common.masks.mistakes import (
    MASK_HINTS,
    MASK_MISTAKES,
    add_scores_ignored,
    add_weak_fill,
    least,
    least_of_each_row,
    zero,
)
from exercises.e3_5_masked_softmax.reference import masked_softmax
from feedback import Misconceptions

known = Misconceptions(masked_softmax_from)


def hidden_zeroed(weights, mask):
    """The right last step."""
    return weights.masked_fill(~mask, 0.0)


def zeroed_and_divided(powers, mask, epsilon=0.0):
    """Hidden ones set to 0, then each row divided by its sum."""
    visible = powers * mask
    return visible / (visible.sum(-1, keepdim=True) + epsilon)


def empty_row(case):
    """What the first fully masked row holds."""
    empty = ~case.args[-1].expand(case.last.shape).any(-1)
    if not empty.any():
        return explainers.entry(case)
    at = tuple(int(i) for i in empty.nonzero()[0])
    row = ", ".join(explainers.number(v) for v in case.last[at][:4])
    return f"row {explainers.position(at)} sees no key at all and should be all zeros; yours begins {row}"


# ---------------------------------------------------------------- rows that see nothing


@known(
    "nan-rows",
    means="A row that sees no key is NaN: its exponentials sum to 0, and 0 / 0 is NaN.",
    hint="How can such a row get finite scores to softmax over, and its zeros afterwards? (NaN * 0 is NaN, and "
    "`NaN == NaN` is False: neither multiplying by 0 nor looking for `== NaN` removes it.)",
    explain=empty_row,
)
def filled_with_minus_infinity(scores, mask):
    return scores.masked_fill(~mask, -INF).softmax(-1)


@known.also("nan-rows")
def renormalized(scores, mask):
    return zeroed_and_divided(scores.softmax(-1), mask)


@known.also("nan-rows")
def exponentials_renormalized(scores, mask):
    return zeroed_and_divided(scores.exp(), mask)


@known(
    "uniform-rows",
    means="A row that sees no key reads all keys equally. (A softmax of equal scores does that.)",
    hint="What is hidden must get the weight 0 after the softmax as well.",
    explain=empty_row,
)
def filled_with_a_finite_number(scores, mask):
    return scores.masked_fill(~mask, -1e9).softmax(-1)


@known(
    "unmasked-rows",
    means="A row that sees no key attends as if there were no mask. (Adding the same number to all its scores does "
    "that: a softmax does not notice.)",
    hint="What is hidden must get the weight 0 after the softmax as well.",
    explain=empty_row,
)
def minus_ten_thousand_added(scores, mask):
    return (scores + ~mask * -10000.0).softmax(-1)


@known.also("unmasked-rows")
def minus_one_thousand_added(scores, mask):
    return (scores + ~mask * -1000.0).softmax(-1)


@known.also("unmasked-rows")
def empty_rows_left_alone(scores, mask):
    return torch.where(mask.any(-1, keepdim=True), scores.masked_fill(~mask, -INF), scores).softmax(-1)


@known(
    "visible-zeroed",
    means="The visible keys got 0 after the softmax, so nothing is left.",
    hint="Which keys must be 0 afterwards: those where the mask is True, or those where it is False?",
    explain=explainers.row_sum,
)
def visible_set_to_0(scores, mask):
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1).masked_fill(mask, 0.0)


@known(
    "whole-item-zeroed",
    means="One empty row made its whole item zero: the test for emptiness looks at more than one row.",
    hint="Test each row by itself: along which axis are its keys?",
    explain=explainers.row_sum,
)
def items_with_an_empty_row_zeroed(scores, mask):
    return masked_softmax(scores, mask) * mask.expand(scores.shape).any(-1, keepdim=True).all(-2, keepdim=True)


# ---------------------------------------------------------------- huge scores


@known(
    "swallowed",
    means="The hidden scores took part: their exponentials were set to 0 afterwards, or their maximum was subtracted. "
    "Next to a huge hidden score all visible weights are 0, and nothing is left to share out.",
    hint="What is hidden must not take part in the softmax at all.",
    explain=explainers.row_sum,
)
def renormalized_with_epsilon(scores, mask):
    return zeroed_and_divided(scores.softmax(-1), mask, 1e-9)


@known.also("swallowed")
def exponentials_below_the_largest_of_all(scores, mask):
    return (zeroed_and_divided((scores - scores.max()).exp(), mask)).nan_to_num(0.0)


@known(
    "overflow",
    means="Right for small scores, but `exp(200)` is too large for a float: it becomes inf, and inf * 0 is NaN.",
    hint="What did you subtract in exercise 2.2, so that no exponent is above 0?",
    explain=explainers.not_a_number,
)
def exponentials_renormalized_with_epsilon(scores, mask):
    return zeroed_and_divided(scores.exp(), mask, 1e-9)


# ---------------------------------------------------------------- as in 3.3

known.include(
    MASK_MISTAKES,
    "masked-after-softmax",
    "zero-filled",
    "weak-fill",
    "mask-ignored",
    "true-hides",
    hints=MASK_HINTS,
)
known.include(SOFTMAX_MISTAKES, "over-queries", "axis-from-the-front")
add_scores_ignored(known)


@known.also("scores-ignored")
def visible_keys_alike_and_zeros(scores, mask):
    return (mask / mask.sum(-1, keepdim=True)).expand(scores.shape).nan_to_num(0.0).to(scores.dtype)


@known.also("axis-from-the-front", step="softmax")
def over_axis_2(scores):
    return scores.softmax(dim=2)


for below in (1, 5, 10):
    add_weak_fill(known, zero, below, hidden_zeroed)
for below in (1, 2, 5, 10):
    for start in (least, least_of_each_row):
        add_weak_fill(known, start, below)
        add_weak_fill(known, start, below, hidden_zeroed)


@known.also("zero-filled")
def zeros_filled_and_zeroed(scores, mask):
    return hidden_zeroed((scores * mask).softmax(-1), mask)


@known.also("true-hides")
def opposite_mask(scores, mask):
    return masked_softmax(scores, ~mask)
