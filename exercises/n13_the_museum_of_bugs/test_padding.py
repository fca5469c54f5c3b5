"""13.3 test_padding. Its suspects are functions model(ids, real), both (B, T), -> (B, T, C).

Padding is on the same side in all items of a batch, without gaps, and each item has a real token.
"""

import math
from collections.abc import Callable

import torch

from exercises.n13_the_museum_of_bugs.suspects import Suspects
from feedback.format import number
from helpers import require


def test_padding(model):
    """What stands in padding does not matter to real tokens, on whichever side it is.

    Shapes: model takes ids and real, both (B, T), to (B, T, C)
    """
    lengths = torch.tensor([4, 9, 1, 7])
    right = torch.arange(9) < lengths[:, None]  # (4, 9): padding stands on the right
    for real in (right, right.flip(1)):
        ids = torch.randint(50, (4, 9))
        before = model(ids, real)[real]
        for fill in (0, torch.randint(50, (4, 9)), torch.randint(50, (4, 9))):
            moved = (model(torch.where(real, ids, fill), real)[real] - before).abs().max()
            assert moved < 1e-4, f"real tokens move by {moved:.2g} with what stands in padding"


# ---------------------------------------------------------------- what a test gives to a suspect


def model(suspect, ids, real):
    """Check the arguments of a call of a suspect, and return copies for rules."""
    require.shape(ids, "B T", "ids", floating=False)
    require.that(not ids.is_floating_point() and ids.min() >= 0 and ids.max() < 50, "ids are from 0 to 49", ids)
    shape = require.shape_of(real)
    require.that(real.dtype == torch.bool and shape == ids.shape, "real is bool, and (B, T)", f"{real.dtype}, {shape}")
    return ids.clone(), real.clone()


def right_only(calls):
    return all(real[:, 0].all() for _, real in calls)


def left_only(calls):
    return all(real[:, -1].all() for _, real in calls)


def equal_lengths(calls):
    return all(len(real.sum(1).unique()) == 1 for _, real in calls)


def holes(calls):
    return any(((real[:, 1:] != real[:, :-1]).sum(1) > 1).any() for _, real in calls)


def no_zeros(calls):
    return not any((ids == 0)[~real & real[:, -1:]].any() for ids, real in calls)


def two_ids(calls):
    return len(torch.cat([ids[~real] for ids, real in calls]).unique()) <= 2


def real_tokens_change(calls):
    """Return whether each call has other real tokens than the previous one, with the same mask."""
    pairs = zip(calls, calls[1:], strict=False)
    return len(calls) > 1 and all(
        torch.equal(real, same) and not torch.equal(ids[real], others[real]) for (ids, real), (others, same) in pairs
    )


def one_padding_token(calls):
    """Return whether at most one padding id of each item ever changes."""
    changed = {}
    for ids, real in calls:
        key = repr(real.tolist())
        first, so_far = changed.get(key, (ids, torch.zeros_like(real)))
        changed[key] = first, so_far | (ids != first) & ~real
    return all((at.sum(1) <= 1).all() for _, at in changed.values())


# ---------------------------------------------------------------- what shows a bug


def shown(side: str, lengths: tuple[int, int] = (3, 6), fill: int | None = None) -> Callable:
    """Show the output of a real token before and after ids in padding change."""

    def shows(model):
        T = max(lengths)
        real = torch.arange(T) < torch.tensor(lengths)[:, None]
        real = real if side == "right" else real.flip(1)
        own = torch.Generator().manual_seed(4)
        ids, others = (torch.randint(1, 50, real.shape, generator=own) for _ in range(2))
        others = others if fill is None else torch.full_like(ids, fill)
        before, after = model(ids, real), model(torch.where(real, ids, others), real)
        moved = (after - before).abs() * real[..., None]
        b, t = divmod(int(moved.amax(-1).argmax()), T)
        i = int(moved[b, t].argmax())
        return (
            f"With {lengths[0]} and {lengths[1]} real ids of {T}, padded on the {side}, feature {i} of the output at "
            f"[{b}, {t}] is {number(before[b, t, i])}, and {number(after[b, t, i])} with "
            f"{'other ids' if fill is None else f'the id {fill}'} in padding"
        )

    return shows


# ---------------------------------------------------------------- what suspects are made of

C = 6


def embedded(numbers, ids):
    """Return the vectors of ids, (B, T, C)."""
    return numbers("table", 50, C)[ids]


def positions(numbers, T):
    return numbers("positions", 1024, C)[:T]


def scored(numbers, x, layer=""):
    """Return scores (B, T, T), which are mild, so that every key counts."""
    q, k = (x @ numbers.matrix(layer + name, x.size(-1), 8) for name in "qk")
    return q @ k.transpose(-2, -1) / 6


def attention(numbers, x, seen, layer="", fill=-math.inf):
    """Apply a residual layer; `seen` broadcasts to (B, T, T). Queries that see nothing get zeros."""
    weights = scored(numbers, x, layer).masked_fill(~seen, fill).softmax(-1).nan_to_num(0.0)
    return x + weights @ x @ numbers.matrix(layer + "v", C, C)


SUSPECTS = Suspects(test_padding, takes=model)
EXERCISE = SUSPECTS.exercise()
