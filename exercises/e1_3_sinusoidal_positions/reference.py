"""The course's own answer to exercise 1.3."""

import torch


def sinusoidal_positions(length, d_model):
    """Give every position its own pattern of waves, fast on the left and slow on the right.

    Shapes: -> (length, d_model), float32: even columns sin, odd columns cos
    Source: Vaswani et al. 2017, section 3.5; notebook 01
    """
    position = torch.arange(length)[:, None]  # (length, 1)
    i = torch.arange(0, d_model, 2)  # (d_model / 2,)
    angles = position * 10000 ** (-i / d_model)  # (length, d_model / 2)
    waves = torch.zeros(length, d_model)
    waves[:, 0::2] = angles.sin()
    waves[:, 1::2] = angles.cos()
    return waves
