"""Causes in one step: which activation, which norm. Both sides must be explained."""

import itertools

import torch
import torch.nn.functional as F

from invariants.compare.numbers import Guess, close, size_of_difference
from invariants.compare.sites import behind

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
MOST = 8  # results before a norm that are tried as what it got


def by_activation(sides, pool, within):
    """A guess if both targets are functions of one known tensor, or of two with a gate; the function differs."""
    mine, theirs = (side.target for side in sides)
    known = [(label, x) for label, x in pool if x.shape == mine.shape == theirs.shape][-6:]
    pairs = [(label, x, 1.0) for label, x in reversed(known)]
    pairs += [(label, x, y) for label, x in reversed(known) for gate, y in reversed(known) if gate != label]
    found = []
    for label, x, y in pairs:
        names = [
            next((name for name, function in ACTIVATIONS.items() if close(function(x) * y, target, within)), None)
            for target in (mine, theirs)
        ]
        if None not in names and names[0] != names[1]:
            found.append(Guess("activation", f"the activation of `{label}`", *names))
    plain = [
        guess for guess in found if "none" not in (guess.mine, guess.theirs)
    ]  # else of what one side has activated
    return next(iter(plain or found), None) or _exchanged(known, mine, theirs, within)


def _exchanged(known, mine, theirs, within):
    """A guess if a gate and what it gates are exchanged, or one of them is missing."""
    for (label, x), (other, y) in itertools.permutations(known, 2):
        for name, function in ACTIVATIONS.items():
            if name != "none" and close(function(x) * y, theirs, within):
                right = f"{name} of `{label}` · `{other}`"
                for result, says in (
                    (x * function(y), f"`{label}` · {name} of `{other}`"),
                    (function(x), f"{name} of `{label}`"),
                    (x * y, f"`{label}` · `{other}`"),
                ):
                    if close(result, mine, within):
                        return Guess("activation", "a gate", says, right)
    return None


# ---------------------------------------------------------------- norms


def by_norm(ends, place, later, within):
    """(a guess or None, what both norms got or None) for the operations that two norms end with.

    A guess if the norms differ in one choice: the kind, epsilon, axis, or the weight. Kinds differ in where epsilon
    stands, so that both may differ at once. If they do not differ, what they got may.

    place: what the operations gave; later(vector): how often each side uses it later
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
        what = {"eps": "an epsilon", "kind": "the kind of norm", "axis": "the axis of a norm"}
        return Guess(
            "epsilon" if key == "eps" else "norm",
            what.get(key, "the weight of a norm"),
            *(f"{c[key]}" for c in (one, other)),
        ), None
    same = [pair for pair in itertools.product(mine, theirs) if not _differing(*pair) and pair[0]["kind"] != "none"]
    return None, tuple(choice["x"] for choice in same[-1]) if same and not pairs else None


def _of_one_side(one, other, place, later):
    """A norm that only one side has here; the other one may have it later."""
    kinds, at = (one["kind"], other["kind"]), int(one["kind"] == "none")
    weight = ((one, other)[at]["values"] or (None,))[0]
    uses = (0, 0) if weight is None else later(weight)
    if uses[1 - at] <= uses[at]:
        return Guess("norm", f"the norm of {place}", *kinds)
    return Guess("norm", "the norm before or after", *(("before", "after") if at == 0 else ("after", "before")))


def _choices(end, within):
    """All norms, and the same number of results without one, that give what an operation gave."""
    found = [{"x": end.value, "kind": "none", "eps": 0.0, "axis": "", "weight": "", "values": ()}]
    steps = sorted(behind(end), key=lambda one: -one.time)
    for x in [one for one in steps if one.value.shape == end.value.shape and one is not end][:MOST]:
        inner = [one for one in steps if one.time > x.time]
        own = {n for one in inner for n in one.numbers if 0 < n < 1}
        vectors = {}
        for one in (source for step in inner for source in step.sources):
            if not one.live and one.parameter and one.value.shape == end.value.shape[-1:]:
                vectors[_named(one)] = one.value
        named = [("none", None), *vectors.items(), *((f"1 + {n}", 1 + v) for n, v in vectors.items())]
        for kind, eps, (axis, dim) in itertools.product(
            KINDS, sorted(own) or (1e-5,), (("features", -1), ("positions", -2))
        ):
            if x.value.dim() < 2 or x.value.size(dim) < 2:
                continue
            normed = KINDS[kind](x.value, eps, dim)
            for (name, weight), (_, bias) in itertools.product(named, [("none", None), *vectors.items()]):
                result = normed if weight is None else normed * weight
                if close(result if bias is None else result + bias, end.value, within):
                    values = (weight, bias)
                    found.append(
                        {"x": x.value, "kind": kind, "eps": eps, "axis": axis, "weight": name, "values": values}
                    )
    return found


def _named(one):
    """The name of a parameter, or of what was made of it."""
    leaf = one
    while leaf.name:
        leaf = next(source for source in leaf.sources if source.parameter)
    if torch.equal(one.value, leaf.value):
        return one.parameter
    return f"1 + {one.parameter}" if close(one.value, 1 + leaf.value, 1e-6) else f"what is made of {one.parameter}"


def _differing(one, other):
    """The keys in which two choices differ; weights that hold the same numbers, w and 1 + w, are the same."""
    if "none" in (one["kind"], other["kind"]):
        return ["kind"] if one["kind"] != other["kind"] else []
    same = all(_equal(a, b) for a, b in zip(one["values"], other["values"], strict=True))
    return [
        key for key in ("kind", "eps", "axis", "weight") if (not same if key == "weight" else one[key] != other[key])
    ]


def _equal(a, b):
    return a is b or (a is not None and b is not None and close(a, b, 1e-6))


def _layer_norm(x, eps, axis, unbiased=False):
    centered = x - x.mean(axis, keepdim=True)
    return centered / (x.var(axis, keepdim=True, unbiased=unbiased) + eps).sqrt()


KINDS = {
    "LayerNorm": _layer_norm,
    "RMSNorm": lambda x, eps, axis: x / (x.square().mean(axis, keepdim=True) + eps).sqrt(),
    "LayerNorm with n - 1": lambda x, eps, axis: _layer_norm(x, eps, axis, unbiased=True),
    "LayerNorm with epsilon outside the root": lambda x, eps, axis: (x - x.mean(axis, keepdim=True))
    / (x.std(axis, keepdim=True, unbiased=False) + eps),
    "LayerNorm with n - 1 and epsilon outside the root": lambda x, eps, axis: (x - x.mean(axis, keepdim=True))
    / (x.std(axis, keepdim=True) + eps),
    "RMSNorm without the mean": lambda x, eps, axis: x / (x.square().sum(axis, keepdim=True) + eps).sqrt(),
}
