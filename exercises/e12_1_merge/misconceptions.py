"""What people get wrong in exercise 12.1, merge."""

import torch

from exercises.common import explainers
from feedback import Misconceptions

INF = float("inf")
SHARES = "exp(lse) says how much each side weighs. Which share of the whole is that?"
UNSEEN = "What is -inf - (-inf), and what does exp make of it? Where neither side saw a key, subtract 0 instead."


# ---------------------------------------------------------------- the right steps


def base(lse_a, lse_b):
    """What is subtracted before exp."""
    largest = torch.maximum(lse_a, lse_b)
    return largest.masked_fill(largest == -INF, 0.0)


def weigh(lse, base):
    return (lse - base).exp()


def sides(out_a, a, out_b, b):
    """What is averaged, and by which weights."""
    return out_a, a, out_b, b


def average(out_a, a, out_b, b):
    total = (a + b).masked_fill(a + b == 0, 1.0)
    return (a / total)[..., None] * out_a + (b / total)[..., None] * out_b


def join(lse_a, lse_b, base, a, b):
    """The new lse."""
    total = a + b
    return (base + total.masked_fill(total == 0, 1.0).log()).masked_fill(total == 0, -INF)


def finish(out, lse):
    return out, lse


def merge_from(base=base, weigh=weigh, sides=sides, average=average, join=join, finish=finish):
    """merge(out_a, lse_a, out_b, lse_b) made of these steps."""

    def merge(out_a, lse_a, out_b, lse_b):
        subtracted = base(lse_a, lse_b)
        a, b = weigh(lse_a, subtracted), weigh(lse_b, subtracted)
        return finish(average(*sides(out_a, a, out_b, b)), join(lse_a, lse_b, subtracted, a, b))

    return merge


known = Misconceptions(merge_from)


# ---------------------------------------------------------------- how much each side counts


@known(
    "plain-mean",
    means="Both sides count the same: out is (out_a + out_b) / 2, however much each of them saw.",
    hint=SHARES,
    explain=explainers.entry,
    step="average",
)
def half_and_half(out_a, a, out_b, b):
    return (out_a + out_b) / 2


@known(
    "outs-added",
    means="The outs were added. Each is a mean of values already, so the sum is twice as large as a mean can be.",
    hint=SHARES,
    explain=explainers.entry,
    step="average",
)
def added(out_a, a, out_b, b):
    return out_a + out_b


@known(
    "not-divided",
    means="The outs were weighted, but their weights do not sum to 1: the division by their sum is missing.",
    hint="Which number makes the two weights shares?",
    explain=explainers.entry,
    step="average",
)
def weighted_sum(out_a, a, out_b, b):
    return a[..., None] * out_a + b[..., None] * out_b


@known(
    "lse-as-weights",
    means="The outs were weighted by lse itself. lse is a logarithm, and may be negative.",
    hint=SHARES,
    explain=explainers.entry,
)
def merge_by_lse(out_a, lse_a, out_b, lse_b):
    share = (lse_a / (lse_a + lse_b))[..., None]
    return share * out_a + (1 - share) * out_b, torch.logaddexp(lse_a, lse_b)


@known(
    "weights-swapped",
    means="Each out got the weight of the other side.",
    hint="Which of the two sides should count more: the one with the larger lse, or the other?",
    explain=explainers.entry,
    step="sides",
)
def swapped(out_a, a, out_b, b):
    return out_a, b, out_b, a


@known(
    "over-queries",
    means="The weights of a side were made to sum to 1 over the queries; for each query, those of both sides must.",
    hint="Two numbers compete for each query: lse_a and lse_b. Along which axis do they stand after `torch.stack`?",
    explain=explainers.entry,
)
def merge_over_queries(out_a, lse_a, out_b, lse_b):
    a, b = lse_a.softmax(-1), lse_b.softmax(-1)
    return a[..., None] * out_a + b[..., None] * out_b, torch.logaddexp(lse_a, lse_b)


@known(
    "larger-side-alone",
    means="Only the side with the larger lse counts.",
    hint=SHARES,
    explain=explainers.entry,
    step="average",
)
def larger_side(out_a, a, out_b, b):
    return torch.where((a > b)[..., None], out_a, out_b)


# ---------------------------------------------------------------- the new lse


@known(
    "lse-added",
    means="The two lse were added. That is the logarithm of the product of the sums.",
    hint="The sums are added; lse is the logarithm of a sum.",
    explain=explainers.entry,
    step="join",
)
def lse_added(lse_a, lse_b, base, a, b):
    return lse_a + lse_b


@known(
    "larger-lse",
    means="The larger lse was returned. With the keys of the other side the sum is larger still.",
    hint="After the subtraction the sum is a + b: its logarithm is missing.",
    explain=explainers.entry,
    step="join",
)
def larger_lse(lse_a, lse_b, base, a, b):
    return torch.maximum(lse_a, lse_b)


@known(
    "base-not-added",
    means="lse is log(a + b): what was subtracted before exp did not come back.",
    hint="exp(lse - largest) is smaller than exp(lse) by the factor exp(largest).",
    explain=explainers.entry,
    step="join",
)
def base_forgotten(lse_a, lse_b, base, a, b):
    return (a + b).log()


@known(
    "sum-returned",
    means="The sum of exp was returned in place of its logarithm.",
    hint="lse is the logarithm of the sum.",
    explain=explainers.entry,
    step="join",
)
def sum_returned(lse_a, lse_b, base, a, b):
    return a + b


@known.also("sum-returned", step="join")
def whole_sum_returned(lse_a, lse_b, base, a, b):
    return lse_a.exp() + lse_b.exp()


@known(
    "mean-of-sums",
    means="lse is the logarithm of the mean of both sums: it is too small by log 2.",
    hint="With more keys the sum grows.",
    explain=explainers.entry,
    step="join",
)
def logarithm_of_the_mean(lse_a, lse_b, base, a, b):
    return join(lse_a, lse_b, base, a, b) - torch.tensor(2.0).log()


def power_of_2(lse, base):
    return (lse - base).exp2()


def logarithm_to_base_2(lse_a, lse_b, base, a, b):
    return base + (a + b).log2()


known(
    "base-2",
    means="The calculation uses powers of 2, as fast kernels do; here lse is a natural logarithm.",
    hint="Kernels multiply their scores by log2(e) first. Yours did not.",
    explain=explainers.entry,
)
known.also("base-2", weigh=power_of_2, join=logarithm_to_base_2)
known.also("base-2", weigh=power_of_2)
known.also("base-2", join=logarithm_to_base_2)


# ---------------------------------------------------------------- very large sums, and nothing seen


@known(
    "overflow",
    means="exp(lse) was computed as it is: in float32 it is inf above 88, and 0 below -103.",
    hint="A share does not change if the same number is subtracted from both lse.",
    explain=explainers.entry,
)
def merge_without_base(out_a, lse_a, out_b, lse_b):
    a, b = lse_a.exp(), lse_b.exp()
    return (a[..., None] * out_a + b[..., None] * out_b) / (a + b)[..., None], (a + b).log()


@known.also("overflow")
def merge_with_shares_of_plain_exp(out_a, lse_a, out_b, lse_b):
    a, b = lse_a.exp(), lse_b.exp()
    return (a / (a + b))[..., None] * out_a + (b / (a + b))[..., None] * out_b, torch.logaddexp(lse_a, lse_b)


@known(
    "nothing-is-nan",
    means="Where neither side saw a key, out or lse became NaN.",
    hint=UNSEEN,
    explain=explainers.not_a_number,
)
def merge_with_nan(out_a, lse_a, out_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    return (lse_a - lse).exp()[..., None] * out_a + (lse_b - lse).exp()[..., None] * out_b, lse


@known.also("nothing-is-nan")
def merge_with_nan_in_both(out_a, lse_a, out_b, lse_b):
    largest = torch.maximum(lse_a, lse_b)
    a, b = (lse_a - largest).exp(), (lse_b - largest).exp()
    return (a[..., None] * out_a + b[..., None] * out_b) / (a + b)[..., None], largest + (a + b).log()


@known(
    "unseen-swallows",
    means="The out of a side that saw nothing is added and subtracted again. It may hold anything, and a very large "
    "number swallows the other side's out.",
    hint="out_a + share * (out_b - out_a) is a mean on paper. What is left of 3 in 1e30 + (3 - 1e30)?",
    explain=explainers.entry,
)
def merge_by_difference(out_a, lse_a, out_b, lse_b):
    lse = torch.logaddexp(lse_a, lse_b)
    out = out_a + torch.sigmoid(lse_b - lse_a)[..., None] * (out_b - out_a)
    return out.nan_to_num(0.0), lse


@known.also("unseen-swallows")
def merge_by_difference_from_b(out_a, lse_a, out_b, lse_b):
    return merge_by_difference(out_b, lse_b, out_a, lse_a)


@known.also("unseen-swallows")
def merge_by_difference_with_nan(out_a, lse_a, out_b, lse_b):
    lse = lse_a - torch.nn.functional.logsigmoid(lse_a - lse_b)
    return out_a - torch.sigmoid(lse_b - lse_a)[..., None] * (out_a - out_b), lse


@known(
    "unseen-counts",
    means="A side that saw nothing still counts a little: -inf was replaced by a number that is not small enough.",
    hint="exp(-inf) is exactly 0. Only where both sides are -inf does anything need care.",
    explain=explainers.entry,
)
def merge_with_a_floor(out_a, lse_a, out_b, lse_b):
    return merge_from()(out_a, lse_a.clamp(min=-50.0), out_b, lse_b.clamp(min=-50.0))


# ---------------------------------------------------------------- what is returned


@known("swapped-pair", means="lse was returned first.", hint="`return out, lse`.", step="finish")
def lse_first(out, lse):
    return lse, out


@known("only-out", means="Only out was returned.", hint="`return out, lse`.", step="finish")
def out_alone(out, lse):
    return out
