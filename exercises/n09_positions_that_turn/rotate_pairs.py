"""rotate_pairs: the reference; the page next to it says the rest."""

import torch

from exercises.n09_positions_that_turn.rotary import rotation_exercise, turned_by


def rotate_pairs(x, positions, base=10000.0):
    """Turn each pair of neighboring features by an angle that grows with the position.

    Shapes: x (..., T, D), positions (T,) -> (..., T, D)
    Units:  position * base**(-2i / D) radians for the features 2i and 2i + 1
    Source: Su et al. 2021; notebook 09
    """
    D = x.size(-1)
    frequencies = base ** (-torch.arange(0, D, 2, device=x.device) / D)  # (D/2,)
    angles = positions[:, None] * frequencies  # (T, D/2)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = x[..., 0::2], x[..., 1::2]  # (..., T, D/2)
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)


def turned(case):
    return turned_by(case, lambda x: (x[..., 0::2], x[..., 1::2]))


EXERCISE = rotation_exercise(rotate_pairs)
