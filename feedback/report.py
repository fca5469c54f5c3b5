"""The answer to one check: a typed Report; as a dict, as plain text, and as a card for light and dark themes."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

VERSION = 1  # of what to_dict gives
HEADS = {
    "not attempted": ("○", "not attempted yet", "128, 136, 152"),
    "correct": ("✓", "correct", "27, 150, 100"),
    "limited": ("✓", "correct, with a limit", "27, 150, 100"),
    "wrong": ("✗", "not yet", "214, 110, 20"),
    "error": ("!", "stopped", "200, 70, 110"),
    "hint": ("?", "hint", "70, 130, 200"),
}
SOLVED = ("correct", "limited")
LABELS = {"numbers": "In numbers", "think": "Think", "next": "Next"}


@dataclass(frozen=True)
class Text:
    """A paragraph: what is the case ("say"), the learner's numbers, something to think about, or what comes next."""

    kind: str
    text: str

    def plain(self) -> str:
        return f"{LABELS[self.kind]}: {self.text}" if self.kind in LABELS else self.text

    def html(self) -> str:
        label = f"<b>{LABELS[self.kind]}:</b> " if self.kind in LABELS else ""
        return f'<div style="margin:4px 0">{label}{escape(self.text)}</div>'

    def to_dict(self) -> dict[str, str]:
        return {"kind": self.kind, "text": self.text}


@dataclass(frozen=True)
class Code:
    """Text in a code font below a title: an input, or what the learner's code printed."""

    title: str
    text: str

    def plain(self) -> str:
        return _indented(f"{self.title}\n{self.text}")

    def html(self) -> str:
        return _block(self.title, self.text)

    def to_dict(self) -> dict[str, str]:
        return {"kind": "code", "title": self.title, "text": self.text}


@dataclass(frozen=True)
class SideBySide:
    """Something that was expected, next to what the learner's code gave."""

    name: str
    expected: str
    actual: str

    def plain(self) -> str:
        return f"expected {self.name} =\n{_indented(self.expected)}\nyour {self.name} =\n{_indented(self.actual)}"

    def html(self) -> str:
        return (
            '<div style="display:flex;flex-wrap:wrap;gap:6px 32px">'
            f"{_block(f'expected {self.name}', self.expected)}{_block(f'your {self.name}', self.actual)}</div>"
        )

    def to_dict(self) -> dict[str, str]:
        return {"kind": "side by side", "name": self.name, "expected": self.expected, "actual": self.actual}


Part = Text | Code | SideBySide


def say(text: str) -> Text:
    return Text("say", text)


def numbers(text: str) -> Text:
    return Text("numbers", text)


def think(text: str) -> Text:
    return Text("think", text)


def following(text: str) -> Text:
    return Text("next", text)


@dataclass(frozen=True)
class Report:
    """The answer to one check.

    status     "correct", "limited" (right within the exercise's contract, but it fails on an input that is shown; it
               counts as solved), "wrong", "error" or "not attempted"; "hint" for a hint
    diagnosis  the id of the misconception, property or contract violation that was found, or None
    message    all that the card says, as plain text
    """

    exercise: str
    title: str
    status: str
    parts: tuple[Part, ...]
    diagnosis: str | None = None

    @property
    def solved(self) -> bool:
        return self.status in SOLVED

    @property
    def message(self) -> str:
        sign, word, _ = HEADS[self.status]
        return "\n".join([f"{sign} {self.title}: {word}", *(part.plain() for part in self.parts)])

    def to_dict(self) -> dict[str, Any]:
        """The same for programs; `version` changes when the layout does."""
        return {
            "version": VERSION,
            "exercise": self.exercise,
            "title": self.title,
            "status": self.status,
            "diagnosis": self.diagnosis,
            "parts": [part.to_dict() for part in self.parts],
        }

    def __str__(self) -> str:
        return self.message

    __repr__ = __str__

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/html": _card(self), "text/plain": self.message}


def _indented(text: str) -> str:
    return "\n".join("    " + line for line in text.splitlines())


def _card(report: Report) -> str:
    """A tinted box: its tint is see-through and its ink is inherited, so every theme shows it well."""
    sign, word, rgb = HEADS[report.status]
    head = (
        f'<div style="font-weight:600;margin-bottom:4px"><span style="color:rgb({rgb})">{sign} {word}</span>'
        f" &nbsp; {escape(report.title)}</div>"
    )
    body = "".join(part.html() for part in report.parts)
    return (
        f'<div style="border-left:4px solid rgb({rgb});background:rgba({rgb},0.09);padding:8px 14px;'
        f'margin:4px 0;max-width:52em;line-height:1.5">{head}{body}</div>'
    )


def _block(title: str, text: str) -> str:
    return (
        f'<div style="margin:4px 0"><div style="opacity:0.75">{escape(title)}</div>'
        '<pre style="margin:2px 0;padding:2px 0;background:transparent;color:inherit;'
        f'font-size:90%;white-space:pre-wrap">{escape(text)}</pre></div>'
    )
