"""The code that notebook 14 reads and translates: a module in the style of published code, and fused weights.

The rows of `qkv` are ordered as in GPT-NeoX and BLOOM, the scores are those of T5, and the batch is the second axis, as
it long was in PyTorch.
"""

import torch
from torch import nn

from helpers import require

LAYOUTS = ("stacked", "interleaved", "transposed")


class FusedAttention(nn.Module):
    """Multi-head self-attention, written in the style of others."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width, bias=False)

    def forward(self, x, hidden=None):
        T, B, C = x.shape
        qkv = self.qkv(x).view(T, B, self.heads, 3, C // self.heads)
        q, k, v = qkv.permute(3, 1, 2, 0, 4)
        scores = q @ k.transpose(-2, -1)
        if hidden is not None:
            scores = scores.masked_fill(hidden, float("-inf"))
        mixed = scores.softmax(dim=-1) @ v
        return self.proj(mixed.permute(2, 0, 1, 3).flatten(-2))


def fused(weights, num_heads, layout):
    """Fuse the weights of q, k and v into one, which exercise 14.1 takes apart.

    Shapes: three weights (C, C) -> (3C, C), or (C, 3C) for the layout "transposed"
    Errors: ValueError if the layout is unknown
    Source: notebook 14
    """
    require.one_of(LAYOUTS, layout=layout)
    if layout == "interleaved":
        heads = [weight.chunk(num_heads) for weight in weights]  # for each of q, k and v: H times (D, C)
        return torch.cat([part for head in zip(*heads, strict=True) for part in head])
    stacked = torch.cat(list(weights))
    return stacked.T if layout == "transposed" else stacked
