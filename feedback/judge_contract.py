"""The contract of an exercise: what may be handed in, and the type, shape, dtype and device of its result.

It is judged only here, except for the rules of a single exercise, whose runner raises ContractViolation. Next to each
rule is the text of its card: a sentence, and what to think about or do next.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torch import Tensor
from torch import allclose as close
from torch.nn import Module

from feedback import source, tree
from feedback.compare import same_kind
from feedback.exercise import Exercise
from feedback.format import axes, bracketed, counted, describe

KINDS: dict[type | None, str] = {
    bool: "True or False",
    int: "a whole number (int)",
    float: "a number (float)",
    str: "a text (str)",
}


@dataclass(frozen=True)
class Violation:
    """Something wrong with a result that shows before its numbers are compared."""

    diagnosis: str
    sentence: str
    hint: str
    lost_axis: bool = False  # whether only axes of size 1 are missing


# ---------------------------------------------------------------- before anything is run


def refuse(exercise: Exercise, attempt: Any) -> tuple[str, str] | None:
    """Say why this cannot be run, and what to do next; None if it can be run."""
    kind = exercise.runner.kind
    if callable(attempt) and (kind == "class") == isinstance(attempt, type):
        return _wrong_signature(exercise, attempt)
    if callable(attempt) and not hasattr(attempt, "shape") and not isinstance(attempt, Module):
        start = f"class {exercise.name}(nn.Module):" if kind == "class" else _beginning(exercise)
        return f"A {kind} is asked for, got {describe(attempt)}.", f"Begin with `{start}`."
    return (
        f"`check` needs the {kind} itself, got {describe(attempt)}.",
        f'Write `check("{exercise.id}", {exercise.name})`, without parentheses after the name.',
    )


def _wrong_signature(exercise: Exercise, attempt: Callable) -> tuple[str, str] | None:
    """Report an attempt that cannot be called with the exercise's arguments, or without the optional ones."""
    try:
        signature = inspect.signature(attempt)
    except (TypeError, ValueError):
        return None
    if not _binds(signature, exercise.arguments):
        hint = "Give it these arguments, in this order." if exercise.arguments else "Leave out the arguments."
        return (
            f"`{exercise.name}` is called as `{exercise.signature}`; yours takes `{signature}`.",
            hint + (" In a method, `self` comes first." if exercise.runner.kind == "class" else ""),
        )
    parameters = inspect.signature(exercise.reference).parameters.values()
    optional = [p.name for p in parameters if p.default is not p.empty]  # they come last
    if not _binds(signature, exercise.arguments[: len(exercise.arguments) - len(optional)]):
        without = "` and `".join(optional)
        return (
            f"`{exercise.name}` may be called without `{without}`; yours needs it: it takes `{signature}`.",
            f"Begin with `{_beginning(exercise)}`.",
        )
    return None


def _binds(signature: inspect.Signature, arguments: tuple[str, ...]) -> bool:
    try:
        signature.bind(*arguments)
    except TypeError:
        return False
    return True


def _beginning(exercise: Exercise) -> str:
    """The `def` line with the exercise's arguments: of the function, or of a module's __init__."""
    if exercise.runner.kind == "class":
        return f"def __init__(self, {exercise.signature.partition('(')[2]}:"
    return f"def {exercise.signature}:"


# ---------------------------------------------------------------- what came back


def violation(exercise: Exercise, attempt: Any, args: tuple, value: Any, expected: Any) -> Violation | None:
    """The first thing that is wrong about the type, shape, dtype or device of a result."""
    return (
        _wrong_type(exercise, attempt, value, expected)
        or _wrong_shape(exercise, attempt, args, value, expected)
        or _wrong_dtype(exercise, attempt, args, value, expected)
    )


def parts(exercise: Exercise, value: Any, expected: Any) -> list[tuple]:
    """(name, value, expected) for each part of a result, nested parts included, unless None is expected."""
    names = exercise.returns if isinstance(expected, tuple) else exercise.returns[0]
    return [part for part in tree.named(names, value, expected) if part[2] is not None]


# ---------------------------------------------------------------- its type


def _wrong_type(exercise: Exercise, attempt: Any, value: Any, expected: Any) -> Violation | None:
    many = isinstance(expected, tuple)
    if many and isinstance(value, tuple) and len(value) == len(expected):
        found = (_wrong_part(exercise, *part) for part in zip(exercise.returns, value, expected, strict=True))
        return next(filter(None, found), None)
    if not many and value is not None and _is_alike(value, expected):
        return None
    got = counted(len(value), "thing", "things") if many and isinstance(value, tuple) else describe(value)
    sentence = f"Your code returned {got}; {_wanted(exercise, expected)} was expected."
    if value is None:
        changes_a_list = re.search(r"return .*\.(sort|append|extend|reverse)\(", source.text(attempt))
        hint = "`sort`, `append` and `reverse` change a list and return None; `sorted(...)` gives a new one."
        return Violation("returns-none", sentence, hint if changes_a_list else "Does every path end with `return`?")
    hint = _ending(exercise) if many else _how_to_make(exercise.returns[0], value, expected)
    return Violation("returns-one" if many and isinstance(value, Tensor) else "returns-wrong-type", sentence, hint)


def _is_alike(value: Any, expected: Any) -> bool:
    """Whether a value has the expected type: a tensor, a list, or a number or string of the same kind."""
    if isinstance(expected, Tensor):
        return tree.is_dense(value)
    return isinstance(value, list) if isinstance(expected, list) else same_kind(value, expected)


def _wrong_part(exercise: Exercise, name: Any, item: Any, expected: Any) -> Violation | None:
    """Report what is wrong with one item of a tuple, which may itself be a tuple."""
    sentence, hint = "", _ending(exercise)
    if expected is None and item is not None:
        sentence = f"{name} is {describe(item)}; here it should be None."
        hint = "Where None comes in as an argument, what does it have to come out as?"
    elif isinstance(expected, tuple):
        if isinstance(item, tuple) and len(item) == len(expected):
            found = (_wrong_part(exercise, *part) for part in zip(name, item, expected, strict=True))
            return next(filter(None, found), None)
        sentence = f"Instead of the {_pair(name)} came {describe(item)}."
        if isinstance(item, list) and len(item) == len(expected):
            sentence = f"{bracketed(name)} came as a list; a tuple was expected, which cannot be changed."
            hint = f"Square brackets make a list, parentheses a tuple. {hint}"
    elif expected is not None and not _is_alike(item, expected):
        kind = "a tensor" if isinstance(expected, Tensor) else KINDS.get(tree.plain(expected), "a list")
        sentence = f"{name} is {describe(item)}; {kind} was expected."
        hint = "Keep the numbers in torch tensors all the way."
        if not isinstance(expected, Tensor):
            hint = _how_to_make(name, item, expected)
        if item is None:
            hint = exercise.none_hints.get(name, hint)
    return Violation("returns-wrong-type", sentence, hint) if sentence else None


def _wanted(exercise: Exercise, expected: Any) -> str:
    name = exercise.returns[0]
    if isinstance(expected, tuple):
        return f"the {_pair(exercise.returns)}"
    if isinstance(expected, list):
        return f"a list of {name}"
    return f"one tensor, {name}," if isinstance(expected, Tensor) else f"{KINDS[tree.plain(expected)]}, {name},"


def _pair(names: tuple) -> str:
    return f"{'pair' if len(names) == 2 else 'tuple'} {bracketed(names)}"


def _ending(exercise: Exercise) -> str:
    return f"End with `return {', '.join(bracketed(name) for name in exercise.returns)}`."


def _how_to_make(name: str, value: Any, expected: Any) -> str:
    """A hint on how to turn what was returned into what was expected."""
    if isinstance(expected, list):
        return f"Collect them in a Python list: {name} = [] before the loop, and in it {name}.append(...)."
    return _tensor_of(value) if isinstance(expected, Tensor) else _plain_of(value, expected)


def _tensor_of(value: Any) -> str:
    """A hint on how to turn a list, or what max(dim=...) returns, into one tensor."""
    if type(value).__module__ == "torch.return_types":
        return "With dim, max, min and sort return both at once: take .values, or use amax or amin."
    if type(value) is tuple:
        return "One tensor is asked for: a comma after `return` makes a tuple."
    if isinstance(value, list) and value:
        if all(isinstance(item, Tensor) and item.shape == value[0].shape for item in value):
            return "torch.stack(your_list) makes one tensor of it, with a new first axis."
        if _are_numbers(value):
            return "torch.tensor(your_list) makes one tensor of it."
    return "Keep the numbers in torch tensors all the way, and return the result alone."


def _are_numbers(value: list) -> bool:
    """Whether a list holds plain numbers, or lists of equal length that do."""
    if all(isinstance(item, (int, float)) for item in value):
        return True
    return all(isinstance(item, list) and item and len(item) == len(value[0]) for item in value) and all(
        _are_numbers(item) for item in value
    )


def _plain_of(value: Any, expected: Any) -> str:
    """A hint on how to turn another value into the number or string that was expected."""
    kind, got = tree.plain(expected), tree.plain(value)
    if isinstance(value, Tensor) and value.numel() == 1:
        return "`.item()` takes the number out of a tensor that holds only one."
    if type(value) is tuple:
        return "One value is asked for: a comma after `return` makes a tuple."
    if value is None:
        return "Is it given a value on every path?"
    if got is None:
        return "Return the value alone, without anything around it."
    if kind is bool:
        return "A comparison such as `a == b` gives True or False; numbers and texts are neither."
    if kind is str:
        return "`str(...)` makes a text of it."
    if got is str:
        return "A text in quotes is no number, even if it looks like one: `int(...)` and `float(...)` make one of it."
    if got is bool:
        return "True and False are no numbers here: what should be counted or calculated?"
    return "`/` always gives a float; `//` divides and rounds down, and `round(...)` rounds to the nearest."


# ---------------------------------------------------------------- its shape, dtype and device


def _wrong_shape(exercise: Exercise, attempt: Any, args: tuple, value: Any, expected: Any) -> Violation | None:
    leaves = tree.flatten((*args, *(expected if isinstance(expected, tuple) else (expected,))))
    seen = {size for x in leaves if isinstance(x, Tensor) for size in x.shape}
    for name, actual, right in parts(exercise, value, expected):
        if isinstance(right, Tensor) and actual.shape != right.shape:
            longer, wanted_longer = ([n for n in x.shape if n != 1] for x in (actual, right))
            lost = len(actual.shape) < len(right.shape) and longer == wanted_longer
            wanted, got = axes(exercise, right.shape, seen), axes(exercise, actual.shape, seen)
            hint = _about_shapes(lost, source.text(attempt))
            return Violation("wrong-shape", f"{name} should have shape {wanted}, got {got}.", hint, lost)
    return None


def _about_shapes(lost: bool, code: str) -> str:
    """A hint on a wrong shape, which mentions a method only if the code uses it."""
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
    for name, actual, right in parts(exercise, value, expected):
        if not isinstance(right, Tensor):
            continue
        if actual.dtype != right.dtype:
            equal = close(actual.double(), right.double(), 1e-4, 1e-4)
            but = "The numbers for this input are right, but " if equal else ""
            hint = _about_dtypes(exercise, name, actual, right, args, source.text(attempt), equal)
            return Violation("wrong-dtype", f"{but}{name} should be {right.dtype}, got {actual.dtype}.", hint)
        if actual.device != right.device:
            sentence = f"{name} should be on {right.device} like the input, got {actual.device}."
            return Violation("wrong-device", sentence, "Make new tensors with device=x.device.")
    return None


def _about_dtypes(
    exercise: Exercise, name: str, actual: Tensor, expected: Tensor, args: tuple, code: str, equal: bool
) -> str:
    right = expected.dtype
    short = str(right).replace("torch.", "")
    if short == "bool":
        holds = exercise.dtype_hints.get(name, f"{name} holds True and False")
        return f"{holds}: make it by comparing numbers, or with dtype=torch.bool" + (
            ", or turn it into one at the end with .bool()." if equal else "."
        )
    given = {name: x.dtype for name, x in zip(exercise.input_names, args, strict=False) if isinstance(x, Tensor)}
    if not given or not (right.is_floating_point or short == "int64"):
        return f"Calculate in any dtype, then turn the result into {short}: .to(torch.{short})."
    same = next((name for name, dtype in given.items() if dtype == right), None)
    if same is None and not right.is_floating_point and actual.is_floating_point():
        return "Whole numbers are asked for: positions, as argmax gives them, and not values, as max does."
    if same is None and not right.is_floating_point:
        return f"PyTorch's own positions and ids are {short}: leave the conversion out, or end with .to(torch.{short})."
    if same is None:
        return f"Calculate in {short}, whatever the inputs are: give new tensors dtype=torch.{short}."
    converted = [call for call in (".float()", ".double()", ".half()", ".long()", ".int()") if call in code]
    if converted:
        return f"Your code converts with {converted[0]}; the result should keep the dtype of the input, {short}."
    if "dtype=torch.float" in code:
        return f"Your code asks for a dtype by name; the result should keep the dtype of the input, {short}."
    return (
        f"The input was {short}. A new tensor is float32 unless you say otherwise, and one from NumPy often float64: "
        f"make it with dtype={same}.dtype, or with zeros_like."
    )
