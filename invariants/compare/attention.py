"""Causes inside attention: what each side's numbers say that it does, from the projections to the merged heads.

Each step is fitted to the numbers of its own side. A step is named if the two sides take it differently and agree in
all that goes into it; what another step of the same side makes up for is no difference.
"""

import math
from dataclasses import dataclass, replace

import torch

from invariants.compare.masks import HIDDEN, by_mask
from invariants.compare.numbers import Guess, close, in_layout_of, near, order_of, relation
from invariants.compare.recording import tensors_in
from invariants.compare.sites import Operand, behind, in_heads, made_of, operand

NAMES = {"q": "queries", "k": "keys", "v": "values"}
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
AXES = {"the keys": -1, "the queries": -2, "the heads": -3, "the batch": -4}


@dataclass
class Attention:
    """What one side does. scores = factor · (q · k) + bias; axis: that of the softmax, or "none"."""

    parts: dict  # of q, k and v, each an Operand
    product: torch.Tensor
    factor: float | None
    bias: torch.Tensor | None
    scores: torch.Tensor
    axis: str
    weights: torch.Tensor  # after the softmax
    used: torch.Tensor
    out: torch.Tensor
    merged: torch.Tensor | None
    merge: str

    @property
    def heads(self):
        return self.out.size(1)


# ---------------------------------------------------------------- one side


def described(site):
    """An Attention; None if the axes cannot be told apart."""
    lead, alone = math.prod(site.q.shape[:-2]), len(site.sources) == 1
    parts, ways = {}, []
    for name, x, sources in zip("qkv", (site.q, site.k, site.v), zip(*site.sources, strict=True), strict=True):
        each = [x] if alone else list(x.unbind(-3))
        found = [operand(part, source, ways) for part, source in zip(each, sources, strict=True)]
        if None not in found:
            ways = ways or [found[0][1]]
            parts[name] = _joined([one for one, _ in found])
    batch, heads_first = (ways or [(site.q.size(0) if site.q.dim() > 3 else 1, False)])[0]
    if not alone:
        batch = lead // len(site.sources)
    if lead % batch or any(x.shape[:-2].numel() != lead for x in (site.k, site.v)):
        return None
    for name, x in zip("qkv", (site.q, site.k, site.v), strict=True):
        if name not in parts:
            parts[name] = Operand(in_heads(x, batch, heads_first))
    scores = [in_heads(x, batch, heads_first) for x in site.scores]
    product = parts["q"].heads @ parts["k"].heads.mT
    before, axis, after = _normalized(scores)
    factor, bias = _fitted(before, product)
    out = in_heads(site.out, batch, heads_first)
    return Attention(parts, product, factor, bias, before, axis, after, scores[-1], out, *_merged(site.last, out))


def _joined(parts):
    """Heads that were computed one by one, side by side."""
    if len(parts) == 1:
        return parts[0]
    heads = torch.cat([x.heads for x in parts], 1)
    base, origin = (torch.cat([getattr(x, name) for x in parts], -1) for name in ("base", "origin"))
    weight = None if any(x.weight is None for x in parts) else torch.cat([x.weight for x in parts], -1)
    return replace(parts[0], heads=heads, base=base, origin=origin, whole=base, weight=weight)


def _normalized(scores):
    """The first scores of which a softmax, over some axis, is among what follows; the axis; and these weights."""
    for i, x in enumerate(scores):
        for name, axis in AXES.items():
            weights = x.softmax(axis).nan_to_num(0.0)
            if any(near(weights, y.nan_to_num(0.0)) for y in scores[i + 1 :]):
                return x, name, weights
    for name, function in (("a ReLU", torch.relu), ("a sigmoid", torch.sigmoid)):
        for i, x in enumerate(scores[:-1]):
            if near(function(x), scores[-1]):
                return x, name, scores[i + 1]
    return scores[-1], "none", scores[-1]


def _fitted(scores, product):
    """(factor, bias) with scores = factor · product + bias; the bias is 0 in many places, or the same in each item."""
    pairs = [(scores, product)] + ([(scores[1:] - scores[:-1], product[1:] - product[:-1])] if len(scores) > 1 else [])
    for x, y in pairs:
        seen = x.isfinite() & (x.abs() < -HIDDEN) & (y.abs() > 0.05 * y.abs().mean())
        ratio = (x[seen] / y[seen]).double()
        some = ratio[:: max(1, len(ratio) // 400)]
        if not len(some):
            continue
        votes = ((some[:, None] - ratio).abs() <= 1e-4 * some.abs()[:, None]).sum(1)
        best = some[votes.argmax()]
        if votes.max() >= max(4, 0.15 * len(ratio)) and best != 0:
            factor = float(ratio[(ratio - best).abs() <= 1e-4 * best.abs()].median())
            bias = scores - factor * product
            small = bias.abs() <= 1e-4 * max(1.0, float((factor * product).abs().max()))
            return factor, bias.masked_fill(small, 0.0).masked_fill(scores <= HIDDEN, -math.inf)
    return None, None


def _merges(out):
    """Ways to put heads (B, H, T, D) side by side."""
    yield "as usual", out.transpose(1, 2).flatten(2)
    yield "without the transpose", out.reshape(out.size(0), out.size(2), -1)
    yield "interleaved", out.permute(0, 2, 3, 1).flatten(2)


def _merged(last, out):
    """The last rearrangement of what attention gives, as (B, T, C), and how it was made."""
    B, H, T, D = out.shape
    ordered, todo, seen, found = out.flatten().sort()[0], [last], set(), last.value
    while todo:
        one = todo.pop(0)
        for x in (x for x in one.users if id(x) not in seen):
            seen.add(id(x))
            value = x.factors[0] if x.factors else x.value
            if (
                value.numel() == out.numel()
                and value.dtype == out.dtype
                and torch.equal(value.flatten().sort()[0], ordered)
            ):
                todo += [] if x.factors else [x]
                found = value
    if found.size(-1) != H * D:
        return None, ""
    found = found.reshape(-1, T, H * D) if found.dim() != 3 else found
    for name, y in _merges(out):
        for turned in (y, y.transpose(0, 1)):
            if torch.equal(found.flatten(), turned.flatten()):
                return y, name
    return found, "in another order"


# ---------------------------------------------------------------- both sides


def by_attention(runs, times, parting, certain):
    """A guess if sites that began before these times are given the same and take one step differently.

    Of several steps, the first is told. The first site is meant whose results differ, where all later ones differ too.
    certain: whether nothing later makes up for it
    """
    sites = [
        [site for site in run.sites if site.start < time or _reads(site, x)]
        for run, time, x in zip(runs, times, (parting.a, parting.b), strict=True)
    ]
    pairs = list(zip(*sites, strict=True)) if len(sites[0]) == len(sites[1]) else [tuple(s[-1] for s in sites if s)]
    first = None
    for pair in reversed(pairs):
        if len(pair) < 2 or agree(pair):
            break
        first = pair
    return first and _difference(first, [x for run in runs for x in tensors_in(run[0].given)], certain)


def _reads(site, x):
    """Whether a tensor is one of the steps from a projection to queries, keys or values."""
    steps = (one for sources in site.sources for source in sources for one in behind(source))
    return any(one.value.shape == x.shape and torch.equal(one.value, x) for one in steps)


def _difference(sites, masks, certain):
    mine, theirs = map(described, sites)
    if mine is None or theirs is None:
        return None
    if mine.heads != theirs.heads:
        same = all(_same_origin(mine, theirs, name) for name in "qkv")
        return Guess("heads", "the number of heads", f"{mine.heads}", f"{theirs.heads}") if same else None
    theirs = _in_order_of(mine, _features_in_order_of(mine, theirs))
    if near(mine.out, theirs.out):
        return _by_merge(mine, theirs)
    mine, theirs = _transposed_as(mine, theirs), _transposed_as(theirs, mine)
    factor = _proportion(mine, theirs)
    if factor is None:
        return _by_inputs(mine, theirs, "qk", certain)
    if not near(mine.used, theirs.used):
        return _by_weights(mine, theirs, factor, masks)
    moved = _by_merge(mine, theirs) if _alike(mine.parts["v"], theirs.parts["v"]) else None
    return moved or _by_inputs(mine, theirs, "v", certain)


def _by_inputs(mine, theirs, names, certain):
    if any(side.parts[n].base is None for side in (mine, theirs) for n in "qkv"):
        return None
    return _by_layers(mine, theirs, names, certain) or _by_parts(mine, theirs, names) or _by_norms(mine, theirs, names)


def made_up_for(runs, times, output):
    """A guess if the first sites after these times differ, although they make up for other numbers in a projection.

    output: what the projection of mine gave
    """
    following = [next((x for x in run.sites if x.start >= time), None) for run, time in zip(runs, times, strict=True)]
    if None in following:
        return None
    mine, theirs = map(described, following)
    if mine is None or theirs is None or mine.heads != theirs.heads:
        return None
    if not any(x.whole is not None and _same_input(x.whole, output) for x in mine.parts.values()):
        return None
    theirs = _in_order_of(mine, theirs)
    factor = _proportion(mine, theirs)
    if factor is not None and not near(mine.used, theirs.used):
        return _by_weights(mine, theirs, factor, [x for run in runs for x in tensors_in(run[0].given)])
    return _by_merge(mine, theirs) if near(mine.out, theirs.out) else None


def _proportion(mine, theirs):
    """How many times the products of theirs are those of mine, where that is all; a row may be moved as a whole."""
    a, b = (x.product - x.product.mean(-1, keepdim=True) for x in (mine, theirs))
    if a.shape != b.shape or not b.any():
        return None
    factor = float((a * b).sum() / b.square().sum())
    return factor if near(a, factor * b) else None


def agree(sites):
    """Whether both give the same, up to the order of the heads."""
    mine, theirs = map(described, sites)
    if mine is None or theirs is None:
        return False
    if mine.heads != theirs.heads:
        return mine.merged is not None and theirs.merged is not None and near(mine.merged, theirs.merged)
    theirs = _in_order_of(mine, theirs)
    return near(mine.out, theirs.out) and not _by_merge(mine, theirs)


def _same_origin(mine, theirs, name):
    a, b = mine.parts[name].origin, theirs.parts[name].origin
    return a is not None and b is not None and near(a, b)


def _alike(a, b, any_order=True):
    """Whether q, k or v come from the same features, up to a factor, a bias and perhaps the order of the heads."""
    if a.origin is None or b.origin is None or a.origin.shape != b.origin.shape:
        return False
    D = a.heads.size(-1)
    x, y = ((z.origin - z.origin.mean((0, 1))).unflatten(-1, (-1, D)).movedim(2, 0).flatten(1) for z in (a, b))
    x, y = x / x.norm(), y / y.norm()
    return near(x, y) or (any_order and order_of(x, y, 1e-4 * float(y.abs().max())) is not None)


def _in_order_of(mine, theirs):
    """Theirs with its heads in the order of mine, if they are the same in another order."""
    for name in ("out", "used", "product"):
        a, b = getattr(mine, name), getattr(theirs, name)
        if a.shape != b.shape or near(a, b):
            continue
        rows, others = (x.nan_to_num(0.0).transpose(0, 1).flatten(1) for x in (a, b))
        order = order_of(rows, others, 1e-4 * float(others.abs().max()))
        if order is not None:
            at = {n: getattr(theirs, n)[:, order] for n in ("product", "scores", "weights", "used", "out")}
            parts = {n: replace(x, heads=x.heads[:, order]) for n, x in theirs.parts.items()}
            bias = None if theirs.bias is None else theirs.bias[:, order]
            return replace(theirs, parts=parts, bias=bias, **at)
    return theirs


def _features_in_order_of(mine, theirs):
    """Theirs with the features of queries and keys in the order of mine, if it is one for all heads: products stay."""
    D, orders, parts = mine.parts["q"].heads.size(-1), [], dict(theirs.parts)
    for name in "qk":
        a, b = mine.parts[name].origin, theirs.parts[name].origin
        alike = a is not None and b is not None and a.shape == b.shape and a.size(-1) % D == 0
        order = order_of(a.flatten(0, 1).T, b.flatten(0, 1).T, 1e-4 * float(b.abs().max())) if alike else None
        if order is None:
            return theirs
        orders += list(order.view(-1, D) - torch.arange(0, len(order), D)[:, None])
        old = parts[name]
        made = made_of(old.base[..., order], old.heads[..., orders[0]] * old.factor) if orders[0].max() < D else None
        if made is None:
            return theirs
        turned = made.turned if made.turned == "none" else f"{made.turned} (features in the order of mine)"
        weight = None if old.weight is None else old.weight[..., order]
        parts[name] = replace(made, turned=turned, given=old.given, weight=weight, origin=b[..., order])
    return replace(theirs, parts=parts) if all(torch.equal(x, orders[0]) for x in orders) else theirs


def _transposed_as(side, other):
    """A side with transposed weights, with queries and keys exchanged, if its softmax is then that of the other."""
    if not _is_transposed(side) or side.bias is None or other.bias is None or _is_transposed(other):
        return side
    axis = {"the queries": "the keys", "the keys": "the queries"}.get(side.axis, side.axis)
    if axis != other.axis or not near(side.bias.mT, other.bias):
        return side
    parts = {"q": side.parts["k"], "k": side.parts["q"], "v": side.parts["v"]}
    turned = {name: getattr(side, name).mT for name in ("product", "bias", "scores", "weights")}
    return replace(side, parts=parts, axis=axis, **turned)


def _is_transposed(side):
    return side.used.size(-1) == side.used.size(-2) and near(side.used, side.weights.mT)


def _by_layers(mine, theirs, names, certain):
    """A guess if those of q, k and v come from other layers, or from layers that differ."""
    differing = [name for name in names if not _same_origin(mine, theirs, name)]
    if not differing:
        return None
    found = [next((n for n in (name, *"qkv") if _alike(mine.parts[name], theirs.parts[n])), "") for name in "qkv"]
    back = [next((n for n in (name, *"qkv") if _alike(theirs.parts[name], mine.parts[n])), "") for name in "qkv"]
    for says in ((found, "qkv"), ("qkv", back)):
        if all(map(all, says)) and _list(says[0]) != _list(says[1]):
            return Guess("roles", "what is used as queries, keys and values", *map(_list, says))
    if all(near(mine.parts[n].origin, theirs.parts[n].origin.transpose(0, 1)) for n in "qkv"):
        return Guess("axes", "the axis along which tokens attend", "what is the batch in theirs,", "the positions")
    layouts = [side.parts["k"].layout for side in (mine, theirs)]
    if layouts[0] != layouts[1] and near(*(_whole(side) for side in (mine, theirs))):
        return Guess("heads", "where the features of queries, keys and values are in one layer", *layouts)
    return _by_layer(differing[0], mine, theirs, certain) if _explains(differing[0], mine, theirs) else None


def _explains(name, mine, theirs):
    """Whether mine gives the products of theirs with their queries or keys: else other layers may make up for these."""
    parts = [(side.parts[n].split, side.parts[n].groups, side.parts[n].layout) for side in (mine, theirs) for n in "qk"]
    if name == "v":
        return True
    q, k = ((theirs if n == name else mine).parts[n].heads for n in "qk")
    a, b = (x - x.mean(-1, keepdim=True) for x in (q @ k.mT, theirs.product))
    return parts[:2] == parts[2:] and near(a, b)


def _by_norms(mine, theirs, names):
    """A guess if one side norms queries or keys, and the other does not."""
    for a, b, name in ((mine.parts[n], theirs.parts[n], n) for n in names if _same_origin(mine, theirs, n)):
        if near(a.base, b.base):
            continue
        plain = [near(x.base, x.origin) for x in (a, b)]
        if plain[0] != plain[1] and _is_normed(b if plain[0] else a):
            return Guess("norm", f"the norm of the {NAMES[name]}", *("none" if each else "one" for each in plain))
        return None
    return None


def _is_normed(x):
    """Whether the features are those of the layer after a norm, of each head or of all, times a weight."""
    y = x.base.flatten(0, 1) - x.base.mean((0, 1))
    for width in (x.heads.size(-1), x.origin.size(-1)):
        features = x.origin.unflatten(-1, (-1, width))
        for z in (features, features - features.mean(-1, keepdim=True)):
            z = (z / z.square().mean(-1, keepdim=True).sqrt()).flatten(2).flatten(0, 1)
            z = z - z.mean(0)
            weight = (y * z).sum(0) / z.square().sum(0)
            if close(weight * z, y, 1e-3 * float(y.abs().max())):
                return True
    return False


def _whole(side):
    """What the layer gives that computes q, k and v, or what their three layers give together."""
    parts = side.parts.values()
    whole = [x.whole if x.whole is not None else x.base for x in parts]
    return whole[0] if all(x is whole[0] or torch.equal(x, whole[0]) for x in whole) else torch.cat(whole, -1)


def _list(names):
    one, two, three = (NAMES[name] for name in names)
    return f"{one}, {two} and {three}"


def _by_layer(name, mine, theirs, certain):
    a, b = (side.parts[name] for side in (mine, theirs))
    if a.given is None or b.given is None:
        return None
    same_weight = a.weight is not None and b.weight is not None and near(a.weight, b.weight)
    if not _same_input(a.given, b.given):
        says = [_read(side, name) for side in (mine, theirs)]
        if same_weight and says[0] != says[1]:
            return Guess("source", f"what the {NAMES[name]} are computed from", *says)
        return None
    if a.origin.shape != b.origin.shape:
        return None
    apart = a.origin - b.origin
    if near(a.origin, b.origin + apart.flatten(0, 1).mean(0)):
        known = certain or name == "q"  # the rest may make up for a bias of the keys or of the values
        return Guess("parameter", f"the bias of the {NAMES[name]}", "one", "another") if known else None
    if a.weight is None or b.weight is None or a.weight.shape != b.weight.shape or same_weight:
        return None
    w, u = a.weight.T, b.weight.T
    what = f"the weight of the {NAMES[name]}"
    found = relation(w, u, 1e-5 * float(u.abs().max()), table=True)
    if found is not None:
        return Guess(found.kind, f"{what}, by {found.what}", found.mine, found.theirs)
    return Guess("parameter", f"{what}: a parameter that was not copied", "one", "another")


def _read(side, name):
    same = [n for n in "qkv" if n != name and _same_input(side.parts[n].given, side.parts[name].given)]
    return f"what the {NAMES[same[0]]} are computed from" if same else "another input"


def _same_input(x, y):
    return (
        x is not None
        and y is not None
        and x.numel() == y.numel()
        and (near(x.reshape(y.shape), y) or near(x, in_layout_of(y, x)))
    )


def _by_parts(mine, theirs, names):
    """A guess if heads are cut, shared or turned differently."""
    kinds = (("heads", "split", "how {} are cut into heads"), ("heads", "groups", "which key head a query head reads"))
    for kind, step, what in kinds:
        says = [[getattr(side.parts[n], step) for n in names] for side in (mine, theirs)]
        differing = [n for n, a, b in zip(names, *says, strict=True) if a != b]
        if differing:
            if not all(_alike(mine.parts[n], theirs.parts[n], any_order=False) for n in differing):
                return None
            at = names.index(differing[0])
            what = what.format(" and ".join(NAMES[n] for n in differing))
            return Guess(kind, what, *(each[at] or "as many as queries" for each in says))
    if not all(near(mine.parts[n].base, theirs.parts[n].base) for n in names):
        return None
    says = [{n: side.parts[n].turned for n in names} for side in (mine, theirs)]
    if says[0] != says[1]:
        return Guess("positions", "the encoding of the positions", *(_turns(each) for each in says))
    return None


def _turns(each):
    if len(set(each.values())) == 1:
        one = next(iter(each.values()))
        return one if "v" not in each or one == "none" else f"values {one}"
    return ", ".join(f"{NAMES[name]} {'not turned' if turned == 'none' else turned}" for name, turned in each.items())


def _by_weights(mine, theirs, factor, masks):
    if None in (mine.factor, theirs.factor):
        return _softmax(mine, theirs) if near(mine.scores, theirs.scores) else None
    if not {mine.axis, theirs.axis} <= set(AXES) and mine.axis != theirs.axis:
        return _softmax(mine, theirs)
    if abs(mine.factor * factor / theirs.factor - 1) > 1e-3:
        same = abs(factor - 1) < 1e-3
        labels = [_scale(side.factor * (1 if same or side is theirs else factor), side) for side in (mine, theirs)]
        return Guess("scale", "the scale of the scores", *labels)
    turned = [_is_transposed(side) for side in (mine, theirs)]
    if turned[0] != turned[1]:
        says = ("transposed" if each else "in place" for each in turned)
        return Guess("transpose", "the weights", *says) if near(mine.weights, theirs.weights) else None
    return by_mask(mine, theirs, masks) or _softmax(mine, theirs)


def _softmax(mine, theirs):
    if mine.axis == theirs.axis:
        return None
    labels = ["no softmax" if side.axis == "none" else side.axis for side in (mine, theirs)]
    return Guess("softmax", "the axis of the softmax" if set(labels) <= set(AXES) else "the softmax", *labels)


def _scale(factor, a):
    """All names of a number: where D is 4, 1/D is 1/(2√D)."""
    D = a.parts["q"].heads.size(-1)
    sizes = (D, D * a.heads, a.heads, a.product.size(-2))
    return " = ".join(n for n, f in SCALES.items() if abs(f(*sizes) / factor - 1) < 1e-3) or f"{factor:.4g}"


def _by_merge(mine, theirs):
    if "" in (mine.merge, theirs.merge) or mine.merge == theirs.merge:
        return None
    return Guess("heads", "how heads are merged", mine.merge, theirs.merge)
