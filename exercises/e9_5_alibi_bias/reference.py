"""The course's own answer to exercise 9.5."""

import torch


def alibi_bias(num_heads, T, S):
    """What ALiBi adds to the scores: the further away a key, the less it counts.

    Shapes: -> (H, T, S), float32; the queries are the last T of S positions
    Units:  -slope * distance, the slopes of the heads being 2**(-8(h + 1) / H)
    Source: Press et al. 2022; notebook 09
    """
    slopes = 2.0 ** (-8 * torch.arange(1, num_heads + 1) / num_heads)  # (H,)
    distance = torch.arange(S - T, S)[:, None] - torch.arange(S)  # (T, S): query minus key
    return -slopes[:, None, None] * distance
