"""Several heads: attention many times side by side, each with its own part of the projected q, k and v."""

import torch
import torch.nn.functional as F
from torch import nn

from helpers.attention import dot_product_attention, require_input, require_probability
from helpers.embeddings import require_sizes
from helpers.masks import causal_mask, require_mask

EMPTY_ROWS_GIVE_ZEROS = tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 5)  # in PyTorch's own attention


def split_heads(x, num_heads):
    """Cut the features of each position into heads, and put the heads in front of the positions.

    Shapes: x (..., T, C) -> (..., H, T, D), C = H * D
    Errors: ValueError if x has no positions or num_heads does not divide C
    Source: notebook 05
    """
    if x.dim() < 2:
        raise ValueError(f"x must be (..., T, C), got {tuple(x.shape)}")
    require_heads(x.size(-1), num_heads)
    return x.unflatten(-1, (num_heads, -1)).transpose(-3, -2)  # (..., T, C) -> (..., T, H, D) -> (..., H, T, D)


def merge_heads(x):
    """Put the heads of each position side by side again: the inverse of `split_heads`.

    Shapes: x (..., H, T, D) -> (..., T, C), C = H * D
    Errors: ValueError if x has fewer than three axes
    Source: notebook 05
    """
    if x.dim() < 3:
        raise ValueError(f"x must be (..., H, T, D), got {tuple(x.shape)}; there are no heads to merge")
    return x.transpose(-3, -2).flatten(-2)  # (..., H, T, D) -> (..., T, H, D) -> (..., T, C)


def require_heads(d_model, num_heads):
    """Raise unless d_model features can be shared out evenly among num_heads heads.

    Errors: TypeError if one is not a whole number; ValueError if one is below 1 or num_heads does not divide d_model
    Source: notebook 05
    """
    require_sizes(d_model=d_model, num_heads=num_heads)
    if d_model % num_heads:
        fitting = [n for n in range(1, d_model + 1) if d_model % n == 0]
        nearest = min(fitting, key=lambda n: (abs(n - num_heads), n))
        raise ValueError(
            f"num_heads must divide d_model, got {num_heads} heads for d_model = {d_model}; "
            f"a number near it that does is {nearest}"
        )


class MultiHeadAttention(nn.Module):
    """Each head attends with its own part of the projected q, k and v; out_proj mixes what they found.

    Shapes: x (..., T, C); context (..., S, C), x itself if None -> out (..., T, C)
            weights (..., H, T, S) with need_weights=True, else None
            mask broadcastable to (..., H, T, S), True = may attend; a mask for each item, (B, T, S),
            needs an axis for the heads: mask.unsqueeze(1)
    Units:  weights sum to 1 over S, to 0 where a row is fully masked; in training they are the weights
            used, after dropout
    Errors: TypeError or ValueError if x, context or mask do not fit; ValueError for causal with T != S
    Source: Vaswani et al. 2017, section 3.2.2; notebook 05
    """

    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        require_heads(d_model, num_heads)
        require_probability(dropout)
        self.num_heads, self.dropout = num_heads, dropout
        self.q_proj = nn.Linear(d_model, d_model, bias=bias)
        self.k_proj = nn.Linear(d_model, d_model, bias=bias)
        self.v_proj = nn.Linear(d_model, d_model, bias=bias)
        self.out_proj = nn.Linear(d_model, d_model, bias=bias)

    def forward(self, x, context=None, mask=None, causal=False, need_weights=False):
        context = x if context is None else context
        self._require(x, context, causal)
        return self.attend(*self.project(x, context), mask, causal, need_weights)

    def project(self, x, context):
        """The queries of x and the keys and values of the context, cut into heads: what a cache keeps.

        Shapes: x (..., T, C), context (..., S, C) -> q (..., H, T, D), k and v (..., H, S, D)
        Source: notebook 05; notebook 08 for the cache
        """
        q = split_heads(self.q_proj(x), self.num_heads)  # (..., H, T, D)
        k = split_heads(self.k_proj(context), self.num_heads)  # (..., H, S, D)
        v = split_heads(self.v_proj(context), self.num_heads)  # (..., H, S, D)
        return q, k, v

    def attend(self, q, k, v, mask=None, causal=False, need_weights=False, head_mask=None):
        """From queries, keys and values to the output; `forward` is `project`, then `attend`.

        Shapes: q (..., H, T, D), k and v (..., H, S, D) -> out (..., T, C), weights (..., H, T, S) or None
                head_mask (H,): 1 keeps a head, 0 silences it; the weights are those before it
        Source: notebook 05; Michel et al. 2019 for the head mask
        """
        attend = self._explicit if need_weights else self._fast
        out, weights = attend(q, k, v, mask, causal)  # (..., H, T, D), (..., H, T, S) or None
        if head_mask is not None:
            out = out * head_mask[:, None, None]  # (..., H, T, D) * (H, 1, 1)
        return self.out_proj(merge_heads(out)), weights  # (..., T, C)

    def _fast(self, q, k, v, mask, causal):
        """One fused kernel, whose memory grows with T and not with T * S. It never has the weights.

        NB: PyTorch falls back to the separate steps, which need T * S, if dropout is active on a CPU or if there is not
        exactly one batch axis. A mask may need T * S too.
        """
        hidden = {"is_causal": causal} if mask is None else {"attn_mask": _visible(q, k, mask, causal)}
        p = self.dropout if self.training else 0.0
        return _sdpa(q, k, v, dropout_p=p, **hidden), None

    def _explicit(self, q, k, v, mask, causal):
        """The same in steps that can be looked at: the formula of notebook 02."""
        mask = _visible(q, k, mask, causal)
        return dot_product_attention(q, k, v, mask, lambda weights: F.dropout(weights, self.dropout, self.training))

    def _require(self, x, context, causal):
        require_input(x, self.q_proj)
        if context is not x:
            require_input(context, self.k_proj, name="context")
        if x.shape[:-2] != context.shape[:-2]:
            raise ValueError(
                f"x and context must agree in all axes before the last two, got {tuple(x.shape)} and "
                f"{tuple(context.shape)}"
            )
        T, S = x.size(-2), context.size(-2)
        if causal and T != S:
            raise ValueError(
                f"causal=True needs as many queries as keys, got T = {T} and S = {S}: which key is "
                "'now' for a query would be a guess (PyTorch aligns both at the first position, a "
                "cache at the last); pass a mask of shape (T, S) that says it"
            )


def _sdpa(q, k, v, attn_mask=None, **options):
    """F.scaled_dot_product_attention; zeros where a row is fully masked; PyTorch before 2.5 gave NaN."""
    if attn_mask is None or EMPTY_ROWS_GIVE_ZEROS:
        return F.scaled_dot_product_attention(q, k, v, attn_mask, **options)
    empty = ~attn_mask.any(dim=-1, keepdim=True)  # such a row first reads all keys; its output becomes 0 below
    mask = (attn_mask | empty).expand(*attn_mask.shape[:-1], k.size(-2))  # 2.4 misreads (T, 1) in bfloat16
    out = F.scaled_dot_product_attention(q, k, v, mask, **options)
    return out.masked_fill(empty, 0.0) if empty.is_meta or empty.any() else out


def _visible(q, k, mask, causal):
    """The mask that hides what `mask` hides and, if causal, the future too; None where nothing is hidden."""
    T, S = q.size(-2), k.size(-2)
    if mask is not None:
        require_mask(mask, q[..., :1].expand(*q.shape[:-1], S))  # a view of the scores' shape, no scores
        mask = torch.atleast_2d(mask)  # (S,) -> (1, S): SDPA wants an axis of queries
    if not causal:
        return mask
    past = causal_mask(T, q.device)
    return past if mask is None else mask & past
