"""What people get wrong in exercise 7.2, mean_pool: padding, the number of tokens, and the axes."""

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
