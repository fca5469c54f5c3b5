"""Source code and live views, as a notebook shows them."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from IPython.display import display

VIEW = "application/vnd.jupyter.widget-view+json"


@dataclass(frozen=True)
class Source:
    """Python source, colored by the notebook's own theme."""

    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/markdown": f"```python\n{self.text.rstrip()}\n```", "text/plain": self.text}


def show_live(view: dict[str, Any], metadata: dict[str, Any], still: dict[str, str]) -> None:
    """What is shown where nothing runs, then the live view, whose style sheet hides the former.

    They are two outputs because a saved notebook with both in one would show neither: JupyterLab prefers the view,
    whose kernel is gone, and writes "model not found". In Colab each output has a page of its own, so that the view
    could not hide anything: there both are one output, and Colab shows the view.
    """
    live = {VIEW: view}
    if "google.colab" in sys.modules:
        display({**live, **still}, metadata=metadata, raw=True)
        return
    display(still, raw=True)
    display(live, metadata=metadata, raw=True)
