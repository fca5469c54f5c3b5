"""Multi-head attention: several heads in parallel, each with its own part of the projected q, k and v."""

import torch
import torch.nn.functional as F
from torch import nn

from helpers import require
from helpers.attention import dot_product_attention
from helpers.masks import causal_mask

EMPTY_ROWS_GIVE_ZEROS = tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 5)  # in PyTorch's own attention


def split_heads(x, num_heads):
    """Cut the features of each position into heads, and put the heads in front of the positions.

    Shapes: x (..., T, C) -> (..., H, T, D), C = H * D
    Errors: ValueError if x has no positions or num_heads does not divide C
    Source: notebook 05
    """
    require.divides(num_heads=num_heads, d_model=require.shape(x, "... T C", floating=False)["C"])
    return x.unflatten(-1, (num_heads, -1)).transpose(-3, -2)  # (..., T, C) -> (..., T, H, D) -> (..., H, T, D)


def merge_heads(x):
    """Put the heads of each position side by side again: the inverse of `split_heads`.

    Shapes: x (..., H, T, D) -> (..., T, C), C = H * D
    Errors: ValueError if x has fewer than three axes
    Source: notebook 05
    """
    require.shape(x, "... H T D", hint="there are no heads to merge", floating=False)
    return x.transpose(-3, -2).flatten(-2)  # (..., H, T, D) -> (..., T, H, D) -> (..., T, C)


class MultiHeadAttention(nn.Module):
    """Each head attends with its own part of the projected q, k and v; out_proj mixes their outputs.

    Shapes: x (..., T, C); context (..., S, C), x itself if None -> out (..., T, C)
            weights (..., H, T, S) with need_weights=True, else None
            mask broadcastable to (..., H, T, S), True = may attend; a mask for each item, (B, T, S),
            needs an axis for the heads: mask.unsqueeze(1)
    Units:  weights sum to 1 over S, or to 0 where a row is fully masked; in training, they are the
            weights used, after dropout
    Errors: TypeError or ValueError if x, context or mask do not fit; ValueError for causal with T != S
    Source: Vaswani et al. 2017, section 3.2.2; notebook 05
    """

    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        require.divides(num_heads=num_heads, d_model=d_model)
        require.probability(dropout)
        self.num_heads, self.dropout = num_heads, dropout
        self.q_proj = nn.Linear(d_model, d_model, bias=bias)
        self.k_proj = nn.Linear(d_model, d_model, bias=bias)
        self.v_proj = nn.Linear(d_model, d_model, bias=bias)
        self.out_proj = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x, context=None, mask=None, causal=False, need_weights=False):
        context = x if context is None else context
        require.context(x, context, self.q_proj, self.k_proj)
        return self.attend(*self.project(x, context), mask, causal, need_weights)

    def project(self, x, context):
        """Project x to queries and the context to keys and values, split into heads; a cache keeps the keys and values.

        Shapes: x (..., T, C), context (..., S, C) -> q (..., H, T, D), k and v (..., H, S, D)
        Source: notebook 05; notebook 08 for the cache
        """
        q = split_heads(self.q_proj(x), self.num_heads)  # (..., H, T, D)
        k = split_heads(self.k_proj(context), self.num_heads)  # (..., H, S, D)
        v = split_heads(self.v_proj(context), self.num_heads)  # (..., H, S, D)
        return q, k, v

    def attend(self, q, k, v, mask=None, causal=False, need_weights=False, head_mask=None):
        """Compute the output from queries, keys and values; `forward` is `project` followed by `attend`.

        Shapes: q (..., H, T, D), k and v (..., H, S, D) -> out (..., T, C), weights (..., H, T, S) or None
                head_mask (H,): 1 keeps a head, 0 silences it; the returned weights ignore it
        Source: notebook 05; Michel et al. 2019 for the head mask
        """
        p = self.dropout if self.training else 0.0
        if need_weights:
            mask = visible(q, k, mask, causal)
            out, weights = dot_product_attention(q, k, v, mask, lambda weights: F.dropout(weights, p))
        else:
            out, weights = fused_attention(q, k, v, mask, causal, p), None
        if head_mask is not None:
            out = out * head_mask[:, None, None]  # (..., H, T, D) * (H, 1, 1)
        return self.out_proj(merge_heads(out)), weights  # (..., T, C)


def fused_attention(q, k, v, mask=None, causal=False, dropout_p=0.0):
    """Compute the output of `dot_product_attention` in one kernel, whose memory grows with T instead of T * S.

    NB: PyTorch falls back to the separate steps, which need T * S, if dropout is active on a CPU or if there is not
    exactly one batch axis. A mask may need T * S too.

    Shapes: q (B, H, T, D), k and v (B, H, S, D), mask broadcastable to (B, H, T, S) -> (B, H, T, D)
    Source: notebook 05
    """
    if mask is None:
        if causal:
            require.as_many(q.size(-2), k.size(-2))
        return F.scaled_dot_product_attention(q, k, v, None, dropout_p=dropout_p, is_causal=causal)
    mask = visible(q, k, mask, causal)
    if EMPTY_ROWS_GIVE_ZEROS:
        return F.scaled_dot_product_attention(q, k, v, mask, dropout_p=dropout_p)
    empty = ~mask.any(dim=-1, keepdim=True)  # such a row may attend to all keys; its output is zeroed below
    mask = (mask | empty).expand(*mask.shape[:-1], k.size(-2))  # PyTorch 2.4 misreads (T, 1) in bfloat16
    out = F.scaled_dot_product_attention(q, k, v, mask, dropout_p=dropout_p)
    return out.masked_fill(empty, 0.0) if empty.is_meta or empty.any() else out


def visible(q, k, mask, causal):
    """Combine `mask` with a causal mask if `causal` is true; return None if nothing is hidden."""
    if mask is not None:
        require.mask(mask, q[..., :1].expand(*q.shape[:-1], k.size(-2)))  # a view of the scores' shape, no scores
        mask = torch.atleast_2d(mask)  # (S,) -> (1, S): SDPA wants an axis of queries
    if not causal:
        return mask
    require.as_many(q.size(-2), k.size(-2))
    past = causal_mask(q.size(-2), q.device)
    return past if mask is None else mask & past
