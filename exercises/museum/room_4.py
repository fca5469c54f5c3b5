"""The fourth room."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from exercises.museum.exhibit import Exhibit
from helpers.heads import merge_heads, split_heads


class DiffusionAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.q_proj, self.k_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.v_proj, self.out_proj = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)

    def forward(self, x):
        projections = (self.q_proj, self.k_proj, self.v_proj)
        q, k, v = (proj(x).unflatten(-1, (self.num_heads, -1)) for proj in projections)  # (B, T, H, D)
        scores = torch.einsum("bihd,bjhd->bijh", q, k) / math.sqrt(q.size(-1))
        weights = scores.softmax(dim=1)
        out = torch.einsum("bijh,bjhd->bihd", weights, v)  # (B, T, H, D)
        return self.out_proj(out.flatten(-2)), weights.permute(0, 3, 1, 2)


class RollingAttention(nn.Module):
    def __init__(self, d_model, num_heads, window=5):
        super().__init__()
        self.num_heads, self.window = num_heads, window
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x, past=None):
        q, k, v = (split_heads(part, self.num_heads) for part in self.qkv_proj(x).chunk(3, dim=-1))
        if past is not None:
            k, v = torch.cat([past[0], k], dim=-2), torch.cat([past[1], v], dim=-2)
        T, S = q.size(-2), k.size(-2)
        visible = torch.ones(T, S, dtype=torch.bool, device=x.device)
        mask = visible.tril(diagonal=S - T) & visible.triu(diagonal=S - T - self.window + 1)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        keep = max(S - self.window + 1, 0)
        return self.out_proj(merge_heads(out)), (k[:, :, keep:], v[:, :, keep:])


class TableAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.attention = nn.MultiheadAttention(d_model, num_heads)

    def forward(self, x):
        normed = self.norm(x)  # (B, T, C)
        out, _ = self.attention(normed, normed, normed, need_weights=False)
        return out


class HeadByHead(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.heads = [nn.Linear(d_model, 3 * d_model // num_heads) for _ in range(num_heads)]
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x):
        found = []
        for head in self.heads:
            q, k, v = head(x).chunk(3, dim=-1)  # (B, T, D) each
            found.append(F.scaled_dot_product_attention(q, k, v, is_causal=True))
        return self.out_proj(torch.cat(found, dim=-1))


EXHIBITS = (
    Exhibit(
        13,
        DiffusionAttention,
        "Multi-head attention without a mask, with the rows and columns of exhibit 5 and scores q · k / √D; it returns "
        "the weights, too.",
    ),
    Exhibit(14, RollingAttention, "Each token reads the 5 latest tokens, its own included, and goes on from a past."),
    Exhibit(15, TableAttention, "Each token reads all tokens of its own item; x is (B, T, C)."),
    Exhibit(
        16,
        HeadByHead,
        "Each token reads itself and the tokens before it; all weights are trained, and move with the module.",
    ),
)
