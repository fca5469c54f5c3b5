"""The source of answers that passed, one file for each exercise, so that later notebooks can use them.

Which folder they are in, the course says. It must belong to the learner alone, since `yours(..., load=True)` runs what
is in it; nothing else does. A file holds all that its answer needs: imports, plain constants, and the functions and
classes of the same notebook. The answer itself is its last definition.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import inspect
import linecache
import sys
import textwrap
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

from feedback.files import write
from feedback.source import functions

MODULES = ("torch", "torch.nn.functional", "math")  # where a function may live that does not say it, as torch.softmax
Definition = (ast.FunctionDef, ast.ClassDef)


class Answers:
    """The answers that passed.

    `folder` is where they lie, or a function that says so whenever one is kept or read; with None, none is kept.
    """

    def __init__(self, folder: Path | Callable[[], Path | None] | None = None) -> None:
        self._folder = folder

    def keep(self, exercise_id: str, attempt: Any) -> bool:
        """Remember an answer that passed; returns whether the same one is kept already.

        One whose source is not at hand, such as a lambda, is not kept, nor is any where nothing can be written.
        """
        target = self._path(exercise_id)
        try:
            source = target and self_contained(attempt)
        except SyntaxError:  # such as a string at the margin inside an indented function
            return False
        if not (target and source):
            return False
        text = (
            f"# Your answer to exercise {exercise_id}, which passed. In any notebook, "
            f'yours("{exercise_id}", load=True) runs it again.\n\n{source}'
        )
        is_kept = self.kept(exercise_id) == text
        with contextlib.suppress(OSError):
            write(target, text, 0o600)
        return is_kept

    def kept(self, exercise_id: str) -> str | None:
        """The text of the answer that passed last, or None."""
        target = self._path(exercise_id)
        try:
            return target.read_text(encoding="utf-8") if target else None
        except (OSError, ValueError):
            return None

    def run(self, exercise_id: str, text: str) -> Any:
        """Execute a kept answer, and return what its last definition defines.

        Errors: whatever the text raises; IndexError if it defines nothing
        """
        file = str(self._path(exercise_id))
        defined = [node.name for node in ast.parse(text).body if isinstance(node, Definition)]
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)  # the checker reads its source
        namespace: dict[str, Any] = {"__name__": f"answer_{exercise_id.replace('.', '_')}"}
        exec(compile(text, file, "exec"), namespace)
        return namespace[defined[-1]]

    def _path(self, exercise_id: str) -> Path | None:
        folder = self._folder() if callable(self._folder) else self._folder
        return folder / f"{exercise_id}.py" if folder else None


# ---------------------------------------------------------------- source that needs no notebook


def self_contained(attempt: Any) -> str:
    """The source of a function or class with all that it uses of its notebook, or '' where it is not at hand."""
    if definition(attempt) == "":
        return ""
    imports: list[str] = []
    definitions: list[str] = []
    _collect(attempt, imports, definitions, set())
    return "\n\n\n".join(["\n".join(imports), *definitions] if imports else definitions) + "\n"


def _collect(attempt: Any, imports: list[str], definitions: list[str], seen: set[str]) -> None:
    """Add what an answer needs, then the answer itself."""
    source, around = definition(attempt), functions(attempt)[0].__globals__
    seen.add(attempt.__name__)
    for name in _names(source):
        if name in seen or name not in around:
            continue
        seen.add(name)
        value = around[name]
        line = _import(name, value) or _constant(name, value)
        if line:
            imports.append(line)
        elif definition(value) and value.__name__ == name:
            _collect(value, imports, definitions, seen)
    definitions.append(source)


def _names(source: str) -> list[str]:
    """The names that a piece of code reads, in order."""
    found = (node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name))
    return [name for name in dict.fromkeys(found) if not hasattr(builtins, name)]


def _import(name: str, value: Any) -> str:
    """The line that imports a value under this name, or '' if it cannot be imported."""
    if inspect.ismodule(value):
        return "" if value.__name__ == "__main__" else f"import {_renamed(value.__name__, name)}"
    original = getattr(value, "__name__", "")
    for module in (getattr(value, "__module__", None), *MODULES):
        there = sys.modules.get(str(module)) if original and module != "__main__" else None
        if there and getattr(there, original, None) is value:
            return f"from {module} import {_renamed(original, name)}"
    return ""


def _renamed(original: str, name: str) -> str:
    return original if original == name else f"{original} as {name}"


def _constant(name: str, value: Any) -> str:
    if isinstance(value, float):
        return f"{name} = float({str(value)!r})"  # also for inf and nan
    return f"{name} = {value!r}" if value is None or type(value) in (bool, int, str) else ""


def definition(attempt: Any) -> str:
    """The source of a function or class, without indentation, or '' where it is not at hand.

    inspect.getsource finds no class that was defined in a notebook, so it is looked for around one of its methods.
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
    """The functions and classes that a piece of code defines, also inside others; none where it cannot be parsed."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    return [node for node in ast.walk(tree) if isinstance(node, Definition)]


def _first(node: ast.FunctionDef | ast.ClassDef) -> int:
    """The first line of a definition, with its decorators."""
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
