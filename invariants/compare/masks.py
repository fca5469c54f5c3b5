"""What is hidden from whom, and how, as the scores and the weights of both sides show it."""

import math

import torch

from invariants.compare.numbers import SAME, Guess, near

HIDDEN = -5e3  # scores that are not above it give a weight of 0


def by_mask(mine, theirs, masks):
    """A guess if two sides with the same scores hide others, or do it in another way; masks are those that they got."""
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
    if "after" in how + other and not all(_label(x, masks, b) for x in (a, b)):
        return None
    names = (_label(x, masks, b) or f"{int(x[0, 0].sum())} of {x[0, 0].numel()} pairs visible" for x in (a, b))
    labels = (f"{n}, scores {h}" if h[:1] in tuple("s+-") else n for n, h in zip(names, (how, other), strict=True))
    return Guess("mask", "the mask", *labels)


def _visible(side):
    """(what is visible, what is done to the rest, what is added to the visible); None if something else is done."""
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


def _known(masks, B, H, T, S, b):
    """Names of what may be visible, (B, H, T, S); a given mask is meant as in b, that of theirs."""
    ones = torch.ones(T, S, dtype=torch.bool, device=b.device)
    causal = ones.tril(S - T)
    plain = {
        "none": ones,
        "causal": causal,
        "causal without the token itself": ones.tril(S - T - 1),
        "causal and one token later": ones.tril(S - T + 1),
        "causal from the first key on": ones.tril(),
        "causal, transposed": ones.triu(S - T),
        "causal, inverted": ~causal,
    }
    yield from plain.items()
    yield from ((f"causal, a window of {n}", causal.triu(S - T - n + 1)) for n in range(1, S))
    given = []
    for mask in masks:
        for x in _shaped(mask, B, T, S):
            x = x.expand(B, x.size(1), T, S)
            x = ~x if torch.equal(b, (~x).expand_as(b)) or torch.equal(b, (~x & causal).expand_as(b)) else x
            if not any(torch.equal(x, y) for y in given):
                given.append(x)
    for i, x in enumerate(given):
        name = "the given mask" if i == 0 else f"given mask {i + 1}"
        yield name, x
        yield f"{name}, inverted", ~x
        yield f"{name} and causal", x & causal
        yield f"{name} and causal, inverted", ~(x & causal)
        yield f"{name} or causal", x | causal
        yield f"{name}, inverted, and causal", ~x & causal
        if T == S:
            yield f"{name}, for queries instead of keys", x.mT


def _label(visible, masks, other):
    known = _known(masks, *visible.shape, other)
    return next((name for name, x in known if torch.equal(x.expand_as(visible), visible)), None)


def _shaped(mask, B, T, S):
    """A mask as bool, in the ways that broadcast to (B, H, T, S)."""
    if mask.dtype != torch.bool:
        if mask.is_floating_point() and float(mask.max()) == 0 and float(mask.min()) < -1e3:
            mask = mask == 0
        elif ((mask == 0) | (mask == 1)).all():
            mask = mask != 0
        else:
            return
    if mask.dim() == 4 and mask.shape[-2:] in ((T, S), (1, S)):
        yield mask
    elif mask.dim() == 3 and mask.shape[-2:] in ((T, S), (1, S)):
        yield mask[:, None]
    elif mask.shape == (T, S):
        yield mask[None, None]
    elif mask.shape == (B, S):
        yield mask[:, None, None]
