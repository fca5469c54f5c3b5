"""Positions that attention itself knows: queries and keys that turn, and numbers that are added to the scores.

Rotary positions turn each pair of features further with every position: the score of a query and a key that are both
turned depends on their distance alone. ALiBi and T5 add to each score a number for the distance from query to key.
"""

import math

import torch
from torch import nn

from helpers import require
from helpers.attention import dot_product_attention
from helpers.heads import MultiHeadAttention, merge_heads, visible
from helpers.masks import causal_mask, masked_softmax

# ---------------------------------------------------------------- rotary: features that turn


def rotate_pairs(x, positions, base=10000.0):
    """Turn features 2i and 2i + 1 together, the first pair fastest: rotary positions as first published.

    Shapes: x (..., T, D), positions (T,), whole numbers or floats -> (..., T, D)
    Units:  pair i turns by position * base**(-2i / D) radians; lengths stay as they are
    Errors: TypeError or ValueError if x has no floats or an odd D, or positions do not fit
    Source: Su et al. 2021, "RoFormer", section 3.2; notebook 09
    """
    require.turnable(x, positions)
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)  # (..., T, D) -> (..., T, D / 2, 2) -> two of (..., T, D / 2)
    return torch.stack(_turned(a, b, positions, base), dim=-1).flatten(-2)  # (..., T, D)


def rotate_halves(x, positions, base=10000.0):
    """Turn features i and i + D / 2 together: the same with the features in another order.

    Shapes: x (..., T, D), positions (T,), whole numbers or floats -> (..., T, D)
    Units:  as in `rotate_pairs`
    Errors: as `rotate_pairs`
    Source: the order in the published weights of Llama; notebook 09
    """
    require.turnable(x, positions)
    a, b = x.chunk(2, dim=-1)  # (..., T, D / 2) each
    return torch.cat(_turned(a, b, positions, base), dim=-1)  # (..., T, D)


def rotate_first(x, positions, width, base=10000.0):
    """Turn the first `width` features in halves, and leave the others as they are: partial rotary positions.

    Shapes: x (..., T, D), positions (T,) -> (..., T, D)
    Units:  as in `rotate_pairs`, with `width` for D
    Errors: as `rotate_pairs`; ValueError if the width is odd or above D
    Source: Black et al. 2022, "GPT-NeoX-20B"; notebook 09
    """
    D = require.shape(x, "... D")["D"]
    require.sizes(width=width)
    require.that(width <= D, "width must be at most the number of features of x", f"{width} for x {tuple(x.shape)}")
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
    require.head_rows(weight, num_heads, even=True)
    return weight.unflatten(0, (num_heads, -1, 2)).transpose(1, 2).flatten(0, 2)  # (H, D / 2, 2, C) -> (H, 2, D / 2, C)


def rotary_step(q, k, v, past=None):
    """Causal attention with positions turned in pairs that goes on after a past.

    The past holds keys that are already turned: a key keeps its position, so it is never turned again.

    Shapes: q, k, v (B, H, T, D), not yet turned; past (keys, values), (B, H, P, D) each, or None
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


# ---------------------------------------------------------------- biases: numbers that are added to the scores


def biased_attention(q, k, v, bias, mask=None):
    """`dot_product_attention` with a bias that is added to the scores.

    Shapes: q (..., T, D), k (..., S, D), v (..., S, Dv), bias and mask broadcastable to (..., T, S)
            -> out (..., T, Dv), weights (..., T, S)
    Units:  the bias is not divided by sqrt(D); weights sum to 1 over S, to 0 where a row is fully masked
    Errors: TypeError or ValueError if q, k, v, bias or mask do not fit
    Source: Press et al. 2022; Raffel et al. 2020, section 2.1; notebook 09
    """
    require.qkv(q, k, v)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (..., T, S)
    require.floats(bias, "bias")
    require.broadcasts(bias, scores, "bias")
    weights = masked_softmax(scores + bias.to(scores.dtype), mask)
    return weights @ v, weights  # (..., T, Dv), (..., T, S)


# ---------------------------------------------------------------- ALiBi: a penalty in proportion to the distance


def alibi_slopes(num_heads, device=None):
    """How fast each head's scores fall with distance: 2**(-8 / H), 2**(-16 / H), ... down to 1 / 256.

    Where H is no power of two, those of the next lower power P come first, then every other one of 2P.

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
    return -alibi_slopes(num_heads, device)[:, None, None] * _distances(T, S, device)  # (H, 1, 1) * (T, S)


def _distances(T, S, device):
    """How far each key lies before each query: (T, S), negative where it comes later."""
    require.latest(T, S)
    return torch.arange(S - T, S, device=device)[:, None] - torch.arange(S, device=device)  # (T, 1) - (S,)


# ---------------------------------------------------------------- T5: a learned number for each range of distances


def distance_buckets(distance, num_buckets=32, max_distance=128):
    """Number the ranges of distances: half of them hold a single distance, the others grow wider up to max_distance.

    Shapes: distance (...), whole numbers of at least 0 -> (...), from 0 to num_buckets - 1
    Errors: TypeError or ValueError unless there are at least 2 buckets, and half of them end before max_distance
    Source: Raffel et al. 2020, section 2.1; notebook 09
    """
    require.buckets(num_buckets, max_distance)
    single = num_buckets // 2
    times = distance.clamp(min=single).float() / single  # how many times the last single distance
    share = times.log() / math.log(max_distance / single)  # from 0 at that distance to 1 at max_distance
    ranged = single + (share * (num_buckets - single)).long()
    return torch.where(distance < single, distance, ranged.clamp(max=num_buckets - 1))


class RelativeBias(nn.Module):
    """A learned bias for each bucket of distances and each head.

    All buckets are for keys that came before; if bidirectional, as in an encoder, the upper half is for later keys.

    Shapes: T, S -> (H, T, S); the queries are the last T of S positions
    Units:  in T5 scores are not divided by sqrt(D); `ports` puts that into the query projection
    Errors: TypeError or ValueError if a size makes no sense, or T > S
    Source: Raffel et al. 2020, section 2.1; notebook 09
    """

    def __init__(self, num_heads, num_buckets=32, max_distance=128, bidirectional=False):
        super().__init__()
        require.sizes(num_heads=num_heads, num_buckets=num_buckets)
        self.one_way = num_buckets // 2 if bidirectional else num_buckets
        require.buckets(self.one_way, max_distance)
        self.max_distance, self.bidirectional = max_distance, bidirectional
        self.table = nn.Parameter(torch.randn(num_buckets, num_heads) / math.sqrt(num_heads))

    def forward(self, T, S):
        buckets = self.buckets(_distances(T, S, self.table.device))
        return self.table[buckets].movedim(-1, 0)  # (T, S, H) -> (H, T, S)

    def buckets(self, distances):
        """The row of the table for each distance from a query back to a key; negative if the key comes later.

        Shapes: (...) -> (...)
        Source: notebook 09
        """
        if not self.bidirectional:
            return distance_buckets(distances.clamp(min=0), self.one_way, self.max_distance)
        return distance_buckets(distances.abs(), self.one_way, self.max_distance) + self.one_way * (distances < 0)


# ---------------------------------------------------------------- modules


class RotaryAttention(MultiHeadAttention):
    """Multi-head attention with rotary positions in pairs; the queries are the last T of S positions.

    NB: the decoder's cache keeps keys as they are projected, so all of them are turned in each step; `rotary_step`
    turns each key once.

    Shapes: as `MultiHeadAttention`
    Units:  turn may be replaced by `rotate_halves`, if the weights are reordered; base may be raised for longer texts
    Source: Su et al. 2021; notebook 09
    """

    turn, base = staticmethod(rotate_pairs), 10000.0

    def attend(self, q, k, v, *options):
        T, S = q.size(-2), k.size(-2)
        positions = torch.arange(S, device=k.device)
        q, k = self.turn(q, positions[S - T :], self.base), self.turn(k, positions, self.base)
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
