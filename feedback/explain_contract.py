"""What is said where the contract of an exercise is broken: a sentence, and what to think about or to do next."""

from __future__ import annotations

import inspect
import re
from typing import Any

import torch

from feedback import tree
from feedback.exercise import Exercise
from feedback.format import bracketed, describe

KINDS: dict[type | None, str] = {
    bool: "True or False",
    int: "a whole number (int)",
    float: "a number (float)",
    str: "a text (str)",
}

# ---------------------------------------------------------------- before anything is run


def another_kind(exercise: Exercise, attempt: Any) -> tuple[str, str]:
    """A class in place of a function, or the other way around."""
    kind = exercise.runner.kind
    start = f"class {exercise.name}(nn.Module):" if kind == "class" else _beginning(exercise)
    return f"A {kind} is asked for, got {describe(attempt)}.", f"Begin with `{start}`."


def not_callable(exercise: Exercise, attempt: Any) -> tuple[str, str]:
    return (
        f"`check` needs the {exercise.runner.kind} itself, got {describe(attempt)}.",
        f'Write `check("{exercise.id}", {exercise.name})`, without parentheses after the name.',
    )


def other_arguments(exercise: Exercise, signature: inspect.Signature) -> tuple[str, str]:
    return (
        f"`{exercise.name}` is called as `{exercise.signature}`; yours takes `{signature}`.",
        ("Give it these arguments, in this order." if exercise.arguments else "Leave out the arguments.")
        + (" In a method, `self` comes first." if exercise.runner.kind == "class" else ""),
    )


def without_defaults(exercise: Exercise, signature: inspect.Signature, optional: list[str]) -> tuple[str, str]:
    without = "` and `".join(optional)
    return (
        f"`{exercise.name}` may be called without `{without}`; yours needs it: it takes `{signature}`.",
        f"Begin with `{_beginning(exercise)}`.",
    )


def _beginning(exercise: Exercise) -> str:
    """The line that takes the exercise's arguments: of the function, or of a module's __init__."""
    if exercise.runner.kind == "class":
        return f"def __init__(self, {exercise.signature.partition('(')[2]}:"
    return f"def {exercise.signature}:"


# ---------------------------------------------------------------- the type of what came back


def returned(exercise: Exercise, value: Any, expected: Any) -> str:
    """What came back, next to what was expected."""
    length = isinstance(value, tuple) and isinstance(expected, tuple)
    got = f"{len(value)} things" if length else describe(value)
    return f"Your code returned {got}; {_wanted(exercise, expected)} was expected."


def _wanted(exercise: Exercise, expected: Any) -> str:
    if isinstance(expected, tuple):
        return f"the {_pair(exercise.returns)}"
    name = exercise.returns[0]
    if isinstance(expected, list):
        return f"a list of {name}"
    return f"one tensor, {name}," if isinstance(expected, torch.Tensor) else f"{KINDS[tree.plain(expected)]}, {name},"


def _pair(names: tuple) -> str:
    return f"{'pair' if len(names) == 2 else 'tuple'} {bracketed(names)}"


def about_none(code: str) -> str:
    """Why nothing came back."""
    if re.search(r"return .*\.(sort|append|extend|reverse)\(", code):
        return "`sort`, `append` and `reverse` change a list and return None; `sorted(...)` gives a new one."
    return "Does every path end with `return`?"


def how_to_return(exercise: Exercise, value: Any, expected: Any) -> str:
    """How what came back becomes what was expected."""
    if isinstance(expected, tuple):
        return _ending(exercise)
    if isinstance(expected, list):
        return _collecting(exercise.returns[0])
    return _tensor_of(value) if isinstance(expected, torch.Tensor) else _plain_of(value, expected)


def _ending(exercise: Exercise) -> str:
    return f"End with `return {', '.join(bracketed(name) for name in exercise.returns)}`."


def _collecting(name: str) -> str:
    return f"Collect them in a Python list: {name} = [] before the loop, and in it {name}.append(...)."


def _tensor_of(value: Any) -> str:
    """How a list, or what max(dim=...) gives, becomes one tensor."""
    if type(value).__module__ == "torch.return_types":
        return "With dim, max, min and sort return both at once: take .values, or use amax or amin."
    if type(value) is tuple:
        return "One tensor is asked for: a comma after `return` makes a tuple."
    if isinstance(value, list) and value:
        if all(isinstance(item, torch.Tensor) and item.shape == value[0].shape for item in value):
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
    """How another value becomes the number or text that is asked for."""
    kind, got = tree.plain(expected), tree.plain(value)
    if isinstance(value, torch.Tensor) and value.numel() == 1:
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


def item_should_be_none(name: str, item: Any) -> tuple[str, str]:
    return (
        f"{name} is {describe(item)}; here it should be None.",
        "Where None comes in as an argument, what does it have to come out as?",
    )


def list_for_tuple(exercise: Exercise, name: tuple) -> tuple[str, str]:
    return (
        f"{bracketed(name)} came as a list; a tuple was expected, which cannot be changed.",
        f"Square brackets make a list, parentheses a tuple. {_ending(exercise)}",
    )


def other_than_a_pair(exercise: Exercise, name: tuple, item: Any) -> tuple[str, str]:
    return f"Instead of the {_pair(name)} came {describe(item)}.", _ending(exercise)


def item_of_another_type(exercise: Exercise, name: str, item: Any, expected: Any) -> tuple[str, str]:
    """One item of a tuple that is no tensor, list, number or text where one is asked for."""
    kind = "a tensor" if isinstance(expected, torch.Tensor) else "a list"
    hint = "Keep the numbers in torch tensors all the way." if isinstance(expected, torch.Tensor) else _collecting(name)
    if tree.plain(expected):
        kind, hint = KINDS[tree.plain(expected)], _plain_of(item, expected)
    return f"{name} is {describe(item)}; {kind} was expected.", (
        exercise.none_hints[name] if item is None and name in exercise.none_hints else hint
    )


# ---------------------------------------------------------------- its shape, dtype and device


def another_shape(name: str, wanted: str, got: str, lost: bool, code: str) -> tuple[str, str]:
    return f"{name} should have shape {wanted}, got {got}.", _about_shapes(lost, code)


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


def another_device(name: str, actual: torch.Tensor, right: torch.Tensor) -> tuple[str, str]:
    return (
        f"{name} should be on {right.device} like the input, got {actual.device}.",
        "Make new tensors with device=x.device.",
    )


def another_dtype(name: str, actual: torch.Tensor, right: torch.Tensor, equal: bool) -> str:
    but = "The numbers for this input are right, but " if equal else ""
    return f"{but}{name} should be {right.dtype}, got {actual.dtype}."


def about_dtypes(
    exercise: Exercise, name: str, actual: torch.Tensor, expected: torch.Tensor, args: tuple, code: str, equal: bool
) -> str:
    right = expected.dtype
    short = str(right).replace("torch.", "")
    if short == "bool":
        holds = exercise.dtype_hints.get(name, f"{name} holds True and False")
        return f"{holds}: make it by comparing numbers, or with dtype=torch.bool" + (
            ", or turn it into one at the end with .bool()." if equal else "."
        )
    given = {name: x.dtype for name, x in zip(exercise.input_names, args, strict=False) if isinstance(x, torch.Tensor)}
    if not given:
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
