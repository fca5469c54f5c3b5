"""The course's own answer to exercise 13.5."""

import math

import torch


def test_heads(attention):
    """Head h is made of the h-th D rows of each projection, and out_proj reads it in its h-th D columns.

    Shapes: attention takes x (B, T, C) to out (B, T, C) and weights (B, H, T, T)
    """
    H, C = attention.num_heads, attention.q_proj.in_features
    x = torch.randn(2, 5, C)
    layers = (attention.q_proj, attention.k_proj, attention.v_proj)
    q, k, v = (layer(x).view(2, 5, H, C // H).transpose(1, 2) for layer in layers)  # (B, H, T, D)
    right = (q @ k.transpose(-2, -1) / math.sqrt(C // H)).softmax(-1)
    out, weights = attention(x)
    assert (weights - right).abs().max() < 1e-4, "the weights of a head"
    heads = (right @ v).transpose(1, 2).reshape(2, 5, C)  # side by side
    assert (out - attention.out_proj(heads)).abs().max() < 1e-4, "the values of a head, or what becomes of them"
