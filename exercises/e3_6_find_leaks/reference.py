"""The course's own answer to exercise 3.6."""

import torch


def find_leaks(attend, x):
    """Change x at one position after the other, and see which outputs before it move.

    Shapes: x (B, T, C); attend takes it to (B, T, C') -> a sorted list of pairs (i, j), j > i
    """
    before, noise = attend(x), torch.randn_like(x)
    leaks = []
    for j in range(1, x.size(1)):
        changed = x.clone()
        changed[:, j] += noise[:, j]
        moved = (attend(changed) - before).abs().amax(dim=(0, 2))  # (T,): over items and features
        leaks += [(i, j) for i in range(j) if moved[i] > 1e-4]
    return sorted(leaks)
