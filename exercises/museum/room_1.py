"""The first room: what each exhibit promises, and its code."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from exercises.museum.exhibit import Exhibit
from helpers.heads import merge_heads, split_heads


class CausalAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x):
        T = x.size(1)
        q, k, v = (split_heads(part, self.num_heads) for part in self.qkv_proj(x).chunk(3, dim=-1))
        mask = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(diagonal=1)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)  # (B, H, T, D)
        return self.out_proj(merge_heads(out))


class EncoderAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x, real):
        q, k, v = (split_heads(part, self.num_heads) for part in self.qkv_proj(x).chunk(3, dim=-1))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, H, T, T)
        scores = scores.masked_fill(~real[:, None, None, :], torch.finfo(scores.dtype).min)
        out = scores.softmax(dim=-1) @ v  # (B, H, T, D)
        return self.out_proj(merge_heads(out))


class LectureAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.d_model, self.num_heads = d_model, num_heads
        self.qkv_proj = nn.Linear(d_model, 3 * d_model, bias=False)
        self.out_proj = nn.Linear(d_model, d_model)

    def scores_of(self, q, k):
        return q @ k.transpose(-2, -1) * self.d_model**-0.5  # (B, H, T, S)

    def forward(self, x):
        T = x.size(1)
        q, k, v = (split_heads(part, self.num_heads) for part in self.qkv_proj(x).chunk(3, dim=-1))
        future = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(diagonal=1)
        weights = self.scores_of(q, k).masked_fill(future, -torch.inf).softmax(dim=-1)
        return self.out_proj(merge_heads(weights @ v))


class ForecastAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.qk_proj = nn.Linear(d_model, 2 * d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x, real):
        q, k = (split_heads(part, self.num_heads) for part in self.qk_proj(x).chunk(2, dim=-1))
        v = split_heads(self.v_proj(x), self.num_heads)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, H, T, T)
        scores = torch.where(real[:, None, None, :], scores, 1e-9)
        out = scores.softmax(dim=-1) @ v  # (B, H, T, D)
        return self.out_proj(merge_heads(out))


EXHIBITS = (
    Exhibit(1, CausalAttention, "Each token reads itself and the tokens before it."),
    Exhibit(
        2, EncoderAttention, "Each token reads all real tokens of its text, before and after it; padding is not read."
    ),
    Exhibit(
        3,
        LectureAttention,
        "Each token reads itself and the tokens before it, with scores q · k / √D, where D is the width of one head.",
    ),
    Exhibit(4, ForecastAttention, "Each token reads all real tokens of its text; padding is not read."),
)
