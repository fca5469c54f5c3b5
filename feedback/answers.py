"""The source of answers that passed, in one file per exercise, which outlives the kernel.

The course chooses the folder.
"""

from __future__ import annotations

import ast
import contextlib
import linecache
import textwrap
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from feedback.files import write
from feedback.source import functions

Definition = (ast.FunctionDef, ast.ClassDef)


class Answers:
    """A folder of answers that passed.

    `folder` is a path, or a function that returns one and is called for each answer; with None, nothing is saved.
    """

    def __init__(self, folder: Path | Callable[[], Path | None] | None = None) -> None:
        self._folder = folder

    def keep(self, exercise_id: str, attempt: Any) -> bool:
        """Save an answer that passed, and return whether the same source was already saved.

        Nothing is saved if the source is not available, as for a lambda, or if the file cannot be written.
        """
        folder = self._folder() if callable(self._folder) else self._folder
        source = folder and definition(attempt)
        if not (folder and source):
            return False
        target, is_kept = folder / f"{exercise_id}.py", False
        text = f"# Your answer to exercise {exercise_id}, which passed.\n\n{source}\n"
        with contextlib.suppress(OSError, ValueError):
            is_kept = target.read_text(encoding="utf-8") == text
        with contextlib.suppress(OSError):
            write(target, text, 0o600)
        return is_kept


def definition(attempt: Any) -> str:
    """The source of a function or class, dedented, or '' if it is not available.

    inspect.getsource cannot find a class that was defined in a notebook, so this looks around one of its methods.
    """
    inside = functions(attempt)
    if not inside:
        return ""
    lines, line = linecache.getlines(inside[0].__code__.co_filename), inside[0].__code__.co_firstlineno
    around = [
        node
        for node in _definitions("".join(lines))
        if node.name == attempt.__name__ and _first(node) <= line <= (node.end_lineno or 0)
    ]
    return textwrap.dedent("".join(lines[_first(around[-1]) - 1 : around[-1].end_lineno])).rstrip() if around else ""


@lru_cache(maxsize=64)  # an answer and the functions that it uses are often in one file
def _definitions(source: str) -> list[ast.FunctionDef | ast.ClassDef]:
    """All functions and classes that a piece of code defines, nested ones included; [] if it cannot be parsed."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    return [node for node in ast.walk(tree) if isinstance(node, Definition)]


def _first(node: ast.FunctionDef | ast.ClassDef) -> int:
    """The line on which a definition or its first decorator begins."""
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
