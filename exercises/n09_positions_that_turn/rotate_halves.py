"""rotate_halves: the reference; the page next to it says the rest."""

import torch

from exercises.n09_positions_that_turn.rotary import rotation_exercise, turned_by


def rotate_halves(x, positions, base=10000.0):
    """Turn feature i together with feature i + D/2, by an angle that grows with the position.

    Shapes: x (..., T, D), positions (T,) -> (..., T, D)
    Units:  position * base**(-2i / D) radians for the features i and i + D/2
    Source: Su et al. 2021, in the order of most models in transformers; notebook 09
    """
    D = x.size(-1)
    frequencies = base ** (-torch.arange(0, D, 2, device=x.device) / D)  # (D/2,)
    angles = positions[:, None] * frequencies  # (T, D/2)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = x.chunk(2, dim=-1)  # (..., T, D/2)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


def turned(case):
    return turned_by(case, lambda x: x.chunk(2, dim=-1))


EXERCISE = rotation_exercise(rotate_halves)
