"""The notebook's cells as they were run: did the one that defines an answer run, and what if it did not?"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable
from typing import Any


def syntax_error(name: str) -> SyntaxError | None:
    """The syntax error in the last cell that was to define this name; None where it ran, and outside notebooks.

    Python runs nothing of such a cell, so that the definition before it, or the empty one, would be checked.
    """
    return _syntax_error(_last_definition(name))


def _last_definition(name: str) -> str:
    """The last cell with `def name`, `class name` or `name = ...`, as IPython keeps it; '' where there is none."""
    shell = _shell()
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


def _shell() -> Any:
    """The IPython that runs the notebook; None in plain Python."""
    return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None


# ---------------------------------------------------------------- a name that no cell has defined


def answer_undefined_names(answer: Callable[[str, str], Any]) -> None:
    """Where a cell calls check("2.1", name) and the name does not exist, show answer("2.1", "name") for the NameError.

    Python looks for the name before it calls `check`, which can therefore not answer itself. Every other NameError, and
    one for which the answer is None, is shown as usual.
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
