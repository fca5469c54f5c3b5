"""What an exception usually means, and what kind it is. Most meanings are in error_meanings.txt."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from pathlib import Path

import torch

LAYERS = ("Linear", "Dropout", "Embedding", "LayerNorm", "ModuleList", "Sequential")
PYTHON_VALUES = "int|float|bool|str|list|tuple|dict|set|frozenset|NoneType"
OTHER_NAMES = {"variance": "var", "average": "mean", "avg": "mean", "length": "size"}
Meanings = tuple[tuple[str, str], ...]
REMOVES_AN_AXIS = r"\b(?:sum|mean|var|std|a?max|a?min|norm)\((?!\))"  # softmax removes none
_HEAD, *_ENTRIES = Path(__file__).with_name("error_meanings.txt").read_text(encoding="utf-8").split("\n\n")
_PAIRS = (entry.split("\n", 1) for entry in _ENTRIES)
MEANINGS = {pattern: " ".join(sentence.split()) for pattern, sentence in _PAIRS}
_SIZES_DIFFER = r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)"  # a key of MEANINGS
_SIZES_OR_PLACES = r"size of (the )?tensor|is out of bounds|index out of range|cannot be multiplied|batch2 tensor"


def meaning(
    error: BaseException, own: Meanings = (), line: str = "", one_axis_more: bool = False, code: str = ""
) -> str:
    """One sentence on what this exception usually means, or ''.

    own            the exercise's own (pattern, sentence) pairs, tried before the general ones
    line           the learner's line: advice about a method is given only where the method is used
    one_axis_more  whether the code is right on an input with fewer axes, and raises on one with more
    code           all of the learner's code: a line may raise because an earlier one removed an axis
    """
    words = _words(error)
    layer = re.search(r"def forward\b[\s\S]*\bnn\.(Linear|Embedding|LayerNorm)\(", code)
    if layer and re.search(r"same dtype|scalar type|should be the same|mixed dtype", words):
        return f"A layer that `forward` makes is new in every call, and float32: `{layer[1]}` belongs in `__init__`."
    if one_axis_more and "[..." not in line and re.search(_SIZES_OR_PLACES, words):
        return (
            "Your code is right on an input with fewer axes, and stops on this one. Is there an `x[i]`, which is now a "
            "whole item, not a row? Count from the end, `x[..., i, :]`, or let a matrix product do all items at once."
        )
    if line and "expand(" in words and "expand" not in line:
        return (
            "What is written into a place has more axes than the place itself: print both shapes. With one more axis "
            "in front, `x[i]` is a whole item."
        )
    special = _matrix_product(words) or _sizes_differ(words, line, code) or _slip_in_a_name(words)
    return known_here(error, own) or special or _compared_as_a_whole(words, line) or _first(MEANINGS.items(), words)


def known_here(error: BaseException, own: Meanings) -> str:
    """The exercise's own sentence on this exception, or ''."""
    return _first(own, _words(error))


def _first(meanings: Iterable[tuple[str, str]], words: str) -> str:
    """The sentence of the first pattern that matches, or ''."""
    for pattern, sentence in meanings:
        found = re.search(pattern, words)
        if found:
            return sentence.format(*(group or "" for group in found.groups()))
    return ""


def kind(error: BaseException, own: Meanings = ()) -> tuple:
    """The kind of an exception: its category (the pattern that matches it) and the sizes in its message.

    Two pieces of code that make the same mistake raise the same kind of exception. The wording around the sizes depends
    on the release of PyTorch and on the function that was called; the sizes themselves do not.
    """
    diagnosis = getattr(error, "diagnosis", None)
    if diagnosis is not None:
        return type(error).__name__, diagnosis
    if isinstance(error, KeyError):
        return type(error).__name__, str(error)  # the key, which is data
    words = _words(error)
    category = next((pattern for pattern, _ in (*own, *MEANINGS.items()) if re.search(pattern, words)), None)
    if category is None:
        return type(error).__name__, first_line(error)
    sizes = re.findall(r"\d+", words.splitlines()[0])
    if "size of tensor b" in words:
        sizes[:2] = sorted(sizes[:2])  # a + b and b + a are the same mistake
    return category, tuple(sizes)


def speaks_of_dtypes(error: BaseException | None) -> bool:
    return bool(re.search(r"dtype|scalar type|\b(Float|Double|Long|Bool)\b", str(error)))


def first_line(error: BaseException) -> str:
    """The exception's own message, cut to one line."""
    text = str(error).strip().splitlines()
    words = text[0] if text else ""
    words = words.partition(", but expected one of:")[0]  # what follows is a list of signatures, on more lines
    return f"{type(error).__name__}: {words[:200]}" if words else type(error).__name__


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _matrix_product(words: str) -> str:
    """Say which sizes of a matrix product do not fit, and whether a transpose would help."""
    two = re.search(r"mat1 and mat2 shapes cannot be multiplied \((\d+)x(\d+) and (\d+)x(\d+)\)", words)
    three = re.search(r"batch2 tensor to be: \[\d+, (\d+)\] but got: \[\d+, (\d+)\]", words)
    if two:
        n, inner, other, p = two.groups()  # n may be a product of sizes: PyTorch flattens the leading axes
        rule = (
            f"In a matrix product (..., n, m) @ (m, p) the inner sizes must agree; here these are {inner} and {other}."
        )
        if p == inner:
            return rule + (
                " It would fit if two axes of the right side changed places. (If this is a layer, it was given vectors "
                "of another width than it takes.)"
            )
        if p == n:
            return (
                rule + " It would fit the other way around, `right @ left`. Or is it the other side whose axes "
                "should be swapped?"
            )
        return rule + " Write down which axis is which on each side."
    if three:
        return (
            f"In a matrix product (..., n, m) @ (..., m, p) the inner sizes must agree, and so must the axes in "
            f"front; here {three[1]} meets {three[2]}. Do two axes of one side have to be swapped?"
        )
    return ""


def _sizes_differ(words: str, line: str, code: str) -> str:
    """Explain two tensors that do not broadcast, with advice that depends on the learner's line."""
    found = re.search(_SIZES_DIFFER, words)
    if not found:
        return ""
    rule = MEANINGS[_SIZES_DIFFER].format(*found.groups())
    # Here a product has at most two leading axes, so a mismatch from axis 2 on comes from something else in the line.
    product = ("@" in line or "matmul" in line) and not re.search(r"dimension [2-9]", words)
    if product and re.search(r"\.T\b", line):
        return rule + " `.T` reverses all axes; `.transpose(-2, -1)` swaps the last two alone."
    if product:
        return rule + " In a product with @ the axes in front must agree in this way."
    if any(len(re.findall(REMOVES_AN_AXIS, text)) > text.count("keepdim") for text in (line, code)):
        return rule + " If a sum, a mean or a maximum removed an axis, `keepdim=True` keeps it, with size 1."
    return (
        rule
        + " Is an axis missing (`x[:, None]` inserts one of size 1), one too many, swapped, or cut to another size?"
    )


def _compared_as_a_whole(words: str, line: str) -> str:
    """Explain Python's own max and min, which compare whole rows of a tensor."""
    found = re.search(r"(?<![.\w])(max|min)\(", line) if "Boolean value of Tensor" in words else None
    return (
        found
        and f"Python's `{found[1]}` compares whole rows with each other: `x.a{found[1]}(...)` takes numbers."
        or ""
    )


def _slip_in_a_name(words: str) -> str:
    """Explain a misspelled attribute, and suggest the nearest name that exists."""
    found = re.search(r"'(\w+)' object has no attribute '(\w+)'", words)
    others = (*PYTHON_VALUES.split("|"), "builtin_function_or_method")
    if not found or found[1] in others or found[2].startswith("_"):
        return ""
    if found[1] in LAYERS:
        return (
            f"A layer has no .{found[2]}: it is called like a function, self.layer(x). Its matrix is self.layer.weight."
        )
    if found[1] != "Tensor":
        return (
            f"This object, of type {found[1]}, has nothing called {found[2]}: look for a slip in the name, or, in a "
            f"module, for `self.{found[2]} = ...` in `__init__`."
        )
    names = [name for name in dir(torch.Tensor) if not name.startswith("_") and not name.endswith("_")]
    near = [OTHER_NAMES[found[2]]] if found[2] in OTHER_NAMES else difflib.get_close_matches(found[2], names, 1, 0.8)
    return f"A tensor has nothing called `{found[2]}`" + (f": did you mean `{near[0]}`?" if near else ".")
