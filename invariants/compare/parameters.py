"""Causes in one module: a parameter that differs. Each is tested by running mine with the parameter of theirs."""

import torch
from torch.func import functional_call

from invariants.compare.numbers import Guess, close, near, relation, rounding, same, size_of_difference
from invariants.compare.places import CANNOT_RUN
from invariants.compare.recording import copied, first_tensor


def by_parameters(mine, theirs, known, within, roots):
    """Return a Guess if this call of mine gives what theirs gives, once it has one or all parameters of theirs.

    known: {name: (parameter of mine, of theirs)}, for the whole models; roots: the calls of the whole models
    """
    root, other = (call.output for call in roots)
    if theirs.output is None or root is None:
        return None
    again = _with_all(roots[0], known)
    if again is not None and near(again, root):
        return None  # other parameters cancel the difference
    prefix, own = f"{mine.name}.".lstrip("."), dict(mine.module.named_parameters(remove_duplicate=False))
    differing = {
        name: pair
        for name, pair in known.items()
        if name.startswith(prefix) and name[len(prefix) :] in own and not _equal(*pair)
    }
    for names in [[name] for name in differing] + [list(differing)] * (len(differing) > 1):
        replaced = {name[len(prefix) :]: differing[name][1].to(differing[name][0]) for name in names}
        result = _output(mine, replaced)
        if result is not None and size_of_difference(result, theirs.output) <= within:
            found = [_described(name, *known[name], known) for name in names]
            if found[0].kind == "order" and not _is_certain(again, other, known):
                return None
            if len({each.kind for each in found}) == 1:
                return found[0]  # the weight's, rather than the bias's
            listed = ", ".join(f"`{name}`" for name in names)
            return Guess("parameter", "a set of parameters that was not copied", listed, "others")
    return None


def _with_all(root, known):
    """The output of the whole of mine with all differing parameters replaced by those of theirs, or None."""
    own = dict(root.module.named_parameters())
    differing = [(a, b) for a, b in known.values() if not _equal(a, b)]
    replaced = {n: b for a, b in differing for n, p in own.items() if same(p, a)}
    if not replaced:
        return None
    return _output(root, copied({**own, **dict(root.module.named_buffers()), **replaced}))  # a run may change buffers


def _is_certain(again, other, known):
    """Whether an order is the cause: other parameters that are reordered, too, may cancel its effect."""
    pairs = [(a, b) for a, b in known.values() if a.dim() > 1 and not _equal(a, b)]
    orders = [a for a, b in pairs if torch.equal(a.flatten().sort()[0], b.flatten().sort()[0])]
    return len(orders) < 2 or (again is not None and near(again, other))


def _equal(a, b):
    """Whether they hold the same numbers; True also for different shapes, which cannot be tried."""
    return a.shape != b.shape or (a.dtype == b.dtype and torch.equal(a, b))


def _output(call, replaced):
    """The output of a call with other parameters; None if it does not run with them."""
    args, kwargs = copied(call.given)
    try:
        return first_tensor(functional_call(call.module, replaced, args, kwargs))
    except CANNOT_RUN:
        return None


def _described(name, a, b, known):
    """How a parameter differs from theirs."""
    a, b = a.detach(), b.detach()
    if rounded := rounding(a, b):
        return rounded
    elsewhere = [n for n, (_, other) in known.items() if n != name and same(other, a)]
    if elsewhere and not _constant(a):
        says = f"`{name}` with the numbers of `{elsewhere[0]}`", "with its own"
        return Guess("roles", "a parameter in the wrong place", *says)
    found = None if _constant(a) or _constant(b) else relation(a, b, 1e-6 * float(b.abs().max()) + 1e-12, table=True)
    if found is not None:
        where = name if found.kind != "order" else f"{name.removesuffix('.bias').removesuffix('.weight')}.weight"
        what = {"positions": "rows that are off by one"}.get(found.kind, found.what)
        return Guess(found.kind, f"`{where}`, by {what}", found.mine, found.theirs)
    rows = (a != b).flatten(1).any(dim=1) if a.dim() > 1 else a != b
    some = "" if rows.all() else f", in {int(rows.sum())} of {len(rows)} rows"
    return Guess("parameter", f"a parameter that was not copied{some}", f"one `{name}`", "another")


def _constant(x):
    return x.numel() < 2 or torch.equal(x, x.flatten()[0].expand_as(x))


def by_bias(a, b, models, within):
    """Return a Guess if only one side adds a certain parameter to each position."""
    apart = a - b
    if apart.dim() < 2 or not close(apart, apart.flatten(0, -2).mean(0).expand_as(apart), within):
        return None
    row = apart.flatten(0, -2)[0]
    for i, sign in enumerate((1, -1)):
        name = next((name for name, p in models[i].named_parameters() if close(sign * row, p.flatten(), within)), None)
        if name is not None:
            return Guess("parameter", "a bias that one side lacks", *(f"`{name}`", "none")[::sign])
    return None
