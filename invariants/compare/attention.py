"""Causes inside attention: computed again from q, k and v, the two sides must differ in one choice."""

import itertools
import re
from dataclasses import dataclass, replace

import torch

from invariants.compare.choices import EVEN, KINDS, attend, changes, names_of_scale, usual
from invariants.compare.guess import Guess
from invariants.compare.numbers import close
from invariants.compare.recording import tensors_in

ROLE = re.compile(r"(?:w_?|to_?|attn_?|self_?)*(q|k|v)(?:uery|ey|alues?|ueries|eys)?(?:_.*|\d*)$")
HEADS = ("num_heads", "n_heads", "n_head", "nhead", "heads", "num_attention_heads", "h")


@dataclass
class Attention:
    """q, k and v of one side, (B, T, C) or in heads, and how many heads; masks are those that the call got."""

    q: torch.Tensor
    k: torch.Tensor
    v: torch.Tensor
    heads: int
    bases: list
    masks: list


def by_attention(sides, within):
    """A guess if both targets are attention to the same q, k and v, and differ in one choice."""
    found = [ingredients(side) for side in sides]
    masks = [mask for one in found if one for mask in one.masks]
    heads = [one.heads for one in found if one and one.heads]
    bases = [base for one in found if one for base in one.bases]
    for one in found:
        if one:
            one.masks, one.heads, one.bases = masks, one.heads or (heads[0] if heads else 1), bases
    if None in found:
        return None
    for one in found:
        one.q, one.k, one.v = (_heads_first(x, one.heads) for x in (one.q, one.k, one.v))
    sides = _in_one_layout(found, sides)
    if not _same_parts(found, within):
        return None
    for one, other in ((1, 0), (0, 1)):
        guesses = {}  # by the choice that differs; where one of several does, none is told
        for base in itertools.islice(_explained(found[one], sides[one], usual(found[one]), within), 3):
            for choice in _explained(found[other], sides[other], changes(found[other], base), within):
                if choice is base:
                    return _exchanged(found, within)  # the choices are the same: the difference is elsewhere
                (key,) = (key for key in choice if choice[key][0] != base[key][0])
                labels = [choice[key][0], base[key][0]]
                guesses.setdefault(
                    key, Guess(*KINDS[key], *_told(key, labels if other == 0 else labels[::-1], found[0]))
                )
        if guesses:
            return next(iter(guesses.values())) if len(guesses) == 1 else None
    return None


def _told(key, labels, a):
    """Without what does not tell them apart, and with other names for the same scale."""
    if key == "scale":
        return [names_of_scale(label, a) for label in labels]
    short = [label.removesuffix(EVEN) for label in labels]
    return labels if short[0] == short[1] else short


def _same_parts(found, within):
    """Whether q, k and v of mine are those of theirs, in whatever roles, and with positions in axis 1 or 0."""
    mine, theirs = (
        [x.transpose(1, 2).flatten(2) if x.dim() == 4 else x for x in (one.q, one.k, one.v)] for one in found
    )  # (B, T, C)
    theirs = [y for x in theirs for y in (x, x.transpose(0, 1))]
    return all(any(close(x, y, within) for y in theirs) for x in mine)


def _exchanged(found, within):
    """A guess if q, k and v of mine are theirs in another order."""
    mine, theirs = ({"q": one.q, "k": one.k, "v": one.v} for one in found)
    order = [next((name for name in "qkv" if close(mine[role], theirs[name], within)), "") for role in "qkv"]
    if "" in order or order == ["q", "k", "v"]:
        return None
    return Guess(*KINDS["roles"], ", ".join(order), "q, k, v")


def _heads_first(x, heads):
    """(B, T, H, D) -> (B, H, T, D); of keys, there may be fewer heads than of queries."""
    if x.dim() == 4 and (x.size(1) != heads and (x.size(2) == heads or heads % x.size(1))):
        return x.transpose(1, 2)
    return x


def _in_one_layout(found, sides):
    """If the first two axes of mine are the other way around, they are swapped."""
    mine, theirs = found
    if mine.q.dim() == 3 and mine.q.shape != theirs.q.shape == mine.q.transpose(0, 1).shape:
        mine.q, mine.k, mine.v = (x.transpose(0, 1) for x in (mine.q, mine.k, mine.v))
        target = sides[0].target
        if target.shape != sides[1].target.shape:
            return replace(sides[0], target=target.transpose(0, 1)), sides[1]
    return sides


def ingredients(side):
    """q, k and v by the names of modules that have run, such as q_proj, query or W_key; None if there are not all."""
    found = {}
    for call in side.done:
        role = ROLE.match(call.name.rpartition(".")[2].lower())
        if role and call.output is not None and call.output.dim() in (3, 4) and call.output.is_floating_point():
            found[role[1]] = call.output
    if len(found) < 3:
        found = _in_order(side)
    if found is None or found["q"].dim() != found["k"].dim():
        return None
    module = side.scope.module
    for layer in (call for call in side.done if call.module is not module and not call.children):
        if layer.parent is not side.scope and found["q"] is layer.output:
            module = layer.parent.module  # attention inside a block
    places = [vars(module), vars(getattr(module, "config", None) or object) if hasattr(module, "config") else {}]
    heads = next((p[name] for p in places for name in HEADS if isinstance(p.get(name), int)), 0)
    if found["q"].dim() == 4 and heads not in found["q"].shape[1:3]:
        heads = found["q"].size(1)
    base = next((p[n] for p in places for n in ("base", "rope_theta", "theta") if isinstance(p.get(n), float)), None)
    base = base or getattr(type(module), "base", None) or 10000.0
    return Attention(found["q"], found["k"], found["v"], heads, [base], _masks(side))


def _in_order(side):
    """The first three layers of one shape; or the three parts of one that is three times as wide."""
    layers = [call for call in side.done if call.output is not None and call.output.dim() == 3 and not call.children]
    for call in layers:
        if call.input is not None and call.output.size(-1) == 3 * call.input.size(-1):
            return dict(zip("qkv", call.output.chunk(3, dim=-1), strict=True))
    with_weights = [call for call in layers if getattr(call.module, "weight", torch.empty(0)).dim() == 2]
    if len(with_weights) == 3 and len({call.output.size(-1) for call in with_weights}) == 1:
        return dict(zip("qkv", (call.output for call in with_weights), strict=True))
    return None


def _masks(side):
    """The masks that the call and the model got, as bool."""
    found = []
    call = side.scope
    while call is not None:
        for x in tensors_in(call.given):
            if x.dtype == torch.bool and x.dim() > 1:
                found.append(x)
            elif x.is_floating_point() and x.dim() > 1 and x.unique().numel() == 2 and x.min() < -1e3 and x.max() == 0:
                found.append(x == 0)
        call = call.parent
    return found


def _explained(a, side, choices, within):
    """Those of the choices that give the target."""
    for choice in choices:
        try:
            result = attend(a, side, **{key: value for key, (_, value) in choice.items()})
        except (RuntimeError, ValueError, TypeError):  # sizes that do not allow this choice
            continue
        if result is not None and result.shape == side.target.shape and (result - side.target).abs().max() <= within:
            yield choice
