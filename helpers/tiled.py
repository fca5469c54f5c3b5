"""Attention in tiles: exact, but without ever storing the whole T x S table of scores or weights.

This is the algorithm of FlashAttention without the fused kernel that makes it fast.
"""

import math

import torch

from helpers import require

INF = float("inf")


def tiled_attention(q, k, v, tile=64, causal=False):
    """Attention that reads `tile` queries and `tile` keys at a time, in the forward and in the backward pass.

    Between the two, it keeps out and lse, but no weights.

    Shapes: q (..., T, D), k (..., S, D), v (..., S, Dv) -> out (..., T, Dv), lse (..., T)
    Units:  scores are divided by sqrt(D); lse is the logarithm of the sum of exp(scores), in float32 at least
    Errors: TypeError or ValueError if q, k and v do not fit, tile is below 1, or causal is True and T is not S
    Source: Dao et al. 2022, "FlashAttention"; Rabe and Staats 2021; notebook 12
    """
    return TiledAttention.apply(q, k, v, tile, causal)


class TiledAttention(torch.autograd.Function):
    """The forward and backward pass of `tiled_attention` for autograd, and what is saved between them.

    Source: notebook 12
    """

    @staticmethod
    def forward(ctx, q, k, v, tile, causal):
        out, lse = tiled_forward(q, k, v, tile, causal)
        ctx.save_for_backward(q, k, v, out, lse)
        ctx.tile, ctx.causal = tile, causal
        return out, lse

    @staticmethod
    def backward(ctx, d_out, d_lse):
        return *tiled_backward(*ctx.saved_tensors, d_out, ctx.tile, ctx.causal, d_lse), None, None


def tiled_forward(q, k, v, tile=64, causal=False):
    """The forward pass: for each tile of queries, an online softmax over the tiles of keys.

    Shapes: as `tiled_attention`
    Units:  as `tiled_attention`; maxima and sums are kept in float32 at least
    Errors: as `tiled_attention`
    Source: Dao 2023, "FlashAttention-2", algorithm 1; notebook 12
    """
    require.tiled(q, k, v, tile, causal)
    exact = torch.promote_types(q.dtype, torch.float32)
    out = q.new_empty(*q.shape[:-1], v.size(-1))
    lse = q.new_empty(q.shape[:-1], dtype=exact)
    for rows, columns in tiles(q.size(-2), k.size(-2), tile, causal):
        largest = torch.full_like(lse[..., rows], -INF)  # (..., t)
        total = torch.zeros_like(largest)  # of exp(scores - largest)
        read = torch.zeros_like(out[..., rows, :], dtype=exact)  # (..., t, Dv), the sum of exp(scores - largest) * v
        for part in columns:
            scores = _scores(q, k, rows, part, causal)  # (..., t, s)
            new = torch.maximum(largest, scores.amax(dim=-1))
            shrink = (largest - new).exp()  # 0 at first, 1 where the maximum stays
            weights = (scores - new[..., None]).exp()  # not yet divided by their sum
            total = total * shrink + weights.sum(dim=-1)
            read = read * shrink[..., None] + weights @ v[..., part, :].to(exact)
            largest = new
        out[..., rows, :] = (read / total[..., None]).to(q.dtype)  # divided once, at the end
        lse[..., rows] = largest + total.log()
    return out, lse


def tiled_backward(q, k, v, out, lse, d_out, tile=64, causal=False, d_lse=None):
    """The backward pass: each tile of weights is recomputed as exp(scores - lse), used and discarded.

    Shapes: q, k, v, out and lse as in `tiled_attention`, d_out (..., T, Dv), d_lse (..., T) or None
            -> dq (..., T, D), dk (..., S, D), dv (..., S, Dv)
    Errors: as `tiled_attention`, and if out, lse or d_out do not fit
    Source: Dao et al. 2022, appendix B.2; notebook 12
    """
    require.tiled(q, k, v, tile, causal)
    pattern = "q ... T D, v ... S Dv, out ... T Dv, lse ... T, d_out ... T Dv"
    require.shapes(pattern, q, v, out, lse, d_out)
    exact = lse.dtype
    dq, dk, dv = (torch.zeros_like(x, dtype=exact) for x in (q, k, v))
    mean = (d_out.to(exact) * out.to(exact)).sum(dim=-1)  # the mean of d_weights, weighted by the weights
    if d_lse is not None:
        mean = mean - d_lse
    for rows, columns in tiles(q.size(-2), k.size(-2), tile, causal):
        d_rows = d_out[..., rows, :].to(exact)  # (..., t, Dv)
        for part in columns:
            weights = (_scores(q, k, rows, part, causal) - lse[..., rows, None]).exp()  # (..., t, s)
            d_weights = d_rows @ v[..., part, :].to(exact).transpose(-2, -1)  # (..., t, s)
            d_scores = weights * (d_weights - mean[..., rows, None]) / math.sqrt(q.size(-1))
            dq[..., rows, :] += d_scores @ k[..., part, :].to(exact)
            dk[..., part, :] += d_scores.transpose(-2, -1) @ q[..., rows, :].to(exact)
            dv[..., part, :] += weights.transpose(-2, -1) @ d_rows
    return dq.to(q.dtype), dk.to(k.dtype), dv.to(v.dtype)


def tiles(T, S, tile, causal=False):
    """The tiles that are read, in order: for each slice of queries, the slices of its keys.

    With causal=True, a tile is skipped if all its keys come later than all its queries, as in nearly half of them.

    Shapes: -> a list of (slice of queries, list of slices of keys)
    Source: notebook 12
    """
    rows = [slice(start, min(start + tile, T)) for start in range(0, T, tile)]
    columns = [slice(start, min(start + tile, S)) for start in range(0, S, tile)]
    return [(row, [part for part in columns if not causal or part.start < row.stop]) for row in rows]


def _scores(q, k, rows, part, causal):
    """The scores of one tile, (..., t, s), -inf where the key is later than the query."""
    exact = torch.promote_types(q.dtype, torch.float32)
    scores = q[..., rows, :].to(exact) @ k[..., part, :].to(exact).transpose(-2, -1) / math.sqrt(q.size(-1))
    if not causal or part.stop <= rows.start + 1:  # all of these keys are seen
        return scores
    queries, keys = (torch.arange(part.start, part.stop, device=q.device) for part in (rows, part))
    return scores.masked_fill(keys > queries[:, None], -INF)
