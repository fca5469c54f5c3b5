"""Right answers to exercise 4.2, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504, UP008 - naming a result before returning it, and the long super(), are styles that must pass

import math
from collections import namedtuple

import torch
import torch.nn.functional as F
from torch import Tensor

from feedback.bank import RightAnswers

right = RightAnswers()


Attended = namedtuple("Attended", ["out", "weights"])


def dropout_by_the_formula(x, p, generator=None):
    keep = torch.rand(x.shape, generator=generator) >= p
    return x * keep / (1 - p)


def dropout_by_where(x, p, generator=None):
    dropped = torch.rand(x.size(), generator=generator) < p
    return torch.where(dropped, 0.0, x / (1.0 - p))


def dropout_by_masked_fill(x: Tensor, p: float, generator: torch.Generator = None) -> Tensor:
    noise = torch.rand(x.shape, dtype=x.dtype, generator=generator)
    return (x / (1 - p)).masked_fill(noise < p, 0)


def dropout_by_bernoulli(x, p, generator=None):
    keep = torch.bernoulli(torch.full_like(x, 1 - p), generator=generator)
    return keep * x / (1 - p)


def dropout_below_one_minus_p(x, p, generator=None):
    q = 1 - p
    keep = torch.rand(*x.shape, generator=generator).lt(q).float()
    result = x * keep.to(x.dtype)
    result = result / q
    return result


def dropout_into_a_clone(x, p, generator=None):
    out = x.clone()
    out[torch.rand(x.shape, generator=generator) < p] = 0
    return out.div(1 - p)


def dropout_of_chosen_places(x, p, generator=None):
    keep = torch.rand(x.shape, generator=generator) > p
    out = torch.zeros_like(x)
    out[keep] = x[keep] / (1 - p)
    return out


def dropout_in_float64(x, p, generator=None):
    noise = torch.rand(x.numel(), generator=generator, dtype=torch.float64).view(x.shape)
    return (x.double() * (noise >= p).double() / (1 - p)).to(x.dtype)


def weights_for_dropout(q, k):
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)


@right
def attention_dropped_by_the_pieces(q, k, v, p, training, generator=None):
    weights = weights_for_dropout(q, k)
    if training:
        weights = dropout_by_the_formula(weights, p, generator)
    return weights @ v, weights


@right
def attention_dropped_in_one_body(q, k, v, p, training, generator=None):
    scores = torch.matmul(q, k.mT) * q.size(-1) ** -0.5
    weights = F.softmax(scores, dim=-1)
    if training and p > 0:
        keep = (torch.rand(weights.shape, generator=generator) > p).to(weights.dtype)
        weights = weights * keep / (1 - p)
    out = torch.matmul(weights, v)
    return out, weights


@right
def attention_dropped_with_early_return(q, k, v, p, training, generator=None):
    weights = weights_for_dropout(q, k)
    if not training:
        return weights @ v, weights
    dropped = weights.masked_fill(torch.rand(weights.shape, generator=generator) < p, 0.0) / (1 - p)
    return dropped @ v, dropped


@right
def attention_with_p_zero_outside_training(q, k, v, p, training, generator=None):
    p = p if training else 0.0
    weights = dropout_by_bernoulli(weights_for_dropout(q, k), p, generator)
    return weights @ v, weights


@right
def attention_dropped_by_einsum(q, k, v, p, training, generator=None):
    weights = torch.einsum("...td,...sd->...ts", q, k).div(math.sqrt(k.shape[-1])).softmax(-1)
    if training is True:
        weights = torch.einsum("...,...->...", weights, dropout_by_where(torch.ones_like(weights), p, generator))
    return torch.einsum("...ts,...sd->...td", weights, v), weights


@right
def attention_with_a_mask_of_ones(q, k, v, p, training, generator=None):
    weights = weights_for_dropout(q, k)
    mask = torch.ones_like(weights)
    if training:
        mask = torch.bernoulli(mask * (1 - p), generator=generator) / (1 - p)
    weights = weights * mask
    return weights @ v, weights


@right
def attention_with_detached_weights_returned(q, k, v, p, training, generator=None):
    weights = weights_for_dropout(q, k)
    if training:
        weights = dropout_by_where(weights, p, generator)
    return weights @ v, weights.detach()


@right
def attention_scaled_in_v(q, k, v, p, training, generator=None):
    weights = weights_for_dropout(q, k)
    if not training:
        return weights @ v, weights
    kept = weights * (torch.rand(weights.shape, generator=generator) >= p)
    return kept @ (v / (1 - p)), kept / (1 - p)


@right
def dropped_attention_item_by_item(q, k, v, p, training, generator=None):
    if q.dim() > 2:
        pairs = [dropped_attention_item_by_item(*item, p, training, generator) for item in zip(q, k, v, strict=True)]
        return torch.stack([out for out, _ in pairs]), torch.stack([weights for _, weights in pairs])
    weights = weights_for_dropout(q, k)
    weights = dropout_into_a_clone(weights, p, generator) if training else weights
    return weights @ v, weights


@right
def dropped_attention_in_float64(q, k, v, p, training, generator=None):
    weights = weights_for_dropout(q.double(), k.double())
    if training:
        weights = dropout_by_masked_fill(weights, p, generator)
    return (weights @ v.double()).to(q.dtype), weights.to(q.dtype)


@right
def attention_drawn_before_anything(q, k, v, p, training, generator=None):
    keep = torch.rand(*q.shape[:-1], k.size(-2), generator=generator) >= p
    weights = weights_for_dropout(q, k)
    weights = torch.where(keep, weights / (1 - p), 0) if training else weights
    return weights @ v, weights


@right
def attention_by_transposed_draws(q, k, v, p, training, generator=None):
    weights = weights_for_dropout(q, k)
    if training:
        noise = torch.rand(weights.mT.shape, generator=generator).mT
        weights = weights * noise.ge(p) * (1 / (1 - p))
    return torch.matmul(weights, v), weights


@right
def attention_with_exponentials_dropped(q, k, v, p, training, generator=None):
    powers = (q @ k.mT / q.size(-1) ** 0.5).exp()
    total = powers.sum(-1, keepdim=True)
    if training:
        powers = powers * (torch.rand(powers.shape, generator=generator) >= p) / (1 - p)
    weights = powers / total
    return weights @ v, weights


@right
def attention_with_a_named_tuple(q, k, v, p, training, generator=None):
    def identity(x, p, generator):
        return x

    drop = dropout_below_one_minus_p if training else identity
    weights = drop(weights_for_dropout(q, k), p, generator)
    return Attended(out=weights @ v, weights=weights)


@right
def attention_by_log_weights(q, k, v, p, training, g=None):
    weights = F.log_softmax(q @ k.transpose(-1, -2) / math.sqrt(k.size(-1)), -1).exp()
    print("training" if training else "evaluation", tuple(weights.shape))
    if training:
        weights = dropout_in_float64(weights, p, g)
    return weights @ v, weights


@right
def attention_by_sdpa_of_dropped_weights(q, k, v, p, training, generator=None):
    weights = weights_for_dropout(q, k)
    if training:
        weights = dropout_of_chosen_places(weights, p, generator)
    return (weights.unsqueeze(-1) * v.unsqueeze(-3)).sum(-2), weights
