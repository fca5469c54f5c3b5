"""The course's own answer to exercise 11.1."""

import torch


def window_mask(T, S, window):
    """Let each query see the latest positions up to its own.

    Shapes: -> (T, S), bool, True = may attend; the queries are the last T of S positions
    Source: notebook 11
    """
    distance = torch.arange(S - T, S)[:, None] - torch.arange(S)  # query minus key
    return (distance >= 0) & (distance < window)
