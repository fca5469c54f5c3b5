"""The course's own answer to exercise 13.1."""

import torch


def test_future(attend):
    """The beginning of a text alone gives what it gives as a part of the whole.

    Shapes: attend takes x (B, T, C) to (B, T, C)
    """
    x = torch.randn(2, 12, 4)
    whole = attend(x)
    for t in range(1, 12):
        moved = (attend(x[:, :t]) - whole[:, :t]).abs().max()
        assert moved < 1e-4, f"the first {t} outputs move by {moved:.2g} with what follows"
