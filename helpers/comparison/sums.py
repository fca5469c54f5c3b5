"""Causes between modules: what is added up, and what is read. Both sides must be explained by the same tensors."""

import itertools

import torch

from helpers.comparison.guess import Guess
from helpers.comparison.numbers import close


def by_source(sides, within):
    """A guess if the targets have different shapes, and are two tensors that are known under different names."""
    if sides[0].target.shape == sides[1].target.shape:
        return None
    found = [next((label for label, x in side.known if close(x, side.target, within)), None) for side in sides]
    if None in found or found[0] == found[1]:
        return None
    return Guess("source", "what is read", *(f"`{label}`" for label in found))


def by_sum(sides, pool, norms, moved, within):
    """A guess if both targets are sums of the same few known tensors, each times a number, and the numbers differ.

    norms: the labels of norms; moved(label, x): whether mine adds this only after a norm
    """
    targets = [side.target for side in sides]
    if targets[0].shape != targets[1].shape or not all(x.isfinite().all() for x in targets):
        return None
    known = {}
    for label, x in [*pool, *sides[0].tables]:
        for name, part in _stretched(label, x, targets[0]):
            if part.isfinite().all() and not any(close(part, other, 0.0) for other in known.values()):
                known[name] = part.double()
    own = [label for label, _ in sides[0].known if label in known]
    rest = [label for label in known if label not in own]
    shown = {label: known[label] for label in (*own[:2], *own[2:][-9:], *rest[-5:])}  # what came in, and the latest
    found = _common({label: x.flatten() for label, x in shown.items()}, [x.double().flatten() for x in targets], within)
    if found is None:
        return None
    sums = [{label: factor for label, factor in each.items() if factor} for each in found]
    differing = {label for label in found[0] if found[0][label] != found[1][label]}
    if not differing:
        return None
    kind, what = _kind(sums, differing, norms, lambda label: moved(label, shown[label]))
    return Guess(kind, what, *(" + ".join(_term(*term) for term in each.items()) or "nothing" for each in sums))


def _kind(sums, differing, norms, moved):
    if any(label.startswith(("row", "of")) for label in differing):
        return "positions", "the positions"
    if (len(differing) > 1 and differing & norms) or any(map(moved, differing)):
        return "norm", "the norm before or after"
    if all(label in each for label in differing for each in sums):
        return "scale", "a scale"
    return "residual", "what is added"


def _term(label, factor):
    return f"`{label}`" if factor == 1 else f"{factor:g} · `{label}`"


def _common(known, targets, within):
    """Factors [{label: factor}, {label: factor}] of the smallest set of known tensors of which both targets are sums.

    Of several sets the one whose factors are mostly 0 and 1.
    """
    labels = list(known)
    if not labels or len(targets[0]) < 12:
        return None
    columns = torch.stack([*known.values(), *targets])
    products = columns @ columns.T
    size = products.diagonal()[-2:]
    for count in range(1, min(4, len(labels)) + 1):
        sets = torch.tensor(list(itertools.combinations(range(len(labels)), count)))  # (N, count)
        right = products[sets][:, :, -2:]  # (N, count, 2)
        factors, info = torch.linalg.solve_ex(products[sets[:, :, None], sets[:, None]], right)
        left = size - (factors * right).sum(1)  # (N, 2): the square of what is not explained
        fits = (info == 0) & (left <= 1e-5 * size).all(1) & (factors.abs().amax((1, 2)) < 1e3)
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
        for which, part in (("first", x[:, 0]), ("last", x[:, -1]), ("mean", x.mean(1)), ("second", x[:, 1:2].sum(1))):
            yield f"of the {which} token, {label}", part
