"""Values as the cards write them."""

import inspect

import torch

from helpers.checks.evidence import number

AXES = {2: "B", 3: "H", 5: "T", 7: "S", 11: "D", 13: "Dv", 17: "D"}  # distinct primes: a size tells its axis


def describe(value):
    if isinstance(value, torch.Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(getattr(value, "shape", None), tuple):
        return f"a {type(value).__name__} of shape {tuple(value.shape)}"
    if isinstance(value, (list, tuple, dict)):
        return f"a {type(value).__name__} of {len(value)}"
    if inspect.isgenerator(value):
        return "a generator (yield or (... for ...) makes one)"
    if isinstance(value, (map, filter, zip, enumerate)):
        return f"a {type(value).__name__} object (list(...) makes a list of it)"
    if isinstance(value, torch.nn.Module):
        return f"a module, {type(value).__name__}(...)"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return repr(value)
    if inspect.isroutine(value):
        return f"the function {getattr(value, '__name__', '')}".strip()
    return "None" if value is None else f"{type(value).__name__} {repr(value)[:40]}"


def argument(name, value):
    if isinstance(value, torch.Tensor):
        return f"{name} of shape {tuple(value.shape)}"
    text = repr(value)
    return f"{name} = {text if len(text) < 80 else text[:77] + '...'}"


def axes(exercise, shape, seen):
    """A shape with its axes named: (2, 5, 7) = (B, T, S); only sizes that this call has `seen` have names."""
    names = {size: name for size, name in {**AXES, **exercise.sizes}.items() if size in seen}
    if not len(shape):
        return "() (a single number)"
    if not any(names.get(size) for size in shape):
        return f"{tuple(shape)}"
    letters = ", ".join(names.get(size) or str(size) for size in shape)
    return f"{tuple(shape)} = ({letters}{',' if len(shape) == 1 else ''})"


def inline(value):
    """A small tensor on one line: [[0, 1], [0.5, 2]]; a text in its quotes."""
    if not isinstance(value, torch.Tensor):
        return repr(value)
    if value.dim():
        return "[" + ", ".join(inline(v) for v in value) + "]"
    return f"{value.item():.4g}" if value.is_floating_point() else str(value.item())


def table(value):
    """A tensor as a table with 4 decimals, without the word tensor; a text in its quotes."""
    if not isinstance(value, torch.Tensor):
        return repr(value)
    value = value.detach()
    if value.dim() == 0:
        return number(value) if value.is_floating_point() else str(value.item())
    if value.dim() == 1:
        return "[" + ", ".join(table(v) for v in value) + "]"
    return "[" + ",\n ".join(table(v).replace("\n", "\n ") for v in value) + "]"


def ended(text):
    return text if text.endswith(".") else text + "."


def rounded(value):
    return (value.detach() * 1e4).round() / 1e4
