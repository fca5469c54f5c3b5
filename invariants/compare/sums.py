"""Causes between modules: which tensors are added or read. The same tensors must explain both sides."""

import itertools

import torch

from invariants.compare.numbers import Guess, close

READ = "what is read"
TABLE, PARTS = "rows of ", ("[:, 0]", "[:, -1]", ".mean(1)", "[:, 1]")  # prefix of table labels, suffixes for tokens


def by_sum(sides, pool, moved, within):
    """Return a Guess if both targets are sums of the same few known tensors, each times a number, and these differ.

    If no such sums are found, the difference of the targets is tried as a sum of one or two terms.
    moved(label, x): whether mine adds x only after a norm
    """
    targets = [side.target for side in sides]
    if targets[0].shape != targets[1].shape or not all(x.isfinite().all() for x in targets):
        return None
    known = _known(sides, pool, targets[0])
    targets = [x.double().flatten() for x in targets]
    sums = _common(known, targets, within)
    if sums is None:
        apart = targets[0] - targets[1]
        sums = _common(known, [apart, 0 * apart], within, 2)
        sums = sums and [{label: sign * f for label, f in sums[0].items() if sign * f > 0} for sign in (1, -1)]
    if sums is None:
        return None
    labels = list(dict.fromkeys(label for each in sums for label in each))
    differing = {label for label in labels if sums[0].get(label, 0.0) != sums[1].get(label, 0.0)}
    sums = [{label: each[label] for label in labels if each.get(label, 0.0)} for each in sums]
    if not differing:
        return None
    kind, what = _kind(sums, differing, any(moved(label, known[label]) for label in differing))
    crossed = zip(sides[::-1], sums, strict=True)
    if what == READ and not any(_knows(side, known[label]) for side, each in crossed for label in each):
        return None  # each side reads a tensor that the other lacks: the difference came earlier
    said = (" + ".join(_term(*term) for term in each.items()) or "nothing" for each in sums)
    return kind and Guess(kind, what, *said)


def _knows(side, x):
    return any(close(y.double(), x, 0.0) for _, y in side.known)


def _known(sides, pool, target):
    """The candidates in the shape of the target: inputs, the latest results, single tokens and rows of tables."""
    found = {}
    tables = [*sides[0].tables, *((f"{TABLE}their {label[len(TABLE) :]}", x) for label, x in sides[1].tables)]
    for label, x in [*pool, *tables]:
        for name, part in _stretched(label, x, target):
            if part.isfinite().all() and not any(close(part, other, 0.0) for other in found.values()):
                found[name] = part.double()
    rows = [label for label in found if label.startswith(TABLE)]
    parts = [label for label in found if label.endswith(PARTS)]
    own = [label for label, _ in sides[0].known if label in found and label not in parts]
    rest = [label for label in found if label not in (*own, *rows, *parts)]
    shown = (*own[:2], *own[2:][-9:], *rest[:1], *rest[1:][-4:], *parts[-8:], *rows[:6])
    return {label: found[label] for label in shown}


def _kind(sums, differing, moved):
    """Return the kind and its description; None for both if two kinds of things differ."""
    tables = {label for label in differing if label.startswith(TABLE)}
    tokens = {label for label in differing if label.endswith(PARTS)}
    if (tables or tokens) and differing not in (tables, tokens):
        return None, None
    if tables and len(tables) == 2 and len({label.rpartition(" ")[2] for label in tables}) == 1:
        return "parameter", "the table whose rows are added"
    if tables:
        return "positions", "which positions are added"
    if tokens:
        return "source", "which tokens are read"
    if moved:
        return "norm", "the norm before or after"
    if all(list(each.values()) == [1] for each in sums):
        return "source", READ
    if all(label in each for label in differing for each in sums):
        return "scale", "a scale"
    return "residual", "what is added"


def _term(label, factor):
    return f"`{label}`" if factor == 1 else f"{factor:g} · `{label}`"


def _common(known, targets, within, most=4):
    """Return [{label: factor}, {label: factor}] for the smallest set of known tensors whose sums give both targets.

    Of several sets of that size, take the one with the most factors of 0 or 1.
    """
    labels = list(known)
    if not labels or len(targets[0]) < 12:
        return None
    columns = torch.stack([*(x.flatten() for x in known.values()), *targets])
    products = columns @ columns.T
    size = products.diagonal()[-2:]
    for count in range(1, min(most, len(labels)) + 1):
        sets = torch.tensor(list(itertools.combinations(range(len(labels)), count)))  # (N, count)
        right = products[sets][:, :, -2:]  # (N, count, 2)
        factors, info = torch.linalg.solve_ex(products[sets[:, :, None], sets[:, None]], right)
        left = size - (factors * right).sum(1)  # (N, 2): the squared residual
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
    """Yield the known tensor in the shape of the target; if the target has one vector per text, some of its tokens."""
    if not x.is_floating_point():
        return
    if x.shape == target.shape:
        yield label, x
    elif x.dim() == target.dim() - 1 and x.shape == target.shape[1:]:
        yield label, x.expand_as(target)
    elif x.dim() == 3 and target.dim() == 2 and x.shape[::2] == target.shape:
        for part, tokens in zip(PARTS, (x[:, 0], x[:, -1], x.mean(1), x[:, 1:2].sum(1)), strict=True):
            yield label + part, tokens
