"""The choices that attention is made of, each with a name: what is usual, what else people write, and what it gives."""

import itertools

import torch
import torch.nn.functional as F

from helpers.relative_positions import alibi_bias, rotate_halves, rotate_pairs

KINDS = {  # of each choice: the kind of guess, and what it is called
    "roles": ("roles", "the order of q, k and v"),
    "layout": ("heads", "whether heads are interleaved"),
    "split": ("heads", "the transpose that puts heads in front of positions"),
    "merge": ("heads", "how heads are merged"),
    "groups": ("heads", "which key head a query head reads"),
    "heads": ("heads", "the number of heads"),
    "scale": ("scale", "the scale of the scores"),
    "positions": ("positions", "the encoding of the positions"),
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

EVEN = ", even weights where no key is visible"


def usual(a):
    """What attention usually is, in every combination."""
    plain = {key: options[0] for key, options in _options(a).items()}
    options = _options(a)
    for along, mask, positions, scale in itertools.product(
        options["along"],
        options["mask"][: 3 + 4 * len(a.masks)],
        options["positions"][: 1 + 2 * len(set(a.bases))],
        options["scale"][:2],
    ):
        yield {**plain, "along": along, "mask": mask, "positions": positions, "scale": scale}


def changes(a, base):
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
        "merge": [yes, no, ("interleaved", None)],
        "groups": [("one after another, h // (H / G)", True), ("in turn, h % G", False)],
        "heads": [(f"{a.heads}", a.heads)]
        + [(f"{h}", h) for h in range(1, width + 1) if width % h == 0 and h != a.heads == G],
        "scale": [(name, name) for name in SCALES],
        "positions": [("none", None), *_turns(a.bases, D)],
        "mask": list(_mask_options(a)),
        "axis": [("the keys", -1), ("the queries", -2), ("the heads", -3)],
        "along": [("positions in axis 1", True), ("positions in axis 0", False)],
    }


def names_of_scale(label, a):
    """All that give the same number: where D is 4, 1/D is 1/(2√D)."""
    D = a.q.size(-1) if a.q.dim() == 4 else a.q.size(-1) // a.heads
    numbers = {name: round(function(D, D * a.heads, a.heads, a.q.size(-2)), 9) for name, function in SCALES.items()}
    return " = ".join(name for name in SCALES if numbers[name] == numbers[label])


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
            if not shaped.all() and not any(torch.equal(shaped, other) for other in given.values()):
                inverted = any(torch.equal(shaped, ~other) for other in given.values())
                number = "the given mask" if not given else f"given mask {len(given) + 1}"
                given["the given mask, inverted" if inverted else number] = shaped
    yield "none", None
    for name, mask in {
        "causal": causal,
        **given,
        **{f"{name} and causal": m & causal for name, m in given.items()},
    }.items():
        yield name, (mask, "fill")
        yield f"{name}{EVEN}", (mask, "lowest")
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
        yield f"{name}{EVEN}", (mask, "lowest")
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


def attend(a, side, roles, layout, split, merge, groups, heads, scale, positions, mask, axis, along):
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
    if merge is False:
        out = out.reshape(out.size(0), out.size(2), -1)
    else:
        out = (out.transpose(1, 2) if layout and merge else out.permute(0, 2, 3, 1)).flatten(2)
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
