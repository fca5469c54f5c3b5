"""How a notebook states an exercise: the form of its heading, its task and its two cells.

`python course.py new` writes them in this form, and the exercise's own tests check it.
"""

from __future__ import annotations

import ast

FRAME = (
    '<div style="border-left: 4px solid rgb(38, 92, 160); background: rgba(38, 92, 160, 0.09); padding: 8px 14px 1px">'
)


def heading(id: str, title: str, stars: str) -> str:
    """Return the first line of the text above the stub."""
    return f"### ✎ Exercise {id}: {title} {stars}"


def task(minutes: int) -> str:
    """Return the beginning of the rest of that text, which ends with END."""
    return f"\n\n{FRAME}\n\n**Your task** (about {minutes} minutes). "


END = "\n\n</div>"


def check(id: str, name: str) -> str:
    """Return the source of the cell after the stub."""
    return f'check("{id}", {name})'


def arguments(definition: ast.FunctionDef | ast.ClassDef) -> str | None:
    """Return a stub's arguments as text, without self; None for a class that leaves `__init__` to the learner."""
    if isinstance(definition, ast.FunctionDef):
        return ast.unparse(definition.args)
    inits = [n.args for n in definition.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
    if not inits:
        return None
    inits[0].args.pop(0)
    return ast.unparse(inits[0])
