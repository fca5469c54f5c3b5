"""Inspect an attempt before it is run: did its cell run, is it a stub, and which notebook variables does it read?"""

from __future__ import annotations

import ast
import dis
import inspect
import linecache
import math
import re
import sys
import textwrap
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

import torch

CONSTANTS = {"e", "inf", "nan", "pi"}  # floats of the modules math and torch


def is_stub(attempt: Any) -> bool:
    """Whether a function or class still has the empty body that it had in the notebook."""
    if isinstance(attempt, type):
        return _is_stub_of_a_class(attempt)
    if not inspect.isfunction(attempt) or attempt.__name__ == "<lambda>":
        return False
    body = _body(attempt)
    return body is not None and all(map(_is_empty, body))


def has_same_code(attempt: Any, other: Callable | None) -> bool:
    """Whether two functions have the same statements; comments and line breaks do not count."""
    if other is None or not inspect.isfunction(attempt):
        return False
    mine, given = ([ast.unparse(s) for s in _body(each) or () if not _is_empty(s)] for each in (attempt, other))
    return mine == given


def _is_stub_of_a_class(attempt: Any) -> bool:
    """Whether all methods of a class are empty, and it inherits no `forward` that is not."""
    methods = {name: m for name, m in vars(attempt).items() if inspect.isfunction(m)}
    if not all(is_stub(m) for m in methods.values()):
        return False
    if "forward" in methods or not issubclass(attempt, torch.nn.Module):
        return bool(methods)
    inherited = attempt.forward is not torch.nn.Module.forward
    return is_stub(attempt.forward) if inherited else not attempt.__module__.startswith("torch")


def text(attempt: Any) -> str:
    """The learner's own code, or '' if it is not available."""
    try:
        return inspect.getsource(attempt)
    except (OSError, TypeError):
        return ""


def functions(attempt: Any) -> list[FunctionType]:
    """The function itself, or the methods of a class."""
    inside = vars(attempt).values() if isinstance(attempt, type) else (attempt,)
    return [inner for inner in inside if inspect.isfunction(inner)]


def _body(function: Callable) -> list[ast.stmt] | None:
    """The statements of a function, or None if its source is not available."""
    try:
        linecache.checkcache(function.__code__.co_filename)
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return None
    first = tree.body[0]
    return first.body if isinstance(first, (ast.FunctionDef, ast.AsyncFunctionDef)) else None


def _is_empty(statement: ast.stmt) -> bool:
    """Whether this is a docstring, `...`, `pass`, `raise NotImplementedError` or `super().__init__()`."""
    text = ast.unparse(statement)
    constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return constant or text in ("pass", "super().__init__()") or text.startswith("raise NotImplementedError")


def globals_read(attempt: Any) -> list[tuple[str, Any]]:
    """The global variables with data that a function or a class's methods read: [(name, value), ...]."""
    read = {
        step.argval: function.__globals__.get(step.argval)
        for function in functions(attempt)
        for code in _codes(function.__code__)
        for step in dis.get_instructions(code)
        if step.opname == "LOAD_GLOBAL"
    }
    return [
        (name, value)
        for name, value in read.items()
        if isinstance(value, (torch.Tensor, torch.nn.Module, int, float, list, tuple, dict))
        and not (isinstance(value, float) and (name in CONSTANTS or math.isinf(value)))
    ]


def _codes(code: CodeType) -> list[CodeType]:
    """The code of a function, and of everything inside it, such as a comprehension."""
    inner = [const for const in code.co_consts if inspect.iscode(const)]
    return [code, *(found for const in inner for found in _codes(const))]


def in_another_order(attempt: Callable, arguments: tuple[str, ...]) -> bool:
    """Whether a function has these arguments in another order."""
    try:
        names = list(inspect.signature(attempt).parameters)[: len(arguments)]
    except (TypeError, ValueError):
        return False
    return set(names) == set(arguments) and names != list(arguments)


# ---------------------------------------------------------------- the cells of the notebook, as they were run


def syntax_error(name: str) -> SyntaxError | None:
    """The syntax error in the last cell that should define this name; None if there is none, or outside notebooks.

    Python runs nothing of such a cell, so an earlier definition, or the empty one, would be checked instead.
    """
    shell = _shell()
    cells = shell.user_ns.get("In", []) if shell else []
    defines = re.compile(rf"^\s*(?:(?:def|class)\s+{name}\b|{name}\s*=[^=])", re.MULTILINE)
    cell = next((cell for cell in reversed(cells) if defines.search(cell)), "")  # with magics translated to Python
    try:
        compile(cell, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except SyntaxError as error:
        return error
    return None


def _shell() -> Any:
    """The IPython that runs the notebook; None in plain Python."""
    return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None


# ---------------------------------------------------------------- a name that no cell has defined


def answer_undefined_names(answer: Callable[[str, str], Any]) -> None:
    """If a cell calls check("2.1", name) and the name does not exist, show answer("2.1", "name") for the NameError.

    Python looks up the name before it calls `check`, so `check` itself cannot answer. Every other NameError, and one
    for which the answer is None, is shown as usual.
    """

    def handle(shell: Any, kind: type, error: NameError, trace: Any, tb_offset: int | None = None) -> None:
        name = error.name or ""
        exercise_id = _checked_with(shell.user_ns.get("In", [""])[-1], name)
        report = answer(exercise_id, name) if exercise_id else None
        if report is None:
            shell.showtraceback((kind, error, trace), running_compiled_code=True)
        else:
            sys.modules["IPython"].display.display(report)

    shell = _shell()
    if shell:
        shell.set_custom_exc((NameError,), handle)


def _checked_with(cell: str, name: str) -> str:
    """The id of the exercise that a cell checks with this name; '' if it checks none."""
    found = re.search(rf"""\bcheck\(\s*(["'])([\d.]+)\1\s*,\s*{re.escape(name)}\b""", cell)
    return found[2] if found else ""
