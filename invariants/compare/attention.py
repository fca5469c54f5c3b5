"""Causes inside attention: infer from each model's numbers what it does, from the projections to the merged heads.

Each step is fitted to the numbers of its own side. A step is named if the two sides take it differently although its
inputs agree; a difference that another step of the same side cancels does not count.
"""

import math
from dataclasses import dataclass, replace

import torch

from invariants.compare.heads import Operand, in_heads, operand
from invariants.compare.masks import HIDDEN, by_mask
from invariants.compare.numbers import Guess, in_layout_of, near, order_of, relation, same
from invariants.compare.operations import behind, tensors_in
from invariants.compare.sites import sites_of

NAMES = {"q": "queries", "k": "keys", "v": "values"}
SCALES = {  # functions of D, C, H and T
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
    """The attention that one side computes, where scores = factor · (q · k) + bias.

    axis: the axis of the softmax, or "none"
    """

    parts: dict  # {"q", "k" or "v": Operand}
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
    """Describe a site as an Attention; None if the axes cannot be told apart."""
    lead, alone = math.prod(site.q.shape[:-2]), len(site.sources) == 1
    parts, ways = {}, []
    for name, x, sources in zip("qkv", (site.q, site.k, site.v), zip(*site.sources, strict=True), strict=True):
        each = [x] if alone else list(x.unbind(-3))
        found = [operand(part, source, ways) for part, source in zip(each, sources, strict=True)]
        if None not in found:
            ways = ways or [found[0][1]]
            parts[name] = _side_by_side([one for one, _ in found])
    batch, heads_first = (ways or [(site.q.size(0) if site.q.dim() > 3 else 1, False)])[0]
    if not alone:
        batch = lead // len(site.sources)
    if lead % batch or any(x.shape[:-2].numel() != lead for x in (site.k, site.v)):
        return None
    for name, x in zip("qkv", (site.q, site.k, site.v), strict=True):
        parts.setdefault(name, Operand(in_heads(x, batch, heads_first)))
    scores = [in_heads(x, batch, heads_first) for x in site.scores]
    before, axis, weights = _normalized(scores)
    used, out = scores[-1], in_heads(site.out, batch, heads_first)
    if axis in SWAPPED and used.size(-1) == used.size(-2) and near(used, weights.mT) and not near(used, weights):
        parts["q"], parts["k"] = parts["k"], parts["q"]  # each row holds the scores of one key
        before, axis, weights = before.mT, SWAPPED[axis], weights.mT
    product = parts["q"].heads @ parts["k"].heads.mT
    factor, bias = _fitted(before, product)
    return Attention(parts, product, factor, bias, before, axis, weights, used, out, *_merged(site.last, out))


SWAPPED = {"the queries": "the keys", "the keys": "the queries"}


def _side_by_side(parts):
    """Concatenate the operands of heads that were computed one by one."""
    if len(parts) == 1:
        return parts[0]
    heads = torch.cat([x.heads for x in parts], 1)
    base, origin = (torch.cat([getattr(x, name) for x in parts], -1) for name in ("base", "origin"))
    weight = None if any(x.weight is None for x in parts) else torch.cat([x.weight for x in parts], -1)
    return replace(parts[0], heads=heads, base=base, origin=origin, whole=base, weight=weight)


def _normalized(scores):
    """Return the first scores whose softmax over some axis appears among the later ones, the axis and the weights."""
    for i, x in enumerate(scores):
        for name, axis in AXES.items():
            weights = x.softmax(axis).nan_to_num(0.0)
            if any(near(weights, y.nan_to_num(0.0)) for y in scores[i + 1 :]):
                return x, name, weights
    return scores[-1], "none", scores[-1]


def _fitted(scores, product):
    """Fit scores = factor · product + bias, where the bias is mostly 0 or the same in each batch item."""
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


def _merged(last, out):
    """Return the last rearrangement of the attention output, as (B, T, C), and how the heads were merged."""
    _, H, T, D = out.shape
    ordered, todo, seen, found = out.flatten().sort()[0], [last], set(), last.value
    while todo:
        for x in todo.pop(0).users:
            value = x.factors[0] if x.factors else x.value
            alike = id(x) not in seen and value.numel() == out.numel() and value.dtype == out.dtype
            seen.add(id(x))
            if alike and torch.equal(value.flatten().sort()[0], ordered):
                todo += [] if x.factors else [x]
                found = value
    if found.size(-1) != H * D:
        return None, ""
    for name, y in (
        ("as usual", out.transpose(1, 2).flatten(2)),
        ("without the transpose", out.reshape(out.size(0), T, -1)),
        ("interleaved", out.permute(0, 2, 3, 1).flatten(2)),
    ):
        if any(torch.equal(found.flatten(), turned.flatten()) for turned in (y, y.transpose(0, 1))):
            return y, name
    return found, "in another order"


# ---------------------------------------------------------------- both sides


def by_attention(runs, times, parting):
    """Return a Guess if two sites get the same input and take one step differently; of several steps, the first.

    Sites count if they began before `times` or read what differs. The first one after the last that agrees is taken.
    """
    sites = [
        [site for site in sites_of(run.operations) if site.start < time or _reads(site, x)]
        for run, time, x in zip(runs, times, (parting.a, parting.b), strict=True)
    ]
    if len(sites[0]) != len(sites[1]):
        return None
    first = [None]
    for pair in reversed(list(zip(*sites, strict=True))):
        both = [described(site) for site in pair]
        if None not in both and _agree(*both):
            break
        first = both
    masks = [x for run in runs for x in tensors_in(run[0].given)]
    return None if None in first else _difference(*first, masks)


def _reads(site, x):
    """Whether a tensor is one of the steps from a projection to queries, keys or values."""
    steps = (one for sources in site.sources for source in sources for one in behind(source))
    return any(same(one.value, x) for one in steps)


def _difference(mine, theirs, masks):
    if mine.heads != theirs.heads:
        same = all(_same_origin(mine, theirs, name) for name in "qkv")
        return Guess("heads", "the number of heads", f"{mine.heads}", f"{theirs.heads}") if same else None
    theirs = _in_order_of(mine, theirs)
    if near(mine.out, theirs.out):
        return _by_merge(mine, theirs)
    factor = _proportion(mine, theirs)
    if factor is None:
        return _by_inputs(mine, theirs, "qk")
    if not near(mine.used, theirs.used):
        return _by_weights(mine, theirs, factor, masks)
    moved = _by_merge(mine, theirs) if _alike(mine.parts["v"], theirs.parts["v"]) else None
    return moved or _by_inputs(mine, theirs, "v")


def _agree(mine, theirs):
    """Whether both outputs are the same, up to the order of the heads."""
    if mine.heads != theirs.heads:
        return mine.merged is not None and theirs.merged is not None and near(mine.merged, theirs.merged)
    return near(mine.out, _in_order_of(mine, theirs).out) and not _by_merge(mine, theirs)


def _in_order_of(mine, theirs):
    """Return theirs with its heads in the order of mine, if both have the same heads in a different order."""
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


def _proportion(mine, theirs):
    """The factor f with product of mine = f · product of theirs, up to a constant per row; None if there is none."""
    a, b = (x.product - x.product.mean(-1, keepdim=True) for x in (mine, theirs))
    if a.shape != b.shape or not b.any():
        return None
    factor = float((a * b).sum() / b.square().sum())
    return factor if near(a, factor * b) else None


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


# ---------------------------------------------------------------- queries, keys and values


def _by_inputs(mine, theirs, names):
    if any(side.parts[n].base is None for side in (mine, theirs) for n in "qkv"):
        return None
    return _by_layers(mine, theirs, names) or _by_parts(mine, theirs, names)


def _by_layers(mine, theirs, names):
    """Return a Guess if q, k or v come from different layers, or from layers with different numbers."""
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
    return _by_layer(differing[0], mine, theirs) if _explains(differing[0], mine, theirs) else None


def _list(names):
    one, two, three = (NAMES[name] for name in names)
    return f"{one}, {two} and {three}"


def _whole(side):
    """The output of the layer that computes q, k and v, or the concatenated outputs of their three layers."""
    parts = side.parts.values()
    whole = [x.whole if x.whole is not None else x.base for x in parts]
    return whole[0] if all(torch.equal(x, whole[0]) for x in whole) else torch.cat(whole, -1)


def _explains(name, mine, theirs):
    """Whether mine, with their queries (or keys), gives the products of theirs; if not, other layers may compensate."""
    parts = [(side.parts[n].split, side.parts[n].groups, side.parts[n].layout) for side in (mine, theirs) for n in "qk"]
    if name == "v":
        return True
    q, k = ((theirs if n == name else mine).parts[n].heads for n in "qk")
    a, b = (x - x.mean(-1, keepdim=True) for x in (q @ k.mT, theirs.product))
    return parts[:2] == parts[2:] and near(a, b)


def _by_layer(name, mine, theirs):
    """Return a Guess if one layer gets a different input, or has different numbers."""
    a, b = (side.parts[name] for side in (mine, theirs))
    if a.given is None or b.given is None:
        return None
    same_weight = a.weight is not None and b.weight is not None and near(a.weight, b.weight)
    if not _same_input(a.given, b.given):
        says = [_read(side, name) for side in (mine, theirs)]
        known = same_weight and says[0] != says[1]
        return Guess("source", f"what the {NAMES[name]} are computed from", *says) if known else None
    if a.origin.shape != b.origin.shape:
        return None
    if near(a.origin, b.origin + (a.origin - b.origin).flatten(0, 1).mean(0)):
        return Guess("parameter", f"the bias of the {NAMES[name]}", "one", "another")
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
    if x is None or y is None or x.numel() != y.numel():
        return False
    return near(x.reshape(y.shape), y) or near(x, in_layout_of(y, x))


STEPS = (  # from the features of a layer to heads: an attribute of Operand, the kind of Guess, and its text
    ("normed", "norm", "the norm of the {}"),
    ("split", "heads", "how {} are cut into heads"),
    ("groups", "heads", "which key head a query head reads"),
)


def _by_parts(mine, theirs, names):
    """Return a Guess if heads are split, shared, normalized or rotated differently."""
    for step, kind, what in STEPS:
        says = [[getattr(side.parts[n], step) for n in names] for side in (mine, theirs)]
        differing = [n for n, a, b in zip(names, *says, strict=True) if a != b]
        if differing:
            alike = all(_alike(mine.parts[n], theirs.parts[n], any_order=False) for n in differing)
            if not alike or any("unknown" in each for each in says):
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


# ---------------------------------------------------------------- scores, weights and merged heads


def _by_weights(mine, theirs, factor, masks):
    if None in (mine.factor, theirs.factor):
        return None
    if "none" in (mine.axis, theirs.axis) and mine.axis != theirs.axis:
        return _softmax(mine, theirs)
    if abs(mine.factor * factor / theirs.factor - 1) > 1e-3:
        same = abs(factor - 1) < 1e-3
        labels = [_scale(side.factor * (1 if same or side is theirs else factor), side) for side in (mine, theirs)]
        return Guess("scale", "the scale of the scores", *labels)
    return by_mask(mine, theirs, masks) or _softmax(mine, theirs)


def _scale(factor, a):
    """All names of a factor, since several may fit: for D = 4, 1/D is 1/(2√D)."""
    D = a.parts["q"].heads.size(-1)
    sizes = (D, D * a.heads, a.heads, a.product.size(-2))
    return " = ".join(n for n, f in SCALES.items() if abs(f(*sizes) / factor - 1) < 1e-3) or f"{factor:.4g}"


def _softmax(mine, theirs):
    if mine.axis == theirs.axis:
        return None
    labels = ["no softmax" if side.axis == "none" else side.axis for side in (mine, theirs)]
    return Guess("softmax", "the softmax" if "no softmax" in labels else "the axis of the softmax", *labels)


def _by_merge(mine, theirs):
    if "" in (mine.merge, theirs.merge) or mine.merge == theirs.merge:
        return None
    return Guess("heads", "how heads are merged", mine.merge, theirs.merge)
