"""Right answers to exercise 2.4, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504, UP008 - naming a result before returning it, and the long super(), are styles that must pass

import math
from collections import namedtuple

import torch
import torch.nn.functional as F

from feedback.bank import RightAnswers

right = RightAnswers()


Attended = namedtuple("Attended", ["out", "weights"])


@right
def attention_by_the_formula(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return weights @ v, weights


@right
def attention_as_a_namedtuple(q, k, v):
    weights = F.softmax(q @ k.mT * q.shape[-1] ** -0.5, dim=-1)
    return Attended(weights @ v, weights)


@right
def attention_by_einsum(q, k, v):
    scores = torch.einsum("...td,...sd->...ts", q, k) / q.size(-1) ** 0.5
    weights = scores.softmax(-1)
    return torch.einsum("...ts,...sd->...td", weights, v), weights


@right
def attention_by_sdpa_and_the_weights_by_hand(q, k, v):
    out = F.scaled_dot_product_attention(q, k, v)
    return out, (q @ k.mT / math.sqrt(k.shape[-1])).softmax(dim=-1)


@right
def attention_by_one_sdpa(q, k, v):
    identity = torch.eye(k.shape[-2], dtype=v.dtype).expand(*k.shape[:-2], -1, -1)
    both = F.scaled_dot_product_attention(q, k, torch.cat([v, identity], dim=-1))
    return tuple(both.split([v.shape[-1], k.shape[-2]], dim=-1))


@right
def attention_query_by_query(q, k, v):
    out = torch.zeros(*q.shape[:-1], v.shape[-1], dtype=v.dtype)
    weights = torch.zeros(*q.shape[:-1], k.shape[-2], dtype=q.dtype)
    for t in range(q.shape[-2]):
        scores = (q[..., t, None, :] * k).sum(-1) / math.sqrt(q.shape[-1])
        row = torch.softmax(scores, -1)
        weights[..., t, :] = row
        for s in range(k.shape[-2]):
            out[..., t, :] += row[..., s, None] * v[..., s, :]
    return out, weights


@right
def attention_by_broadcast_sums(q, k, v):
    scores = (q[..., :, None, :] * k[..., None, :, :]).sum(-1) / math.sqrt(q.shape[-1])
    weights = scores.softmax(dim=-1)
    return (weights.unsqueeze(-1) * v.unsqueeze(-3)).sum(-2), weights


@right
def attention_by_bmm_and_reshape(q, k, v):
    def flat(x):
        return x.reshape(-1, x.shape[-2], x.shape[-1])

    leading = q.shape[:-2]
    weights = torch.softmax(torch.bmm(flat(q), flat(k).transpose(1, 2)) / q.shape[-1] ** 0.5, dim=2)
    out = torch.bmm(weights, flat(v))
    return out.reshape(leading + out.shape[1:]), weights.reshape(leading + weights.shape[1:])


@right
def attention_item_by_item(q, k, v):
    if q.dim() > 2:
        pairs = [attention_item_by_item(*item) for item in zip(q, k, v, strict=True)]
        outs, weights = zip(*pairs, strict=True)
        return torch.stack(outs), torch.stack(weights)
    weights = torch.softmax(q.mm(k.t()) / math.sqrt(q.size(1)), dim=1)
    return weights.mm(v), weights


@right
def attention_in_float64(q, k, v):
    wide = torch.softmax(q.double() @ k.double().mT / q.shape[-1] ** 0.5, dim=-1)
    return (wide @ v.double()).to(v.dtype), wide.to(q.dtype)


@right
def attention_divided_after_the_sum(q, k, v):
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    powers = torch.exp(scores - scores.amax(-1, keepdim=True))
    total = powers.sum(-1, keepdim=True)
    return powers @ v / total, powers / total


@right
def attention_with_keys_seen_one_after_another(q, k, v):
    largest = torch.full(q.shape[:-1], -math.inf, dtype=q.dtype)
    total, out, scores = 0, 0, []
    for s in range(k.shape[-2]):
        scores.append((q * k[..., s : s + 1, :]).sum(-1) / math.sqrt(q.shape[-1]))
        new_largest = torch.maximum(largest, scores[-1])
        shrink, power = (largest - new_largest).exp(), (scores[-1] - new_largest).exp()
        total = total * shrink + power
        out = out * shrink[..., None] + power[..., None] * v[..., s : s + 1, :]
        largest = new_largest
    weights = torch.stack([(score - largest).exp() / total for score in scores], -1)
    return out / total[..., None], weights


@right
def attention_with_extra_arguments(q, k, v, mask=None, dropout=None, verbose=False):
    import math as arithmetic

    scores = q @ k.mT / arithmetic.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    weights = scores.softmax(-1)
    if dropout is not None:
        weights = dropout(weights)
    if verbose:
        print(weights)
    return (weights @ v, weights)
