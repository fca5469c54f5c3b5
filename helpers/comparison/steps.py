"""Causes in one step: which activation, which norm. Both sides must be explained."""

import itertools

import torch
import torch.nn.functional as F

from helpers.comparison.guess import Guess
from helpers.comparison.numbers import close

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
    for label, x, y in pairs:
        names = [
            next((name for name, function in ACTIVATIONS.items() if close(function(x) * y, target, within)), None)
            for target in (mine, theirs)
        ]
        if None not in names and names[0] != names[1]:
            return Guess("activation", f"the activation of `{label}`", *names)
    return _exchanged(known, mine, theirs, within)


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
    """A guess if both are norms of the same input that differ in one choice: the kind, epsilon, axis, or the weight."""
    if mine.input is None or theirs.input is None or not mine.input.is_floating_point():
        return None
    found = [_norm(call, within) for call in (theirs, mine)]
    for one, other in ((0, 1), (1, 0)):
        call = (theirs, mine)[other]
        if found[one] is None or _fits(_normed(call, found[one]), call.output, within):
            continue  # the choices are the same: the difference is elsewhere
        changed = [c for c in _changes(found[one], call) if _fits(_normed(call, c), call.output, within)]
        keys = {key for choice in changed for key in choice if choice[key] != found[one][key]}
        if len(keys) == 1:
            (key,) = keys
            best = min(changed, key=lambda c: (_normed(call, c) - call.output).abs().max().item())
            values = [best[key], found[one][key]]
            mine_value, theirs_value = values if other == 1 else values[::-1]
            what = {"eps": "an epsilon", "kind": "the kind of norm", "axis": "the axis of a norm"}.get(
                key, "its weight"
            )
            return Guess("epsilon" if key == "eps" else "norm", what, f"{mine_value}", f"{theirs_value}")
    return None


def _fits(result, output, within):
    return result is not None and close(result, output, within)


def _norm(call, within):
    """The choices that give the output of a call, or None."""
    for kind in list(KINDS)[1:]:
        for eps in _epsilons(call):
            choice = {"kind": kind, "eps": eps, "axis": "features", "weight": "weight"}
            for choice["weight"] in ("weight", "1 + weight"):
                if _fits(_normed(call, choice), call.output, within):
                    return dict(choice)
    return None


def _changes(choice, call):
    """Every change of one choice."""
    for key, values in {
        "kind": KINDS,
        "eps": _epsilons(call),
        "axis": ("features", "positions"),
        "weight": ("weight", "1 + weight", "none"),
    }.items():
        yield from ({**choice, key: value} for value in values if value != choice[key])


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


def _normed(call, choice):
    x = call.input
    axis = -1 if choice["axis"] == "features" else -2
    if x.dim() < 2 or x.size(axis) < 2 or call.output is None:
        return None
    parameters = [p.detach() for p in call.module.parameters(recurse=False)]
    if any(p.shape != x.shape[-1:] for p in parameters) or len(parameters) > 2:
        return None
    if choice["kind"] == "none":
        return x
    x = KINDS[choice["kind"]](x, choice["eps"], axis)
    if parameters and choice["weight"] != "none":
        x = x * (parameters[0] + (choice["weight"] == "1 + weight"))
    return x + parameters[1] if len(parameters) == 2 else x
