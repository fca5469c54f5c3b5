"""Attention in parts: the result for some of the keys is merged with the result for the others.

Besides its output, each row has lse, the logarithm of the sum of exp(scores), which says how much its keys count.
"""

import math

import torch

from helpers import require
from helpers.masks import masked_softmax

INF = float("inf")


def partial_attention(q, k, v, mask=None):
    """Attention to some of the keys, with the lse that is needed to merge it with attention to the others.

    Shapes: q (..., T, D), k (..., S, D), v (..., S, Dv), mask broadcastable to (..., T, S), True = may attend
            -> out (..., T, Dv), lse (..., T)
    Units:  a row that sees nothing has out 0 and lse -inf
    Errors: TypeError or ValueError if q, k, v or mask do not fit
    Source: notebook 12
    """
    require.qkv(q, k, v)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (..., T, S)
    out = masked_softmax(scores, mask) @ v  # (..., T, Dv)
    if mask is not None:
        scores = scores.masked_fill(~mask, -INF)
    return out, scores.logsumexp(dim=-1)


def merge(out_a, lse_a, out_b, lse_b):
    """Merge attention to two sets of keys; each result is weighted by its share of the sum of exp(scores).

    This also merges results from several devices, or from a prefix that many texts share.

    Shapes: out_a and out_b (..., T, D), lse_a and lse_b (..., T) -> out (..., T, D), lse (..., T)
    Units:  lse is the logarithm of the sum of exp(scores); where it is -inf, nothing was seen, and out is ignored
    Errors: TypeError if they are not floats; ValueError if the shapes do not fit
    Source: Dao et al. 2022, section 3.1; Juravsky et al. 2024 for prefixes; notebook 12
    """
    require.shapes("out_a ... T D, lse_a ... T, out_b ... T D, lse_b ... T", out_a, lse_a, out_b, lse_b)
    largest = torch.maximum(lse_a, lse_b).detach()  # the result does not depend on it
    nothing = largest == -INF
    base = largest.masked_fill(nothing, 0.0)
    a, b = (lse_a - base).exp(), (lse_b - base).exp()  # (..., T)
    total = (a + b).masked_fill(nothing, 1.0)  # at least 1
    # Filled, not multiplied by 0: the output of a row that saw nothing may be NaN.
    out_a = out_a.masked_fill((lse_a == -INF)[..., None], 0.0)
    out_b = out_b.masked_fill((lse_b == -INF)[..., None], 0.0)
    out = (a / total)[..., None] * out_a + (b / total)[..., None] * out_b
    return out.to(out_a.dtype), (base + total.log()).masked_fill(nothing, -INF)
