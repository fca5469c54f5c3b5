"""Format values for cards."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import torch

from feedback import tree

if TYPE_CHECKING:
    from feedback.exercise import Exercise

AXES_ONCE = ("B", "H")  # names of axes that no shape has twice


def number(value: Any) -> str:
    """A number as the cards show it: 4 decimals, a whole one as 10.0, NaN and infinities by name."""
    return f"{float(value) or 0.0:.1f}" if _is_whole(value) else _with_decimals(value)


def _is_whole(value: Any) -> bool:
    return float(value).is_integer() and abs(float(value)) < 1e5


def _with_decimals(value: Any) -> str:
    value = float(value) or 0.0  # not -0.0
    if not math.isfinite(value):
        return str(value).replace("nan", "NaN")
    if 0 < abs(value) < 5e-5 or abs(value) >= 1e5:
        return f"{value:.1e}"
    return f"{value:.4f}"


def in_a_row(values: Iterable[Any]) -> str:
    """Numbers in a row, with 4 decimals unless all of them are whole."""
    values = list(values)
    return ", ".join(map(_shown(values), values))


def _shown(values: Iterable[Any]) -> Callable[[Any], str]:
    """The function that writes these numbers, and those next to them, in one format."""
    return number if all(map(_is_whole, values)) else _with_decimals


def position(index: Any) -> str:
    """The index of a number: '3', or '[1, 2, 0]'."""
    return str(int(index[0])) if len(index) == 1 else "[" + ", ".join(str(int(i)) for i in index) + "]"


def counted(number: int, one: str, many: str) -> str:
    """1 word, 2 words."""
    return f"{number} {one if number == 1 else many}"


def shortly(value: Any) -> str:
    """The repr of any value, cut to 40 characters."""
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def bracketed(names: Any) -> str:
    """Names as the code writes them: 'out', or '(out, (k, v))'."""
    return f"({', '.join(bracketed(name) for name in names)})" if isinstance(names, tuple) else names


def describe(value: Any) -> str:
    """Describe what was returned or handed in, in a few words."""
    name = type(value).__name__
    if isinstance(value, torch.Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(getattr(value, "shape", None), tuple):
        article = "an" if name[0] in "AEIOUaeiou" or name == "ndarray" else "a"
        return f"{article} {name} of shape {tuple(value.shape)}"
    if type(value).__module__ == "torch.return_types" and hasattr(value, "indices"):
        return "two things, values and indices"
    if isinstance(value, (list, tuple, dict, set)):
        return f"a {name} of {len(value)}" if value else f"an empty {name}"
    if inspect.isgenerator(value):
        return "a generator (yield or (... for ...) makes one)"
    if isinstance(value, (map, filter, zip, enumerate)):
        return f"a {name} object (list(...) makes a list of it)"
    if isinstance(value, torch.nn.Module):
        return f"a module, {name}(...)"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return repr(value)
    if inspect.isroutine(value):
        return f"the function {getattr(value, '__name__', '')}".strip()
    return "None" if value is None else f"the {name} {shortly(value)}"


def argument(name: str, value: Any, dtype: bool = False) -> str:
    """Describe a tensor by its shape, and by its dtype if asked; anything else by its repr."""
    if isinstance(value, torch.Tensor):
        kind = f" and dtype {str(value.dtype).replace('torch.', '')}" if dtype else ""
        return f"{name} of shape {tuple(value.shape)}{kind}"
    if isinstance(value, torch.nn.Linear):
        return f"{name} = {_sizes(value)}"
    if _of_tensors(value):
        return f"{name} of shapes {listed([str(tuple(x.shape)) for x in value])}"
    text = repr(value)
    return f"{name} = {text if len(text) < 80 else text[:77] + '...'}"


def axes(exercise: Exercise, shape: Any, seen: set[int]) -> str:
    """A shape with its axes named: (2, 5, 7) = (B, T, S); only sizes in `seen`, those of this call, are named."""
    names = {size: name for size, name in exercise.axis_names.items() if size in seen}
    if not len(shape):
        return "() (a single number)"
    if not any(names.get(size) for size in shape):
        return f"{tuple(shape)}"
    letters = ", ".join(
        str(size) if _repeated(names, shape, i) else names.get(size) or str(size) for i, size in enumerate(shape)
    )
    return f"{tuple(shape)} = ({letters}{',' if len(shape) == 1 else ''})"


def _repeated(names: dict[int, str], shape: Any, i: int) -> bool:
    """Whether axis i repeats a name that no shape has twice, such as B: then it is a different axis."""
    name = names.get(shape[i])
    return name in AXES_ONCE and any(names.get(size) == name for size in shape[:i])


def equation(name: str, value: Any) -> str:
    """A small argument as an equation: 'x = [[1, 2]]', or for a layer 'q_proj(z) = 2z + 1'."""
    if isinstance(value, torch.nn.Linear):
        formula = _formula(value)
        return f"{name}(z) = {formula}" if formula else f"{name} = {_sizes(value)}"
    return f"{name} = {inline(value)}"


def _sizes(layer: torch.nn.Linear) -> str:
    return f"nn.Linear({layer.in_features}, {layer.out_features}{'' if layer.bias is not None else ', bias=False'})"


def _formula(layer: torch.nn.Linear) -> str:
    """'2z + 1' for a layer that multiplies every feature by 2 and adds 1; '' for any other."""
    weight, bias = layer.weight.detach(), layer.bias
    times = weight[0, 0]
    if weight.size(0) != weight.size(1) or bias is None or (bias != bias[0]).any():
        return ""
    if not torch.equal(weight, times * torch.eye(len(weight), dtype=weight.dtype)):
        return ""
    first = {1: "z", -1: "-z"}.get(times.item(), f"{times.item():.4g}z")
    plus = bias[0].item()
    return first + (f" {'+' if plus > 0 else '-'} {abs(plus):.4g}" if plus else "")


def listed(words: Sequence[str]) -> str:
    """'a', 'a and b', 'a, b, and c'."""
    return " and ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])}, and {words[-1]}"


def inline(value: Any) -> str:
    """A small tensor on one line: [[0, 1], [0.5, 2]]; a text in its quotes."""
    return re.sub(r",\n +", ", ", _table(value, lambda x: f"{x.item():.4g}"))


def _table(value: Any, show: Callable[[Any], str]) -> str:
    """A tensor as a table of numbers written by `show`, without the word tensor; anything else as its repr."""
    if _of_tensors(value):
        return "(" + ",\n ".join(_table(v, show).replace("\n", "\n ") for v in value) + ")"
    if not isinstance(value, torch.Tensor):
        return repr(value)
    value = value.detach()
    if value.dim() == 0:
        return show(value) if value.is_floating_point() else str(value.item())
    between = ", " if value.dim() == 1 else ",\n "
    return "[" + between.join(_table(v, show).replace("\n", "\n ") for v in value) + "]"


def tables(right: Any, actual: Any) -> tuple[str, str]:
    """Two results that differ, as tables that show the difference.

    Numbers have one decimal if all of them are whole, else 4; if the tables then look the same, they have 8 digits.
    """
    numbers = [x for value in tree.flatten((right, actual)) if isinstance(value, torch.Tensor) for x in value.flatten()]
    for show in (_shown(numbers), more_digits):
        shown = _table(right, show), _table(actual, show)
        if shown[0] != shown[1]:
            break
    return shown


def more_digits(value: Any) -> str:
    """A number with 8 digits; NaN and infinities by name."""
    return f"{float(value):.8g}" if math.isfinite(value) else _with_decimals(value)


def _of_tensors(value: Any) -> bool:
    return isinstance(value, tuple) and any(isinstance(x, torch.Tensor) for x in value)


def sentence(text: str) -> str:
    """A clause as a sentence, with a capital letter and a period."""
    return text[:1].upper() + ended(text)[1:]


def ended(text: str) -> str:
    return text if text.endswith(".") else text + "."


def rounded(value: torch.Tensor) -> torch.Tensor:
    return (value.detach() * 1e4).round() / 1e4
