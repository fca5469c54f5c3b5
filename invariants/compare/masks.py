"""Read the mask of each side from its scores and weights: which keys each query cannot see, and how they are hidden."""

import math

import torch

from invariants.compare.numbers import SAME, Guess, near

HIDDEN = -5e3  # scores up to this give a weight of 0


def by_mask(mine, theirs, masks):
    """Return a Guess if two sides with the same scores differ in what they hide, or how; masks: the models' inputs."""
    seen = [_visible(side) for side in (mine, theirs)]
    if None in seen:
        return None
    (a, how, table), (b, other, their_table) = seen
    both = ~(table.isnan() | their_table.isnan())
    if not near(table[both], their_table[both]):
        says = ("a bias" if each[both].any() else "nothing" for each in (table, their_table))
        return Guess("positions", "what is added to the scores", *says)
    if torch.equal(a, b):
        return Guess("mask", "the mask", f"scores {how}", f"scores {other}") if how != other else None
    labels = []
    for visible, done in ((a, how), (b, other)):
        label = _label(visible, masks, b)
        if label is None and "after" in how + other:
            return None
        label = label or f"{int(visible[0, 0].sum())} of {visible[0, 0].numel()} pairs visible"
        labels.append(f"{label}, scores {done}" if done[:1] in tuple("s+-") else label)
    return Guess("mask", "the mask", *labels)


def _visible(side):
    """Return (what is visible, what is done to the rest, the bias of the visible), or None for anything else."""
    moved, hidden = side.bias != 0, side.scores <= HIDDEN
    zeroed = (side.used == 0) & (side.weights != 0)
    nothing = torch.zeros_like(side.bias[0])
    late = (side.used - side.weights).nan_to_num(0.0)
    later = late.abs() > SAME * float(side.used.nan_to_num(0.0).abs().max())
    if later.any() and not zeroed.any():
        same = not moved.any() and near(late[later], late[later][:1].expand_as(late[later]))
        return (~later, f"{float(late[later][0]):+g} after the softmax", nothing) if same else None
    rest = moved & ~hidden
    if rest.any():
        if zeroed.any():
            return None
        for x, words in ((side.scores[rest], "set to {:g}"), (side.bias[rest], "{:+g}")):
            if not hidden.any() and near(x, x[:1].expand_as(x)):
                return ~moved, words.format(float(x[0])), nothing
        table = side.bias.masked_fill(hidden, math.nan)
        added = table.nanmean(0)
        same = len(table) > 1 and near(*(x.masked_fill(hidden, 0.0) for x in (table, added.expand_as(table))))
        return (~hidden, "hidden" if hidden.any() else "", added) if same else None
    if zeroed.any() and near(side.used[~zeroed], side.weights[~zeroed]):
        return ~zeroed & ~hidden, "set to 0 after the softmax", nothing
    how = "hidden" if hidden.any() else ""
    empty = side.used[hidden.all(-1)]
    if empty.isnan().any():
        how = "NaN where no key is visible"
    elif empty.any():
        how = "even where no key is visible"
    return ~hidden, how, nothing


def _label(visible, masks, theirs):
    """Name the visible pairs, (B, H, T, S), or return None; what True means in a given mask follows theirs."""
    B, _, T, S = visible.shape
    ones = torch.ones(T, S, dtype=torch.bool, device=visible.device)
    causal = ones.tril(S - T)
    known = {
        "none": ones,
        "causal": causal,
        "causal without the token itself": ones.tril(S - T - 1),
        "causal and one token later": ones.tril(S - T + 1),
        "causal from the first key on": ones.tril(),
        "causal, transposed": ones.triu(S - T),
        "causal, inverted": ~causal,
    }
    known |= {f"causal, a window of {n}": causal.triu(S - T - n + 1) for n in range(1, S)}
    given = []
    for mask in masks:
        x = _shaped(mask, B, T, S)
        if x is not None:
            x = x.expand(B, x.size(1), T, S)
            x = ~x if any(torch.equal(theirs, y.expand_as(theirs)) for y in (~x, ~x & causal)) else x
            if not any(torch.equal(x, y) for y in given):
                given.append(x)
    for i, x in enumerate(given):
        name = "the given mask" if i == 0 else f"given mask {i + 1}"
        known |= {name: x, f"{name}, inverted": ~x, f"{name} and causal": x & causal}
        if T == S:
            known[f"{name}, for queries instead of keys"] = x.mT
    return next((name for name, x in known.items() if torch.equal(x.expand_as(visible), visible)), None)


def _shaped(mask, B, T, S):
    """Convert a mask to bool, in a shape that broadcasts to (B, H, T, S); None if it is not a mask."""
    if mask.is_floating_point() and float(mask.max()) == 0 and float(mask.min()) < -1e3:
        mask = mask == 0
    if not ((mask == 0) | (mask == 1)).all():
        return None
    mask = mask != 0
    if mask.dim() in (3, 4) and mask.shape[-2:] in ((T, S), (1, S)):
        return mask if mask.dim() == 4 else mask[:, None]
    if mask.shape == (T, S):
        return mask[None, None]
    return mask[:, None, None] if mask.shape == (B, S) else None
