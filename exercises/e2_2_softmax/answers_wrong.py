"""Wrong answers to exercise 2.2, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import math

import numpy as np
import torch
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("overflow")
def softmax_naive(scores):
    """exp overflows for scores of 1,000."""
    return torch.exp(scores) / torch.exp(scores).sum(dim=-1, keepdim=True)


@wrong("overflow-hidden")
def softmax_naive_nan_to_num(scores):
    """exp overflows; the NaN are replaced by zeros."""
    exponentials = scores.exp()
    return (exponentials / exponentials.sum(-1, keepdim=True)).nan_to_num(0.0)


@wrong("clamped")
def softmax_clamped(scores):
    """Large scores are cut off at 50."""
    exponentials = scores.clamp(max=50).exp()
    return exponentials / exponentials.sum(-1, keepdim=True)


@wrong("one-maximum-for-all")
def softmax_global_max(scores):
    """The largest of all scores is taken away: a row far below it is 0/0."""
    exponentials = torch.exp(scores - scores.max())
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@wrong("max-of-columns")
def softmax_max_of_columns(scores):
    """The largest of each column is taken away."""
    exponentials = torch.exp(scores - scores.max(dim=0).values)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@wrong("mean-subtracted")
def softmax_minus_mean(scores):
    """The mean is taken away instead of the maximum."""
    exponentials = torch.exp(scores - scores.mean(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@wrong("not-finite")
def softmax_plus_max(scores):
    """The maximum is added."""
    exponentials = torch.exp(scores + scores.amax(-1, keepdim=True))
    return exponentials / exponentials.sum(-1, keepdim=True)


@wrong("subtracted-after-exp")
def softmax_max_after_exp(scores):
    """The maximum is taken away after exp."""
    exponentials = torch.exp(scores)
    exponentials = exponentials - exponentials.max(dim=-1, keepdim=True).values
    return exponentials / torch.sum(exponentials, dim=-1, keepdim=True)


@wrong()
def softmax_divided_by_max(scores):
    """Divided by the maximum instead of shifted by it."""
    return torch.softmax(scores / scores.amax(-1, keepdim=True), dim=-1)


@wrong("axis-from-the-front")
def softmax_over_axis_0(scores):
    """Over axis 0."""
    return torch.softmax(scores, dim=0)


@wrong("axis-from-the-front")
def softmax_over_axis_1(scores):
    """Over axis 1, right for matrices only."""
    return torch.softmax(scores, dim=1)


@wrong("axis-from-the-front")
def softmax_over_axis_2(scores):
    """Over axis 2, right for batches of matrices only."""
    return F.softmax(scores, dim=2)


@wrong("over-the-rows")
def softmax_over_queries(scores):
    """Over the queries."""
    return torch.softmax(scores, dim=-2)


@wrong("over-everything")
def softmax_over_everything(scores):
    """Over everything at once."""
    exponentials = torch.exp(scores - scores.max())
    return exponentials / exponentials.sum()


@wrong()
def softmax_without_keepdim(scores):
    """sum without keepdim."""
    exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1)


@wrong()
def softmax_max_without_keepdim(scores):
    """max without keepdim."""
    exponentials = torch.exp(scores - scores.amax(dim=-1))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@wrong()
def softmax_max_pair(scores):
    """max gives values and indices: both are used."""
    exponentials = torch.exp(scores - scores.max(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@wrong("position-subtracted")
def softmax_argmax(scores):
    """The place of the maximum is taken away."""
    exponentials = torch.exp(scores - scores.argmax(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@wrong("not-divided")
def softmax_not_normalized(scores):
    """Not divided by the sum."""
    return torch.exp(scores - scores.amax(dim=-1, keepdim=True))


@wrong("no-exponential")
def softmax_without_exp(scores):
    """No exp: scores over their sum."""
    return scores / scores.sum(dim=-1, keepdim=True)


@wrong("log-softmax")
def softmax_log(scores):
    """Logarithms returned."""
    return F.log_softmax(scores, dim=-1)


@wrong("sigmoid")
def softmax_sigmoid(scores):
    """Sigmoid."""
    return torch.sigmoid(scores)


@wrong("softmax-twice")
def softmax_twice(scores):
    """Taken twice."""
    weights = torch.softmax(scores, dim=-1)
    return torch.softmax(weights, dim=-1)


@wrong("sign")
def softmax_negative(scores):
    """exp(-scores)."""
    return torch.softmax(-scores, dim=-1)


@wrong("base-two")
def softmax_base_two(scores):
    """Powers of 2."""
    powers = 2 ** (scores - scores.amax(-1, keepdim=True))
    return powers / powers.sum(-1, keepdim=True)


@wrong("rows-do-not-sum-to-1")
def softmax_l2(scores):
    """Divided by the length instead of made to sum to 1."""
    return F.normalize(torch.exp(scores - scores.amax(-1, keepdim=True)), dim=-1)


@wrong()
def softmax_one_hot(scores):
    """Only the winner gets weight."""
    return F.one_hot(scores.argmax(-1), scores.shape[-1]).to(scores.dtype)


@wrong()
def softmax_scaled(scores):
    """Scaled by the root of the length."""
    return torch.softmax(scores / math.sqrt(scores.shape[-1]), dim=-1)


@wrong("rows-do-not-sum-to-1")
def softmax_large_epsilon(scores):
    """A large epsilon in the denominator."""
    exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return exponentials / (exponentials.sum(dim=-1, keepdim=True) + 0.01)


@wrong("changes-input")
def softmax_in_place(scores):
    """The maximum is taken away from the input in place."""
    scores -= scores.amax(dim=-1, keepdim=True)
    return scores.exp() / scores.exp().sum(dim=-1, keepdim=True)


@wrong("changes-input")
def softmax_exp_in_place(scores):
    """In place by exp_."""
    scores.sub_(scores.amax(-1, keepdim=True)).exp_()
    return scores / scores.sum(-1, keepdim=True)


@wrong()
def softmax_loops_of_matrices(scores):
    """Loops for matrices only."""
    rows, _ = scores.shape
    result = torch.zeros_like(scores)
    for i in range(rows):
        powers = torch.exp(scores[i] - scores[i].max())
        result[i] = powers / powers.sum()
    return result


@wrong()
def softmax_of_three_axes(scores):
    """For three axes only."""
    return torch.stack([torch.softmax(item, dim=1) for item in scores])


@wrong("returns-wrong-type")
def softmax_as_numpy(scores):
    """A numpy array."""
    exponentials = np.exp(scores.numpy() - scores.numpy().max(-1, keepdims=True))
    return exponentials / exponentials.sum(-1, keepdims=True)


@wrong("returns-wrong-type")
def softmax_as_lists(scores):
    """Nested lists."""
    return torch.softmax(scores, dim=-1).tolist()


@wrong("returns-none")
def softmax_not_returned(scores):
    """Nothing is returned."""
    exponentials = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    exponentials /= exponentials.sum(dim=-1, keepdim=True)


@wrong()
def softmax_misspelt(scores):
    """A misspelt function."""
    return torch.sofmax(scores, dim=-1)


@wrong("wrong-dtype")
def softmax_always_float64(scores):
    """Always float64."""
    return torch.softmax(scores.double(), dim=-1)


@wrong("wrong-dtype")
def softmax_in_half(scores):
    """In float16."""
    return torch.softmax(scores.half(), dim=-1)


@wrong("rows-do-not-sum-to-1")
def softmax_rounded(scores):
    """Rounded to two decimals."""
    return torch.softmax(scores, dim=-1).round(decimals=2)


@wrong("over-the-rows")
def softmax_naive_over_queries(scores):
    """Naive, and over the queries."""
    return scores.exp() / scores.exp().sum(dim=-2, keepdim=True)


@wrong("first-subtracted")
def softmax_minus_first(scores):
    """The first score is taken away: exp overflows where another is far larger."""
    exponentials = torch.exp(scores - scores[..., :1])
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@wrong("wrong-shape")
def softmax_squeezed(scores):
    """Squeeze() at the end, which takes away every axis of size 1."""
    return scores.softmax(-1).squeeze()


BUFFERS = {}


@wrong("shared-result")
def softmax_into_a_buffer(scores):
    """One tensor for all calls of a shape."""
    buffer = BUFFERS.setdefault((scores.shape, scores.dtype), torch.empty_like(scores))
    buffer.copy_(scores.softmax(-1))
    return buffer


@wrong("divided-by-scores")
def softmax_over_the_sum_of_scores(scores):
    """Divided by the sum of the scores."""
    return torch.exp(scores) / scores.sum(dim=-1, keepdim=True)


@wrong("min-subtracted")
def softmax_minus_the_smallest(scores):
    """The smallest score is subtracted, so that nothing is negative."""
    shifted = scores - scores.min(dim=-1, keepdim=True).values
    return shifted.exp() / shifted.exp().sum(dim=-1, keepdim=True)


@wrong("position-subtracted")
def softmax_minus_the_indices(scores):
    """The second of the two things that max returns."""
    _, largest = scores.max(dim=-1, keepdim=True)
    exponentials = torch.exp(scores - largest)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


@wrong("clamped")
def softmax_clipped(scores):
    """Cut off on both sides."""
    exponentials = torch.exp(torch.clip(scores, -50, 50))
    return exponentials / exponentials.sum(-1, keepdim=True)


@wrong("overflow-in-float64")
def softmax_in_float64(scores):
    """More digits, the same overflow."""
    powers = np.exp(scores.numpy().astype(np.float64))
    return torch.from_numpy(powers / powers.sum(-1, keepdims=True)).to(scores.dtype)


@wrong("overflow-in-float64")
def softmax_in_float64_and_back(scores):
    """The same, always back to float32."""
    powers = torch.exp(scores.double())
    return (powers / powers.sum(dim=-1, keepdim=True)).float()


@wrong("largest-size")
def softmax_minus_largest_absolute_value(scores):
    """The largest absolute value is subtracted."""
    powers = torch.exp(scores - torch.max(torch.abs(scores), dim=-1, keepdim=True)[0])
    return powers / powers.sum(-1, keepdim=True)


@wrong("shifted-on-one-side")
def softmax_shifted_in_the_numerator(scores):
    """The maximum is subtracted above the line only."""
    largest = scores.max(-1, keepdim=True).values
    return torch.exp(scores - largest) / torch.sum(torch.exp(scores), -1, keepdim=True)


@wrong("shifted-on-one-side")
def softmax_shifted_in_the_denominator(scores):
    """The maximum is subtracted below the line only."""
    largest = scores.max(-1, keepdim=True).values
    return torch.exp(scores) / torch.sum(torch.exp(scores - largest), -1, keepdim=True)


@wrong("last-subtracted")
def softmax_minus_the_last(scores):
    """The last score of each row is subtracted."""
    powers = (scores - scores[..., -1:]).exp()
    return powers / powers.sum(dim=-1, keepdim=True)


@wrong("mean-subtracted")
def softmax_minus_the_mean_of_everything(scores):
    """One mean for the whole tensor is subtracted."""
    powers = torch.exp(scores - scores.mean())
    return powers / powers.sum(dim=-1, keepdim=True)


@wrong("largest-size")
def softmax_minus_a_positive_maximum(scores):
    """Only a maximum above 0 is subtracted."""
    powers = torch.exp(scores - scores.amax(-1, keepdim=True).clamp(min=0))
    return powers / powers.sum(dim=-1, keepdim=True)


@wrong("subtracted-after-exp")
def softmax_of_expm1(scores):
    """expm1 in place of exp."""
    powers = torch.expm1(scores - scores.amax(-1, keepdim=True))
    return powers / powers.sum(dim=-1, keepdim=True)


# ---------------------------------------------------------------- right on some inputs only


@wrong()
def softmax_of_two_axes_or_more(scores):
    if scores.dim() == 2:
        rows = []
        for row in scores:
            exponentials = (row - row.max()).exp()
            rows.append(exponentials / exponentials.sum())
        return torch.stack(rows)
    return torch.stack([softmax_of_two_axes_or_more(s) for s in scores])


def shifted_if(needed):
    """The maximum is subtracted only where needed(scores)."""

    def softmax(scores):
        if needed(scores):
            scores = scores - scores.amax(-1, keepdim=True)
        exponentials = scores.exp()
        return exponentials / exponentials.sum(-1, keepdim=True)

    return softmax


wrong("not-finite")(shifted_if(lambda scores: scores.max() > 500))
wrong("not-finite")(shifted_if(lambda scores: scores.abs().max() >= 1000))
wrong("not-finite")(shifted_if(lambda scores: scores.max() > 80))


@wrong("not-finite")
def softmax_shifted_after_an_infinity(scores):
    exponentials = scores.exp()
    if torch.isinf(exponentials).any():
        exponentials = (scores - scores.amax(-1, keepdim=True)).exp()
    return exponentials / exponentials.sum(-1, keepdim=True)


@wrong()
def softmax_cut_off_below(scores):
    exponentials = (scores - scores.amax(-1, keepdim=True)).clamp(min=-10).exp()
    return exponentials / exponentials.sum(-1, keepdim=True)
