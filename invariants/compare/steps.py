"""Causes in one step: the activation, or the norm. A cause must explain both sides."""

import itertools

import torch
import torch.nn.functional as F

from invariants.compare.numbers import Guess, close, size_of_difference
from invariants.compare.operations import behind

ACTIVATIONS = {
    "none": lambda x: x,
    "ReLU": F.relu,
    "GELU": F.gelu,
    "GELU by tanh": lambda x: F.gelu(x, approximate="tanh"),
    "GELU by a sigmoid": lambda x: x * torch.sigmoid(1.702 * x),
    "SiLU": F.silu,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "leaky ReLU": F.leaky_relu,
    "squared ReLU": lambda x: F.relu(x) ** 2,
}
MOST = 8  # how many earlier results are tried as the input of a norm


def by_activation(sides, pool, within):
    """Return a Guess if both targets are functions of one known tensor, or of two with a gate, that differ."""
    mine, theirs = (side.target for side in sides)
    known = [(label, x) for label, x in reversed(pool) if x.shape == mine.shape == theirs.shape][:6]
    fits = {}, {}  # for each side, {(the gated tensor or "", the activated tensor): the first activation that fits}
    for (gated, y), (label, x) in itertools.product([("", 1.0), *known], known):
        for name, function in ACTIVATIONS.items() if label != gated else ():
            result = function(x) * y
            for found, target in zip(fits, (mine, theirs), strict=True):
                if close(result, target, within):
                    found.setdefault((gated, label), name)
    differing = [key for key, name in fits[1].items() if fits[0].get(key, name) != name]
    if differing:
        key = min(differing, key=lambda key: "none" in (fits[0][key], fits[1][key]))  # prefer one that both activate
        return Guess("activation", f"the activation of `{key[1]}`", fits[0][key], fits[1][key])
    for one, other in itertools.product(fits[0].items(), fits[1].items()):
        if other[0][0] and other[1] != "none" and one != other and {*one[0], ""} <= {*other[0], ""}:
            return Guess("activation", "a gate", _form(*one), _form(*other))
    return None


def _form(key, name):
    gated, label = key
    activated = f"`{label}`" if name == "none" else f"{name} of `{label}`"
    return f"{activated} · `{gated}`" if gated else activated


# ---------------------------------------------------------------- norms


def by_norm(ends, place, later, within):
    """Return (a Guess or None, the inputs of both norms or None) for the last operations of two norms.

    There is a Guess if the norms differ in one choice: the kind, epsilon or the weight. Kind and epsilon may differ
    together, since the kinds place epsilon differently. If no choice differs, the inputs may.

    place: the text that names the result; later(vector): how often each side uses the vector later
    """
    mine, theirs = (_choices(end, within) for end in ends)
    pairs = [
        (one, other, _differing(one, other))
        for one, other in itertools.product(mine, theirs)
        if size_of_difference(one["x"], other["x"]) <= within
    ]
    fewest = min((len(keys) for *_, keys in pairs), default=0)
    if fewest == 2 and all(keys == ["kind", "eps"] for *_, keys in pairs if len(keys) == 2):
        one, other, _ = next(pair for pair in pairs if len(pair[2]) == 2)
        return Guess("norm", "the kind of norm", *(f"{c['kind']}, eps = {c['eps']:g}," for c in (one, other))), None
    if fewest == 1 and len({keys[0] for *_, keys in pairs if len(keys) == 1}) == 1:
        one, other, (key,) = next(pair for pair in pairs if len(pair[2]) == 1)
        if "none" in (one["kind"], other["kind"]):
            return _of_one_side(one, other, place, later), None
        kind, what = WORDS[key]
        return Guess(kind, what, f"{one[key]}", f"{other[key]}"), None
    same = [pair for pair in itertools.product(mine, theirs) if not _differing(*pair) and pair[0]["kind"] != "none"]
    return None, tuple(choice["x"] for choice in same[-1]) if same and not pairs else None


WORDS = {
    "eps": ("epsilon", "an epsilon"),
    "kind": ("norm", "the kind of norm"),
    "weight": ("norm", "the weight of a norm"),
}


def _of_one_side(one, other, place, later):
    """Return a Guess for a norm that only one side has here; the other side may have it later."""
    kinds, at = (one["kind"], other["kind"]), int(one["kind"] == "none")
    weight = ((one, other)[at]["values"] or (None,))[0]
    uses = (0, 0) if weight is None else later(weight)
    if uses[1 - at] <= uses[at]:
        return Guess("norm", f"the norm of {place}", *kinds)
    return Guess("norm", "the norm before or after", *(("before", "after") if at == 0 else ("after", "before")))


def _choices(end, within):
    """All norms of earlier results that give the result of this operation; the first choice is no norm at all."""
    found = [{"x": end.value, "kind": "none", "eps": 0.0, "weight": "", "values": ()}]
    if end.value.dim() < 2:
        return found
    steps = sorted(behind(end), key=lambda one: -one.time)
    for x in [one for one in steps if one.value.shape == end.value.shape and one is not end][:MOST]:
        inner = [one for one in steps if one.time > x.time]
        own = {n for one in inner for n in one.numbers if 0 < n < 1}
        vectors = {}
        for one in (source for step in inner for source in step.sources):
            if not one.live and one.parameter and one.value.shape == end.value.shape[-1:]:
                vectors[_named(one)] = one.value
        named = [("none", None), *vectors.items(), *((f"1 + {n}", 1 + v) for n, v in vectors.items())]
        for kind, eps in itertools.product(KINDS, sorted(own) or (1e-5,)):
            normed = _normed(x.value, eps, **KINDS[kind])
            for (name, weight), bias in itertools.product(named, (None, *vectors.values())):
                result = normed if weight is None else normed * weight
                if close(result if bias is None else result + bias, end.value, within):
                    values = weight, bias
                    found.append({"x": x.value, "kind": kind, "eps": eps, "weight": name, "values": values})
    return found


def _named(one):
    """The name of a parameter, or of a vector derived from it."""
    leaf = one
    while leaf.name:
        leaf = next(source for source in leaf.sources if source.parameter)
    if torch.equal(one.value, leaf.value):
        return one.parameter
    return f"1 + {one.parameter}" if close(one.value, 1 + leaf.value, 1e-6) else f"what is made of {one.parameter}"


def _differing(one, other):
    """The keys in which two choices differ; weights are compared by their numbers, not by their names."""
    if "none" in (one["kind"], other["kind"]):
        return ["kind"] if one["kind"] != other["kind"] else []
    pairs = zip(one["values"], other["values"], strict=True)
    same = all(a is b or (a is not None and b is not None and close(a, b, 1e-6)) for a, b in pairs)
    return [key for key in ("kind", "eps") if one[key] != other[key]] + ["weight"] * (not same)


def _normed(x, eps, centered=True, divisor=lambda n: n, outside=False):
    x = x - x.mean(-1, keepdim=True) if centered else x
    square = x.square().sum(-1, keepdim=True) / divisor(x.size(-1))
    return x / (square.sqrt() + eps if outside else (square + eps).sqrt())


KINDS = {
    "LayerNorm": {},
    "RMSNorm": {"centered": False},
    "LayerNorm with n - 1": {"divisor": lambda n: n - 1},
    "LayerNorm with epsilon outside the root": {"outside": True},
    "LayerNorm with n - 1 and epsilon outside the root": {"divisor": lambda n: n - 1, "outside": True},
    "RMSNorm without the mean": {"centered": False, "divisor": lambda n: 1},
}
