"""What came beside what was expected: equal numbers, and the first thing that is wrong about type, shape or dtype.

A fault is (diagnosis, what is wrong, what to think about).
"""

from numbers import Integral

import torch

from helpers.checks.catalogue import parts
from helpers.checks.writing import axes, bracketed, describe, opened


def close(got, expected, probe, equal_nan=False):
    if isinstance(expected, (tuple, list)):
        return (isinstance(got, tuple if isinstance(expected, tuple) else list) and len(got) == len(expected)
                and all(close(a, b, probe, equal_nan) for a, b in zip(got, expected, strict=True)))
    if isinstance(expected, Integral) and isinstance(got, Integral):
        return int(got) == int(expected)  # a whole number of numpy is as good
    if not isinstance(expected, torch.Tensor) or not isinstance(got, torch.Tensor):
        return type(got) is type(expected) and got == expected
    if any(getattr(got, name) != getattr(expected, name) for name in ("layout", "shape", "dtype", "device")):
        return False
    return torch.allclose(got.detach(), expected.detach(), rtol=probe.rtol, atol=probe.atol, equal_nan=equal_nan)


def alike(a, b, probe):
    """Whether two runs ended the same way."""
    if a.error is not None or b.error is not None:
        return type(a.error) is type(b.error) and str(a.error) == str(b.error)
    return close(a.value, b.value, probe, equal_nan=True)


def same_shapes(got, expected):
    if isinstance(expected, list):
        return isinstance(got, list)  # their lengths may differ: that is a mistake to be shown
    if isinstance(expected, tuple):
        return (isinstance(got, tuple) and len(got) == len(expected)
                and all(same_shapes(a, b) for a, b in zip(got, expected, strict=True)))
    if expected is None:
        return got is None
    return isinstance(got, torch.Tensor) and got.shape == expected.shape


def plain(value):
    """Without gradients, so that numbers can be taken out."""
    if isinstance(value, tuple):
        return tuple(plain(item) for item in value)
    return value.detach() if isinstance(value, torch.Tensor) else value


def tensors(exercise, value, expected):
    """(name, value, expected) for each tensor of a result, also of a pair within a pair."""
    names = exercise.returns if isinstance(expected, tuple) else exercise.returns[0]
    return [part for part in parts(names, value, expected) if part[2] is not None]


def wrong_type(exercise, value, expected):
    wanted = _wanted(exercise, expected)
    if value is None:
        return ("returns-none", f"Your code returned None; {wanted} was expected.",
                "Does every path end with `return`?")
    if isinstance(expected, tuple):
        if not isinstance(value, tuple):
            return ("returns-one" if isinstance(value, torch.Tensor) else "returns-wrong-type",
                    f"Your code returned {describe(value)}; {wanted} was expected.",
                    _ending(exercise))
        if len(value) != len(expected):
            return ("returns-wrong-type", f"Your code returned {len(value)} things; {wanted} was expected.",
                    _ending(exercise))
        faults = (_wrong_part(exercise, *part) for part in zip(exercise.returns, value, expected, strict=True))
        return next((fault for fault in faults if fault), None)
    if isinstance(expected, list):
        if not isinstance(value, list):
            return ("returns-wrong-type", f"Your code returned {describe(value)}; {wanted} was expected.",
                    f"Collect them in a Python list: {exercise.returns[0]} = [] before the loop, and in it "
                    f"{exercise.returns[0]}.append(...).")
    elif not isinstance(value, torch.Tensor) or value.layout != torch.strided:
        return ("returns-wrong-type", f"Your code returned {describe(value)}; {wanted} was expected.",
                _tensor_of(value) or "Keep the numbers in torch tensors all the way, and return the result alone.")
    return None


def _wrong_part(exercise, name, item, expected):
    """What is wrong about one thing of a pair: a tensor, None, or a pair again."""
    if expected is None and item is not None:
        return ("returns-wrong-type", f"{name} is {describe(item)}; here it should be None.",
                "Where None comes in as an argument, what does it have to come out as?")
    if isinstance(expected, tuple):
        if isinstance(item, list) and len(item) == len(expected):
            return ("returns-wrong-type",
                    f"{bracketed(name)} came as a list; a tuple was expected, which can no longer be changed.",
                    f"Square brackets make a list, round ones a tuple: {_ending(exercise)}")
        if not isinstance(item, tuple) or len(item) != len(expected):
            return ("returns-wrong-type", f"In place of the pair {bracketed(name)} came {describe(item)}.",
                    _ending(exercise))
        faults = (_wrong_part(exercise, *part) for part in zip(name, item, expected, strict=True))
        return next((fault for fault in faults if fault), None)
    if expected is not None and (not isinstance(item, torch.Tensor) or item.layout != torch.strided):
        return ("returns-wrong-type", f"{name} is {describe(item)}; a tensor was expected.",
                "F.scaled_dot_product_attention keeps its weights to itself: make them with a softmax of the scores, "
                "and return both." if item is None and name == "weights" else
                "Keep the numbers in torch tensors all the way.")
    return None


def _ending(exercise):
    return f"End with `return {', '.join(bracketed(name) for name in exercise.returns)}`."


def _tensor_of(value):
    """How a list, or what max(dim=...) gives, becomes one tensor, or ''."""
    if type(value).__module__ == "torch.return_types":
        return "With dim, max, min and sort return both at once: take .values, or use amax or amin."
    if not isinstance(value, list) or not value:
        return ""
    if all(isinstance(item, torch.Tensor) and item.shape == value[0].shape for item in value):
        return "torch.stack(your_list) makes one tensor of it, with a new first axis."
    if _numbers(value):
        return "torch.tensor(your_list) makes one tensor of it."
    return ""


def _numbers(value):
    """Whether a list holds plain numbers, or lists of equal length that do."""
    if all(isinstance(item, (int, float)) for item in value):
        return True
    return (all(isinstance(item, list) and item and len(item) == len(value[0]) for item in value)
            and all(_numbers(item) for item in value))


def _wanted(exercise, expected):
    if isinstance(expected, tuple):
        return f"the pair {bracketed(exercise.returns)}"
    return f"a list of {exercise.returns[0]}" if isinstance(expected, list) else f"one tensor, {exercise.returns[0]},"


def wrong_shape(exercise, value, expected, args):
    rights = expected if isinstance(expected, tuple) else (expected,)
    seen = {size for x in opened((*args, *rights)) if isinstance(x, torch.Tensor) for size in x.shape}
    for name, got, right in tensors(exercise, value, expected):
        if isinstance(right, list):
            continue
        if got.shape != right.shape:
            return ("wrong-shape", f"{name} should have shape {axes(exercise, right.shape, seen)}, "
                                   f"got {axes(exercise, got.shape, seen)}.", _about_shapes(got.shape, right.shape))
    return None


def _about_shapes(got, right):
    """What may have gone wrong with a shape."""
    if len(got) < len(right) and [n for n in got if n != 1] == [n for n in right if n != 1]:
        return ("An axis of size 1 was lost: squeeze() without dim takes away every axis of size 1. Name the axis, "
                "squeeze(dim), or leave it out.")
    return "Write the shape behind each line as a comment, and find the first that surprises you."


def wrong_dtype(exercise, value, expected, args):
    for name, got, right in tensors(exercise, value, expected):
        if isinstance(right, list):
            continue
        if got.dtype != right.dtype:
            short = str(right.dtype).replace("torch.", "")
            mend = ("True where attending is allowed, else False: make it by comparing, such as positions < lengths, "
                    "or from torch.ones(..., dtype=torch.bool)." if short == "bool" else
                    f"Calculate in any dtype, then turn the result into {short}: .{short.replace('32', '')}()."
                    if not any(isinstance(x, torch.Tensor) for x in args) else
                    f"The input was {short}, and a new tensor is float32 unless told otherwise: make it with "
                    "dtype=x.dtype, or with zeros_like.")
            equal = "The numbers are right, but " if torch.allclose(got.double(), right.double(), 1e-4, 1e-4) else ""
            return ("wrong-dtype", f"{equal}{name} should be {right.dtype}, got {got.dtype}.", mend)
        if got.device != right.device:
            return ("wrong-device", f"{name} should be on {right.device} like the input, got {got.device}.",
                    "Make new tensors with device=x.device.")
    return None
