"""The contract of an exercise: what may be handed in, and the type, shape, dtype and device of its result.

Whether it is kept is judged here alone, but for rules of a single exercise: its runner raises ContractViolation.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import allclose as close
from torch.nn import Module

from feedback import explain_contract as explain
from feedback import source, tree
from feedback.compare import same_kind
from feedback.exercise import Exercise
from feedback.format import axes


@dataclass(frozen=True)
class Violation:
    """What is wrong about a result before its numbers are looked at."""

    diagnosis: str
    sentence: str
    hint: str
    lost_axis: bool = False  # of size 1


# ---------------------------------------------------------------- before anything is run


def refuse(exercise: Exercise, attempt: Any) -> tuple[str, str] | None:
    """Why this cannot be run, and what to do next; None where there is an answer to run."""
    if (exercise.runner.kind == "class") != isinstance(attempt, type) or not callable(attempt):
        is_code = callable(attempt) and not hasattr(attempt, "shape") and not isinstance(attempt, Module)
        return (explain.another_kind if is_code else explain.not_callable)(exercise, attempt)
    return _wrong_signature(exercise, attempt)


def _wrong_signature(exercise: Exercise, attempt: Callable) -> tuple[str, str] | None:
    """The attempt cannot be called with the exercise's arguments."""
    try:
        signature = inspect.signature(attempt)
    except (TypeError, ValueError):
        return None
    if not _binds(signature, exercise.arguments):
        return explain.other_arguments(exercise, signature)
    parameters = inspect.signature(exercise.reference).parameters.values()
    optional = [p.name for p in parameters if p.default is not p.empty]  # they come last
    if not _binds(signature, exercise.arguments[: len(exercise.arguments) - len(optional)]):
        return explain.without_defaults(exercise, signature, optional)
    return None


def _binds(signature: inspect.Signature, arguments: tuple[str, ...]) -> bool:
    try:
        signature.bind(*arguments)
    except TypeError:
        return False
    return True


# ---------------------------------------------------------------- what came back


def violation(exercise: Exercise, attempt: Any, args: tuple, value: Any, expected: Any) -> Violation | None:
    """The first thing that is wrong about the type, shape, dtype or device of a result."""
    return (
        _wrong_type(exercise, attempt, value, expected)
        or _wrong_shape(exercise, attempt, args, value, expected)
        or _wrong_dtype(exercise, attempt, args, value, expected)
    )


def parts(exercise: Exercise, value: Any, expected: Any) -> list[tuple]:
    """(name, value, expected) for each part of a result that is not None, also of a pair within a pair."""
    names = exercise.returns if isinstance(expected, tuple) else exercise.returns[0]
    return [part for part in tree.named(names, value, expected) if part[2] is not None]


def _wrong_type(exercise: Exercise, attempt: Any, value: Any, expected: Any) -> Violation | None:
    if value is None:
        sentence = explain.returned(exercise, value, expected)
        return Violation("returns-none", sentence, explain.about_none(source.text(attempt)))
    if isinstance(expected, tuple) and isinstance(value, tuple) and len(value) == len(expected):
        found = (_wrong_part(exercise, *part) for part in zip(exercise.returns, value, expected, strict=True))
        return next((each for each in found if each), None)
    if not isinstance(expected, tuple) and _is_alike(value, expected):
        return None
    sentence, hint = explain.returned(exercise, value, expected), explain.how_to_return(exercise, value, expected)
    if isinstance(expected, tuple) and isinstance(value, torch.Tensor):
        return Violation("returns-one", sentence, hint)
    return Violation("returns-wrong-type", sentence, hint)


def _wrong_part(exercise: Exercise, name: Any, item: Any, expected: Any) -> Violation | None:
    """What is wrong about one item of a tuple, which may be a pair again."""
    if expected is None:
        return None if item is None else Violation("returns-wrong-type", *explain.item_should_be_none(name, item))
    if isinstance(expected, tuple):
        if isinstance(item, list) and len(item) == len(expected):
            return Violation("returns-wrong-type", *explain.list_for_tuple(exercise, name))
        if not isinstance(item, tuple) or len(item) != len(expected):
            return Violation("returns-wrong-type", *explain.other_than_a_pair(exercise, name, item))
        found = (_wrong_part(exercise, *part) for part in zip(name, item, expected, strict=True))
        return next((each for each in found if each), None)
    if _is_alike(item, expected):
        return None
    return Violation("returns-wrong-type", *explain.item_of_another_type(exercise, name, item, expected))


def _is_alike(value: Any, expected: Any) -> bool:
    """Whether a value is of the type that is asked for: a tensor, a list, or a number or text of this kind."""
    if isinstance(expected, torch.Tensor):
        return tree.is_dense(value)
    return isinstance(value, list) if isinstance(expected, list) else same_kind(value, expected)


def _wrong_shape(exercise: Exercise, attempt: Any, args: tuple, value: Any, expected: Any) -> Violation | None:
    leaves = tree.flatten((*args, *(expected if isinstance(expected, tuple) else (expected,))))
    seen = {size for x in leaves if isinstance(x, torch.Tensor) for size in x.shape}
    for name, actual, right in parts(exercise, value, expected):
        if isinstance(right, torch.Tensor) and actual.shape != right.shape:
            lost = len(actual.shape) < len(right.shape) and _longer_axes(actual.shape) == _longer_axes(right.shape)
            wanted, got = axes(exercise, right.shape, seen), axes(exercise, actual.shape, seen)
            return Violation("wrong-shape", *explain.another_shape(name, wanted, got, lost, source.text(attempt)), lost)
    return None


def _longer_axes(shape: torch.Size) -> list[int]:
    return [n for n in shape if n != 1]


def _wrong_dtype(exercise: Exercise, attempt: Any, args: tuple, value: Any, expected: Any) -> Violation | None:
    for name, actual, right in parts(exercise, value, expected):
        if not isinstance(right, torch.Tensor):
            continue
        if actual.dtype != right.dtype:
            equal = close(actual.double(), right.double(), 1e-4, 1e-4)
            hint = explain.about_dtypes(exercise, name, actual, right, args, source.text(attempt), equal)
            return Violation("wrong-dtype", explain.another_dtype(name, actual, right, equal), hint)
        if actual.device != right.device:
            return Violation("wrong-device", *explain.another_device(name, actual, right))
    return None
