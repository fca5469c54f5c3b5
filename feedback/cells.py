"""The notebook's cells as they were run: did the one that defines an answer run at all?"""

from __future__ import annotations

import ast
import re
import sys


def syntax_error(name: str) -> SyntaxError | None:
    """The syntax error in the last cell that was to define this name; None where it ran, and outside notebooks.

    Python runs nothing of such a cell, so that the definition before it, or the empty one, would be checked.
    """
    return _syntax_error(_last_definition(name))


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
