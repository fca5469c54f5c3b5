"""Run the code on a page and return what it defines; errors tell where on the page they arose."""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, count
from typing import Any

from feedback.page import Code, Page, PageError


def compiled(page: Page, code: Code, text: str, names: dict, arguments: str | None, name: str) -> Any:
    """What the text defines last; else the function whose body it is or, if `arguments` is None, its value."""
    last = last_of(page, code, text)
    with placed(page, code.line):
        inner = isinstance(last, (ast.FunctionDef, ast.ClassDef))
        if not inner:
            text = _as_body(text, last, arguments, name)
        first = code.line + code.block - (not inner and arguments is not None)
        scope = _run(page, code.kind, code.line, text, first, names)
        made = scope[last.name if inner else name]  # type: ignore[attr-defined]
        if not inner and name in names:  # in a body, the answer's own name means the reference, a step's the right step
            scope[name] = names[name]
        return made


def edited(page: Page, code: Code, text: str) -> str:
    """Apply each edit to the text."""
    for old, new in code.edits:
        if text.count(old) != 1:
            raise page.fail(code.line, f"an edit fits one place, but `{old}` stands {text.count(old)} times in\n{text}")
        text = text.replace(old, new)
    return text


def last_of(page: Page, code: Code, text: str) -> ast.stmt:
    """The last statement of a piece of code; a syntax error in a block is reported with its own line."""
    try:
        found = ast.parse(text).body
    except SyntaxError as error:
        line = code.line + (error.lineno or 0) if code.block else code.line
        raise page.fail(line, f"{type(error).__name__}: {error.msg}, in `{(error.text or text).strip()}`") from error
    if not found:
        raise page.fail(code.line, "there is no code here")
    return found[-1]


def defined(page: Page, block: Code, names: dict, kind: str) -> dict:
    """Run a block, and return what it defines."""
    last_of(page, block, block.text)
    with placed(page, block.line):
        scope = _run(page, kind, block.line, block.text, block.line + 1, names)
    return {name: value for name, value in scope.items() if names.get(name) is not value and name[:2] != "__"}


def _as_body(text: str, last: ast.stmt, arguments: str | None, name: str) -> str:
    """Make the text the body of a function or, without arguments, the value of a name, by its last expression."""
    if isinstance(last, ast.Expr):
        lines = text.split("\n")
        line, column = last.lineno - 1, len(lines[last.lineno - 1].encode()[: last.col_offset].decode())
        before = "return " if arguments is not None else f"{name} = "
        lines[line] = lines[line][:column] + before + lines[line][column:]
        text = "\n".join(lines)
    return text if arguments is None else f"def {name}({arguments}):\n{textwrap.indent(text, '    ')}"


def _run(page: Page, kind: str, line: int, text: str, first: int, names: dict) -> dict:
    """Execute code from line `line` of a page, with line numbers from `first`; answers count as a learner's code."""
    place = f"{page.path.name if kind == 'answer' else page.path}:{line}"
    text = "\n" * (first - 1) + text
    lines = text.splitlines(keepends=True)
    names_of_files = chain([place], (f"{place} ({n})" for n in count(2)))  # code of a catalog differs by exercise
    file = next(file for file in names_of_files if file not in linecache.cache or linecache.getlines(file) == lines)
    linecache.cache[file] = (len(text), None, lines, file)
    scope = {**names, "__name__": page.name}
    exec(compile(text, file, "exec"), scope)
    return scope


@contextmanager
def placed(page: Page, line: int) -> Iterator[None]:
    """Turn any exception into a PageError, which says where on the page it arose."""
    try:
        yield
    except PageError:
        raise
    except SyntaxError as error:
        text = (error.text or "").strip()
        raise page.fail(line, f"{type(error).__name__}: {error.msg}{f', in `{text}`' if text else ''}") from error
    except Exception as error:
        raise page.fail(line, f"{type(error).__name__}: {error}") from error


def without_docstring(function: Callable) -> str:
    """The source of a function or class, without its docstring."""
    text = textwrap.dedent(inspect.getsource(function))
    (node,) = ast.parse(text).body
    if ast.get_docstring(node):  # type: ignore[arg-type]  # it is a function or a class
        lines, first = text.split("\n"), node.body[0]  # type: ignore[attr-defined]
        del lines[first.lineno - 1 : first.end_lineno]
        text = "\n".join(lines)
    return text.strip("\n")


def value_of(page: Page, line: int, text: str, names: dict) -> Any:
    """Evaluate an expression in a heading."""
    with placed(page, line):
        return eval(text, dict(names))


def free_names(text: str) -> set[str]:
    """Names that code reads but never binds."""
    nodes = list(ast.walk(ast.parse(text)))
    read = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    bound = {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    bound |= {n.arg for n in nodes if isinstance(n, ast.arg)}
    bound |= {n.name for n in nodes if isinstance(n, (ast.FunctionDef, ast.ClassDef, ast.ExceptHandler)) and n.name}
    bound |= {
        (a.asname or a.name).split(".")[0]
        for n in nodes
        if isinstance(n, (ast.Import, ast.ImportFrom))
        for a in n.names
    }
    return read - bound
