"""Positions as numbers that are added to the scores: a number for each distance from query to key, and each head."""

import math

import torch
from torch import nn

from helpers.masks import masked_softmax
from helpers.require import require_qkv, require_sizes
from helpers.require_today import require_bias, require_buckets, require_latest


def biased_attention(q, k, v, bias, mask=None):
    """`dot_product_attention` with a bias that is added to the scores.

    Shapes: q (..., T, D), k (..., S, D), v (..., S, Dv), bias and mask broadcastable to (..., T, S)
            -> out (..., T, Dv), weights (..., T, S)
    Units:  the bias is not divided by sqrt(D); weights sum to 1 over S, to 0 where a row is fully masked
    Errors: TypeError or ValueError if q, k, v, bias or mask do not fit
    Source: Press et al. 2022; Raffel et al. 2020, section 2.1; notebook 09
    """
    require_qkv(q, k, v)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (..., T, S)
    require_bias(bias, scores)
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
    require_sizes(num_heads=num_heads)
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
    require_latest(T, S)
    return torch.arange(S - T, S, device=device)[:, None] - torch.arange(S, device=device)  # (T, 1) - (S,)


# ---------------------------------------------------------------- T5: a learned number for each range of distances


def distance_buckets(distance, num_buckets=32, max_distance=128):
    """Number the ranges of distances: half of them hold a single distance, the others grow wider up to max_distance.

    Shapes: distance (...), whole numbers of at least 0 -> (...), from 0 to num_buckets - 1
    Errors: TypeError or ValueError unless there are at least 2 buckets, and half of them end before max_distance
    Source: Raffel et al. 2020, section 2.1; notebook 09
    """
    require_buckets(num_buckets, max_distance)
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
        require_sizes(num_heads=num_heads, num_buckets=num_buckets)
        self.one_way = num_buckets // 2 if bidirectional else num_buckets
        require_buckets(self.one_way, max_distance)
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
