"""The course's own answer to exercise 9.4."""

import torch

from helpers.rotary import rotate_pairs


def rotary_step(q, k, v, past=None):
    """Causal attention of new tokens to a past and to each other; the past holds keys that are turned already.

    Shapes: q, k, v (B, H, T, D) -> out (B, H, T, D), and (keys, values) (B, H, S, D) for the next call
    Source: notebook 09
    """
    old = 0 if past is None else past[0].size(-2)
    T, D = q.shape[-2:]
    positions = torch.arange(old, old + T, device=q.device)
    q, k = rotate_pairs(q, positions), rotate_pairs(k, positions)
    if past is not None:
        k, v = torch.cat([past[0], k], dim=-2), torch.cat([past[1], v], dim=-2)
    mask = torch.ones(T, old + T, dtype=torch.bool, device=q.device).tril(old)
    scores = (q @ k.transpose(-2, -1) / D**0.5).masked_fill(~mask, float("-inf"))
    return scores.softmax(dim=-1) @ v, (k, v)
