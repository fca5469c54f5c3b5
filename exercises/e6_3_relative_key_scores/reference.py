"""The course's own answer to exercise 6.3."""

import torch


def relative_key_scores(q, distance_embedding):
    """What the distance from query to key adds to each score.

    Shapes: q (B, H, T, D), distance_embedding (2M - 1, D) -> (B, H, T, T)
    Units:  q_i . E[i - j + M - 1], not scaled
    Source: Shaw et al. 2018; notebook 06
    """
    T, M = q.size(-2), (len(distance_embedding) + 1) // 2
    positions = torch.arange(T, device=q.device)
    distance = positions[:, None] - positions  # (T, T): query minus key
    return torch.einsum("bhtd,tsd->bhts", q, distance_embedding[distance + M - 1])
