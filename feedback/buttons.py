"""A prediction with buttons, drawn in the browser; a click is answered there, and then told to the kernel."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from feedback.display import VIEW, show_live

if TYPE_CHECKING:
    from feedback.prediction import Question


class Buttons(anywidget.AnyWidget):
    """The view. All replies are sent with it, so that a click is answered at once, even by a busy kernel."""

    _esm = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
    _css = Path(__file__).with_suffix(".css").read_text(encoding="utf-8")

    question = traitlets.Unicode().tag(sync=True)
    answers = traitlets.Dict().tag(sync=True)  # {letter: text}
    replies = traitlets.Dict().tag(sync=True)  # {letter: [head, text]}
    choice = traitlets.Unicode().tag(sync=True)  # a letter, or "" before the first choice

    def __init__(self, question: Question) -> None:
        prediction = question.prediction
        replies = {letter: prediction.reply(letter) for letter in prediction.answers}
        super().__init__(
            question=prediction.question,
            answers=dict(prediction.answers),
            choice=question.chosen or "",
            replies={letter: [reply.head, reply.text] for letter, reply in replies.items()},
        )
        self.observe(lambda change: question.choose(change["new"]), names="choice")


def show(question: Question) -> None:
    """The still question, then the buttons, which hide it (in buttons.css)."""
    bundle: Any = Buttons(question)._repr_mimebundle_()
    live, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
    show_live(live[VIEW], metadata, question.still())
