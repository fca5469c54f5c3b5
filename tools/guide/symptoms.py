"""What a mistake looks like on the screen: an error, another shape, or how its numbers differ from the right ones.

Each mistake is run, and described where it first differs from the right answer. The descriptions say what anybody sees
who does not know the mistake yet, and serve every exercise.
"""

import re
from dataclasses import dataclass

import torch

from feedback import tree
from feedback.compare import allclose, same_shapes
from feedback.contract import violation
from feedback.observations import known
from feedback.sandbox import run_trusted, session

ERROR, SHAPE, NUMBERS, LATER, BEHAVIOR = KINDS = (
    "It stops with an error",
    "Another shape, type or length",
    "Other numbers",
    "Right at first, wrong on a later input",
    "Right numbers, or nearly",
)
SIZES = re.compile(r"\([\d, ]+\) = (?=\()")  # the sizes in "(5, 7) = (T, S)", which change from input to input
NUMBER = re.compile(r"(?<![a-wyz])\d+(?:\.\d+)?")  # not those of names such as mat1; (5x7) has two
EVEN = 1e-4


@dataclass(frozen=True)
class Symptom:
    """Its kind, one of KINDS, and what more can be seen."""

    kind: str
    detail: str = ""


def symptoms(exercise):
    """{misconception: what can be seen where it first differs from a right answer}."""
    with session():
        return {each.id: symptom(exercise, each.variants[0]) for each in exercise.misconceptions}


def symptom(exercise, code):
    """What is seen on the first input on which this code is wrong."""
    for index, case in enumerate(exercise.cases):
        record = known(exercise).variant(code, index)
        if record.error is not None:
            message = NUMBER.sub("n", str(record.error).strip().partition("\n")[0])
            return Symptom(ERROR, f"`{type(record.error).__name__}: {message[:90].rstrip()}`")
        if not allclose(record.value, known(exercise).summaries[index], case):
            found = difference(exercise, case, code)
            return Symptom(LATER, f"{case.name}: {found.detail}") if index and found.kind == NUMBERS else found
    return Symptom(BEHAVIOR)


def difference(exercise, case, code):
    value, right = (run_trusted(exercise.runner.call, each, case.args).value for each in (code, exercise.reference))
    if wrong := violation(exercise, code, case.args, value, right):
        return Symptom(SHAPE, SIZES.sub("", wrong.sentence))
    if not same_shapes(value, right):
        return Symptom(SHAPE, "of a part of the result")
    parts = tree.named(exercise.returns if isinstance(right, tuple) else "", value, right)
    wrong = [part for part in parts if not allclose(*part[1:], case)] or parts
    names = f"{' and '.join(part[0] for part in wrong)}: " if len(parts) > 1 else ""
    return Symptom(NUMBERS, names + comparison(*wrong[-1][1:]))  # of out and weights the weights, which out follows


# ---- how a result differs from the right one


def comparison(got, right):
    if isinstance(right, torch.Tensor):
        return of_tensors(got.detach().double(), right.detach().double())
    if isinstance(right, list) and len(got) != len(right):
        return "the list is too short" if len(got) < len(right) else "the list is too long"
    if isinstance(right, list) and sorted(map(repr, got)) == sorted(map(repr, right)):
        return "the list has the right entries in another order"
    if isinstance(right, list):
        first = next((i for i, (a, b) in enumerate(zip(got, right, strict=True)) if a != b), 0)
        return "the list is wrong from its first entry on" if first == 0 else "the list begins correctly"
    return "another result"


def of_tensors(got, right):
    if not got.isfinite().all() and right.isfinite().all():
        return "NaN or infinity"
    if got.numel() == 1:
        return "the number is too large" if got.item() > right.item() else "the number is too small"
    looks = (shares, zeros, whole, rows, places, size)  # the first that has something to say
    return next(filter(None, (look(got, right) for look in looks)))


def shares(got, right):
    """The sums along the last axis, which are 1 where shares are asked for."""
    if not are_shares(right) or are_shares(got):
        return ""
    if (got < 0).any():
        return "some weights are negative"
    axis = next((axis for axis in range(got.dim() - 1) if close(got.sum(dim=axis), 1)), None)
    if axis is not None:
        return f"the weights sum to 1 along axis {axis}, not along the last one"
    sums = got.sum(dim=-1)
    which = "less" if (sums < 1 + EVEN).all() else "more" if (sums > 1 - EVEN).all() else "more or less"
    return f"the rows of the weights sum to {which} than 1"


def zeros(got, right):
    if not close(got[right == 0], 0):
        return "numbers where 0 is right"
    return "0 where another number is right" if ((got == 0) & (right != 0)).any() else ""


def whole(got, right):
    """What can be said of all numbers at once."""
    if close(got.flatten().sort().values, right.flatten().sort().values):
        return "the right numbers in other places"
    if close(got, -right):
        return "the right numbers with the other sign"
    if close(got * right.norm(), right * got.norm()):
        return f"all numbers are too {'large' if got.norm() > right.norm() else 'small'} by the same factor"
    return "all numbers are off by the same amount" if close(got - got.mean(), right - right.mean()) else ""


def rows(got, right):
    """What can be said of each row, that is, along the last axis, or of each column."""
    for name, axis in (("row", -1), ("column", 0)):
        if got.dim() < 2:
            return ""
        factor = (got * right).sum(dim=axis, keepdim=True) / right.square().sum(dim=axis, keepdim=True)
        if close(got, factor * right):
            return f"each {name} is off by a factor of its own"
        if close(got - got.mean(dim=axis, keepdim=True), right - right.mean(dim=axis, keepdim=True)):
            return f"each {name} is off by an amount of its own"
    return ""


def places(got, right):
    """Where the numbers are right."""
    agree = (got - right).abs() < EVEN
    for axis in range(got.dim()):
        where = agree.movedim(axis, 0).reshape(agree.size(axis), -1).all(dim=1).nonzero().flatten().tolist()
        if where:
            ends = {(0,): "the first position", (agree.size(axis) - 1,): "the last position"}
            return f"right only at {ends.get(tuple(where), 'some positions')} of axis {axis}"
    return "some numbers are right" if agree.double().mean() > 0.2 else ""


def size(got, right):
    if are_shares(right):
        return f"the weights are {'too even' if got.square().sum() < right.square().sum() else 'not even enough'}"
    ratio = got.square().mean().sqrt() / right.square().mean().sqrt()
    if 0.95 < ratio < 1.05:
        return "about the right size"
    return f"too {'large' if ratio > 1 else 'small'} on the whole"


def are_shares(x):
    return x.dim() > 0 and bool((x >= 0).all()) and close(x.sum(dim=-1), 1)


def close(a, b):
    return torch.allclose(a, torch.as_tensor(b, dtype=a.dtype), rtol=1e-3, atol=EVEN)
