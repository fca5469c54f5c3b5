"""Causes in one step: which activation, which norm. Both sides must be explained."""

import itertools

import torch
import torch.nn.functional as F

from invariants.compare.guess import Guess
from invariants.compare.numbers import close

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
EPSILONS = (1e-5, 1e-6, 1e-12, 0.0, 1e-8, 1e-3, 1e-2, 0.1)


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


def by_norm(mine, theirs, within):
    """A guess if both are norms that differ in one choice: the kind, epsilon, axis, or the weight.

    Kinds differ in where epsilon stands, so that both may differ at once.
    """
    if any(call.input is None or not call.input.is_floating_point() for call in (mine, theirs)):
        return None
    pairs = itertools.product(_choices(mine, within), _choices(theirs, within))
    pairs = [(one, other, _differing(one, other)) for one, other in pairs]
    fewest = min((len(keys) for *_, keys in pairs), default=0)
    if fewest == 2 and all(keys == ["kind", "eps"] for *_, keys in pairs if len(keys) == 2):
        one, other, _ = next(pair for pair in pairs if len(pair[2]) == 2)
        return Guess("norm", "the kind of norm", *(f"{c['kind']}, eps = {c['eps']:g}," for c in (one, other)))
    if fewest != 1 or len({keys[0] for *_, keys in pairs if len(keys) == 1}) > 1:
        return None
    one, other, (key,) = next(pair for pair in pairs if len(pair[2]) == 1)
    what = {"eps": "an epsilon", "kind": "the kind of norm", "axis": "the axis of a norm"}.get(
        key, "the weight of a norm"
    )
    values = [choice[key][0] if key == "weight" else f"{choice[key]}" for choice in (one, other)]
    return Guess("epsilon" if key == "eps" else "norm", what, *values)


def _choices(call, within):
    """All choices that give the output of a call."""
    weight, *bias = [p.detach() for p in call.module.parameters(recurse=False)] or [None]
    weights = [("none", None)] + ([] if weight is None else [("weight", weight), ("1 + weight", 1 + weight)])
    if len(bias) > 1 or any(p is not None and p.shape != call.input.shape[-1:] for p in (weight, *bias)):
        return []
    found = []
    for kind, eps, axis, weight in itertools.product(KINDS, _epsilons(call), ("features", "positions"), weights):
        result = _normed(call.input, kind, eps, -1 if axis == "features" else -2, weight[1], bias)
        if result is not None and close(result, call.output, within):
            found.append({"kind": kind, "eps": eps, "axis": axis, "weight": weight})
    return found


def _differing(one, other):
    """The keys in which two choices differ; weights that hold the same numbers, w and 1 + w, are the same."""
    if "none" in (one["kind"], other["kind"]):
        return ["kind"] if one["kind"] != other["kind"] else []
    same = _equal(one["weight"][1], other["weight"][1])
    return [key for key in one if (not same if key == "weight" else one[key] != other[key])]


def _equal(a, b):
    return a is b or (a is not None and b is not None and close(a, b, 1e-6))


def _epsilons(call):
    own = [v for name, v in vars(call.module).items() if "eps" in name and isinstance(v, float)]
    return (*own, *(eps for eps in EPSILONS if eps not in own))


def _layer_norm(x, eps, axis, unbiased=False):
    centered = x - x.mean(axis, keepdim=True)
    return centered / (x.var(axis, keepdim=True, unbiased=unbiased) + eps).sqrt()


KINDS = {
    "none": None,
    "LayerNorm": _layer_norm,
    "RMSNorm": lambda x, eps, axis: x / (x.square().mean(axis, keepdim=True) + eps).sqrt(),
    "LayerNorm with n - 1": lambda x, eps, axis: _layer_norm(x, eps, axis, unbiased=True),
    "LayerNorm with epsilon outside the root": lambda x, eps, axis: (x - x.mean(axis, keepdim=True))
    / (x.std(axis, keepdim=True, unbiased=False) + eps),
    "LayerNorm with n - 1 and epsilon outside the root": lambda x, eps, axis: (x - x.mean(axis, keepdim=True))
    / (x.std(axis, keepdim=True) + eps),
    "RMSNorm without the mean": lambda x, eps, axis: x / (x.square().sum(axis, keepdim=True) + eps).sqrt(),
}


def _normed(x, kind, eps, axis, weight, bias):
    if x.dim() < 2 or x.size(axis) < 2:
        return None
    if kind == "none":
        return x
    x = KINDS[kind](x, eps, axis)
    x = x if weight is None else x * weight
    return x + bias[0] if bias else x
