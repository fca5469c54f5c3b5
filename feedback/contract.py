"""The contract of an exercise: what kind of thing is handed in, and the type, shape, dtype and device of its result."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import allclose as close
from torch.nn import Module

from feedback import source, tree
from feedback.exercise import Exercise
from feedback.format import axes, bracketed, describe
from feedback.report import Report, following, say


@dataclass(frozen=True)
class Violation:
    """What is wrong about a result before its numbers are looked at."""

    diagnosis: str
    sentence: str
    hint: str
    lost_axis: bool = False  # of size 1


# ---------------------------------------------------------------- before anything is run


def refuse(exercise: Exercise, attempt: Any) -> Report | None:
    """A report on what cannot be run, or on a stub; None where there is an answer to run."""
    if source.is_stub(attempt):
        return exercise.report(
            "not attempted",
            say(f"`{exercise.signature}` should give {exercise.gives}."),
            following(f"Write its body, run its cell, then run this one again. About {exercise.minutes} minutes."),
        )
    kind = exercise.runner.kind
    if (kind == "class") != isinstance(attempt, type) or not callable(attempt):
        got = describe(attempt)
        if callable(attempt) and not hasattr(attempt, "shape") and not isinstance(attempt, Module):
            start = f"class {exercise.name}(nn.Module):" if kind == "class" else _beginning(exercise)
            return exercise.report(
                "error", say(f"A {kind} is asked for, got {got}."), following(f"Begin with `{start}`.")
            )
        return exercise.report(
            "error",
            say(f"`check` needs the {kind} itself, got {got}."),
            following(f'Write `check("{exercise.id}", {exercise.name})`, without parentheses after the name.'),
        )
    return _wrong_signature(exercise, attempt)


def _wrong_signature(exercise: Exercise, attempt: Callable) -> Report | None:
    """The attempt cannot be called with the exercise's arguments."""
    try:
        signature = inspect.signature(attempt)
    except (TypeError, ValueError):
        return None
    if not _binds(signature, exercise.arguments):
        return exercise.report(
            "error",
            say(f"`{exercise.name}` is called as `{exercise.signature}`; yours takes `{signature}`."),
            following(
                ("Give it these arguments, in this order." if exercise.arguments else "Leave out the arguments.")
                + (" In a method, `self` comes first." if exercise.runner.kind == "class" else "")
            ),
        )
    optional = [name for name in exercise.arguments if f"{name}=" in exercise.signature]  # they come last
    if not _binds(signature, exercise.arguments[: len(exercise.arguments) - len(optional)]):
        return exercise.report(
            "error",
            say(
                f"`{exercise.name}` may be called without `{'` and `'.join(optional)}`; yours needs it: it takes "
                f"`{signature}`."
            ),
            following(f"Begin with `{_beginning(exercise)}`."),
        )
    return None


def _beginning(exercise: Exercise) -> str:
    """The line that takes the exercise's arguments: of the function, or of a module's __init__."""
    if exercise.runner.kind == "class":
        return f"def __init__(self, {exercise.signature.partition('(')[2]}:"
    return f"def {exercise.signature}:"


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


def tensors(exercise: Exercise, value: Any, expected: Any) -> list[tuple]:
    """(name, value, expected) for each tensor of a result, also of a pair within a pair."""
    names = exercise.returns if isinstance(expected, tuple) else exercise.returns[0]
    return [part for part in tree.named(names, value, expected) if part[2] is not None]


def _wrong_type(exercise: Exercise, attempt: Any, value: Any, expected: Any) -> Violation | None:
    wanted = _wanted(exercise, expected)
    if value is None:
        return Violation(
            "returns-none", f"Your code returned None; {wanted} was expected.", _about_none(source.text(attempt))
        )
    if isinstance(expected, tuple):
        if not isinstance(value, tuple):
            return Violation(
                "returns-one" if isinstance(value, torch.Tensor) else "returns-wrong-type",
                f"Your code returned {describe(value)}; {wanted} was expected.",
                _ending(exercise),
            )
        if len(value) != len(expected):
            return Violation(
                "returns-wrong-type",
                f"Your code returned {len(value)} things; {wanted} was expected.",
                _ending(exercise),
            )
        parts = (_wrong_part(exercise, *part) for part in zip(exercise.returns, value, expected, strict=True))
        return next((found for found in parts if found), None)
    if isinstance(expected, list):
        if not isinstance(value, list):
            return Violation(
                "returns-wrong-type",
                f"Your code returned {describe(value)}; {wanted} was expected.",
                f"Collect them in a Python list: {exercise.returns[0]} = [] before the loop, and in it "
                f"{exercise.returns[0]}.append(...).",
            )
    elif not _is_dense(value):
        return Violation(
            "returns-wrong-type",
            f"Your code returned {describe(value)}; {wanted} was expected.",
            _tensor_of(value) or "Keep the numbers in torch tensors all the way, and return the result alone.",
        )
    return None


def _about_none(code: str) -> str:
    """Why nothing came back."""
    if re.search(r"return .*\.(sort|append|extend|reverse)\(", code):
        return "`sort`, `append` and `reverse` change a list and return None; `sorted(...)` gives a new one."
    return "Does every path end with `return`?"


def _wrong_part(exercise: Exercise, name: Any, item: Any, expected: Any) -> Violation | None:
    """What is wrong about one item of a tuple: a tensor, None, or a pair again."""
    if expected is None and item is not None:
        return Violation(
            "returns-wrong-type",
            f"{name} is {describe(item)}; here it should be None.",
            "Where None comes in as an argument, what does it have to come out as?",
        )
    if isinstance(expected, tuple):
        if isinstance(item, list) and len(item) == len(expected):
            return Violation(
                "returns-wrong-type",
                f"{bracketed(name)} came as a list; a tuple was expected, which cannot be changed.",
                f"Square brackets make a list, parentheses a tuple. {_ending(exercise)}",
            )
        if not isinstance(item, tuple) or len(item) != len(expected):
            return Violation(
                "returns-wrong-type", f"Instead of the pair {bracketed(name)} came {describe(item)}.", _ending(exercise)
            )
        parts = (_wrong_part(exercise, *part) for part in zip(name, item, expected, strict=True))
        return next((found for found in parts if found), None)
    if expected is not None and not _is_dense(item):
        return Violation(
            "returns-wrong-type",
            f"{name} is {describe(item)}; a tensor was expected.",
            exercise.none_hints.get(name, "")
            if item is None and name in exercise.none_hints
            else "Keep the numbers in torch tensors all the way.",
        )
    return None


def _is_dense(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.layout == torch.strided


def _ending(exercise: Exercise) -> str:
    return f"End with `return {', '.join(bracketed(name) for name in exercise.returns)}`."


def _tensor_of(value: Any) -> str:
    """How a list, or what max(dim=...) gives, becomes one tensor, or ''."""
    if type(value).__module__ == "torch.return_types":
        return "With dim, max, min and sort return both at once: take .values, or use amax or amin."
    if type(value) is tuple:
        return "One tensor is asked for: a comma after `return` makes a tuple."
    if not isinstance(value, list) or not value:
        return ""
    if all(isinstance(item, torch.Tensor) and item.shape == value[0].shape for item in value):
        return "torch.stack(your_list) makes one tensor of it, with a new first axis."
    if _are_numbers(value):
        return "torch.tensor(your_list) makes one tensor of it."
    return ""


def _are_numbers(value: list) -> bool:
    """Whether a list holds plain numbers, or lists of equal length that do."""
    if all(isinstance(item, (int, float)) for item in value):
        return True
    return all(isinstance(item, list) and item and len(item) == len(value[0]) for item in value) and all(
        _are_numbers(item) for item in value
    )


def _wanted(exercise: Exercise, expected: Any) -> str:
    if isinstance(expected, tuple):
        return f"the pair {bracketed(exercise.returns)}"
    return f"a list of {exercise.returns[0]}" if isinstance(expected, list) else f"one tensor, {exercise.returns[0]},"


def _wrong_shape(exercise: Exercise, attempt: Any, args: tuple, value: Any, expected: Any) -> Violation | None:
    leaves = tree.flatten((*args, *(expected if isinstance(expected, tuple) else (expected,))))
    seen = {size for x in leaves if isinstance(x, torch.Tensor) for size in x.shape}
    for name, actual, right in tensors(exercise, value, expected):
        if not isinstance(right, list) and actual.shape != right.shape:
            lost = len(actual.shape) < len(right.shape) and _longer_axes(actual.shape) == _longer_axes(right.shape)
            return Violation(
                "wrong-shape",
                f"{name} should have shape {axes(exercise, right.shape, seen)}, "
                f"got {axes(exercise, actual.shape, seen)}.",
                _about_shapes(lost, source.text(attempt)),
                lost,
            )
    return None


def _longer_axes(shape: torch.Size) -> list[int]:
    return [n for n in shape if n != 1]


def _about_shapes(lost: bool, code: str) -> str:
    """What may have gone wrong with a shape: advice about a method is given only where the code uses it."""
    if lost and "squeeze()" in code:
        return (
            "An axis of size 1 was lost: squeeze() without dim takes away every axis of size 1. Name the axis, "
            "squeeze(dim), or leave it out."
        )
    if lost and "squeeze(" in code.replace("unsqueeze(", ""):
        return (
            "An axis of size 1 was lost: squeeze(dim) takes an axis away wherever its size is 1. Is it needed at all?"
        )
    if lost:
        return "An axis of size 1 is missing: x[:, None] or x.unsqueeze(dim) inserts one."
    return "Write the shape behind each line as a comment, and find the first that surprises you."


def _wrong_dtype(exercise: Exercise, attempt: Any, args: tuple, value: Any, expected: Any) -> Violation | None:
    for name, actual, right in tensors(exercise, value, expected):
        if isinstance(right, list):
            continue
        if actual.dtype != right.dtype:
            equal = close(actual.double(), right.double(), 1e-4, 1e-4)
            but = "The numbers for this input are right, but " if equal else ""
            return Violation(
                "wrong-dtype",
                f"{but}{name} should be {right.dtype}, got {actual.dtype}.",
                _about_dtypes(exercise, right.dtype, args, source.text(attempt), equal),
            )
        if actual.device != right.device:
            return Violation(
                "wrong-device",
                f"{name} should be on {right.device} like the input, got {actual.device}.",
                "Make new tensors with device=x.device.",
            )
    return None


def _about_dtypes(exercise: Exercise, right: torch.dtype, args: tuple, code: str, equal: bool) -> str:
    short = str(right).replace("torch.", "")
    if short == "bool":
        return "A mask holds True and False: make it by comparing numbers, or with dtype=torch.bool" + (
            ", or turn it into one at the end with .bool()." if equal else "."
        )
    given = {name: x.dtype for name, x in zip(exercise.input_names, args, strict=False) if isinstance(x, torch.Tensor)}
    if not given:
        return f"Calculate in any dtype, then turn the result into {short}: .{short.replace('32', '')}()."
    converted = [call for call in (".float()", ".double()", ".half()", ".long()", ".int()") if call in code]
    if converted:
        return f"Your code converts with {converted[0]}; the result should keep the dtype of the input, {short}."
    name = next((name for name, dtype in given.items() if dtype == right), None)
    if not right.is_floating_point and name is None:
        return "Whole numbers are asked for: positions, as argmax gives them, and not values, as max does."
    if name is None:
        return f"Calculate in {short}, whatever the inputs are: give new tensors dtype=torch.{short}."
    if "dtype=torch.float" in code:
        return f"Your code asks for a dtype by name; the result should keep the dtype of the input, {short}."
    return (
        f"The input was {short}. A new tensor is float32 unless you say otherwise, and one from NumPy often float64: "
        f"make it with dtype={name}.dtype, or with zeros_like."
    )
