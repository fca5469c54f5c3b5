"""A question to answer before running the next cell: what is asked, and what each choice is answered with.

A course keeps its questions on pages, which `predictions` reads. A question earns its place when a known misconception
waits behind one of its choices, and when it can be answered from what came before. The output that follows is the
judge: only below it is said what speaks for and against a choice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from feedback import markup


@dataclass(frozen=True)
class Prediction:
    """A question with two to four answers, one of which is right.

    answers   {"a": "...", "b": "..."}; text in `backticks` is shown as code
    tempting  for each wrong answer: why it is tempting and what speaks against it, in one sentence
    watch     what to look for in the output
    """

    id: str
    question: str
    answers: Mapping[str, str]
    right: str
    tempting: Mapping[str, str]
    watch: str

    def __post_init__(self) -> None:
        if not 2 <= len(self.answers) <= 4:
            raise ValueError(f"a prediction must have 2 to 4 answers, got {len(self.answers)} in {self.id!r}")
        if self.right not in self.answers:
            raise ValueError(
                f"right must be one of the answers {list(self.answers)}, got {self.right!r} in {self.id!r}"
            )
        wrong = set(self.answers) - {self.right}
        if set(self.tempting) != wrong:
            raise ValueError(
                f"tempting must explain each wrong answer, {sorted(wrong)}, and no other; "
                f"got {sorted(self.tempting)} in {self.id!r}"
            )

    def noted(self, letter: str) -> Reply:
        """What is said about a choice at once."""
        return Reply(f"You chose ({letter}).", "Now run the next cell.")

    def verdict(self, letter: str) -> Reply:
        """What is said about a choice below the output."""
        if letter == self.right:
            return Reply(f"✓ You chose ({letter}): well predicted.", self.watch)
        return Reply(f"→ You chose ({letter}), but ({self.right}) is right.", f"{self.tempting[letter]} {self.watch}")


@dataclass(frozen=True)
class Reply:
    """What is said about one choice, as text and as a box."""

    head: str
    text: str

    def __repr__(self) -> str:
        return f"{self.head} {self.text}"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        html = markup.box(markup.BLUE, f"<b>{self.head}</b> {markup.with_code(self.text)}")
        return {"text/html": html, "text/plain": repr(self)}


@dataclass(frozen=True)
class Question:
    """A prediction as a notebook shows it: its text, the same in every run, and buttons that take the text's place.

    They are two outputs because a saved notebook with both in one would show neither: JupyterLab prefers the buttons,
    which need a kernel. `chosen` is what was chosen before, or None; `choose` is called with each new choice.
    """

    prediction: Prediction
    chosen: str | None
    choose: Callable[[str], object]

    @property
    def call(self) -> str:
        return f'predict("{self.prediction.id}", "{next(iter(self.prediction.answers))}")'

    def __repr__(self) -> str:
        answers = (f"  ({letter}) {text}" for letter, text in self.prediction.answers.items())
        return "\n".join([f"Predict: {self.prediction.question}", *answers, f"Answer with {self.call}, for example."])

    def still(self) -> dict[str, str]:
        """The question where nothing can be clicked, such as in a notebook on a website."""
        answers = "".join(
            f"<div>({letter}) {markup.with_code(text)}</div>" for letter, text in self.prediction.answers.items()
        )
        html = markup.box(
            markup.BLUE,
            f"<div><b>Predict:</b> {markup.with_code(self.prediction.question)}</div>"
            f'<div style="margin:6px 0 6px 1em">{answers}</div>'
            f"<div>{markup.with_code(f'Run this cell and click an answer, or write `{self.call}`.')}</div>",
        )
        return {"text/html": html, "text/plain": repr(self)}

    def _ipython_display_(self) -> None:
        from feedback.buttons import show  # anywidget is not needed where a question is only printed

        show(self)
