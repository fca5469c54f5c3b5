"""What people get wrong in exercise 12.3, attention_backward."""

import math

from exercises.common import explainers
from feedback import Misconceptions

SOFTMAX = (
    "A larger weight for one key means smaller ones for all others. What does the softmax's derivative subtract from "
    "d_weights?"
)
ROOT = "scores = q @ k.T / sqrt(D): the root divides on the way forward, and on the way back."


# ---------------------------------------------------------------- the right steps


def root(q):
    """What the scores are divided by."""
    return math.sqrt(q.size(-1))


def root_back(q):
    """What the gradients of q @ k.T are divided by."""
    return math.sqrt(q.size(-1))


def weigh(scores, lse):
    return (scores - lse[..., None]).exp()


def of_weights(d_out, v, out):
    return d_out @ v.transpose(-2, -1)


def mean(d_out, out, weights, d_weights):
    """What the softmax subtracts, (B, H, T, 1)."""
    return (d_out * out).sum(dim=-1, keepdim=True)


def of_scores(weights, d_weights, mean):
    return weights * (d_weights - mean)


def of_q(d_scores, q, k):
    return d_scores @ k


def of_k(d_scores, q, k):
    return d_scores.transpose(-2, -1) @ q


def of_v(weights, d_out, d_weights):
    return weights.transpose(-2, -1) @ d_out


def finish(dq, dk, dv):
    return dq, dk, dv


def backward_from(
    root=root,
    root_back=root_back,
    weigh=weigh,
    of_weights=of_weights,
    mean=mean,
    of_scores=of_scores,
    of_q=of_q,
    of_k=of_k,
    of_v=of_v,
    finish=finish,
):
    """attention_backward(q, k, v, out, lse, d_out) made of these steps."""

    def attention_backward(q, k, v, out, lse, d_out):
        weights = weigh(q @ k.transpose(-2, -1) / root(q), lse)
        d_weights = of_weights(d_out, v, out)
        d_scores = of_scores(weights, d_weights, mean(d_out, out, weights, d_weights)) / root_back(q)
        return finish(of_q(d_scores, q, k), of_k(d_scores, q, k), of_v(weights, d_out, d_weights))

    return attention_backward


known = Misconceptions(backward_from)


# ---------------------------------------------------------------- through the softmax


@known(
    "mean-not-subtracted",
    means="The softmax was treated like exp: d_scores is weights * d_weights, and nothing was subtracted.",
    hint=SOFTMAX,
    explain=explainers.entry,
    step="of_scores",
)
def like_exp(weights, d_weights, mean):
    return weights * d_weights


@known(
    "softmax-skipped",
    means="d_weights was taken for d_scores: the softmax between them was skipped.",
    hint="Scores become weights by a softmax. What is its derivative?",
    explain=explainers.entry,
    step="of_scores",
)
def skipped(weights, d_weights, mean):
    return d_weights


@known(
    "weights-missing",
    means="The mean was subtracted from d_weights, but the difference was not multiplied by the weights.",
    hint="A score whose weight is almost 0 changes almost nothing.",
    explain=explainers.entry,
    step="of_scores",
)
def not_multiplied(weights, d_weights, mean):
    return d_weights - mean


@known(
    "like-a-sigmoid",
    means="The softmax was treated like a sigmoid: d_scores is d_weights * weights * (1 - weights), as if each weight "
    "depended on its own score alone.",
    hint=SOFTMAX,
    explain=explainers.entry,
    step="of_scores",
)
def sigmoid_like(weights, d_weights, mean):
    return d_weights * weights * (1 - weights)


@known(
    "mean-added",
    means="The mean was added to d_weights, not subtracted.",
    hint=SOFTMAX,
    explain=explainers.entry,
    step="of_scores",
)
def plus_mean(weights, d_weights, mean):
    return weights * (d_weights + mean)


@known(
    "plain-mean-over-keys",
    means="The plain mean of d_weights over the keys was subtracted; the softmax needs the mean by the weights.",
    hint="Keys with large weights count more in this mean. It is also a dot product of two things that you were given.",
    explain=explainers.entry,
    step="mean",
)
def unweighted_mean(d_out, out, weights, d_weights):
    return d_weights.mean(dim=-1, keepdim=True)


@known(
    "mean-over-queries",
    means="The mean was taken over the queries; each query has a softmax of its own, over its keys.",
    hint="Along which axis do the weights of a query sum to 1?",
    explain=explainers.entry,
    step="mean",
)
def mean_over_queries(d_out, out, weights, d_weights):
    return (weights * d_weights).sum(dim=-2, keepdim=True)


@known(
    "averaged-over-features",
    means="`d_out * out` was averaged over the features; it has to be summed, as in a dot product.",
    hint="What is the sum over the keys of weights * (d_out · v)?",
    explain=explainers.entry,
    step="mean",
)
def mean_over_features(d_out, out, weights, d_weights):
    return (d_out * out).mean(dim=-1, keepdim=True)


@known(
    "d-out-summed",
    means="The sum of d_out was subtracted; out is missing in it.",
    hint="What is the sum over the keys of weights * (d_out · v)?",
    explain=explainers.entry,
    step="mean",
)
def sum_of_d_out(d_out, out, weights, d_weights):
    return d_out.sum(dim=-1, keepdim=True)


# ---------------------------------------------------------------- the scale and the weights


@known(
    "gradients-not-scaled",
    means="dq and dk are too large by the factor `sqrt(D)`: the scale was used on the way forward only.",
    hint=ROOT,
    explain=explainers.entry,
    step="root_back",
)
def root_forgotten_in_the_gradients(q):
    return 1.0


@known(
    "gradients-scaled-twice",
    means="dq and dk were divided by D, or twice by `sqrt(D)`.",
    hint=ROOT,
    explain=explainers.entry,
    step="root_back",
)
def root_twice(q):
    return q.size(-1)


@known(
    "gradients-multiplied",
    means="dq and dk were multiplied by `sqrt(D)`, not divided by it.",
    hint=ROOT,
    explain=explainers.entry,
    step="root_back",
)
def root_upside_down(q):
    return 1 / math.sqrt(q.size(-1))


@known(
    "weights-not-scaled",
    means="The weights were computed again without the division by `sqrt(D)`, but lse is that of the scaled scores.",
    hint=ROOT,
    explain=explainers.entry,
    step="root",
)
def root_forgotten_in_the_weights(q):
    return 1.0


known(
    "no-scale",
    means="There is no `sqrt(D)`, neither in the weights nor in dq and dk.",
    hint=ROOT,
    explain=explainers.entry,
)
known.also("no-scale", root=root_forgotten_in_the_weights, root_back=root_forgotten_in_the_gradients)


def unscaled_softmax(scores, lse):
    return scores.softmax(dim=-1)


known.also(
    "no-scale",
    root=root_forgotten_in_the_weights,
    root_back=root_forgotten_in_the_gradients,
    weigh=unscaled_softmax,
)
known.also("weights-not-scaled", root=root_forgotten_in_the_weights, weigh=unscaled_softmax)


@known(
    "not-normalized",
    means="exp(scores) was taken for the weights: lse was not subtracted.",
    hint="exp(lse) is the sum of exp(scores). What is exp(scores - lse)?",
    explain=explainers.entry,
    step="weigh",
)
def exp_alone(scores, lse):
    return scores.exp()


@known(
    "divided-by-lse",
    means="exp(scores) was divided by lse, which is the logarithm of the sum, not the sum.",
    hint="exp(lse) is the sum of exp(scores). What is exp(scores - lse)?",
    explain=explainers.entry,
    step="weigh",
)
def exp_over_lse(scores, lse):
    return scores.exp() / lse[..., None]


@known(
    "exp-overflows",
    means="exp(scores) was computed before the division by exp(lse): in float32 it is inf above 88.",
    hint="exp(a) / exp(b) is exp(a - b).",
    explain=explainers.entry,
    step="weigh",
)
def divided_after_exp(scores, lse):
    return scores.exp() / lse.exp()[..., None]


@known(
    "softmax-over-queries",
    means="The weights were made to sum to 1 over the queries.",
    hint="Keys are the last axis of the scores.",
    explain=explainers.entry,
    step="weigh",
)
def over_queries(scores, lse):
    return scores.softmax(dim=-2)


# ---------------------------------------------------------------- the matrix products


@known(
    "dv-from-d-weights",
    means="dv was made from d_weights; `out = weights @ v` gives it from the weights.",
    hint="How much does out change where a value changes? By its weight.",
    explain=explainers.entry,
    step="of_v",
)
def dv_of_d_weights(weights, d_out, d_weights):
    return d_weights.transpose(-2, -1) @ d_out


@known(
    "dv-not-transposed",
    means="dv is weights @ d_out, without a transpose: it sums over the wrong axis, and fits only where T = S.",
    hint="dv has a row for each key: the sum runs over the queries.",
    explain=explainers.entry,
    step="of_v",
)
def dv_without_transpose(weights, d_out, d_weights):
    return weights @ d_out


@known(
    "dk-not-transposed",
    means="dk is d_scores @ q, without a transpose: it sums over the wrong axis, and fits only where T = S.",
    hint="dk has a row for each key: the sum runs over the queries.",
    explain=explainers.entry,
    step="of_k",
)
def dk_without_transpose(d_scores, q, k):
    return d_scores @ q


known(
    "q-and-k-mixed-up",
    means="dq was made with q, and dk with k; it is the other way around.",
    hint="In a product, the gradient of one factor holds the other.",
    explain=explainers.entry,
)
known.also(
    "q-and-k-mixed-up",
    of_q=lambda d_scores, q, k: d_scores @ q,
    of_k=lambda d_scores, q, k: d_scores.transpose(-2, -1) @ k,
)


@known(
    "out-for-v",
    means="d_weights was made with out in place of v.",
    hint="`out = weights @ v`: in a product, the gradient of one factor holds the other.",
    explain=explainers.entry,
    step="of_weights",
)
def with_out(d_out, v, out):
    return d_out @ out.transpose(-2, -1)


# ---------------------------------------------------------------- what is returned


@known(
    "other-order",
    means="The gradients are right, but not in the order dq, dk, dv.",
    hint="`return dq, dk, dv`.",
    step="finish",
)
def values_first(dq, dk, dv):
    return dv, dk, dq


@known.also("other-order", step="finish")
def keys_first(dq, dk, dv):
    return dk, dq, dv


@known.also("other-order", step="finish")
def values_second(dq, dk, dv):
    return dq, dv, dk
