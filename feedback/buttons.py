"""The buttons of a prediction, drawn in the browser, which sends each click to the kernel."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from feedback.display import VIEW, show_live

if TYPE_CHECKING:
    from feedback.prediction import Question


class Buttons(anywidget.AnyWidget):
    """The widget. It has no verdicts, which appear below the output; only on the website, tools/site adds them."""

    _esm = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
    _css = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")

    question = traitlets.Unicode().tag(sync=True)
    answers = traitlets.Dict().tag(sync=True)  # {letter: text}
    choice = traitlets.Unicode().tag(sync=True)  # a letter, or "" before the first choice

    def __init__(self, question: Question) -> None:
        asked = question.prediction
        super().__init__(question=asked.question, answers=dict(asked.answers), choice=question.chosen or "")
        self.observe(lambda change: question.choose(change["new"]), names="choice")


def show(question: Question) -> None:
    """Show the static question, then the buttons, whose style sheet (buttons.css) hides it."""
    bundle: Any = Buttons(question)._repr_mimebundle_()
    live, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
    show_live(live[VIEW], metadata, question.still())
