"""The course's own answer to exercise 13.7."""

import torch
import torch.nn.functional as F


def attend_with_bias(q, k, v, bias):
    """Attend to the past, with a bias for each key.

    Shapes: q (B, H, T, D), k and v (B, H, S, D), bias (B, H, 1, S) -> (B, H, T, D)
    """
    T, S = q.size(-2), k.size(-2)
    future = torch.ones(T, S, dtype=torch.bool, device=q.device).triu(diagonal=1 + S - T)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=bias.masked_fill(future, -torch.inf))
