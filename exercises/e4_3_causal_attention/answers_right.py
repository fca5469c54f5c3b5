"""Right answers to exercise 4.3, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504, UP008 - naming a result before returning it, and the long super(), are styles that must pass

import math
from collections import namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F

from feedback.bank import RightAnswers

right = RightAnswers()


Attended = namedtuple("Attended", ["out", "weights"])


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


def filled_with_minus_infinity(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)


def masked_softmax_mended_afterwards(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1).nan_to_num(0.0)


def masked_softmax_by_hand(scores, mask):
    largest = scores.masked_fill(~mask, -1e30).amax(-1, keepdim=True).detach()
    powers = torch.exp((scores - largest).masked_fill(~mask, -math.inf))
    return powers / powers.sum(-1, keepdim=True).clamp(min=1e-30)


@right
class CausalAttentionOfTheBook(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

    def forward(self, x):
        b, num_tokens, d_in = x.shape
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        attn_scores = queries @ keys.transpose(1, 2)
        attn_scores.masked_fill_(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)
        return attn_weights @ values, attn_weights


class CausalProjections(nn.Module):
    """What the answers below share: the layers, the dropout layer and a mask of True below the diagonal."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.make_mask(context_length)

    def make_mask(self, length):
        self.register_buffer("mask", torch.ones(length, length, dtype=torch.bool).tril())

    def scores(self, x):
        return self.W_query(x) @ self.W_key(x).mT / math.sqrt(self.W_key.out_features)

    def forward(self, x):
        T = x.shape[1]
        weights = self.scores(x).masked_fill(~self.mask[:T, :T], float("-inf")).softmax(-1)
        weights = self.dropout(weights)
        return weights @ self.W_value(x), weights


@right
class CausalAttentionFromTheExercises(CausalProjections):
    def forward(self, x):
        T = x.size(1)
        weights = filled_with_minus_infinity(self.scores(x), self.mask[:T, :T])
        weights = self.dropout(weights)
        return weights @ self.W_value(x), weights


@right
class CausalAttentionNanoGpt(CausalProjections):
    def make_mask(self, length):
        self.register_buffer("bias", torch.tril(torch.ones(length, length)).view(1, 1, length, length))

    def forward(self, x):
        T = x.size(1)
        att = self.scores(x)
        att = att.masked_fill(self.bias[0, :, :T, :T] == 0, float("-inf"))
        att = self.dropout(F.softmax(att, dim=-1))
        return att @ self.W_value(x), att


@right
class CausalAttentionFunctional(CausalProjections):
    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        self.p = dropout

    def forward(self, x):
        n = x.size(-2)
        scores = torch.where(self.mask[:n, :n], self.scores(x), -1e9)
        weights = F.dropout(scores.softmax(dim=-1), p=self.p, training=self.training)
        return torch.bmm(weights, self.W_value(x)), weights


@right
class CausalAttentionAdditive(CausalProjections):
    def make_mask(self, length):
        self.register_buffer("future", torch.full((length, length), float("-inf")).triu(1), persistent=False)

    def forward(self, x):
        T = x.shape[1]
        weights = self.dropout(torch.softmax(self.scores(x) + self.future[:T, :T], dim=-1))
        return weights @ self.W_value(x), weights


@right
class CausalAttentionWithBytes(CausalProjections):
    def make_mask(self, length):
        self.register_buffer("hidden", torch.ones(length, length, dtype=torch.uint8).triu_(1), False)

    def forward(self, x):
        T = x.shape[1]
        scores = self.scores(x)
        scores[self.hidden[:T, :T].bool().expand_as(scores)] = torch.finfo(scores.dtype).min
        weights = self.dropout(scores.softmax(-1))
        out = weights @ self.W_value(x)
        return out, weights


@right
class CausalAttentionByRenormalizing(CausalProjections):
    def forward(self, x):
        T = x.shape[1]
        weights = self.scores(x).softmax(-1) * self.mask[:T, :T]
        weights = self.dropout(weights / weights.sum(dim=-1, keepdim=True))
        return weights @ self.W_value(x), weights


@right
class CausalAttentionCutAtTheEnd(CausalProjections):
    def forward(self, x):
        visible = self.mask[-x.size(1) :, -x.size(1) :]
        weights = self.dropout(self.scores(x).masked_fill(visible.logical_not(), -1e30).softmax(2))
        return torch.einsum("bts,bsd->btd", weights, self.W_value(x)), weights


@right
class CausalAttentionDroppedByHand(CausalProjections):
    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        self.p = dropout

    def forward(self, x):
        T = x.shape[1]
        weights = self.scores(x).masked_fill(~self.mask[:T, :T], -math.inf).softmax(-1)
        if self.training:
            weights = weights * (torch.rand_like(weights) >= self.p) / (1 - self.p)
        return weights @ self.W_value(x), weights


@right
class CausalAttentionItemByItem(CausalProjections):
    def forward(self, x):
        outs, all_weights = [], []
        for item in x:
            q, k, v = self.W_query(item), self.W_key(item), self.W_value(item)
            scores = q @ k.T / math.sqrt(k.shape[1])
            scores = scores.masked_fill(~self.mask[: len(item), : len(item)], -math.inf)
            weights = self.dropout(scores.softmax(1))
            outs.append(weights @ v)
            all_weights.append(weights)
        return torch.stack(outs), torch.stack(all_weights)


class TriangleKeeper(nn.Module):
    def __init__(self, length):
        super().__init__()
        self.register_buffer("triangle", torch.arange(length)[:, None] < torch.arange(length))

    def forward(self, scores):
        T = scores.shape[-1]
        return scores.masked_fill(self.triangle[:T, :T], -torch.inf)


@right
class CausalAttentionWithAPartForTheMask(CausalProjections):
    def make_mask(self, length):
        self.hide = TriangleKeeper(length)
        self.drop = nn.Sequential(nn.Softmax(dim=-1), self.dropout)

    def forward(self, x):
        weights = self.drop(self.hide(self.scores(x)))
        return weights @ self.W_value(x), weights


@right
class CausalAttentionThatKeepsItsWeights(CausalProjections):
    def forward(self, x):
        B, T, _ = x.shape
        mask = self.mask[None, :T, :T].expand(B, T, T)
        self.weights = self.dropout(torch.softmax(self.scores(x).masked_fill(mask == False, -1e9), dim=-1))  # noqa: E712
        print("weights", tuple(self.weights.shape), "training" if self.training else "evaluation")
        return self.weights @ self.W_value(x), self.weights


@right
class CausalAttentionWithALargeMask(CausalProjections):
    def make_mask(self, length):
        length = max(length, 128)
        self.register_buffer("tril", torch.tril(torch.ones(1, length, length)))

    def forward(self, x):
        T = x.shape[1]
        hidden = 1 - self.tril[:, :T, :T]
        weights = self.dropout(torch.softmax(self.scores(x) - 1e9 * hidden, dim=-1))
        return weights @ self.W_value(x), weights


@right
class CausalAttentionByInheritance(SelfAttentionByTheFormula):
    def __init__(self, d_in, d_out, context_length, dropout=0.1):
        super().__init__(d_in, d_out)
        self.drop_rate = nn.Dropout(p=dropout)
        self.register_buffer("causal", ~torch.triu(torch.ones(context_length, context_length), 1).bool())

    def forward(self, x):
        T = x.shape[1]
        q, k, v = (layer(x) for layer in (self.W_query, self.W_key, self.W_value))
        weights = masked_softmax_mended_afterwards(q @ k.mT / math.sqrt(q.shape[-1]), self.causal[:T, :T])
        weights = self.drop_rate(weights)
        return Attended(weights @ v, weights)


@right
class CausalAttentionWithOneMatmul(CausalProjections):
    def forward(self, x):
        T = x.shape[1]
        packed = torch.cat([self.W_query.weight, self.W_key.weight, self.W_value.weight])
        q, k, v = F.linear(x, packed).chunk(3, dim=-1)
        powers = torch.exp(q @ k.mT * q.shape[-1] ** -0.5) * self.mask[:T, :T]
        weights = self.dropout(powers / powers.sum(-1, keepdim=True))
        return weights @ v, weights


@right
class CausalAttentionWithATransposedMask(CausalProjections):
    def make_mask(self, length):
        self.register_buffer("seen_by", torch.ones(length, length).triu().int())

    def forward(self, x):
        T = x.shape[1]
        visible = self.seen_by.T[:T, :T].to(torch.bool)
        weights = self.dropout(masked_softmax_by_hand(self.scores(x), visible))
        return weights @ self.W_value(x), weights


class CausalOnTheDeviceOfX(nn.Module):
    """What the answers below share: a buffer, and a new mask where x is."""

    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(context_length, context_length).tril())

    def hidden(self, x):
        return torch.ones(x.size(1), x.size(1), device=x.device).triu(1).bool()

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
        weights = self.dropout(scores.masked_fill(self.hidden(x), float("-inf")).softmax(-1))
        return weights @ v, weights


right(CausalOnTheDeviceOfX)


@right
class CausalThatLooksAtSingleNumbers(CausalOnTheDeviceOfX):
    def hidden(self, x):
        hidden = self.mask[: x.size(1), : x.size(1)] == 0
        if not hidden.any() and x.sum().item() == 0:
            return hidden
        return hidden


@right
class CausalByALoopOverRows(CausalOnTheDeviceOfX):
    def hidden(self, x):
        rows = [[bool(self.mask[i, j] == 0) for j in range(x.size(1))] for i in range(x.size(1))]
        return torch.tensor(rows, device=x.device)


@right
class CausalWithAMaskThatFollowsX(CausalOnTheDeviceOfX):
    def hidden(self, x):
        return torch.ones(x.size(1), x.size(1)).triu(1).to(x).bool()


@right
class CausalFilledWithASingleNumberOnTheCpu(CausalOnTheDeviceOfX):
    def forward(self, x):
        T, scores = x.size(1), self.W_query(x) @ self.W_key(x).mT / torch.tensor(self.W_key.out_features).sqrt()
        weights = scores.masked_fill(self.mask[:T, :T] == 0, torch.tensor(float("-inf"))).softmax(-1)
        weights = self.dropout(weights)
        return weights @ self.W_value(x), weights


@right
class CausalWithNewTensorsWhereXIs(CausalOnTheDeviceOfX):
    """Every way to make a tensor where x is."""

    def hidden(self, x):
        T, device = x.size(1), x.device
        with device:
            positions = torch.arange(T)
        later = positions[:, None] < torch.arange(T, device=device)
        later = later | x.new_ones(T, T).triu(1).bool() | torch.zeros_like(x[0, :, :1]).bool()
        return later & torch.ones(T, T).to(device).triu(1).bool() & ~self.mask[:T, :T].bool()
