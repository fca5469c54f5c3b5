"""How two tensors differ, and whether one is the other scaled, transposed, rounded or reordered."""

import math
from dataclasses import dataclass

import torch

SAME = 3e-5  # relative: how far different orders of summation may move a number
HALVES = {torch.bfloat16: "bfloat16", torch.float16: "float16"}


@dataclass(frozen=True)
class Guess:
    """A cause that explains the numbers of both sides, with each side's choice.

    kind is one of: scale, transpose, order, heads, mask, softmax, axes, epsilon, norm, dropout, dtype, positions, ids,
    parameter, roles, activation, residual, source
    """

    kind: str
    what: str
    mine: str
    theirs: str

    def __str__(self):
        return f"What differs is {self.what}: {self.mine} in mine, {self.theirs} in theirs."


def size_of_difference(a, b):
    """The largest difference; infinite if only one of them is NaN or the shapes differ, None if one is missing.

    Layouts may differ: (T, B, C) or (B T, C) for (B, T, C), or (B, T, H, D) for (B, H, T, D).
    """
    return None if a is None or b is None else _apart(a, in_layout_of(b, a))


def in_layout_of(b, a):
    """Swap, split or join two neighboring axes of b if it has the shape of a only then."""
    if a.shape == b.shape or a.numel() != b.numel():
        return b
    found = []
    if a.dim() == b.dim() > 2:
        found = [b.transpose(i, i + 1) for i in (0, 1)]
    elif a.dim() == 3 and b.dim() == 2:
        found = [b.reshape(a.shape), b.reshape(a.size(1), a.size(0), -1).transpose(0, 1)]
    elif a.dim() == 2 and b.dim() == 3:
        found = [b.flatten(0, 1), b.transpose(0, 1).flatten(0, 1)]
    return min((x for x in found if x.shape == a.shape), key=lambda x: _apart(a, x), default=b)


def _apart(a, b):
    try:
        a, b = torch.broadcast_tensors(a.cpu().double(), b.cpu().double())
    except RuntimeError:
        return math.inf
    apart = (a - b).abs().masked_fill((a == b) | (a.isnan() & b.isnan()), 0.0)  # also for equal infinities
    return apart.nan_to_num(nan=math.inf).max().item() if apart.numel() else 0.0


def same(a, b):
    """Whether they are exactly equal."""
    return a.shape == b.shape and torch.equal(a, b)


def close(a, b, within):
    return a.shape == b.shape and _apart(a, b) <= within


def near(a, b):
    """Whether they are equal up to rounding."""
    if a.shape != b.shape or not b.numel():
        return a.shape == b.shape
    within = max(SAME, 8 * torch.finfo(b.dtype).eps)
    return _apart(a, b) <= within * float(b[b.isfinite()].abs().max() if b.isfinite().any() else 1.0)


def relation(a, b, within, table=False):
    """Return a Guess at what turns b into a, or None. With `table`, the rows of a 2-D tensor may be positions."""
    if a.dtype.is_floating_point and (rounded := rounding(a, b)):
        return rounded
    if a.shape != b.shape or a.numel() < 12 or not (a.isfinite().all() and b.isfinite().all()):
        return None
    a, b = a.cpu().double(), b.cpu().double()
    return (
        _scaled(a, b, within)
        or _turned(a, b, within)
        or (_shifted(a, b, within) if a.dim() > 2 or table else None)
        or _reordered(a, b, within)
    )


def rounding(a, b):
    """Return a Guess if the sides agree up to half precision, and the numbers of only one side fit into it."""
    narrow = [next((kind for kind in HALVES if _fits(x, kind)), None) for x in (a, b)]
    if narrow[0] == narrow[1] or a.shape != b.shape:
        return None
    step = max(torch.finfo(kind).eps for kind in narrow if kind) * float(b.abs().max())
    if not close(a.float(), b.float(), 4 * step):
        return None
    return Guess("dtype", "the dtype", *(HALVES.get(n, str(x.dtype)[6:]) for n, x in zip(narrow, (a, b), strict=True)))


def _fits(x, kind):
    return x.is_floating_point() and torch.equal(x.to(kind).to(x.dtype), x)


def _scaled(a, b, within):
    factor = ((a * b).sum() / b.square().sum()).item() if b.any() else 0.0
    if abs(factor - 1) < 1e-3 or abs(factor) < 1e-6 or not close(a, factor * b, within):
        return None
    return Guess("scale", "a sign" if abs(factor + 1) < 1e-3 else "a scale", f"{factor:.4g}", "1")


def _turned(a, b, within):
    """Return a Guess if a is b with two axes of equal size swapped."""
    for i in range(a.dim()):
        for j in range(i + 1, a.dim()):
            turned = b.transpose(i, j)
            if close(a, turned, within):
                return Guess("transpose", "a transpose", f"axes {i} and {j} swapped", "in place")
    return None


def _shifted(a, b, within):
    """Return a Guess if a is b shifted by one position, along the second-to-last axis."""
    n = a.size(-2) - 1 if a.dim() > 1 else 0
    for start, other, where in ((1, 0, "one place further"), (0, 1, "one place back")):
        if n > 1 and close(a.narrow(-2, start, n), b.narrow(-2, other, n), within):
            return Guess("positions", "an offset of the positions", where, "in place")
    return None


def _reordered(a, b, within):
    """Return a Guess if a has the features, positions or weight rows of b in a different order."""
    names = {0: "rows", 1: "columns"} if a.dim() == 2 else {a.dim() - 1: "features", a.dim() - 2: "positions"}
    for axis, what in names.items():
        rows, others = (x.movedim(axis, 0).reshape(x.size(axis), -1) for x in (a, b))
        order = order_of(rows, others, within) if axis >= 0 else None
        if order is not None:
            return Guess("order", f"the order of the {what}", name_of(order), "in place")
    return None


def order_of(rows, others, within):
    """The permutation p with rows = others[p], if there is exactly one; None for the identity, too."""
    if len(rows) > 4096 or rows.size(1) == 0:
        return None
    apart = torch.cdist(rows.double(), others.double(), p=float("inf"))
    fits = apart <= within
    if not (fits.sum(0) == 1).all() or not (fits.sum(1) == 1).all():
        return None
    order = fits.int().argmax(dim=1)
    return None if torch.equal(order, torch.arange(len(order))) else order


def name_of(order):
    """Name a permutation of features: heads interleaved, halves for pairs, heads in another order."""
    n = len(order)
    plain = torch.arange(n)
    for heads in (h for h in range(1, n // 2 + 1) if n % h == 0):
        width = n // heads
        if heads > 1 and torch.equal(order, plain.view(heads, width).T.flatten()):
            return f"interleaved: {heads} heads of {width}, one feature of each in turn"
        if width % 2 == 0 and width > 2:
            pairs = plain.view(heads, width // 2, 2).transpose(1, 2).flatten()
            for moved, name in ((pairs, "halves for pairs"), (pairs.argsort(), "pairs for halves")):
                if torch.equal(order, moved):
                    return f"{name} in each of {heads} heads of {width}"
    for width in (w for w in range(n // 2, 1, -1) if n % w == 0):
        blocks = order.view(-1, width)
        if torch.equal(blocks - blocks[:, :1], plain[:width].expand_as(blocks)) and not (blocks[:, 0] % width).any():
            return f"blocks of {width} in the order {(blocks[:, 0] // width).tolist()}"
    if torch.equal(order, plain.roll(1)) or torch.equal(order, plain.roll(-1)):
        return "shifted by one"
    return "reversed" if torch.equal(order, plain.flip(0)) else "permuted"
