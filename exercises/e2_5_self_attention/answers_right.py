"""Right answers to exercise 2.5, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504, UP008 - naming a result before returning it, and the long super(), are styles that must pass

import math
from collections import namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

from feedback.bank import RightAnswers

right = RightAnswers()


def weights_by_half_power(q, k):
    scores = q @ k.mT
    return F.softmax(scores * k.size(-1) ** -0.5, dim=-1)


Attended = namedtuple("Attended", ["out", "weights"])


def attention_by_the_formula(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
    return weights @ v, weights


def attention_by_einsum(q, k, v):
    scores = torch.einsum("...td,...sd->...ts", q, k) / q.size(-1) ** 0.5
    weights = scores.softmax(-1)
    return torch.einsum("...ts,...sd->...td", weights, v), weights


@right
class SelfAttentionByTheFormula(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        weights = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1]), dim=-1)
        return weights @ v, weights


@right
class SelfAttentionMadeInAnotherOrder(torch.nn.Module):
    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False):
        torch.nn.Module.__init__(self)
        self.W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
        self.d_out = d_out

    def forward(self, x: Tensor):
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        scores = torch.bmm(queries, keys.transpose(1, 2))
        weights = F.softmax(scores / self.d_out**0.5, dim=2)
        return torch.bmm(weights, values), weights


@right
class SelfAttentionWithBuffers(nn.Module):
    def __init__(self, d_in, d_out):
        super(SelfAttentionWithBuffers, self).__init__()
        self.W_query = nn.Linear(d_in, d_out, False)
        self.W_key = nn.Linear(d_in, d_out, False)
        self.W_value = nn.Linear(d_in, d_out, False)
        self.register_buffer("scale", torch.tensor(1 / math.sqrt(d_out)))
        self.register_buffer("calls", torch.zeros((), dtype=torch.long), persistent=False)

    def forward(self, x):
        self.calls += 1
        weights = (self.W_query(x) @ self.W_key(x).mT * self.scale).softmax(-1)
        return weights @ self.W_value(x), weights


@right
class SelfAttentionByEinsum(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        for name in ("W_query", "W_key", "W_value"):
            setattr(self, name, nn.Linear(d_in, d_out, bias=False))

    def forward(self, x):
        q = torch.einsum("btc,dc->btd", x, self.W_query.weight)
        k = torch.einsum("btc,dc->btd", x, self.W_key.weight)
        v = torch.einsum("btc,dc->btd", x, self.W_value.weight)
        weights = torch.einsum("btd,bsd->bts", q, k).div(q.shape[-1] ** 0.5).softmax(dim=-1)
        return torch.einsum("bts,bsd->btd", weights, v), weights


@right
class SelfAttentionBySdpa(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query, self.W_key, self.W_value = (nn.Linear(d_in, d_out, bias=False) for _ in range(3))

    def forward(self, x, mask=None):
        q, k, v = (layer(x) for layer in (self.W_query, self.W_key, self.W_value))
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask), weights_by_half_power(q, k)


@right
class SelfAttentionItemByItem(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(in_features=d_in, out_features=d_out, bias=False)
        self.W_key = nn.Linear(in_features=d_in, out_features=d_out, bias=False)
        self.W_value = nn.Linear(in_features=d_in, out_features=d_out, bias=False)

    def forward(self, x):
        outs, all_weights = [], []
        for item in x:
            q, k, v = self.W_query(item), self.W_key(item), self.W_value(item)
            weights = torch.softmax(q @ k.T / math.sqrt(q.shape[1]), dim=1)
            outs.append(weights @ v)
            all_weights.append(weights)
        return torch.stack(outs), torch.stack(all_weights)


@right
class SelfAttentionWithOneMatmul(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        packed = torch.cat([self.W_query.weight, self.W_key.weight, self.W_value.weight])
        q, k, v = F.linear(x, packed).chunk(3, dim=-1)
        return attention_by_the_formula(q, k, v)


@right
class SelfAttentionThatKeepsItsWeights(nn.Module):
    def __init__(self, d_in, d_out, verbose=True):
        super().__init__()
        self.attention_weights = None
        self.verbose = verbose
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        scores = self.W_query(x) @ self.W_key(x).transpose(1, 2)
        scores = scores / scores.new_tensor(self.W_key.out_features).sqrt()
        self.attention_weights = nn.Softmax(dim=-1)(scores)
        if self.verbose:
            print(self.attention_weights.shape)
        return self.attention_weights @ self.W_value(x), self.attention_weights


@right
class SelfAttentionWithItsOwnStart(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        for parameter in self.parameters():
            nn.init.xavier_uniform_(parameter)

    def scores(self, x):
        return self.W_query(x) @ self.W_key(x).mT / math.sqrt(self.W_query.weight.shape[0])

    def forward(self, x):
        weights = torch.exp(F.log_softmax(self.scores(x), dim=-1))
        return Attended(out=torch.matmul(weights, self.W_value(x)), weights=weights)


class Projections(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)


@right
class SelfAttentionByInheritance(Projections):
    def forward(self, x):
        folded = self.W_query.weight.mT @ self.W_key.weight / math.sqrt(self.W_query.out_features)
        weights = torch.softmax(x @ folded @ x.transpose(1, 2), dim=-1)
        return self.W_value(weights @ x), weights


@right
class SelfAttentionInFloat64(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        q, k, v = (layer(x).double() for layer in (self.W_query, self.W_key, self.W_value))
        out, weights = attention_by_einsum(q, k, v)
        return out.to(x.dtype), weights.to(x.dtype)


class AttentionOfMyNotebook(nn.Module):
    """What a learner keeps for several classes."""

    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(-1)
        return weights @ v, weights


@right
class SelfAttentionByInheritanceAlone(AttentionOfMyNotebook):
    """Everything is in the class above."""


@right
class SelfAttentionWithAnInheritedForward(AttentionOfMyNotebook):
    def __init__(self, d_in, d_out):
        super().__init__(d_in, d_out)
