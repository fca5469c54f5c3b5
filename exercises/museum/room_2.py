"""The second room."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from exercises.museum.exhibit import Exhibit
from helpers.heads import merge_heads, split_heads


class TutorialAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.q_proj, self.k_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.v_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def forward(self, x):
        B, T, C = x.shape
        projections = (self.q_proj, self.k_proj, self.v_proj)
        q, k, v = (split_heads(proj(x), self.num_heads) for proj in projections)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        weights = scores.softmax(dim=-1)  # (B, H, T, T)
        out = (weights @ v).reshape(B, T, C)
        return self.out_proj(out), weights


class HandmadeAttention(nn.Module):
    def __init__(self, d_model, num_heads, p=0.2):
        super().__init__()
        self.num_heads, self.p = num_heads, p
        self.q_proj, self.k_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.v_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def scores_of(self, q, k):
        shrink = q.size(-1) ** -0.25
        return (q * shrink) @ (k * shrink).transpose(-2, -1)  # (B, H, T, S)

    def forward(self, x):
        q, k, v = (
            torch.stack(proj(x).chunk(self.num_heads, dim=-1), dim=1)  # (B, H, T, D)
            for proj in (self.q_proj, self.k_proj, self.v_proj)
        )
        scores = self.scores_of(q, k)
        weights = (scores - scores.amax(dim=-1, keepdim=True)).exp()
        weights = weights / weights.sum(dim=-1, keepdim=True)
        out = F.dropout(weights, self.p, self.training) @ v
        return self.out_proj(torch.cat(out.unbind(dim=1), dim=-1)), weights


class CosineAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def scores_of(self, q, k):
        q, k = F.normalize(q, dim=-1), F.normalize(k, dim=-1)
        return 10 * q @ k.transpose(-2, -1)  # (B, H, T, S)

    def forward(self, x):
        q, k, v = (split_heads(part, self.num_heads) for part in self.qkv_proj(x).chunk(3, dim=-1))
        out = self.scores_of(q, k).softmax(dim=-1) @ v
        return self.out_proj(merge_heads(out))


class GatedKeys(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.gate = nn.Linear(d_model, num_heads)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x, past=None):
        q, k, v = (split_heads(part, self.num_heads) for part in self.qkv_proj(x).chunk(3, dim=-1))
        bias = F.logsigmoid(self.gate(x)).transpose(1, 2)[:, :, None]  # (B, H, 1, T)
        if past is not None:
            k, v = torch.cat([past[0], k], dim=-2), torch.cat([past[1], v], dim=-2)
            bias = torch.cat([past[2], bias], dim=-1)
        T, S = q.size(-2), k.size(-2)
        mask = bias
        if T != S:
            future = torch.ones(T, S, dtype=torch.bool, device=x.device).triu(1 + S - T)
            mask = bias.masked_fill(future, -torch.inf)  # (B, H, T, S)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out_proj(merge_heads(out)), (k, v, bias)


EXHIBITS = (
    Exhibit(
        5,
        TutorialAttention,
        "Multi-head attention without a mask: head h uses the h-th D rows of `q_proj`, `k_proj` and `v_proj`, and "
        "`out_proj` reads it in its h-th D columns.",
    ),
    Exhibit(
        6,
        HandmadeAttention,
        "Multi-head attention without a mask, with the rows and columns of exhibit 5, scores q · k / √D, and dropout "
        "on the weights in training.",
    ),
    Exhibit(7, CosineAttention, "Each token reads all tokens, with scores of 10 times the cosine of query and key."),
    Exhibit(
        8,
        GatedKeys,
        "Each token reads itself and the tokens before it, with a learned bias for each key, and goes on from a past.",
    ),
)
