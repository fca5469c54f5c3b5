"""Pair modules of mine with those of theirs: by a mapping, by name, by equal parameters, then by shape and order."""

import torch

from invariants.compare.numbers import same
from invariants.compare.operations import Layer

DETAILS = 0.05  # share of parameters without counterpart above which two models are different architectures


def paired(mine, theirs, mapping):
    """Return {name of a module of mine: name of its counterpart}, from the calls of both, without unpaired modules.

    Names come first, then equal parameters, then shapes in the order in which modules run. A module that contains
    others is paired with the one that contains their counterparts.
    """
    ours, others = ({call.name: call for call in side} for side in (mine, theirs))
    pairs = {"": ""} | _mapped(mapping, ours, others)
    taken = {*pairs, *pairs.values()}
    pairs |= {name: name for name in ours if name in others and name not in taken and alike(ours[name], others[name])}
    for key in (_values, _shape):
        left, right = (
            {name: call for name, call in side.items() if name not in done and is_layer(call)}
            for side, done in ((ours, set(pairs)), (others, set(pairs.values())))
        )
        groups, other_groups = _grouped(left, right, key), _grouped(right, left, key)
        for value, names in groups.items():
            if len(names) == len(other_groups.get(value, ())):  # in the order in which they run
                pairs |= zip(names, other_groups[value], strict=True)
    return pairs | _holders(pairs, ours, others)


def _mapped(mapping, ours, others):
    """The pairs of the mapping, and those of their submodules that have the same names."""
    pairs = {}
    for a, b in sorted(mapping.items(), key=lambda pair: len(pair[0])):  # longer names come later, and win
        for name in ours:
            if name == a or name.startswith(a + "."):
                other = b + name[len(a) :]
                if other in others and (name == a or alike(ours[name], others[other])):
                    pairs[name] = other
    return pairs


def alike(one, other):
    """Whether modules of the same name may be paired: those without parameters must be of the same class."""
    if is_layer(one) or is_layer(other) or one.children or other.children:
        return True
    return type(one.module) is type(other.module)


def is_layer(call):
    """Whether the module has parameters of its own, and computes with them itself."""
    owns = next(call.module.parameters(recurse=False), None) is not None
    return owns and not any(isinstance(child.module, Layer) for child in call.children)


def _weight(call):
    return next(call.module.parameters(recurse=False)).detach()


def _is_part(call, others):
    """Whether its weight is a block of rows of another weight, as for queries where q, k and v are stacked."""
    w = _weight(call)
    wider = (u for u in map(_weight, others.values()) if u.dim() > 1 and u.shape[1:] == w.shape[1:] and len(u) > len(w))
    return any(torch.equal(w, u[i : i + len(w)]) for u in wider for i in range(0, len(u), len(w)))


def _shape(call):
    return _weight(call).shape


def _values(call):
    """A fingerprint, equal for equal weights; None for a weight of one repeated number, as in an untrained norm."""
    weight = _weight(call).flatten()
    if len(weight) == 0 or torch.equal(weight, weight[:1].expand(len(weight))):
        return None
    return round(float(weight.double().square().sum() + weight[0]), 9), _shape(call)


def _grouped(calls, others, key):
    """Group names by their key, without the layers that are part of a larger layer on the other side."""
    groups = {}
    for name, call in calls.items():
        value = key(call)
        if value is not None and not _is_part(call, others):
            kind = isinstance(call.module, torch.nn.Embedding)  # an output head may have the same numbers
            groups.setdefault((value, kind), []).append(name)
    return groups


def _holders(pairs, ours, others):
    """Pair modules that contain others, from the outside in."""
    found = {}
    free = [name for name in others if name not in pairs.values() and others[name].children]
    for name in ours:
        held = {pairs[inner] for inner in ours if inner.startswith(name + ".") and inner in pairs}
        if name in pairs or not held:
            continue
        for other in free:
            if {inner for inner in pairs.values() if inner.startswith(other + ".")} == held:
                found[name] = other
                free.remove(other)
                break
    return found


def parameter_pairs(mine, theirs, pairs, others):
    """Return {name of a parameter of mine: (it, its counterpart)}, also for modules that are never called.

    others: the calls of theirs
    """
    modules, named = {call.name: call.module for call in others}, dict(theirs.named_parameters(remove_duplicate=False))
    found = {}
    for name, parameter in mine.named_parameters(remove_duplicate=False):
        module, _, local = name.rpartition(".")
        if module in pairs:
            other = getattr(modules[pairs[module]], local, None)
        else:
            other = named.get(f"{_renamed(module, pairs)}.{local}")
        if isinstance(other, torch.Tensor):
            found[name] = parameter, other
    return found


def _renamed(name, pairs):
    """Replace the longest paired prefix of a name by its counterpart, and keep the rest."""
    parent = name
    while parent and parent not in pairs:
        parent = parent.rpartition(".")[0]
    rest = name[len(parent) :].removeprefix(".")
    return f"{pairs[parent]}.{rest}".strip(".") if rest else pairs[parent]


def architecture(models, runs, pairs):
    """Return the layers of each side without a counterpart, and whether there are too many for one architecture.

    If these layers, or the models, have equally many numbers on both sides, only the layout differs.
    """
    done = set(pairs), set(pairs.values())
    modules = [{"": model} | {call.name: call.module for call in run} for model, run in zip(models, runs, strict=True)]
    reshaped = [(a, b) for a, b in pairs.items() if _have_other_shapes(modules[0][a], modules[1][b])]
    alone = [(*_alone(runs[i], done[i], models[1 - i]), *(pair[i] for pair in reshaped)) for i in (0, 1)]
    sizes = [sum(_size(side[name]) for name in names) for side, names in zip(modules, alone, strict=True)]
    in_all = [sum(p.numel() for p in model.parameters()) for model in models]
    same = not reshaped and (sizes[0] == sizes[1] or in_all[0] == in_all[1])  # a layer may exist and not run
    many = any(size > DETAILS * total for size, total in zip(sizes, in_all, strict=True))
    return tuple(alone), many and not same


def _size(module):
    """How many numbers the weights have; biases do not count, since one of zeros makes no difference."""
    return sum(p.numel() for p in module.parameters(recurse=False) if p.dim() > 1)


def _have_other_shapes(one, other):
    one, other = ({n: p.shape for n, p in module.named_parameters(recurse=False)} for module in (one, other))
    return any(one[n] != other[n] for n in one.keys() & other.keys())


def _alone(run, done, other):
    """The names of unpaired layers that have numbers found nowhere in the other model.

    A layer has a counterpart if the other model has one of the same name, even if it never calls it; so has an output
    head that shares its numbers with the embeddings of the other model.
    """
    names = {name for name, _ in (*other.named_modules(remove_duplicate=False), *other.named_parameters())}
    there, found = list(other.parameters()), []
    for call in {call.name: call for call in run if call.name not in done}.values():
        own = list(call.module.parameters(recurse=False))
        known = {call.name, f"{call.name}.weight"} & names
        if not known and not all(any(same(p, q) for q in there) for p in own):
            found.append(call.name)
    return found
