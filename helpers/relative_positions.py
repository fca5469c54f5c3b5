"""Positions inside attention: rotated queries and keys, and biases that are added to the scores.

Rotary positions rotate each pair of features by an angle that grows with the position, so that the score of a query
and a key depends only on their distance. ALiBi adds to each score a penalty for the distance from query to key.
"""

import math

import torch

from helpers import require
from helpers.attention import dot_product_attention
from helpers.heads import MultiHeadAttention, merge_heads, visible
from helpers.masks import causal_mask, masked_softmax

# ---------------------------------------------------------------- rotary positions


def rotate_pairs(x, positions, base=10000.0):
    """Rotate features 2i and 2i + 1 together, the first pair fastest: rotary positions as first published.

    Shapes: x (..., T, D), positions (T,), whole numbers or floats -> (..., T, D)
    Units:  pair i rotates by position * base**(-2i / D) radians; lengths do not change
    Errors: TypeError or ValueError if x is not floating, D is odd, or positions do not fit
    Source: Su et al. 2021, "RoFormer", section 3.2; notebook 09
    """
    require.turnable(x, positions)
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)  # (..., T, D) -> (..., T, D / 2, 2) -> two of (..., T, D / 2)
    return torch.stack(_rotated(a, b, positions, base), dim=-1).flatten(-2)  # (..., T, D)


def rotate_halves(x, positions, base=10000.0):
    """Rotate features i and i + D / 2 together: the same as `rotate_pairs`, with the features in another order.

    Shapes: x (..., T, D), positions (T,), whole numbers or floats -> (..., T, D)
    Units:  as in `rotate_pairs`
    Errors: as `rotate_pairs`
    Source: the order in the published weights of Llama; notebook 09
    """
    require.turnable(x, positions)
    a, b = x.chunk(2, dim=-1)  # (..., T, D / 2) each
    return torch.cat(_rotated(a, b, positions, base), dim=-1)  # (..., T, D)


def rotate_first(x, positions, width, base=10000.0):
    """Rotate the first `width` features in halves, and leave the others unchanged: partial rotary positions.

    Shapes: x (..., T, D), positions (T,) -> (..., T, D)
    Units:  as in `rotate_pairs`, with `width` instead of D
    Errors: as `rotate_pairs`; ValueError if the width is odd or above D
    Source: Black et al. 2022, "GPT-NeoX-20B"; notebook 09
    """
    D = require.shape(x, "... D")["D"]
    require.sizes(width=width)
    require.that(width <= D, "width must be at most the number of features of x", f"{width} for x {tuple(x.shape)}")
    turned, rest = x[..., :width], x[..., width:]
    return torch.cat([rotate_halves(turned, positions, base), rest], dim=-1)  # (..., T, D)


def _rotated(a, b, positions, base):
    """The points (a, b) rotated around (0, 0)."""
    # In float64: float32 would lose digits of large angles. The sines are as exact as x, in float32 at least.
    pair = torch.arange(a.size(-1), dtype=torch.float64, device=a.device)
    angle = positions.double()[:, None] * base ** (-pair / a.size(-1))  # (T, 1) * (D / 2,) -> (T, D / 2)
    exact = torch.promote_types(a.dtype, torch.float32)
    cos, sin = angle.cos().to(exact), angle.sin().to(exact)
    return (a * cos - b * sin).to(a.dtype), (a * sin + b * cos).to(a.dtype)


def pairs_to_halves(weight, num_heads):
    """Reorder the rows of a query or key projection made for `rotate_pairs`, so that it fits `rotate_halves`.

    In each head the rows 0, 2, 4, ... come first, then 1, 3, 5, ...; the scores stay the same.

    Shapes: weight (H * D, C), or a bias (H * D,) -> the same
    Errors: TypeError or ValueError if the number of rows for each head is not even
    Source: notebook 09
    """
    require.head_rows(weight, num_heads, even=True)
    return weight.unflatten(0, (num_heads, -1, 2)).transpose(1, 2).flatten(0, 2)  # (H, D / 2, 2, C) -> (H, 2, D / 2, C)


def rotary_step(q, k, v, past=None):
    """Causal attention with rotary positions in pairs that continues after a past.

    The past holds keys that are already rotated: a key keeps its position, so it is never rotated again.

    Shapes: q, k, v (B, H, T, D), not yet rotated; past (keys, values), (B, H, P, D) each, or None
            -> out (B, H, T, D), (keys, values) of (B, H, P + T, D) each
    Errors: TypeError or ValueError if q, k, v or past do not fit
    Source: notebook 09
    """
    P = require.keys_and_values(past, k)
    positions = torch.arange(P, P + k.size(-2), device=k.device)
    q, k = rotate_pairs(q, positions), rotate_pairs(k, positions)
    if past is not None:
        k, v = (torch.cat(pair, dim=-2) for pair in zip(past, (k, v), strict=True))  # (B, H, P + T, D) each
    out, _ = dot_product_attention(q, k, v, causal_mask(q.size(-2), q.device, past=P))
    return out, (k, v)


# ---------------------------------------------------------------- biases added to the scores


def biased_attention(q, k, v, bias, mask=None):
    """`dot_product_attention` with a bias that is added to the scores.

    Shapes: q (..., T, D), k (..., S, D), v (..., S, Dv), bias and mask broadcastable to (..., T, S)
            -> out (..., T, Dv), weights (..., T, S)
    Units:  the bias is not divided by sqrt(D); weights sum to 1 over S, or to 0 where a row is fully masked
    Errors: TypeError or ValueError if q, k, v, bias or mask do not fit
    Source: Press et al. 2022; Raffel et al. 2020, section 2.1; notebook 09
    """
    require.qkv(q, k, v)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (..., T, S)
    require.floats(bias, "bias")
    require.broadcasts(bias, scores, "bias")
    weights = masked_softmax(scores + bias.to(scores.dtype), mask)
    return weights @ v, weights  # (..., T, Dv), (..., T, S)


# ---------------------------------------------------------------- ALiBi: a penalty proportional to the distance


def alibi_slopes(num_heads, device=None):
    """How fast each head's scores fall with the distance: 2**(-8 / H), 2**(-16 / H), ... down to 1 / 256.

    If H is not a power of two, the slopes for the next lower power P come first, then every other slope for 2P.

    Shapes: -> (H,), float32
    Errors: TypeError or ValueError if num_heads is not a whole number of at least 1
    Source: Press et al. 2022, section 3, and the code published with it; notebook 09
    """
    require.sizes(num_heads=num_heads)
    P = 2 ** (num_heads.bit_length() - 1)  # the largest power of two that is at most H
    powers = [8 * i / P for i in range(1, P + 1)] + [4 * i / P for i in range(1, 2 * (num_heads - P), 2)]
    return torch.tensor([2**-power for power in powers], dtype=torch.float32, device=device)


def alibi_bias(num_heads, T, S, device=None):
    """Minus the distance from query to key, times the slope of the head.

    Shapes: -> (H, T, S), float32; the queries are the last T of S positions
    Units:  0 for a query's own key; positive for later keys, which a causal mask has to hide
    Errors: TypeError or ValueError if a size is not a whole number of at least 1, or T > S
    Source: Press et al. 2022, section 3; notebook 09
    """
    return -alibi_slopes(num_heads, device)[:, None, None] * distances(T, S, device)  # (H, 1, 1) * (T, S)


def distances(T, S, device=None):
    """How far each key is before each query; negative for later keys.

    Shapes: -> (T, S), whole numbers; the queries are the last T of S positions
    Errors: TypeError or ValueError if a size is not a whole number of at least 1, or T > S
    Source: notebook 09
    """
    require.sizes(T=T, S=S)
    require.that(T <= S, "T must be at most S, since the queries are the last T of S positions", f"T = {T}, S = {S}")
    return torch.arange(S - T, S, device=device)[:, None] - torch.arange(S, device=device)  # (T, 1) - (S,)


# ---------------------------------------------------------------- modules


class RotaryAttention(MultiHeadAttention):
    """Multi-head attention with rotary positions in pairs; the queries are the last T of S positions.

    NB: the decoder's cache holds keys that are not rotated, so each step rotates all of them; `rotary_step` rotates
    each key once.

    Shapes: as `MultiHeadAttention`
    Units:  turn may be replaced by `rotate_halves` if the weights are reordered; base may be raised for longer texts
    Source: Su et al. 2021; notebook 09
    """

    turn, base = staticmethod(rotate_pairs), 10000.0

    def attend(self, q, k, v, *options):
        T, S = q.size(-2), k.size(-2)
        q = self.turn(q, torch.arange(S - T, S, device=q.device), self.base)
        k = self.turn(k, torch.arange(S, device=k.device), self.base)
        return super().attend(q, k, v, *options)


class AlibiAttention(MultiHeadAttention):
    """Multi-head attention with ALiBi's bias; the queries are the last T of S positions.

    Shapes: as `MultiHeadAttention`; the weights are always computed
    Source: Press et al. 2022; notebook 09
    """

    def attend(self, q, k, v, mask=None, causal=False, need_weights=False, head_mask=None):
        T, S = q.size(-2), k.size(-2)
        bias = alibi_bias(self.num_heads, T, S, q.device)
        out, weights = biased_attention(q, k, v, bias, visible(q, k, mask, causal))
        if head_mask is not None:
            out = out * head_mask[:, None, None]  # (..., H, T, D) * (H, 1, 1)
        return self.out_proj(merge_heads(out)), weights if need_weights else None


ATTENTION = {"rotary": RotaryAttention, "alibi": AlibiAttention}
