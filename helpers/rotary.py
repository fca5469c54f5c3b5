"""Positions that turn: each pair of features is a point in the plane, which turns further with every position.

The score of a query and a key that are both turned depends on their distance alone, wherever they stand.
"""

import torch

from helpers.attention import dot_product_attention
from helpers.masks import causal_mask
from helpers.require import require_cache
from helpers.require_today import require_head_weight, require_rotation, require_width


def rotate_pairs(x, positions, base=10000.0):
    """Turn features 2i and 2i + 1 together, the first pair fastest: rotary positions as first published.

    Shapes: x (..., T, D), positions (T,), whole numbers or floats -> (..., T, D)
    Units:  pair i turns by position * base**(-2i / D) radians; lengths stay as they are
    Errors: TypeError or ValueError if x has no floats or an odd D, or positions do not fit
    Source: Su et al. 2021, "RoFormer", section 3.2; notebook 09
    """
    require_rotation(x, positions)
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)  # (..., T, D) -> (..., T, D / 2, 2) -> two of (..., T, D / 2)
    return torch.stack(_turned(a, b, positions, base), dim=-1).flatten(-2)  # (..., T, D)


def rotate_halves(x, positions, base=10000.0):
    """Turn features i and i + D / 2 together: the same with the features in another order.

    Shapes: x (..., T, D), positions (T,), whole numbers or floats -> (..., T, D)
    Units:  as in `rotate_pairs`
    Errors: as `rotate_pairs`
    Source: the order in the published weights of Llama; notebook 09
    """
    require_rotation(x, positions)
    a, b = x.chunk(2, dim=-1)  # (..., T, D / 2) each
    return torch.cat(_turned(a, b, positions, base), dim=-1)  # (..., T, D)


def rotate_first(x, positions, width, base=10000.0):
    """Turn the first `width` features in halves, and leave the others as they are: partial rotary positions.

    Shapes: x (..., T, D), positions (T,) -> (..., T, D)
    Units:  as in `rotate_pairs`, with `width` for D
    Errors: as `rotate_pairs`; ValueError if the width is odd or above D
    Source: Black et al. 2022, "GPT-NeoX-20B"; notebook 09
    """
    require_width(x, width)
    turned, rest = x[..., :width], x[..., width:]
    return torch.cat([rotate_halves(turned, positions, base), rest], dim=-1)  # (..., T, D)


def _turned(a, b, positions, base):
    """The points (a, b) turned around (0, 0)."""
    # In float64: float32 would lose digits of large angles. The sines are as exact as x, in float32 at least.
    pair = torch.arange(a.size(-1), dtype=torch.float64, device=a.device)
    angle = positions.double()[:, None] * base ** (-pair / a.size(-1))  # (T, 1) * (D / 2,) -> (T, D / 2)
    exact = torch.promote_types(a.dtype, torch.float32)
    cos, sin = angle.cos().to(exact), angle.sin().to(exact)
    return (a * cos - b * sin).to(a.dtype), (a * sin + b * cos).to(a.dtype)


def pairs_to_halves(weight, num_heads):
    """Reorder the rows of a query or key projection made for `rotate_pairs`, so that `rotate_halves` fits it.

    In each head the rows 0, 2, 4, ... come first, then 1, 3, 5, ...: the scores stay the same.

    Shapes: weight (H * D, C), or a bias (H * D,) -> the same
    Errors: TypeError or ValueError if the rows are not an even number for each head
    Source: notebook 09
    """
    require_head_weight(weight, num_heads, even=True)
    return weight.unflatten(0, (num_heads, -1, 2)).transpose(1, 2).flatten(0, 2)  # (H, D / 2, 2, C) -> (H, 2, D / 2, C)


def rotary_step(q, k, v, past=None):
    """Causal attention with positions turned in pairs that goes on after a past.

    The past holds keys that are already turned: a key keeps its position, so it is never turned again.

    Shapes: q, k, v (B, H, T, D), not yet turned; past (keys, values), (B, H, P, D) each, or None
            -> out (B, H, T, D), (keys, values) of (B, H, P + T, D) each
    Errors: TypeError or ValueError if q, k, v or past do not fit
    Source: notebook 09
    """
    P = 0
    if past is not None:
        require_cache(past, k, None)
        P = past[0].size(-2)
    positions = torch.arange(P, P + k.size(-2), device=k.device)
    q, k = rotate_pairs(q, positions), rotate_pairs(k, positions)
    if past is not None:
        k, v = (torch.cat(pair, dim=-2) for pair in zip(past, (k, v), strict=True))  # (B, H, P + T, D) each
    out, _ = dot_product_attention(q, k, v, causal_mask(q.size(-2), q.device, past=P))
    return out, (k, v)
