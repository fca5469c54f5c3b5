"""Causes inside attention, which is computed again from q, k and v: the two sides must be attention that differs in one
choice.
"""

import itertools
import math
import re
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F

from helpers.biases import alibi_bias
from helpers.comparison.guess import Guess
from helpers.comparison.numbers import close
from helpers.comparison.recording import tensors_in
from helpers.rotary import rotate_halves, rotate_pairs

ROLE = re.compile(r"(?:w_?|to_?|attn_?|self_?)*(q|k|v)(?:uery|ey|alues?|ueries|eys)?(?:_.*|\d*)$")
HEADS = ("num_heads", "n_heads", "n_head", "nhead", "heads", "num_attention_heads", "h")
KINDS = {  # of each choice: the kind of guess, and what it is called
    "roles": ("roles", "the parts of q, k and v"),
    "layout": ("heads", "heads that are interleaved"),
    "split": ("heads", "the transpose that puts heads in front of positions"),
    "merge": ("heads", "the transpose when heads are merged"),
    "groups": ("heads", "which key head a query head reads"),
    "heads": ("heads", "the number of heads"),
    "scale": ("scale", "the scale of the scores"),
    "positions": ("positions", "the positions"),
    "mask": ("mask", "the mask"),
    "axis": ("softmax", "the axis of the softmax"),
    "along": ("axes", "the axis along which tokens attend"),
}


SCALES = {  # of D, C, H and T
    "1/√D": lambda D, C, H, T: D**-0.5,
    "none": lambda D, C, H, T: 1.0,
    "1/√C": lambda D, C, H, T: C**-0.5,
    "√D": lambda D, C, H, T: D**0.5,
    "1/D": lambda D, C, H, T: 1 / D,
    "1/√H": lambda D, C, H, T: H**-0.5,
    "1/√T": lambda D, C, H, T: T**-0.5,
    "1/√√D": lambda D, C, H, T: D**-0.25,
    "2/√D": lambda D, C, H, T: 2 * D**-0.5,
    "1/(2√D)": lambda D, C, H, T: 0.5 * D**-0.5,
}


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
            one.masks, one.heads, one.bases = masks, one.heads or (heads[0] if heads else 0), bases
    if None in found or not all(one.heads for one in found):
        return None
    for one in found:
        one.q, one.k, one.v = (_heads_first(x, one.heads) for x in (one.q, one.k, one.v))
    sides = _in_one_layout(found, sides)
    for one, other in ((1, 0), (0, 1)):
        for base in itertools.islice(_explained(found[one], sides[one], _usual(found[one]), within), 3):
            changed = list(_explained(found[other], sides[other], _changes(found[other], base), within))
            keys = {key for choice in changed for key in choice if choice[key][0] != base[key][0]}
            if changed and changed[0] is base:
                return _exchanged(found, within)  # the choices are the same: the difference is elsewhere
            if len(keys) == 1:
                (key,) = keys
                labels = [changed[0][key][0], base[key][0]]
                return Guess(*KINDS[key], *(labels if other == 0 else labels[::-1]))
    return None


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


# ---------------------------------------------------------------- the choices, each a name and a value


def _usual(a):
    """What attention usually is, in every combination."""
    plain = {key: options[0] for key, options in _options(a).items()}
    options = _options(a)
    for along, mask, positions, scale in itertools.product(
        options["along"], options["mask"][: 3 + 4 * len(a.masks)], options["positions"][: 1 + 2 * len(set(a.bases))], options["scale"][:2]
    ):
        yield {**plain, "along": along, "mask": mask, "positions": positions, "scale": scale}


def _changes(a, base):
    """Every change of one choice, the unchanged one first."""
    yield base
    for key, options in _options(a).items():
        for option in options:
            if option[0] != base[key][0]:
                yield {**base, key: option}


def _options(a):
    D = a.q.size(-1) if a.q.dim() == 4 else a.q.size(-1) // a.heads
    G = a.k.size(1) if a.k.dim() == 4 else max(a.k.size(-1) // D, 1)
    width = D * a.heads
    yes, no = ("as usual", True), ("left out", False)
    return {
        "roles": [(", ".join(order), order) for order in map("".join, itertools.permutations("qkv"))]
        + [("q, q, v", "qqv"), ("q, k, k", "qkk")],
        "layout": [("heads side by side", True), ("heads interleaved", False)],
        "split": [yes, no],
        "merge": [yes, no],
        "groups": [("one after another, h // (H / G)", True), ("in turn, h % G", False)],
        "heads": [(f"{a.heads}", a.heads)]
        + [(f"{h}", h) for h in range(1, width + 1) if width % h == 0 and h != a.heads and G == a.heads],
        "scale": [(name, name) for name in SCALES],
        "positions": [("none", None), *_turns(a.bases, D)],
        "mask": list(_mask_options(a)),
        "axis": [("the keys", -1), ("the queries", -2), ("the heads", -3)],
        "along": [("positions in axis 1", True), ("positions in axis 0", False)],
    }


def _turns(bases, D):
    """Ways to turn q and k: the function, its base, how far the positions of q and of k are moved, the direction."""
    if D % 2:
        return
    functions = {"pairs": rotate_pairs, "halves": rotate_halves}
    for base in dict.fromkeys(bases):
        for name, function in functions.items():
            yield f"turned in {name}, base {base:g}", (function, base, 0, 0, 1)
    for name, function in functions.items():
        for base in dict.fromkeys([*bases, 10000.0, 500000.0, 1000000.0, 1000.0]):
            turned = f"turned in {name}, base {base:g}"
            if base not in bases:
                yield turned, (function, base, 0, 0, 1)
                continue
            yield f"{turned}, q one further", (function, base, 1, 0, 1)
            yield f"{turned}, k one further", (function, base, 0, 1, 1)
            yield f"{turned}, the keys the other way", (function, base, 0, 0, -1)
            yield f"{turned}, q alone", (function, base, 0, None, 1)
            yield f"{turned}, k alone", (function, base, None, 0, 1)
    yield "ALiBi", ("alibi",)


def _mask_options(a):
    """Names and masks, with what is done to what they hide; the usual ones first."""
    T, S = (x.size(-2) for x in (a.q, a.k))
    ones = torch.ones(T, S, dtype=torch.bool, device=a.q.device)
    causal, given = ones.tril(S - T), {}
    for mask in a.masks:
        for shaped in _shaped(mask, a.q.size(0), T, S):
            if not any(torch.equal(shaped, other) for other in given.values()):
                given["the given mask" if not given else f"given mask {len(given) + 1}"] = shaped
    yield "none", None
    for name, mask in {"causal": causal, **given, **{f"{name} and causal": m & causal for name, m in given.items()}}.items():
        yield name, (mask, "fill")
        yield f"{name}, hidden rows even", (mask, "lowest")
    others = {
        "causal without the token itself": ones.tril(S - T - 1),
        "causal and one token later": ones.tril(S - T + 1),
        "causal, the other way around": ones.triu(),
        "causal, inverted": ~causal,
    }
    for name, mask in given.items():
        others |= {f"{name}, inverted": ~mask, f"{name}, inverted, and causal": ~mask & causal}
        if mask.size(-2) == 1 and T == S:
            others[f"{name}, for queries instead of keys"] = mask.transpose(-2, -1)
    for name, mask in others.items():
        yield name, (mask, "fill")
        yield f"{name}, hidden rows even", (mask, "lowest")
    for name, mask in {"causal": causal, **given}.items():
        yield f"{name}, after the softmax", (mask, "after")
        yield f"{name}, scores set to 0", (mask, "zero")
        yield f"{name}, added as 0 and 1", (mask, "add")


def _shaped(mask, B, T, S):
    """The mask in the ways that broadcast to (B, H, T, S)."""
    if mask.dim() == 4:
        yield mask
    elif mask.dim() == 3:
        yield mask[:, None]
    elif mask.shape == (T, S):
        yield mask
    elif mask.shape == (B, S):
        yield mask[:, None, None]


# ---------------------------------------------------------------- attention with these choices


def _explained(a, side, choices, within):
    """Those of the choices that give the target."""
    for choice in choices:
        try:
            result = _attend(a, side, **{key: value for key, (_, value) in choice.items()})
        except (RuntimeError, ValueError, TypeError):  # sizes that do not allow this choice
            continue
        if result is not None and result.shape == side.target.shape and (result - side.target).abs().max() <= within:
            yield choice


def _attend(a, side, roles, layout, split, merge, groups, heads, scale, positions, mask, axis, along):
    named = {"q": a.q, "k": a.k, "v": a.v}
    q, k, v = (named[role] for role in roles)
    if not along:
        if q.dim() == 4:
            return None
        q, k, v = (x.transpose(0, 1) for x in (q, k, v))
    D = q.size(-1) if q.dim() == 4 else q.size(-1) // heads
    q, k, v = (_split(x, D, layout, split) for x in (q, k, v))
    if k.size(1) != q.size(1):
        times = q.size(1) // k.size(1)
        k, v = ((x.repeat_interleave(times, 1) if groups else x.repeat(1, times, 1, 1)) for x in (k, v))
    bias = 0.0
    if positions and positions[0] == "alibi":
        bias = alibi_bias(q.size(1), q.size(2), k.size(2), q.device)
    elif positions:
        q, k = _turned(q, k, *positions)
    by = SCALES[scale](D, D * q.size(1), q.size(1), q.size(2))
    weights = _weights(q @ k.transpose(-2, -1) * by + bias, mask, axis)
    if weights.shape == side.target.shape and side.target.dim() == 4:
        return weights
    out = weights @ v  # (B, H, T, D)
    if not merge:
        out = out.reshape(out.size(0), out.size(2), -1)
    else:
        out = (out.transpose(1, 2) if layout else out.permute(0, 2, 3, 1)).flatten(2)
    out = out if along else out.transpose(0, 1)
    return out if side.finish is None else F.linear(out, side.finish.weight, side.finish.bias)


def _split(x, D, layout, split):
    if x.dim() == 4:
        return x
    B, T, C = x.shape
    if not split:
        return x.reshape(B, C // D, T, D)
    return x.view(B, T, C // D, D).transpose(1, 2) if layout else x.view(B, T, D, C // D).permute(0, 3, 1, 2)


def _turned(q, k, function, base, q_moved, k_moved, direction):
    T, S = q.size(-2), k.size(-2)
    places = torch.arange(S, device=q.device)
    if q_moved is not None:
        q = function(q, places[S - T :] + q_moved, base)
    if k_moved is not None:
        k = function(k, direction * (places + k_moved), base)
    return q, k


def _weights(scores, mask, axis):
    if mask is None:
        return scores.softmax(axis)
    visible, how = mask
    if how == "after":
        return scores.softmax(axis) * visible
    if how == "add":
        return (scores + visible.to(scores.dtype)).softmax(axis)
    if how == "zero":
        return (scores * visible).softmax(axis)
    weights = scores.masked_fill(~visible, torch.finfo(scores.dtype).min).softmax(axis)
    return weights if how == "lowest" else weights * visible

