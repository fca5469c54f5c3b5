"""The third room."""

import torch
import torch.nn.functional as F
from torch import nn

from exercises.museum.exhibit import Exhibit
from helpers.heads import merge_heads, split_heads


class HistoryReader(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.score = nn.Linear(d_model, 1)
        self.value = nn.Linear(d_model, d_model)
        self.mix = nn.Linear(2 * d_model, d_model)

    def forward(self, x):
        scores, values = self.score(x), self.value(x)  # (B, T, 1), (B, T, C)
        summary = torch.zeros_like(x)  # one row for each position
        for t, row in enumerate(summary.unbind(dim=1)):
            weights = scores[:, : t + 1].softmax(dim=1)  # (B, t + 1, 1)
            row = row + (weights * values[:, : t + 1]).sum(dim=1)
        return self.mix(torch.cat([x, summary], dim=-1))


class ImageAttention(nn.Module):
    def __init__(self, d_model, num_heads, p=0.1):
        super().__init__()
        self.num_heads, self.p = num_heads, p
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x):
        q, k, v = (split_heads(part, self.num_heads) for part in self.qkv_proj(x).chunk(3, dim=-1))
        out = F.scaled_dot_product_attention(q, k, v, dropout_p=self.p)
        return self.out_proj(merge_heads(out))


class EncoderOrDecoder(nn.Module):
    def __init__(self, d_model, num_heads, is_decoder=True):
        super().__init__()
        self.num_heads, self.is_decoder = num_heads, is_decoder
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def mask_for(self, real):
        T = real.size(1)
        return real[:, None, None, :].expand(-1, -1, T, -1)  # (B, 1, T, T)

    def forward(self, x, real):
        q, k, v = (split_heads(part, self.num_heads) for part in self.qkv_proj(x).chunk(3, dim=-1))
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=self.mask_for(real))
        return self.out_proj(merge_heads(out))


class WindowAttention(nn.Module):
    def __init__(self, d_model, num_heads, window=6):
        super().__init__()
        self.num_heads, self.window = num_heads, window
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x, past=None):
        q, k, v = (split_heads(part, self.num_heads) for part in self.qkv_proj(x).chunk(3, dim=-1))
        if past is not None:
            k = torch.cat([past[0], k], dim=-2)[:, :, -self.window :]
            v = torch.cat([past[1], v], dim=-2)[:, :, -self.window :]
        T, S = q.size(-2), k.size(-2)
        queries = torch.arange(S - T, S, device=x.device)
        distance = queries[:, None] - torch.arange(S, device=x.device)  # (T, S)
        mask = (distance >= 0) & (distance < self.window)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out_proj(merge_heads(out)), (k, v)


EXHIBITS = (
    Exhibit(
        9,
        HistoryReader,
        "Each token is mixed with a weighted mean of itself and the tokens before it; all weights are learned.",
    ),
    Exhibit(10, ImageAttention, "Each token reads all tokens, with dropout on the weights in training."),
    Exhibit(11, EncoderOrDecoder, "As a decoder, each real token reads the real tokens up to itself, and no others."),
    Exhibit(12, WindowAttention, "Each token reads the 6 latest tokens, its own included, and goes on from a past."),
)
