"""13.3 test_padding. Its suspects are functions model(ids, real), both (B, T), -> (B, T, C).

Padding stands on one side in all items of a batch, without holes, and each item has a real token.
"""

import math
from collections.abc import Callable

import torch

from exercises.common.suspects import Suspects
from feedback.format import number


def test_padding(model):
    """What stands in padding does not matter to real tokens, on whichever side it is.

    Shapes: model takes ids and real, both (B, T), to (B, T, C)
    """
    lengths = torch.tensor([4, 9, 1, 7])
    right = torch.arange(9) < lengths[:, None]  # (4, 9): padding stands on the right
    for real in (right, right.flip(1)):
        ids = torch.randint(50, (4, 9))
        before = model(ids, real)[real]
        for _ in range(3):
            ids[~real] = torch.randint(50, (4, 9))[~real]
            moved = (model(ids, real)[real] - before).abs().max()
            assert moved < 1e-4, f"real tokens move by {moved:.2g} with what stands in padding"


def shown(side: str, lengths: tuple[int, int] = (3, 6)) -> Callable:
    """Shows the output of a real token, where other ids stand in padding."""

    def shows(model):
        T = max(lengths)
        real = torch.arange(T) < torch.tensor(lengths)[:, None]
        real = real if side == "right" else real.flip(1)
        own = torch.Generator().manual_seed(4)
        ids, others = (torch.randint(1, 50, real.shape, generator=own) for _ in range(2))
        before, after = model(ids, real), model(torch.where(real, ids, others), real)
        moved = (after - before).abs() * real[..., None]
        b, t = divmod(int(moved.amax(-1).argmax()), T)
        i = int(moved[b, t].argmax())
        return (
            f"For ids of shape {tuple(real.shape)}, with padding on the {side} and {lengths[0]} and {lengths[1]} real "
            f"tokens, feature {i} of the output at [{b}, {t}], a real token, is {number(before[b, t, i])}, and "
            f"{number(after[b, t, i])} with other ids in padding"
        )

    return shows


# ---------------------------------------------------------------- what suspects are made of

C = 6


def embedded(numbers, ids):
    """(B, T, C)."""
    return numbers("table", 50, C)[ids]


def positions(numbers, T):
    return numbers("positions", 1024, C)[:T]


def scored(numbers, x, layer=""):
    """(B, T, T), mild: every key counts."""
    q, k = (x @ numbers.matrix(layer + name, x.size(-1), 8) for name in "qk")
    return q @ k.transpose(-2, -1) / 6


def attention(numbers, x, seen, layer="", fill=-math.inf):
    """A residual layer; `seen` broadcasts to (B, T, T). Where a query may see nothing, it gets zeros."""
    weights = scored(numbers, x, layer).masked_fill(~seen, fill).softmax(-1).nan_to_num(0.0)
    return x + weights @ x @ numbers.matrix(layer + "v", C, C)


SUSPECTS = Suspects(test_padding)
EXERCISE = SUSPECTS.exercise(error_meanings=((r"index out of range|index -?\d+ is out of bounds", "IDS"),))
