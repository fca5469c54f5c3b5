"""Causes between modules: what is added up, and what is read. Both sides must be explained by the same tensors."""

import itertools

import torch

from invariants.compare.numbers import Guess, close

READ = "what is read"
TABLE, PARTS = "rows of ", ("[:, 0]", "[:, -1]", ".mean(1)", "[:, 1]")  # how labels of tables begin, and of tokens end


def by_source(sides, within):
    """A guess if the targets have different shapes, and are two tensors that are known under different names."""
    if sides[0].target.shape == sides[1].target.shape:
        return None
    found = [next((label for label, x in side.known if close(x, side.target, within)), None) for side in sides]
    if None in found or found[0] == found[1]:
        return None
    return Guess("source", READ, *(f"`{label}`" for label in found))


def by_sum(sides, pool, norms, moved, within):
    """A guess if both targets are sums of the same few known tensors, each times a number, and the numbers differ.

    If that is not known of the targets, it may be of their difference: then one term or two make up for it.
    norms: what each norm got and gave; moved(label, x): whether mine adds this only after a norm
    """
    targets = [side.target for side in sides]
    if targets[0].shape != targets[1].shape or not all(x.isfinite().all() for x in targets):
        return None
    known = _known(sides, pool, targets[0])
    columns = {label: x.flatten() for label, x in known.items()}
    targets = [x.double().flatten() for x in targets]
    found = _common(columns, targets, within)
    if found is None:
        apart = targets[0] - targets[1]
        found = _common(columns, [apart, 0 * apart], within, 2)
        if found is not None:
            terms = found[0].items()
            found = [{label: sign * f for label, f in terms if sign * f > 0} for sign in (1, -1)]
            differing = set(found[0]) | set(found[1])
    else:
        differing = {label for label in found[0] if found[0][label] != found[1][label]}
    if found is None or not differing:
        return None
    sums = [{label: factor for label, factor in each.items() if factor} for each in found]
    apart, crossed = targets[0] - targets[1], zip(sides[::-1], sums, strict=True)
    passed = any(x.numel() == len(apart) and _proportional(apart, (x - y).double().flatten(), within) for x, y in norms)
    named = _kind(sums, differing, passed or any(moved(label, known[label]) for label in differing))
    if named == ("source", READ) and not any(_knows(side, known[label]) for side, each in crossed for label in each):
        return None  # each side reads what the other has not: what differs came before
    return named and Guess(*named, *(" + ".join(_term(*term) for term in each.items()) or "nothing" for each in sums))


def _knows(side, x):
    return any(close(y.double(), x, 0.0) for _, y in side.known if y.shape == x.shape)


def _known(sides, pool, target):
    """What came in, the latest, and rows of tables, in the shape of the target."""
    found = {}
    tables = [*sides[0].tables, *((f"{TABLE}their {label[len(TABLE) :]}", x) for label, x in sides[1].tables)]
    for label, x in [*pool, *tables]:
        for name, part in _stretched(label, x, target):
            if part.isfinite().all() and not any(close(part, other, 0.0) for other in found.values()):
                found[name] = part.double()
    own = [label for label, _ in sides[0].known if label in found]
    rows = [label for label in found if label.startswith(TABLE)]
    rest = [label for label in found if label not in own and label not in rows]
    parts = [label for label in found if label.endswith(PARTS)]
    own, rest = ([label for label in labels if label not in parts] for labels in (own, rest))
    shown = (*own[:2], *own[2:][-9:], *rest[:1], *rest[1:][-4:], *parts[-8:], *rows[:6])
    return {label: found[label] for label in shown}


def _proportional(a, b, within):
    factor = (a @ b) / (b @ b).clamp(min=1e-12)
    return bool((a - factor * b).abs().max() <= within)


def _kind(sums, differing, norm):
    """The kind and its name; None where two things differ."""
    for kind, what, those in (
        _of_tables({label for label in differing if label.startswith(TABLE)}),
        ("source", "which tokens are read", {label for label in differing if label.endswith(PARTS)}),
    ):
        if those:
            return (kind, what) if those == differing else None
    if norm:
        return "norm", "the norm before or after"
    if all(list(each.values()) == [1] for each in sums):
        return "source", READ
    if all(label in each for label in differing for each in sums):
        return "scale", "a scale"
    return "residual", "what is added"


def _of_tables(labels):
    """Other rows are other positions, but the same rows of two tables are parameters."""
    if len(labels) == 2 and len({label.rpartition(" ")[2] for label in labels}) == 1:
        return "parameter", "the table whose rows are added", labels
    return "positions", "which positions are added", labels


def _term(label, factor):
    return f"`{label}`" if factor == 1 else f"{factor:g} · `{label}`"


def _common(known, targets, within, most=4):
    """Factors [{label: factor}, {label: factor}] of the smallest set of known tensors of which both targets are sums.

    Of several sets the one whose factors are mostly 0 and 1.
    """
    labels = list(known)
    if not labels or len(targets[0]) < 12:
        return None
    columns = torch.stack([*known.values(), *targets])
    products = columns @ columns.T
    size = products.diagonal()[-2:]
    for count in range(1, min(most, len(labels)) + 1):
        sets = torch.tensor(list(itertools.combinations(range(len(labels)), count)))  # (N, count)
        right = products[sets][:, :, -2:]  # (N, count, 2)
        factors, info = torch.linalg.solve_ex(products[sets[:, :, None], sets[:, None]], right)
        left = size - (factors * right).sum(1)  # (N, 2): the square of what is not explained
        fits = (info == 0) & (left <= 1e-5 * size + 1e-12).all(1) & (factors.abs().amax((1, 2)) < 1e3)
        found = [
            [{labels[i]: _rounded(f) for i, f in zip(chosen, column, strict=True)} for column in each.T.tolist()]
            for chosen, each in zip(sets[fits].tolist(), factors[fits], strict=True)
            if (each.T @ columns[chosen] - columns[-2:]).abs().max() <= within
        ]
        if found:
            return max(found, key=lambda sums: sum(f in (0.0, 1.0) for each in sums for f in each.values()))
    return None


def _rounded(factor):
    return 0.0 if abs(factor) < 2e-3 else round(factor, 3)


def _stretched(label, x, target):
    """The known tensor in the shape of the target; of a text that becomes one vector, some of its tokens."""
    if not x.is_floating_point():
        return
    if x.shape == target.shape:
        yield label, x
    elif x.dim() == target.dim() - 1 and x.shape == target.shape[1:]:
        yield label, x.expand_as(target)
    elif x.dim() == 3 and target.dim() == 2 and x.shape[::2] == target.shape:
        for part, tokens in zip(PARTS, (x[:, 0], x[:, -1], x.mean(1), x[:, 1:2].sum(1)), strict=True):
            yield label + part, tokens
