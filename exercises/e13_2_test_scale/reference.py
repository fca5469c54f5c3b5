"""The course's own answer to exercise 13.2."""

import math

import torch


def test_scale(scores_of):
    """The scores are q · k / √D, whatever D is.

    Shapes: scores_of takes q (B, H, T, D) and k (B, H, S, D) to (B, H, T, S)
    """
    for D in (2, 3, 8, 64, 80):
        q, k = torch.randn(2, 3, 5, D), torch.randn(2, 3, 7, D)
        right = q @ k.transpose(-2, -1) / math.sqrt(D)  # (B, H, T, S)
        apart = (scores_of(q, k) - right).abs().max()
        assert apart < 1e-4, f"for D = {D} a score is {apart:.2g} away from q · k / √D"
