"""Wrong answers to exercise 10.1, of the kind that learners write: the checker must reject all of them."""

import math

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def attended(q, k, v, mask, root=None):
    scores = q @ k.mT / (root or q.size(-1) ** 0.5)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(-1)
    return weights @ v, weights


def spread(x, heads):
    return x.repeat_interleave(heads // x.size(1), dim=1)


@wrong("every-other-head")
def grouped_in_turn(q, k, v, mask=None):
    group = torch.arange(q.size(1)) % k.size(1)
    return attended(q, k[:, group], v[:, group], mask)


@wrong("every-other-head")
def grouped_by_copies(q, k, v, mask=None):
    size = q.size(1) // k.size(1)
    return attended(q, torch.cat([k] * size, dim=1), torch.cat([v] * size, dim=1), mask)


@wrong("keys-and-values-differ")
def grouped_with_values_in_turn(q, k, v, mask=None):
    return attended(q, spread(k, q.size(1)), v.tile(1, q.size(1) // v.size(1), 1, 1), mask)


@wrong("one-group")
def grouped_by_group_0(q, k, v, mask=None):
    return attended(q, k[:, 0:1], v[:, 0:1], mask)


@wrong("groups-averaged")
def grouped_by_means(q, k, v, mask=None):
    return attended(q, k.mean(1, keepdim=True), v.mean(1, keepdim=True), mask)


@wrong("groups-in-reverse")
def grouped_backward(q, k, v, mask=None):
    return attended(q, spread(k.flip(1), q.size(1)), spread(v.flip(1), q.size(1)), mask)


@wrong("not-spread")
def grouped_without_copies(q, k, v, mask=None):
    return attended(q, k, v, mask)


@wrong("positions-repeated")
def grouped_along_positions(q, k, v, mask=None):
    size = q.size(1) // k.size(1)
    return attended(q, k.repeat_interleave(size, 2), v.repeat_interleave(size, 2), mask)


@wrong("queries-averaged")
def grouped_queries(q, k, v, mask=None):
    pooled = torch.stack([part.mean(1) for part in q.chunk(k.size(1), dim=1)], dim=1)
    return attended(pooled, k, v, mask)


@wrong("groups-left-apart")
def grouped_and_left(q, k, v, mask=None):
    B, H, T, D = q.shape
    weights = (q.view(B, k.size(1), -1, T, D) @ k[:, :, None].mT / math.sqrt(D)).softmax(-1)
    return weights @ v[:, :, None], weights


@wrong("no-scale")
def grouped_without_scale(q, k, v, mask=None):
    return attended(q, spread(k, q.size(1)), spread(v, q.size(1)), mask, root=1.0)


@wrong("scaled-by-d")
def grouped_scaled_by_d(q, k, v, mask=None):
    return attended(q, spread(k, q.size(1)), spread(v, q.size(1)), mask, root=q.size(-1))


@wrong("over-queries")
def grouped_softmax_over_queries(q, k, v, mask=None):
    k, v = spread(k, q.size(1)), spread(v, q.size(1))
    scores = q @ k.mT / q.size(-1) ** 0.5
    weights = (scores if mask is None else scores.masked_fill(~mask, -math.inf)).softmax(-2)
    return weights @ v, weights


@wrong("no-softmax")
def grouped_without_softmax(q, k, v, mask=None):
    k, v = spread(k, q.size(1)), spread(v, q.size(1))
    scores = q @ k.mT / q.size(-1) ** 0.5
    weights = scores if mask is None else scores.masked_fill(~mask, -math.inf)
    return weights @ v, weights


@wrong("mask-none")
def grouped_with_a_mask_always(q, k, v, mask=None):
    k, v = spread(k, q.size(1)), spread(v, q.size(1))
    weights = (q @ k.mT / q.size(-1) ** 0.5).masked_fill(~mask, -math.inf).softmax(-1)
    return weights @ v, weights


@wrong("mask-ignored")
def grouped_without_mask(q, k, v, mask=None):
    return attended(q, spread(k, q.size(1)), spread(v, q.size(1)), None)


@wrong("true-hides")
def grouped_with_the_mask_inverted(q, k, v, mask=None):
    return attended(q, spread(k, q.size(1)), spread(v, q.size(1)), None if mask is None else ~mask)


@wrong("only-out")
def grouped_out_alone(q, k, v, mask=None):
    return attended(q, spread(k, q.size(1)), spread(v, q.size(1)), mask)[0]


@wrong("swapped-pair")
def grouped_weights_first(q, k, v, mask=None):
    return attended(q, spread(k, q.size(1)), spread(v, q.size(1)), mask)[::-1]


@wrong()
def grouped_with_the_last_group_missing(q, k, v, mask=None):
    k, v = spread(k, q.size(1)).clone(), spread(v, q.size(1)).clone()
    if q.size(1) > k.size(1) // 2 and q.size(1) > 1:
        k[:, -1], v[:, -1] = k[:, 0], v[:, 0] * 0.5
    return attended(q, k, v, mask)
