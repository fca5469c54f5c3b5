"""What a learner has done: in one notebook, as a few lines, and in the whole course, as a table.

Both are shown as plain text, and as HTML that sets no text color, so that it is readable in every theme.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from feedback import markup
from feedback.notebooks import Notebook

SIGNS = {"done": "✓", "again": "↻", "open": "○"}
LEGEND = "✓ solved, ↻ tried but not solved yet, ○ not tried yet"
SEPARATOR = " · "
HEAD = ("notebook", "solved", "exercises", "predictions", "minutes left")
CELL = "text-align:left;vertical-align:top;padding:4px 12px 4px 0;line-height:1.7"


@dataclass(frozen=True)
class Item:
    """An exercise or a prediction of a notebook, and its state: "done", "again" (worth another look) or "open"."""

    name: str
    href: str
    state: str
    why: str = ""  # why it is worth another look
    minutes: int = 0

    def html(self) -> str:
        return markup.link(self.href, escape(self.name))


@dataclass(frozen=True)
class NotebookProgress:
    """How far a learner is in one notebook."""

    notebook: Notebook
    exercises: tuple[Item, ...]
    predictions: tuple[Item, ...]

    @property
    def solved(self) -> int:
        return sum(item.state == "done" for item in self.exercises)

    @property
    def predicted(self) -> int:
        return sum(item.state != "open" for item in self.predictions)

    @property
    def again(self) -> list[Item]:
        return [item for item in (*self.exercises, *self.predictions) if item.state == "again"]

    @property
    def bar(self) -> str:
        return "■" * self.solved + "□" * (len(self.exercises) - self.solved)

    def html_bar(self) -> str:
        """The bar as HTML; the numbers are always written next to it."""
        share = 100 * self.solved / max(len(self.exercises), 1)
        return (
            '<div style="width:90px;height:8px;margin:6px 0;border-radius:4px;'
            'background-color:rgba(128,136,152,0.35)">'
            f'<div style="width:{share:.0f}%;height:8px;border-radius:4px;background-color:rgb(27,150,100)"></div>'
            "</div>"
        )

    @property
    def minutes_left(self) -> int:
        """The notebook's minutes in proportion to its unsolved exercises, rounded up to a multiple of 5.

        What has been read is not recorded: a notebook counts as done when its exercises are solved.
        """
        every = sum(item.minutes for item in self.exercises)
        left = sum(item.minutes for item in self.exercises if item.state != "done")
        return 5 * math.ceil(self.notebook.minutes * left / every / 5) if every else 0


@dataclass(frozen=True)
class NotebookOverview:
    """One notebook: what is solved, what is left, what is worth another look, and the next notebook."""

    here: NotebookProgress
    following: Notebook | None
    trouble: str = ""  # why progress cannot be read or saved, in one sentence

    @property
    def title(self) -> str:
        return title("", [self.here], f"exercise{'' if len(self.here.exercises) == 1 else 's'} solved here")

    def lines(self) -> Iterator[tuple[str, list[tuple[Item, str]]]]:
        """(a heading, [(something to do, what is said about it)])"""
        items, after = self.here.exercises, self.following
        yield "Solved", [(item, "") for item in items if item.state == "done"]
        yield "Left", [(item, f" ({item.minutes} min)") for item in items if item.state == "open"]
        yield "Worth another look", [(item, f" ({item.why})") for item in self.here.again]
        if after:
            yield "Next notebook", [(Item(after.name, after.file, "open"), f" ({after.minutes} min). {after.question}")]
        else:
            yield "This is the last notebook", [(Item("progress() shows the whole course.", "", "open"), "")]

    def __repr__(self) -> str:
        lists = [
            f"{head}: {SEPARATOR.join(item.name + said for item, said in some)}" for head, some in self.lines() if some
        ]
        return "\n".join([f"{self.here.bar} {self.title}".lstrip(), *lists, *filter(None, [self.trouble])])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        html = "".join(
            f"<div><b>{head}:</b> {SEPARATOR.join(item.html() + escape(said) for item, said in some)}</div>"
            for head, some in self.lines()
            if some
        )
        first = f"<div>{self.here.html_bar()}<b>{escape(self.title)}</b></div>"
        html = f'<div style="max-width:52em;line-height:1.6">{first}{html}{_note(self.trouble)}</div>'
        return {"text/html": html, "text/plain": repr(self)}


@dataclass(frozen=True)
class CourseOverview:
    """The whole course: a table for each part, with a row for each notebook. A course without parts is one part, ""."""

    parts: Mapping[str, Sequence[NotebookProgress]]
    trouble: str = ""  # as in NotebookOverview

    @property
    def rows(self) -> list[NotebookProgress]:
        return [row for some in self.parts.values() for row in some]

    @property
    def again(self) -> list[Item]:
        return [item for row in self.rows for item in row.again]

    @property
    def first_open(self) -> Item | None:
        return next((item for row in self.rows for item in row.exercises if item.state != "done"), None)

    def __repr__(self) -> str:
        grid = [HEAD, *map(_words, self.rows)]
        widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
        rows = ["  ".join(map(str.ljust, words, widths)).rstrip() for words in grid]
        below = iter(rows[1:])
        tables = [[title(name, some), rows[0], *(next(below) for _ in some)] for name, some in self.parts.items()]
        lines = [*(line for table in tables for line in table), LEGEND]
        if self.again:
            lines += ["Worth another look:", *(f"  {item.name} ({item.why})" for item in self.again)]
        if self.first_open:
            lines.append(f"Next to solve: {self.first_open.name}")
        return "\n".join([*lines, *filter(None, [self.trouble])])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        again = "".join(f"<li>{item.html()} ({escape(item.why)})</li>" for item in self.again)
        html = [
            *(_table(title(name, some), some) for name, some in self.parts.items()),
            f'<div style="margin:4px 0">{LEGEND}</div>',
            f'<div style="margin:4px 0"><b>Worth another look:</b><ul>{again}</ul></div>' if again else "",
            f"<div><b>Next to solve:</b> {self.first_open.html()}</div>" if self.first_open else "",
            _note(self.trouble),
        ]
        return {"text/html": f"<div>{''.join(html)}</div>", "text/plain": repr(self)}


def title(part: str, rows: Sequence[NotebookProgress], solved: str = "exercises solved") -> str:
    """What is solved, predicted and left in some notebooks, after the name of their part if it has one."""
    exercises = sum(len(row.exercises) for row in rows)
    predictions = sum(len(row.predictions) for row in rows)
    left = sum(row.minutes_left for row in rows)
    said = [f"{sum(row.solved for row in rows)} of {exercises} {solved}"]
    said += [f"{sum(row.predicted for row in rows)} of {predictions} predictions made"] if predictions else []
    said += [f"about {duration(left)} left"] if left else []
    return (f"{part[0].upper()}{part[1:]}: " if part else "") + SEPARATOR.join(said)


def _words(row: NotebookProgress) -> tuple[str, ...]:
    """A row of the table as plain text."""
    return (
        row.notebook.name,
        f"{row.bar} {row.solved} of {len(row.exercises)}".lstrip(),
        " ".join(f"{SIGNS[item.state]} {item.name.split()[0]}" for item in row.exercises),
        f"{row.predicted} of {len(row.predictions)}" if row.predictions else "",
        str(row.minutes_left),
    )


def _table(caption: str, rows: Sequence[NotebookProgress]) -> str:
    head = "".join(f'<th scope="col" style="{CELL}">{word}</th>' for word in HEAD)
    top = f'<caption style="text-align:left;font-weight:600;padding:4px 0">{escape(caption)}</caption>'
    return f"<table>{top}<thead><tr>{head}</tr></thead><tbody>{''.join(map(_row, rows))}</tbody></table>"


def _row(row: NotebookProgress) -> str:
    *_, predicted, minutes = _words(row)
    exercises = " ".join(
        f'<span style="display:inline-block;margin-right:10px;white-space:nowrap">'
        f"{SIGNS[item.state]} {item.html()}</span>"
        for item in row.exercises
    )
    solved = f"{row.html_bar()}<div>{row.solved} of {len(row.exercises)}</div>"
    cells = "".join(f'<td style="{CELL}">{cell}</td>' for cell in (solved, exercises, predicted, minutes))
    name = markup.link(row.notebook.file, escape(row.notebook.name))
    return f'<tr><th scope="row" style="{CELL};font-weight:400">{name}</th>{cells}</tr>'


def _note(trouble: str) -> str:
    return f"<div>{escape(trouble)}</div>" if trouble else ""


def duration(minutes: int) -> str:
    """In minutes up to an hour and a half, then to the nearest half hour: "75 minutes", "9½ hours"."""
    if minutes <= 90:
        return f"{minutes} minutes"
    halves = round(minutes / 30)
    return f"{halves // 2}{'½' if halves % 2 else ''} hours"
