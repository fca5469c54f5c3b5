"""The code of exercise 5.6, one line of which is wrong."""

import math


def attend_flattened(q, k, v, mask):
    """Attention of all heads, with items and heads in one axis.

    Shapes: q (B, H, T, D), k (B, H, S, D), v (B, H, S, D), mask (B, T, S)
            -> out (B, H, T, D), weights (B, H, T, S)
    """
    B, H, _, D = q.shape
    q, k, v = (z.flatten(0, 1) for z in (q, k, v))  # (B * H, T or S, D)
    mask = mask.repeat(H, 1, 1)  # (B * H, T, S)
    scores = q @ k.transpose(-2, -1) / math.sqrt(D)
    weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)
    return (weights @ v).unflatten(0, (B, H)), weights.unflatten(0, (B, H))
