"""Grouped-query attention: several query heads share the same keys and values, so that the cache is smaller.

With as many groups as heads, it is multi-head attention; with one group, it is multi-query attention.
"""

import math

import torch
from torch import nn

from helpers import require
from helpers.heads import merge_heads, split_heads
from helpers.masks import causal_mask, masked_softmax
from helpers.norms import RMSNorm
from helpers.relative_positions import rotate_halves


def grouped_attention(q, k, v, mask=None):
    """Attention in which query head h reads the keys and values of group h // (H / G), without copying them.

    Shapes: q (B, H, T, D), k (B, G, S, D), v (B, G, S, Dv), mask broadcastable to (B, H, T, S), True = may attend
            -> out (B, H, T, Dv), weights (B, H, T, S)
    Units:  weights sum to 1 over S, or to 0 where a row is fully masked
    Errors: TypeError or ValueError if q, k, v or mask do not fit, or G does not divide H
    Source: Ainslie et al. 2023; Shazeer 2019 for one group; notebook 10
    """
    require.grouped(q, k, v)
    weights = masked_softmax(grouped_scores(q, k), mask)
    return grouped_read(weights, v), weights  # (B, H, T, Dv), (B, H, T, S)


def grouped_scores(q, k):
    """The scores of every query head with the keys of its group.

    Shapes: q (B, H, T, D), k (B, G, S, D) -> (B, H, T, S)
    Source: notebook 10
    """
    T, D = q.shape[-2:]
    together = _by_group(q, k.size(1))  # (B, G, H / G * T, D)
    scores = together @ k.transpose(-2, -1) / math.sqrt(D)  # (B, G, H / G * T, S)
    return scores.unflatten(2, (-1, T)).flatten(1, 2)  # (B, H, T, S)


def grouped_read(weights, v):
    """The sum of the values of each query head's group, weighted by the head's weights.

    Shapes: weights (B, H, T, S), v (B, G, S, Dv) -> (B, H, T, Dv)
    Source: notebook 10
    """
    out = _by_group(weights, v.size(1)) @ v  # (B, G, H / G * T, Dv)
    return out.unflatten(2, (-1, weights.size(2))).flatten(1, 2)  # (B, H, T, Dv)


def _by_group(x, groups):
    """(B, H, T, ...) -> (B, G, H / G * T, ...): the rows of a group's heads, one after another."""
    return x.unflatten(1, (groups, -1)).flatten(2, 3)


def pool_heads(weight, num_heads, groups):
    """Average the key or value projections of each group's heads, to give a trained model fewer key heads.

    Shapes: weight (H * D, C), or a bias (H * D,) -> (G * D, C) or (G * D,)
    Errors: TypeError or ValueError if the heads do not have equally many rows, or groups does not divide num_heads
    Source: Ainslie et al. 2023, section 2.1; notebook 10
    """
    require.head_rows(weight, num_heads)
    require.divides(groups=groups, num_heads=num_heads)
    heads = weight.unflatten(0, (groups, num_heads // groups, -1))  # (G, H / G, D, C)
    return heads.mean(dim=1).flatten(0, 1)  # (G, D, C) -> (G * D, C)


def cache_bytes(past):
    """The number of bytes of all tensors in a past, however deeply nested.

    Source: notebook 10
    """
    if isinstance(past, torch.Tensor):
        return past.numel() * past.element_size()
    return sum(map(cache_bytes, past)) if isinstance(past, (tuple, list)) else 0


class GroupedQueryAttention(nn.Module):
    """Causal self-attention with rotary positions in halves and fewer key heads than query heads, as in Llama.

    With qk_norm, the features of each head's q and k are normalized before the rotation, as in Qwen3.

    Shapes: x (B, T, C) -> out (B, T, C), weights (B, H, T, P + T), past (keys, values), (B, G, P + T, D) each
            past: what an earlier call returned; x continues after it, and it may be continued more than once
            mask broadcastable to (B, H, T, P + T), True = may attend; the future is hidden in any case
    Units:  weights sum to 1 over P + T, or to 0 in a fully masked row; the keys of the past are already rotated
    Errors: TypeError or ValueError if a size is invalid, or x, mask or past do not fit
    Source: Ainslie et al. 2023; Touvron et al. 2023; Yang et al. 2025 for QK-norm; notebook 10
    """

    def __init__(self, d_model, num_heads, groups, d_head=None, base=10000.0, qk_norm=False, bias=False):
        super().__init__()
        if d_head is None:
            require.divides(num_heads=num_heads, d_model=d_model)
            d_head = d_model // num_heads
        require.divides(groups=groups, num_heads=num_heads)
        require.sizes(d_head=d_head)
        self.num_heads, self.groups, self.base = num_heads, groups, base
        self.q_proj = nn.Linear(d_model, num_heads * d_head, bias=bias)
        self.k_proj = nn.Linear(d_model, groups * d_head, bias=bias)
        self.v_proj = nn.Linear(d_model, groups * d_head, bias=bias)
        self.q_norm = RMSNorm(d_head) if qk_norm else nn.Identity()
        self.k_norm = RMSNorm(d_head) if qk_norm else nn.Identity()
        self.out_proj = nn.Linear(num_heads * d_head, d_model, bias=bias)

    def forward(self, x, mask=None, past=None):
        require.fits(x, self.q_proj, "B T C")
        q, k, v = self.project(x)
        T, P = x.size(1), require.keys_and_values(past, k)
        positions = torch.arange(P, P + T, device=x.device)
        q, k = rotate_halves(q, positions, self.base), rotate_halves(k, positions, self.base)
        if past is not None:
            k, v = (torch.cat(pair, dim=-2) for pair in zip(past, (k, v), strict=True))  # (B, G, P + T, D) each
        visible = causal_mask(T, x.device, past=P)  # (T, P + T)
        if mask is not None:
            require.mask(mask, q[..., :1].expand(-1, -1, -1, P + T))  # a view of the scores' shape, no scores
            visible = visible & mask
        out, weights = grouped_attention(q, k, v, visible)
        return self.out_proj(merge_heads(out)), weights, (k, v)

    def project(self, x):
        """The queries, keys and values of x, not yet rotated.

        Shapes: x (B, T, C) -> q (B, H, T, D), k and v (B, G, T, D)
        Source: notebook 10
        """
        q = self.q_norm(split_heads(self.q_proj(x), self.num_heads))  # (B, H, T, D)
        k = self.k_norm(split_heads(self.k_proj(x), self.groups))  # (B, G, T, D)
        return q, k, split_heads(self.v_proj(x), self.groups)  # and v (B, G, T, D)
