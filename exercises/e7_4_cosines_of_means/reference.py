"""The course's own answer to exercise 7.4."""

import torch.nn.functional as F


def cosines_of_means(hidden, mask):
    """The cosines of all pairs of texts, each text being the mean of its real tokens.

    Shapes: hidden (B, T, C), mask (B, T), bool, True = real token -> (B, B)
    """
    real = mask[..., None]  # (B, T, 1)
    means = (hidden * real).sum(dim=1) / real.sum(dim=1)  # (B, C)
    means = F.normalize(means, dim=-1)
    return means @ means.T
