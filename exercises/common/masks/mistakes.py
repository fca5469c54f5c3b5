"""What people get wrong with the mask of attention: wrong steps of `weights_from`, and fills that are too high."""

import torch

from exercises.common import explainers
from exercises.common.attention.steps import INF, fill, softmax
from feedback import Misconceptions
from helpers.masks import causal_mask

MASK_MISTAKES = Misconceptions()


@MASK_MISTAKES(
    "mask-none",
    means="Without a mask the code stops: mask is None then, and None can neither be inverted nor compared "
    "with scores.",
    hint="Use it only where there is one: `if mask is not None`.",
    step="hide",
)
def inverted_even_if_none(scores, mask):
    return scores.masked_fill(~mask, -INF)


@MASK_MISTAKES.also("mask-none", step="hide")
def compared_even_if_none(scores, mask):
    return scores.masked_fill(mask == 0, -INF)


@MASK_MISTAKES.also("mask-none", step="hide")
def where_even_if_none(scores, mask):
    return torch.where(mask, scores, -INF)


@MASK_MISTAKES.also("mask-none", step="hide")
def method_even_if_none(scores, mask):
    return scores.masked_fill(mask.logical_not(), -INF)


@MASK_MISTAKES.also("mask-none", step="hide")
def function_even_if_none(scores, mask):
    return scores.masked_fill(torch.logical_not(mask), -INF)


@MASK_MISTAKES(
    "mask-ignored",
    means="The mask was never used: these are the weights of unmasked attention.",
    hint="Follow the mask through your code: does it change the scores before the softmax? (`masked_fill` returns "
    "a new tensor, and leaves the old scores as they were.)",
    explain=explainers.hidden_weight,
    step="fill",
)
def nothing_hidden(scores, mask):
    return scores


@MASK_MISTAKES(
    "true-hides",
    means="The mask was read the wrong way around: keys were hidden where it is True.",
    hint="`masked_fill` fills where its mask is True. Where is yours True: at the keys to hide, or at those to keep?",
    explain=explainers.hidden_weight,
    step="fill",
)
def visible_filled(scores, mask):
    return scores.masked_fill(mask, -INF)


@MASK_MISTAKES.also("true-hides", step="fill")
def visible_filled_with_a_finite_number(scores, mask):
    return scores.masked_fill(mask, -1e9)


MASK_MISTAKES(
    "own-causal-mask",
    means="Your code makes a causal mask of its own, and hides the future where the argument mask does not.",
    hint="Only mask says what is hidden: it may be of any kind, and None hides nothing.",
    explain=explainers.hidden_weight,
)


def past(scores):
    """A causal mask for these scores."""
    return causal_mask(scores.size(-1))


@MASK_MISTAKES.also("own-causal-mask", step="hide")
def future_hidden(scores, mask):
    return fill(scores, past(scores))


@MASK_MISTAKES.also("own-causal-mask", step="hide")
def future_hidden_as_well(scores, mask):
    return fill(scores, past(scores) if mask is None else mask & past(scores))


@MASK_MISTAKES.also("own-causal-mask", step="fill")
def future_hidden_where_there_is_a_mask(scores, mask):
    return fill(scores, past(scores))


@MASK_MISTAKES.also("own-causal-mask", step="hide")
def future_hidden_where_there_is_no_mask(scores, mask):
    return fill(scores, past(scores) if mask is None else mask)


def add_fill(id, value):
    """One more way to make a registered mistake: hidden scores are set to `value`."""

    @MASK_MISTAKES.also(id, step="fill")
    def filled(scores, mask):
        return scores.masked_fill(~mask, value)


MASK_MISTAKES(
    "zero-filled",
    means="Hidden scores were set to 0, or to 1e-9 or the like, and `exp(0)` = 1: a score of 0 is an ordinary score.",
    hint="Which score becomes a weight of 0?",
    explain=explainers.hidden_weight,
)
add_fill("zero-filled", 0.0)


@MASK_MISTAKES.also("zero-filled", step="fill")
def scores_times_mask(scores, mask):
    return scores * mask


MASK_MISTAKES(
    "weak-fill",
    means="The fill is not low enough for these scores: hidden keys keep a weight.",
    hint="A score of -10 nearly hides a key next to a score of 0, but not next to -7. Which number is lower than "
    "every score?",
    explain=explainers.hidden_weight,
)
for value in (-1.0, -2.0, -5.0, -10.0, -20.0, -100.0):
    add_fill("weak-fill", value)

MASK_MISTAKES(
    "positive-fill",
    means="The fill is a huge positive number, so hidden keys take everything.",
    hint="Which sign hides?",
    explain=explainers.hidden_weight,
)
add_fill("positive-fill", 1e9)

MASK_MISTAKES(
    "infinite-fill",
    means="Every row with a hidden key is NaN: a fill of +inf does that, since inf - inf is not a number, and so does "
    "0 / 0.",
    hint="Which sign hides?",
    explain=explainers.not_a_number,
)
add_fill("infinite-fill", INF)


@MASK_MISTAKES(
    "zero-times-infinity",
    means="Some or all numbers are NaN. Multiplying a mask by -inf does that, since 0 * -inf is NaN, not 0. "
    "(So does 0 / 0, where exp of every visible score is 0.)",
    hint="How can -inf be written only where a key is hidden, without multiplying anything by it?",
    explain=explainers.not_a_number,
    step="fill",
)
def mask_times_infinity_added(scores, mask):
    return scores + (1 - mask.to(scores.dtype)) * -INF


@MASK_MISTAKES(
    "mask-added",
    means="The mask was added to the scores as numbers: visible ones become larger by 1, and nothing is hidden.",
    hint="Only a mask of 0 and -inf can be added; this one holds True and False, or 1 and 0. "
    "Which numbers are added to the scores?",
    explain=explainers.hidden_weight,
    step="fill",
)
def mask_added(scores, mask):
    return scores + mask


@MASK_MISTAKES(
    "mask-inverted-added",
    means="The inverted mask was added to the scores as numbers: hidden ones become larger by 1.",
    hint="Only a mask of 0 and -inf can be added; this one holds True and False, or 1 and 0. "
    "Which numbers are added to the scores?",
    explain=explainers.hidden_weight,
    step="fill",
)
def inverted_mask_added(scores, mask):
    return scores + ~mask


@MASK_MISTAKES(
    "masked-after-softmax",
    means="The mask came after the softmax, and rows were not divided by their new sums: they do not sum to 1.",
    hint="Hide the scores first; then the softmax shares everything out among the visible keys.",
    explain=explainers.row_sum,
    step="masked_softmax",
)
def weights_times_mask(scores, mask=None):
    return softmax(scores) if mask is None else softmax(scores) * mask


def add_filled_weights(value):
    @MASK_MISTAKES.also("weights-filled", step="masked_softmax")
    def weights_filled(scores, mask=None):
        return softmax(scores) if mask is None else softmax(scores).masked_fill(~mask, value)


MASK_MISTAKES(
    "weights-filled",
    means="-inf (or a huge negative number) was put in after the softmax.",
    hint="Does each row still sum to 1? What if the scores were hidden before the softmax?",
    explain=explainers.entry,
)
add_filled_weights(-INF)
add_filled_weights(-1e9)


@MASK_MISTAKES(
    "softmax-twice",
    means="A softmax was applied twice: the second one flattens what the first one made, and takes a weight "
    "of 0 for an ordinary score.",
    hint="How many times does a softmax run? Once is enough, after the mask.",
    explain=explainers.sharpness,
    step="masked_softmax",
)
def softmax_after_the_masked_softmax(scores, mask=None):
    return softmax(softmax(scores if mask is None else fill(scores, mask)))


@MASK_MISTAKES.also("softmax-twice", step="masked_softmax")
def softmax_before_the_masked_softmax(scores, mask=None):
    return softmax(softmax(scores) if mask is None else fill(softmax(scores), mask))


@MASK_MISTAKES.also("softmax-twice", step="masked_softmax")
def softmax_again_where_there_is_a_mask(scores, mask=None):
    return softmax(scores) if mask is None else softmax(fill(softmax(scores), mask))


def add_transposed_mask(value):
    @MASK_MISTAKES.also("mask-transposed", step="fill")
    def filled_where_the_transposed_mask_hides(scores, mask):
        return scores.masked_fill(~(mask.transpose(-2, -1) if mask.dim() > 1 else mask), value)


MASK_MISTAKES(
    "mask-transposed",
    means="Queries and keys of the mask have changed places.",
    hint="Use the mask as it comes: its last axis is the keys, as in the scores.",
    explain=explainers.hidden_weight,
)
add_transposed_mask(-INF)
add_transposed_mask(-1e9)  # finite in a row that sees nothing


# ---------------------------------------------------------------- fills that are not low enough


def zero(scores):
    return 0.0


def least(scores):
    return scores.min()


def least_of_each_row(scores):
    return scores.amin(-1, keepdim=True)


def add_weak_fill(known, start, below, finish=None):
    """Register a fill that is not low enough: so much below zero, or below the least score.

    finish(weights, mask) is what an answer does with the weights afterwards.
    """

    @known.also("weak-fill")
    def weakly_filled(scores, mask):
        weights = torch.where(mask, scores, start(scores) - below).softmax(-1)
        return finish(weights, mask) if finish else weights


def add_scores_ignored(known):
    """Register weights that depend on the mask alone."""

    @known(
        "scores-ignored",
        means="The visible keys of a row all get the same weight, whatever their scores are.",
        hint="A visible key gets more the higher its score is: which function makes weights of scores?",
        explain=explainers.entry,
    )
    def visible_keys_alike(scores, mask):
        visible = mask.expand(scores.shape).to(scores.dtype)
        return visible / visible.sum(-1, keepdim=True)

    @known.also("scores-ignored")
    def all_keys_alike(scores, mask):
        return torch.full_like(scores, 1 / scores.size(-1))


# ---------------------------------------------------------------- hints for 3.3 and 3.5

MASK_HINTS = {
    "true-hides": "True = may attend. Which keys does your code hide: those where the mask is True, or those where it "
    "is False?",
    "weak-fill": "`exp(-10)` is 0.00005, and even `exp(-100)` is not exactly 0. Which number is lower than every "
    "score?",
    "mask-ignored": "Does mask reach the scores, and do you keep the new scores that come of it?",
    "zero-times-infinity": "A hidden score must be replaced, and a visible one left alone: nothing needs multiplying.",
}
