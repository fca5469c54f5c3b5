"""What people get wrong in exercise 7.2, mean_pool."""

import torch
from torch.nn import functional as F

from exercises.common import explainers
from exercises.e7_2_mean_pool.reference import mean_pool
from feedback import Misconceptions

INF = float("inf")


def filled(hidden, mask, value=0.0):
    """Padded tokens set to `value`."""
    return hidden.masked_fill(~mask.unsqueeze(-1), value)


def total(hidden, mask):
    """The first step: the sum of the real tokens, (B, C)."""
    return filled(hidden, mask).sum(1)


def count(hidden, mask):
    """The second step: how many there are, (B, 1)."""
    return mask.sum(1, keepdim=True)


def assemble(total=total, count=count):
    """An answer to 7.2 with these steps replaced."""

    def pooled(hidden, mask):
        return total(hidden, mask) / count(hidden, mask)

    return pooled


known = Misconceptions(assemble)


# ---------------------------------------------------------------- padding


@known(
    "mean-over-all",
    means="The mean was taken over all tokens, including padding: the mask was never used.",
    hint="Only tokens where the mask is True belong in the sum, and only these are counted.",
    explain=explainers.entry,
)
def mean_over_all(hidden, mask):
    return hidden.mean(1)


@known(
    "padding-summed",
    means="You divided by the number of real tokens, which is right; but all tokens were summed, including padding.",
    hint="A padded token adds nothing to a sum if it is 0 there.",
    explain=explainers.entry,
    step="total",
)
def total_of_all(hidden, mask):
    return hidden.sum(1)


@known(
    "divided-by-length",
    means="The sum is right, but padded tokens count in the number it was divided by. (`mean(dim=1)` divides by T: a "
    "padded token that was set to 0 still counts.)",
    hint="How many tokens does each item really have? The mask tells you.",
    explain=explainers.entry,
    step="count",
)
def length(hidden, mask):
    return hidden.size(1)


@known(
    "not-divided",
    means="This is the sum of the real tokens: it was never divided.",
    hint="Divide by the number of real tokens of each item.",
    explain=explainers.entry,
)
def never_divided(hidden, mask):
    return total(hidden, mask)


@known(
    "mask-inverted",
    means="The mask was read the wrong way around: padding has taken the place of the real tokens.",
    hint="True = real token. Keep what is True; with `masked_fill` fill where `~mask`.",
    explain=explainers.entry,
)
def mean_of_the_padding(hidden, mask):
    return mean_pool(hidden, ~mask)


@known.also("mask-inverted")
def guarded_mean_of_the_padding(hidden, mask):
    return total(hidden, ~mask) / count(hidden, ~mask).clamp(min=1)


@known.also("mask-inverted")
def sum_of_the_padding(hidden, mask):
    return total(hidden, ~mask)


@known.also("mask-inverted")
def share_of_the_padding(hidden, mask):
    return total(hidden, ~mask) / hidden.size(1)


@known.also("mask-inverted", step="total")
def total_of_the_padding(hidden, mask):
    return total(hidden, ~mask)


@known(
    "padding-counted",
    means="The sum is right, but it was divided by the number of padded tokens: there the mask was read the wrong "
    "way around.",
    hint="True = real token: which tokens does your count count?",
    explain=explainers.entry,
    step="count",
)
def number_of_padded_tokens(hidden, mask):
    return count(hidden, ~mask)


@known.also("padding-counted", step="count")
def guarded_number_of_padded_tokens(hidden, mask):
    return count(hidden, ~mask).clamp(min=1)


# ---------------------------------------------------------------- another count


@known(
    "count-of-the-batch",
    means="Every item was divided by the number of real tokens of the whole batch.",
    hint="Each item has its own number of real tokens: count along axis 1.",
    explain=explainers.entry,
    step="count",
)
def count_of_the_batch(hidden, mask):
    return mask.sum()


known(
    "one-count-for-all",
    means="Every item was divided by the same number: the count of one item, or a mean of the counts.",
    hint="Each item has its own number of real tokens: count along axis 1.",
    explain=explainers.entry,
)


@known.also("one-count-for-all", step="count")
def largest_count(hidden, mask):
    return mask.sum(1).max()


@known.also("one-count-for-all", step="count")
def first_count(hidden, mask):
    return mask[0].sum()


@known.also("one-count-for-all", step="count")
def mean_count(hidden, mask):
    return mask.sum(1).to(hidden.dtype).mean()


@known(
    "divided-by-features",
    means="The sum was divided by C, the number of features.",
    hint="A mean of n tokens is their sum divided by n: `mask.sum(dim=1, keepdim=True)`.",
    explain=explainers.entry,
    step="count",
)
def number_of_features(hidden, mask):
    return hidden.size(-1)


known(
    "large-epsilon",
    means="The sum was divided by more than the number of real tokens. (A number that only keeps the division from "
    "being 0 / 0 must be too small to change the mean.)",
    hint="Every item has a real token here, so you can do without it; 1e-9 would be small enough.",
    explain=explainers.entry,
)


def add_epsilon(epsilon):
    """One more number that is added to the count."""

    @known.also("large-epsilon", step="count")
    def count_and_epsilon(hidden, mask):
        return count(hidden, mask) + epsilon


for epsilon in (1, 0.1, 1e-2, 1e-3):
    add_epsilon(epsilon)


@known(
    "one-less",
    means="The sum was divided by n - 1: one real token was not counted.",
    hint="n tokens, n shares: n - 1 belongs to a variance. (If a guard keeps it from 0, leave that out too.)",
    explain=explainers.entry,
    step="count",
)
def one_less(hidden, mask):
    return count(hidden, mask) - 1


@known.also("one-less", step="count")
def one_less_guarded(hidden, mask):
    return (count(hidden, mask) - 1).clamp(min=1)


@known(
    "divided-by-root",
    means="The sum was divided by the square root of the number of real tokens.",
    hint="Divide by the number itself; the root belongs to the scores of attention.",
    explain=explainers.entry,
    step="count",
)
def root_of_the_count(hidden, mask):
    return count(hidden, mask).to(hidden.dtype).sqrt()


@known(
    "divided-twice",
    means="The sum was divided twice: by the number of real tokens, and by T as well, which is what `mean(dim=1)` "
    "does.",
    hint="Take the sum, not the mean, and divide it once.",
    explain=explainers.entry,
    step="total",
)
def mean_in_place_of_the_sum(hidden, mask):
    return filled(hidden, mask).mean(1)


@known(
    "divided-by-count-twice",
    means="The sum was divided by the number of real tokens twice.",
    hint="Each of n tokens has a share of 1 / n: divide once.",
    explain=explainers.entry,
    step="total",
)
def mean_as_the_sum(hidden, mask):
    return mean_pool(hidden, mask)


@known(
    "zeros-not-counted",
    means="Numbers that are not 0 were counted, not tokens: a real token may well have a feature that is 0.",
    hint="The count comes from the mask alone.",
    explain=explainers.entry,
    step="count",
)
def numbers_that_are_not_0(hidden, mask):
    return (filled(hidden, mask) != 0).sum(1)


@known.also("zeros-not-counted", step="count")
def numbers_that_are_not_0_guarded(hidden, mask):
    return (filled(hidden, mask) != 0).sum(1).clamp(min=1)


@known.also("zeros-not-counted")
def mean_of_all_that_is_not_0(hidden, mask):
    return hidden.sum(1) / (hidden != 0).sum(1)


# ---------------------------------------------------------------- other axes


@known(
    "one-mean-for-all",
    means="All tokens of the batch went into one mean. `hidden[mask]` does that: it forgets which item a token "
    "belongs to.",
    hint="Each item needs a vector of its own: keep the batch axis, and sum along axis 1.",
    explain=explainers.entry,
)
def mean_of_all_real_tokens(hidden, mask):
    return hidden[mask].mean(0)


@known.also("one-mean-for-all")
def mean_of_all_real_tokens_as_one_item(hidden, mask):
    return hidden[mask].mean(0, keepdim=True)


@known.also("one-mean-for-all")
def mean_of_all_tokens(hidden, mask):
    return hidden.mean((0, 1))


@known.also("one-mean-for-all")
def mean_of_all_real_tokens_for_each_item(hidden, mask):
    return hidden[mask].mean(0).repeat(len(hidden), 1)


@known(
    "one-number",
    means="Everything became one number: the mean was taken over features and items too.",
    hint="Which axis are the tokens? Name it: `sum(dim=...)`.",
    explain=explainers.shape,
)
def mean_of_all_real_numbers(hidden, mask):
    return hidden[mask].mean()


@known.also("one-number")
def mean_of_all_numbers(hidden, mask):
    return hidden.mean()


@known.also("one-number")
def mean_of_all_numbers_with_zeros(hidden, mask):
    return filled(hidden, mask).mean()


@known(
    "over-features",
    means="The sum runs over the features: what is left is one number for each token, (B, T).",
    hint="Which axis of (B, T, C) are the tokens? The features stay.",
    explain=explainers.shape,
)
def mean_over_features(hidden, mask):
    return hidden.mean(-1)


@known.also("over-features")
def mean_over_features_of_real_tokens(hidden, mask):
    return filled(hidden, mask).mean(-1)


@known.also("over-features")
def sum_over_features(hidden, mask):
    return filled(hidden, mask).sum(-1)


@known.also("over-features", step="total")
def total_over_features(hidden, mask):
    return filled(hidden, mask).sum(-1)


@known(
    "over-batch",
    means="The sum runs over the items of the batch: what is left is one vector for each position, (T, C).",
    hint="Which axis of (B, T, C) are the tokens?",
    explain=explainers.shape,
)
def mean_over_items(hidden, mask):
    return hidden.mean(0)


@known.also("over-batch")
def mean_over_items_with_zeros(hidden, mask):
    return filled(hidden, mask).mean(0)


@known.also("over-batch")
def sum_over_items(hidden, mask):
    return filled(hidden, mask).sum(0)


@known.also("over-batch")
def mean_over_real_items(hidden, mask):
    return filled(hidden, mask).sum(0) / mask.sum(0).unsqueeze(-1)


@known(
    "not-summed",
    means="The tokens are still separate, (B, T, C): nothing was summed.",
    hint="Sum along axis 1, then divide by the number of real tokens.",
    explain=explainers.shape,
)
def never_summed(hidden, mask):
    return filled(hidden, mask)


@known.also("not-summed")
def divided_but_never_summed(hidden, mask):
    return filled(hidden, mask) / count(hidden, mask).unsqueeze(-1)


@known(
    "axis-kept",
    means="The numbers are right, but the axis of the tokens is still there: (B, 1, C).",
    hint="`keepdim=True` keeps a summed axis with size 1. Where is it needed, and where not?",
    explain=explainers.shape,
)
def axis_kept(hidden, mask):
    return mean_pool(hidden, mask).unsqueeze(1)


@known(
    "transposed",
    means="The numbers are right, but items and features have changed places: (C, B).",
    hint="The batch stays in front: (B, C).",
    explain=explainers.shape,
)
def transposed(hidden, mask):
    return mean_pool(hidden, mask).T


# ---------------------------------------------------------------- only some of the tokens or items


def of_each_item(id):
    """Register what item(hidden, mask), for (T, C) and (T,), gives for each item of the batch."""

    def register(item):
        @known.also(id)
        def pooled(hidden, mask):
            return torch.stack([item(h, m) for h, m in zip(hidden, mask, strict=True)])

        return item

    return register


known(
    "one-item-only",
    means="The mean of only one item was returned.",
    hint="If a loop makes the means: `return` inside it ends the function at once. Collect them in a list, and stack "
    "them after the loop.",
    explain=explainers.shape,
)


def add_item(index):
    """The mean of one item alone, as a vector and as a batch of one."""

    @known.also("one-item-only")
    def one_item(hidden, mask):
        return hidden[index][mask[index]].mean(0)

    @known.also("one-item-only")
    def one_item_with_a_batch(hidden, mask):
        return hidden[index][mask[index]].mean(0, keepdim=True)


for index in (0, -1):
    add_item(index)


@known(
    "ragged",
    means="`hidden[mask]` puts the real tokens of all items one after the other, and items with different numbers "
    "of them do not fit back into one tensor (B, n, C).",
    hint="Keep the shape, set padded tokens to 0, and sum along axis 1; or choose in a loop, item by item.",
)
def ragged(hidden, mask):
    return hidden[mask].reshape(hidden.size(0), -1, hidden.size(2)).mean(1)


AVERAGE_ALL = "Average all real tokens: sum over axis 1, then divide by their number."


@known(
    "first-token",
    means="This is the vector of the first token alone: [CLS] in a BERT, or padding where padding is in front.",
    hint=AVERAGE_ALL,
    explain=explainers.entry,
)
def first_token(hidden, mask):
    return hidden[:, 0]


known(
    "first-real-token",
    means="This is the vector of the first real token alone.",
    hint=AVERAGE_ALL,
    explain=explainers.entry,
)
known(
    "last-token",
    means="This is the vector of the token in the last position alone, real or padding.",
    hint=AVERAGE_ALL,
    explain=explainers.entry,
)
known(
    "last-real-token",
    means="This is the vector of the last real token alone.",
    hint=AVERAGE_ALL,
    explain=explainers.entry,
)
known(
    "token-n-minus-1",
    means="One token alone was read, the one in position n - 1: of n real tokens it is the last one, if padding is "
    "behind.",
    hint=AVERAGE_ALL,
    explain=explainers.entry,
)
known(
    "first-n",
    means="The first n tokens were averaged, n being the number of real ones. These are the real ones only where all "
    "padding is behind.",
    hint="The mask says which tokens are real, not only how many.",
    explain=explainers.entry,
)
known(
    "last-n",
    means="The last n tokens were averaged, n being the number of real ones. These are the real ones only where all "
    "padding is in front.",
    hint="The mask says which tokens are real, not only how many.",
    explain=explainers.entry,
)
known(
    "up-to-the-last",
    means="Everything up to the last real token was averaged, with the padding in front of it or in gaps.",
    hint="The mask says for each token whether it is real.",
    explain=explainers.entry,
)


@of_each_item("first-real-token")
def first_real_token(hidden, mask):
    return hidden[mask][0]


@of_each_item("last-token")
def last_token(hidden, mask):
    return hidden[-1]


@of_each_item("last-real-token")
def last_real_token(hidden, mask):
    return hidden[mask][-1]


@of_each_item("token-n-minus-1")
def token_n_minus_1(hidden, mask):
    return hidden[mask.sum() - 1]


@of_each_item("first-n")
def first_n(hidden, mask):
    return hidden[: mask.sum()].mean(0)


@of_each_item("last-n")
def last_n(hidden, mask):
    return hidden[len(hidden) - mask.sum() :].mean(0)


@of_each_item("up-to-the-last")
def up_to_the_last(hidden, mask):
    return hidden[: mask.nonzero().max() + 1].mean(0)


@known(
    "first-token-left-out",
    means="The first token was left out; but here every token counts where the mask is True.",
    hint="The mask alone says which tokens are real: use all of its T positions.",
    explain=explainers.entry,
)
def first_token_left_out(hidden, mask):
    return mean_pool(hidden[:, 1:], mask[:, 1:])


@known.also("first-token-left-out")
def first_token_left_out_guarded(hidden, mask):
    return total(hidden[:, 1:], mask[:, 1:]) / count(hidden, mask[:, 1:]).clamp(min=1)


@known(
    "ends-left-out",
    means="The first and the last token were left out; but here every token counts where the mask is True.",
    hint="The mask alone says which tokens are real: use all of its T positions.",
    explain=explainers.entry,
)
def ends_left_out(hidden, mask):
    return mean_pool(hidden[:, 1:-1], mask[:, 1:-1])


@known.also("ends-left-out")
def ends_left_out_guarded(hidden, mask):
    return total(hidden[:, 1:-1], mask[:, 1:-1]) / count(hidden, mask[:, 1:-1]).clamp(min=1)


# ---------------------------------------------------------------- something else than a mean


@known(
    "maximum",
    means="This is the largest number of each feature, not the mean.",
    hint="A sum, divided by a count.",
    explain=explainers.entry,
)
def maximum(hidden, mask):
    return filled(hidden, mask, -INF).amax(1)


@known.also("maximum")
def maximum_with_padding(hidden, mask):
    return hidden.amax(1)


@known.also("maximum")
def maximum_with_zeros(hidden, mask):
    return filled(hidden, mask).amax(1)


known(
    "filled-like-scores",
    means="Padded tokens were filled with -inf, NaN or a huge negative number, and that went into the mean.",
    hint="-inf hides a score, since `exp(-inf)` = 0. Which number adds nothing to a sum?",
    explain=explainers.entry,
)


def add_fill(value):
    """One more number that padded tokens are set to."""

    @known.also("filled-like-scores", step="total")
    def total_with_fill(hidden, mask):
        return filled(hidden, mask, value).sum(1)

    @known.also("filled-like-scores")
    def mean_with_fill(hidden, mask):
        return filled(hidden, mask, value).mean(1)


for value in (-1e9, -1e4, torch.finfo(torch.float32).min):
    add_fill(value)


@known.also("filled-like-scores")
def filled_with_minus_infinity(hidden, mask):
    return filled(hidden, mask, -INF).mean(1)


@known.also("filled-like-scores")
def filled_with_nan(hidden, mask):
    return filled(hidden, mask, float("nan")).mean(1)


@known(
    "softmax",
    means="A softmax is at work here; but all real tokens count the same, and padding not at all.",
    hint="The share of a real token is 1 / n: a sum, divided by a count.",
    explain=explainers.entry,
)
def softmax_of_the_mask(hidden, mask):
    return (mask.to(hidden.dtype).softmax(1).unsqueeze(-1) * hidden).sum(1)


@known.also("softmax")
def softmax_over_tokens(hidden, mask):
    return (hidden.softmax(1) * hidden).sum(1)


@known.also("softmax")
def softmax_over_real_tokens(hidden, mask):
    return (filled(hidden, mask, -INF).softmax(1) * hidden).sum(1)


@known(
    "normalized",
    means="The mean was brought to length 1 at the end.",
    hint="That is a step of its own, for comparing texts; here the mean itself is wanted.",
    explain=explainers.entry,
)
def normalized(hidden, mask):
    return F.normalize(mean_pool(hidden, mask), dim=-1)


@known(
    "tokens-normalized",
    means="Each token was brought to length 1 before the mean.",
    hint="Take the tokens as they are: a long vector has more influence on the mean, and may have it.",
    explain=explainers.entry,
)
def tokens_normalized(hidden, mask):
    return mean_pool(F.normalize(hidden, dim=-1), mask)


@known(
    "whole-numbers",
    means="Something was rounded to whole numbers: // does that, and so do `long()`, `int()` and `round()`.",
    hint="Divide with /, which keeps the fraction.",
    explain=explainers.entry,
)
def floor_division(hidden, mask):
    return total(hidden, mask) // count(hidden, mask)


@known.also("whole-numbers")
def rounded(hidden, mask):
    return mean_pool(hidden, mask).round()


@known.also("whole-numbers")
def whole_tokens(hidden, mask):
    return mean_pool(hidden.long(), mask)


@known.also("whole-numbers")
def whole_mean(hidden, mask):
    return mean_pool(hidden, mask).long()


# ---------------------------------------------------------------- shapes that do not line up


@known(
    "mask-not-lined-up",
    means="mask (B, T) does not line up with hidden (B, T, C): shapes are compared from the right, and there T is "
    "lined up with C.",
    hint="Give the mask an axis of size 1 at the end: `mask.unsqueeze(-1)`, or `mask[..., None]`, is (B, T, 1).",
    step="total",
)
def times_the_bare_mask(hidden, mask):
    return (hidden * mask).sum(1)


@known(
    "count-not-lined-up",
    means="The count (B,) does not line up with the sum (B, C): shapes are compared from the right, and there B is "
    "lined up with C.",
    hint="Keep the summed axis of the mask, with size 1: (B, 1) serves all features of an item.",
    step="count",
)
def flat_count(hidden, mask):
    return mask.sum(1)


@known(
    "counted-along-the-batch",
    means="The mask was summed along axis 0, the batch: that counts the items in which each position is real, (T,).",
    hint="Count the tokens of each item: which axis of the mask are they?",
    step="count",
)
def counted_along_the_batch(hidden, mask):
    return mask.sum(0)


@known.also("counted-along-the-batch", step="count")
def counted_along_the_batch_as_a_column(hidden, mask):
    return mask.sum(0).unsqueeze(-1)


@known(
    "three-axes-divided",
    means="The sum (B, C) was divided by a count with three axes, (B, 1, 1): each sum was divided by the counts of "
    "all items, and the result has one axis too many.",
    hint="The sum has two axes, so the count needs two.",
    explain=explainers.shape,
    step="count",
)
def count_with_three_axes(hidden, mask):
    return count(hidden, mask).unsqueeze(-1)
