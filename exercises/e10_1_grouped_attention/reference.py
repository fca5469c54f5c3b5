"""The course's own answer to exercise 10.1."""

import math


def grouped_attention(q, k, v, mask=None):
    """Several query heads share the keys and values of a group.

    Shapes: q (B, H, T, D), k and v (B, G, S, D), mask broadcastable to (B, H, T, S)
            -> out (B, H, T, D), weights (B, H, T, S)
    Source: Ainslie et al. 2023; notebook 10
    """
    size = q.size(1) // k.size(1)  # H / G query heads read one key head
    k, v = k.repeat_interleave(size, dim=1), v.repeat_interleave(size, dim=1)  # (B, H, S, D)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    weights = scores.softmax(dim=-1)
    return weights @ v, weights
