"""The notebook's cells as they were run: did the one that defines an answer run at all?"""

from __future__ import annotations

import ast
import re
import sys

from feedback.exercise import Exercise
from feedback.report import Report, following, raised, say


def did_not_run(exercise: Exercise) -> Report | None:
    """A report if the last cell that was to define this answer has a syntax error; None outside notebooks.

    Python runs nothing of such a cell, so that the definition before it, or the empty one, would be checked.
    """
    error = _syntax_error(_last_definition(exercise.name))
    if error is None:
        return None
    place = f", line {error.lineno}" if error.lineno else ""
    line = f": `{error.text.strip()}`" if error.text and error.text.strip() else ""
    return exercise.report(
        "error",
        say(
            f"The cell that defines `{exercise.name}` did not run: it has a syntax error, so Python ignored all of it."
        ),
        raised(f"{type(error).__name__}: {error.msg}{place}{line}"),
        following("Fix that line (or the one above it), run its cell, then run this one again."),
        diagnosis="syntax-error",
    )


def _last_definition(name: str) -> str:
    """The last cell with `def name`, `class name` or `name = ...`, as IPython keeps it; '' where there is none."""
    if "IPython" not in sys.modules:
        return ""
    shell = sys.modules["IPython"].get_ipython()
    cells = shell.user_ns.get("In", []) if shell else []
    defines = re.compile(rf"^\s*(?:(?:def|class)\s+{name}\b|{name}\s*=[^=])", re.MULTILINE)
    return next((cell for cell in reversed(cells) if defines.search(cell)), "")


def _syntax_error(cell: str) -> SyntaxError | None:
    try:
        compile(cell, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except SyntaxError as error:
        return error
    except ValueError:  # null bytes
        return None
    return None
