"""The answer to one check: a typed Report, as plain text and as a card for light and dark themes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from feedback import markup

if TYPE_CHECKING:
    from feedback.exercise import Exercise

HEADS = {  # status: (color, sign, word)
    "not attempted": (markup.GRAY, "○", "not attempted yet"),
    "correct": (markup.GREEN, "✓", "correct"),
    "limited": (markup.GREEN, "✓", "correct, with a limit"),
    "wrong": (markup.ORANGE, "✗", "not yet"),
    "error": (markup.PINK, "!", "stopped"),
    "hint": (markup.BLUE, "?", "hint"),
}
SOLVED = ("correct", "limited")
LABELS = {"numbers": "In numbers", "think": "Think", "next": "Next", "raised": "Python's message"}


@dataclass(frozen=True)
class Text:
    """A paragraph; text in `backticks` is shown as code.

    kind  "say" for a statement, "raised" for an exception, "numbers" for the learner's numbers, "think" for
          something to think about, "next" for what comes next
    href  where in the course the link of the text leads, or ""
    lead  text before the link
    """

    kind: str
    text: str
    href: str = ""
    lead: str = ""

    def plain(self) -> str:
        text = self.lead + self.text
        return f"{LABELS[self.kind]}: {text}" if self.kind in LABELS else text

    def html(self) -> str:
        return markup.paragraph(self.text, LABELS.get(self.kind, ""), self.href, self.lead)


@dataclass(frozen=True)
class Code:
    """Text in a code font below a title: an input, or what the learner's code printed."""

    title: str
    text: str

    def plain(self) -> str:
        return _indented(f"{self.title}\n{self.text}")

    def html(self) -> str:
        return markup.listing(self.title, self.text)


@dataclass(frozen=True)
class SideBySide:
    """An expected value next to the value that the learner's code gave."""

    name: str
    expected: str
    actual: str

    def plain(self) -> str:
        return f"expected {self.name} =\n{_indented(self.expected)}\nyour {self.name} =\n{_indented(self.actual)}"

    def html(self) -> str:
        return (
            '<div style="display:flex;flex-wrap:wrap;gap:6px 32px">'
            f"{markup.listing(f'expected {self.name}', self.expected)}"
            f"{markup.listing(f'your {self.name}', self.actual)}</div>"
        )


@dataclass(frozen=True)
class Hints:
    """The hints of an exercise: calls in plain text, folded texts in a card, with `last` below the last of them."""

    exercise: str
    texts: tuple[str, ...]
    last: str = ""

    def plain(self) -> str:
        return f'Stuck? hint("{self.exercise}")'

    def html(self) -> str:
        first, *more = (f"Hint {i} of {len(self.texts)}" for i in range(1, len(self.texts) + 1))
        summaries = (f"Stuck? {first}", *more)
        return markup.one_by_one(list(zip(summaries, self.texts, strict=True)), self.last)


Part = Text | Code | SideBySide | Hints
say = partial(Text, "say")
numbers = partial(Text, "numbers")
raised = partial(Text, "raised")
think = partial(Text, "think")
following = partial(Text, "next")


@dataclass(frozen=True)
class Report:
    """The answer to one check.

    status     "correct", "limited" (right within the exercise's contract, but it fails on an input that is shown; it
               counts as solved), "wrong", "error" or "not attempted"; "hint" for a hint
    diagnosis  the id of the misconception, property or contract violation that was found, or None
    second     the id of a second misconception, where two of them together explain everything
    message    all that the card says, as plain text
    """

    exercise: str
    title: str
    status: str
    parts: tuple[Part, ...]
    diagnosis: str | None = None
    second: str | None = None

    @classmethod
    def on(cls, exercise: Exercise, status: str, *parts: Part, diagnosis: str | None = None) -> Report:
        """Make the report on an attempt at this exercise."""
        return cls(exercise.id, exercise.title, status, parts, diagnosis)

    @property
    def solved(self) -> bool:
        return self.status in SOLVED

    @property
    def message(self) -> str:
        _, sign, word = HEADS[self.status]
        parts = [part.plain() for part in self.parts]
        if self.status == "not attempted":  # one line
            return " ".join([f"{sign} {self.title}: {word}.", *parts])
        return "\n".join([f"{sign} {self.title}: {word}", *parts])

    def __str__(self) -> str:
        return self.message

    __repr__ = __str__

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/html": _card(self), "text/plain": self.message}


def _indented(text: str) -> str:
    return "\n".join("    " + line for line in text.splitlines())


def _card(report: Report) -> str:
    color, *_ = HEADS[report.status]
    html = markup.head(*HEADS[report.status], report.title) + "".join(part.html() for part in report.parts)
    return markup.box(color, markup.in_one_line(html) if report.status == "not attempted" else html)
