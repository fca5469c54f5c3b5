"""The course's own answer to exercise 3.8."""

import math

import torch


def center_and_attend(x, W_query, W_key, W_value):
    """Subtract from each word the mean of its features, then let it read itself and its past.

    Shapes: x (..., T, d_in), each matrix (d_in, D) -> out (..., T, D), weights (..., T, T)
    """
    x = x - x.mean(dim=-1, keepdim=True)
    q, k, v = x @ W_query, x @ W_key, x @ W_value
    mask = torch.ones(x.size(-2), x.size(-2), dtype=torch.bool, device=x.device).tril()
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)
    return weights @ v, weights
