"""The course's own answer to exercise 12.2."""

import math

import torch


def tiled_attention(q, k, v, tile, causal=False):
    """Attention that reads `tile` keys at a time.

    Shapes: q (B, H, T, D), k and v (B, H, S, D) -> out (B, H, T, D), lse (B, H, T)
    Units:  lse is the logarithm of the sum of exp(scores)
    Source: Dao et al. 2022, "FlashAttention"; notebook 12
    """
    largest = q.new_full(q.shape[:-1], -torch.inf)  # (B, H, T)
    total, read = q.new_zeros(q.shape[:-1]), torch.zeros_like(q)
    queries = torch.arange(q.size(-2), device=q.device)
    for start in range(0, k.size(-2), tile):
        part_k, part_v = k[..., start : start + tile, :], v[..., start : start + tile, :]
        scores = q @ part_k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, H, T, tile)
        if causal:
            keys = torch.arange(start, start + part_k.size(-2), device=q.device)
            scores = scores.masked_fill(keys > queries[:, None], -torch.inf)
        new = torch.maximum(largest, scores.amax(dim=-1))
        shrink, weights = (largest - new).exp(), (scores - new[..., None]).exp()
        total = total * shrink + weights.sum(dim=-1)
        read = read * shrink[..., None] + weights @ part_v
        largest = new
    return read / total[..., None], largest + total.log()
