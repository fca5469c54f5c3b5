"""What people get wrong in exercise 11.4, capped_scores."""

import math

import torch

from exercises.common import explainers
from feedback import Misconceptions

ORDER = "tanh(-inf) is -1. What becomes of a hidden key's -inf if it is capped?"
FORMULA = (
    "A score much smaller than the cap hardly changes, and a huge one ends at the cap. Try both with your formula."
)


# ---------------------------------------------------------------- the right steps


def cap_them(scores, cap):
    return cap * torch.tanh(scores / cap)


def hide(scores, mask):
    return scores.masked_fill(~mask, -math.inf)


def finish(scores):
    return scores


def capped_from(cap_them=cap_them, hide=hide, finish=finish):
    """capped_scores(scores, cap, mask) made of these steps."""

    def capped_scores(scores, cap, mask):
        return finish(hide(cap_them(scores, cap), mask))

    return capped_scores


def hidden_score(case):
    """The first hidden key whose score is not -inf, or the first visible one whose score is."""
    if case.first.shape != case.expected_first.shape:
        return explainers.shape(case)
    hidden = case.expected_first == -math.inf
    wrong = (case.first == -math.inf) != hidden
    if not wrong.any():
        return visible_score(case)
    at = tuple(wrong.nonzero()[0].tolist())
    kind = "hidden from" if hidden[at] else "visible to"
    got = explainers.number(case.first[at])
    return f"key {at[-1]} is {kind} query {at[-2]}, and its score at {explainers.position(at)} is {got}"


def visible_score(case):
    """The visible score that is furthest off."""
    if case.first.shape != case.expected_first.shape:
        return explainers.shape(case)
    scores, cap, _ = case.args
    visible = case.expected_first.isfinite()
    if not visible.any():
        return explainers.entry(case)
    at = explainers.worst(*(x.masked_fill(~visible, 0.0) for x in (case.first, case.expected_first)))
    got, right = explainers.number(case.first[at]), explainers.number(case.expected_first[at])
    score = f"the score {explainers.number(scores[at])} at {explainers.position(at)}"
    return f"{score} became {got}; with a cap of {cap} it becomes {right}"


known = Misconceptions(capped_from)


# ---------------------------------------------------------------- the mask


@known(
    "mask-before-the-cap",
    means="Hidden keys have the score -cap, an ordinary score that the softmax will read. That is what becomes of -inf "
    "if keys are hidden first and scores capped afterwards.",
    hint=ORDER,
    explain=hidden_score,
)
def capped_last(scores, cap, mask):
    return cap_them(hide(scores, mask), cap)


@known(
    "hidden-scores-finite",
    means="Hidden keys have a finite score, such as -1e9, where -inf is asked for: another score may lie below it, and "
    "float16 has no -1e9.",
    hint="Which number is a weight of exactly 0 after the softmax, whatever the other scores are?",
    explain=hidden_score,
    step="hide",
)
def filled_with_minus_1e9(scores, mask):
    return scores.masked_fill(~mask, -1e9)


@known.also("hidden-scores-finite", step="hide")
def filled_with_the_lowest_number(scores, mask):
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min)


@known.also("hidden-scores-finite", step="hide")
def filled_with_minus_10000(scores, mask):
    return scores.masked_fill(~mask, -1e4)


@known(
    "hidden-scores-zero",
    means="Hidden keys have a score of 0, which is an ordinary score: `exp(0)` is 1.",
    hint="Which score becomes a weight of 0?",
    explain=hidden_score,
    step="hide",
)
def multiplied_by_the_mask(scores, mask):
    return scores * mask


@known(
    "mask-inverted",
    means="The mask was read the wrong way around: keys were hidden where it is True.",
    hint="`masked_fill` fills where its mask is True. Which keys should be filled?",
    explain=hidden_score,
    step="hide",
)
def visible_filled(scores, mask):
    return scores.masked_fill(mask, -math.inf)


@known(
    "mask-ignored",
    means="The mask was not used: every key is visible.",
    hint="`masked_fill` returns a new tensor, and leaves the old one as it was.",
    explain=hidden_score,
    step="hide",
)
def nothing_hidden(scores, mask):
    return scores


@known(
    "zero-times-infinity",
    means="The mask was multiplied by -inf and added: 0 * -inf is NaN, at every visible key.",
    hint="Fill with -inf instead of multiplying by it.",
    explain=explainers.not_a_number,
    step="hide",
)
def infinity_times_mask_added(scores, mask):
    return scores + ~mask * -math.inf


# ---------------------------------------------------------------- the cap


@known(
    "clamped",
    means="The scores were cut off at -cap and cap: beyond the cap, all scores are equal and have no gradient.",
    hint="A soft cap bends the scores long before they reach it. Which function has a slope of 1 at 0, and ends at 1?",
    explain=visible_score,
    step="cap_them",
)
def cut_off(scores, cap):
    return scores.clamp(-cap, cap)


@known.also("clamped", step="cap_them")
def cut_off_above(scores, cap):
    return scores.clamp(max=cap)


@known(
    "not-multiplied",
    means="The scores end between -1 and 1: after the tanh they were not multiplied by the cap.",
    hint=FORMULA,
    explain=visible_score,
    step="cap_them",
)
def only_divided(scores, cap):
    return torch.tanh(scores / cap)


@known(
    "not-divided",
    means="The scores were not divided by the cap before the tanh: a score of 2 is nearly at the cap already.",
    hint=FORMULA,
    explain=visible_score,
    step="cap_them",
)
def only_multiplied(scores, cap):
    return cap * torch.tanh(scores)


@known(
    "fixed-cap",
    means="The argument cap was not used: the cap is that of a published model, or 1.",
    hint="Where does your code use `cap`?",
    explain=visible_score,
    step="cap_them",
)
def capped_at_50(scores, cap):
    return cap_them(scores, 50.0)


@known.also("fixed-cap", step="cap_them")
def capped_at_30(scores, cap):
    return cap_them(scores, 30.0)


@known.also("fixed-cap", step="cap_them")
def capped_at_1(scores, cap):
    return torch.tanh(scores)


@known(
    "not-capped",
    means="The scores are what they were: they were not capped.",
    hint=FORMULA,
    explain=visible_score,
    step="cap_them",
)
def as_they_were(scores, cap):
    return scores


@known(
    "only-large-ones-capped",
    means="Only scores beyond the cap were changed: just above the cap, a score ends below one that is just under it.",
    hint="The same formula holds for all scores.",
    explain=visible_score,
    step="cap_them",
)
def large_ones_capped(scores, cap):
    return torch.where(scores.abs() > cap, cap_them(scores, cap), scores)


@known(
    "sigmoid",
    means="A sigmoid was used: all scores end above 0, and a score of 0 does not stay 0.",
    hint="A cap is symmetric: -score becomes minus what score becomes.",
    explain=visible_score,
    step="cap_them",
)
def by_a_sigmoid(scores, cap):
    return cap * torch.sigmoid(scores / cap)


@known(
    "overflow",
    means="Right for small scores, but `exp` of a large one is inf, and inf / inf is NaN.",
    hint="`torch.tanh` has no such limit.",
    explain=explainers.not_a_number,
    step="cap_them",
)
def by_exponentials(scores, cap):
    up, down = (scores / cap).exp(), (-scores / cap).exp()
    return cap * (up - down) / (up + down)


@known.also("overflow", step="cap_them")
def by_one_exponential(scores, cap):
    up = (2 * scores / cap).exp()
    return cap * (up - 1) / (up + 1)


# ---------------------------------------------------------------- what is returned


@known(
    "softmax-taken",
    means="These are weights: a softmax was taken. The capped scores themselves are asked for.",
    hint="What does the name of the function say that it returns?",
    explain=explainers.entry,
    step="finish",
)
def weights(scores):
    return scores.softmax(dim=-1)
