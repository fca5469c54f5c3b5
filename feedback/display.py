"""Source code, live views and verdicts on predictions, as a notebook shows them."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import Any

from IPython import get_ipython
from IPython.display import display

VIEW = "application/vnd.jupyter.widget-view+json"
ASKS, SHOWS = re.compile(r"\bpredict\("), re.compile(r"\b(?:print|show|display)\(")  # in the code of a cell
_waiting: dict[str, Any] = {}


@dataclass(frozen=True)
class Source:
    """Python source, colored by the notebook's own theme."""

    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/markdown": f"```python\n{self.text.rstrip()}\n```", "text/plain": self.text}


def show_live(view: dict[str, Any], metadata: dict[str, Any], still: dict[str, str]) -> None:
    """Show a static version, then the live view, whose style sheet hides the static one.

    They are two outputs because a saved notebook with both in one would show neither: JupyterLab prefers the view,
    whose kernel is gone, and writes "model not found". In Colab each output is a page of its own, in which the view
    could hide nothing: there both are one output, and Colab shows the view.
    """
    live = {VIEW: view}
    if "google.colab" in sys.modules:
        display({**live, **still}, metadata=metadata, raw=True)
        return
    display(still, raw=True)
    display(live, metadata=metadata, raw=True)


def show_below_next_output(name: str, thing: Any) -> bool:
    """Show something below the output of the next cell that has one; return False if this is not a notebook.

    A newer item of the same name replaces one that is still waiting.
    """
    shell = get_ipython()
    if shell is None:
        return False
    shell.events.register("post_run_cell", _show_what_waits)  # IPython registers the same function only once
    _waiting[name] = thing
    return True


def _show_what_waits(result: Any) -> None:
    """Show all waiting items, unless the cell raised, asked a prediction, or only defined something."""
    code = result.info.raw_cell
    if result.success and not ASKS.search(code) and (result.result is not None or SHOWS.search(code)):
        display(*_waiting.values())
        _waiting.clear()
