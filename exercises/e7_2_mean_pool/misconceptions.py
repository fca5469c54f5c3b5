"""What people get wrong in exercise 7.2, mean_pool: the rest, from tokens left out to shapes that do not line up.

The first that fits speaks; those of misconceptions_of_the_mean.py come before these.
"""

import torch
from torch.nn import functional as F

from exercises.common import explainers
from exercises.e7_2_mean_pool.misconceptions_of_the_mean import INF, count, filled, known, total
from exercises.e7_2_mean_pool.reference import mean_pool

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
