"""Which module of mine is which of theirs: by a mapping, by name, by equal parameters, then by shape and order."""

import torch

from invariants.compare.operations import Layer


def paired(mine, theirs, mapping):
    """{name of a module of mine: name of one of theirs}, from the calls of both; what has no counterpart is left out.

    Names come first, then parameters that are equal, then shapes in the order in which modules run. A module that holds
    others is paired with the one that holds their counterparts.
    """
    ours, others = {call.name: call for call in mine}, {call.name: call for call in theirs}
    pairs = {"": ""} | _mapped(mapping, ours, others)
    pairs |= _new(pairs, {name: name for name in ours if name in others and alike(ours[name], others[name])})
    for key in (_values, _shapes, _first_shape):
        left = {name: call for name, call in ours.items() if name not in pairs and is_layer(call)}
        taken = set(pairs.values())
        right = {name: call for name, call in others.items() if name not in taken and is_layer(call)}
        alone = [{n: c for n, c in one.items() if not _is_part(c, two)} for one, two in ((left, right), (right, left))]
        pairs |= _in_order(*(_grouped(each, key) for each in alone))
    return pairs | _holders(pairs, ours, others)


def _mapped(mapping, ours, others):
    """The pairs of the mapping, and what they hold under the same names."""
    pairs = {}
    for a, b in sorted(mapping.items(), key=lambda pair: len(pair[0])):  # what is more precise comes later, and wins
        for name in ours:
            if name == a or name.startswith(a + "."):
                other = b + name[len(a) :]
                if other in others and (name == a or alike(ours[name], others[other])):
                    pairs[name] = other
    return pairs


def _new(pairs, found):
    taken = set(pairs.values())
    return {a: b for a, b in found.items() if a not in pairs and b not in taken}


def alike(one, other):
    """Whether modules of the same name may play the same part: those without parameters must be of one class."""
    if isinstance(one.module, Layer) and isinstance(other.module, Layer):
        return one.module.weight.shape == other.module.weight.shape
    if is_layer(one) or is_layer(other) or one.children or other.children:
        return True
    return type(one.module) is type(other.module)


def is_layer(call):
    """Whether it has parameters of its own, and computes with them itself."""
    return not any(isinstance(child.module, Layer) for child in call.children) and any(
        True for _ in call.module.parameters(recurse=False)
    )


def _is_part(call, others):
    """Whether its weight is some rows of another one's, as that of the queries is where q, k and v are stacked."""
    w = next(call.module.parameters(recurse=False))
    wider = (next(other.module.parameters(recurse=False)) for other in others.values())
    wider = (u for u in wider if u.dim() > 1 and u.shape[1:] == w.shape[1:] and len(u) > len(w))
    return any(torch.equal(w, u[i : i + len(w)]) for u in wider for i in range(0, len(u), len(w)))


def _shapes(call):
    return tuple(tuple(p.shape) for p in call.module.parameters(recurse=False))


def _first_shape(call):
    return _shapes(call)[0]


def _values(call):
    """The same for equal weights: two of their numbers tell them apart; a norm that was never trained has none."""
    weight = next(call.module.parameters(recurse=False)).detach().flatten()
    if len(weight) == 0 or torch.equal(weight, weight[:1].expand(len(weight))):
        return None
    return round(float(weight.double().square().sum() + weight[0]), 9)


def _grouped(calls, key):
    groups = {}
    for name, call in calls.items():
        if (value := key(call)) is not None:
            kind = isinstance(call.module, torch.nn.Embedding)  # a head may have the same numbers
            groups.setdefault((value, kind, _first_shape(call)), []).append(name)
    return groups


def _in_order(left, right):
    """The first with the first, where both groups are equally large."""
    return {
        a: b
        for key in left
        if len(left[key]) == len(right.get(key, ()))
        for a, b in zip(left[key], right[key], strict=True)
    }


def _holders(pairs, ours, others):
    """Modules that hold others, from the outside in."""
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


def parameter_pairs(mine, theirs, pairs, calls, other_calls):
    """{name of a parameter of mine: (it, its counterpart)}; also of modules that do not run as such."""
    ours, others = ({call.name: call.module for call in side} for side in (calls, other_calls))
    named = dict(theirs.named_parameters(remove_duplicate=False))
    found = {}
    for name, parameter in mine.named_parameters(remove_duplicate=False):
        module, _, local = name.rpartition(".")
        if module in pairs:
            other = getattr(others[pairs[module]], local, None)
        else:
            other = named.get(_renamed(module, pairs) + "." + local)
        if isinstance(other, torch.Tensor):
            found[name] = parameter, other
    real = dict(mine.named_modules())
    for name, module in ours.items():  # products with parameters that no module computes
        if name in pairs and name not in real:
            for local, parameter in module.named_parameters():
                if isinstance(other := getattr(others[pairs[name]], local, None), torch.Tensor):
                    found[f"{name}.{local}"] = parameter, other
    return found


def _renamed(name, pairs):
    """Below a module that has a counterpart, names stay."""
    parent = name
    while parent and parent not in pairs:
        parent = parent.rpartition(".")[0]
    rest = name[len(parent) :].removeprefix(".")
    return f"{pairs[parent]}.{rest}".strip(".") if rest else pairs[parent]


def without_counterpart(mine, theirs, pairs, calls, other_calls):
    """The layers of each side that have none, and whether they hold as many parameters: then only the layout differs.

    A layer that the other side has under the same name, and reads without running it, has one; so has a head whose
    numbers the other side reads from its embeddings.
    """
    ours, others = (set(dict(model.named_modules(remove_duplicate=False))) for model in (mine, theirs))
    left = _layers((c for c in calls if c.name not in pairs and c.name not in others), theirs)
    right = _layers((c for c in other_calls if c.name not in pairs.values() and c.name not in ours), mine)
    in_all = [sum(p.numel() for p in model.parameters()) for model in (mine, theirs)]
    same = sum(left.values()) == sum(right.values()) or in_all[0] == in_all[1]  # a layer may be there and not run
    return list(left), list(right), same


def _layers(calls, other):
    """{name: how many parameters} of layers that hold numbers that the other model has nowhere."""
    there, named = list(other.parameters()), {name for name, _ in other.named_parameters()}
    calls = (c for c in calls if not isinstance(c.module, Layer) or not {c.name, f"{c.name}.weight"} & named)
    return {
        call.name: sum(p.numel() for p in own)
        for call in calls
        if (own := list(call.module.parameters(recurse=False))) and not all(_is_among(p, there) for p in own)
    }


def _is_among(p, others):
    return any(p.shape == other.shape and torch.equal(p, other) for other in others)
