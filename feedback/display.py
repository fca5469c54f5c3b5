"""Small things that a notebook shows: source code and a table, each with its plain text."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any


@dataclass(frozen=True)
class Source:
    """Python source, colored by the notebook's own theme."""

    text: str

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/markdown": f"```python\n{self.text.rstrip()}\n```", "text/plain": self.text}


@dataclass(frozen=True)
class Table:
    """Rows of short words under a heading."""

    title: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]

    def __repr__(self) -> str:
        grid = [self.head, *self.rows]
        widths = [max(len(row[i]) for row in grid) for i in range(len(self.head))]
        lines = ["  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip() for row in grid]
        return "\n".join([self.title, *lines])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        head = "".join(f'<th style="text-align:left">{escape(word)}</th>' for word in self.head)
        body = "".join(
            "<tr>" + "".join(f'<td style="text-align:left">{escape(word)}</td>' for word in row) + "</tr>"
            for row in self.rows
        )
        html = f"<b>{escape(self.title)}</b><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        return {"text/html": html, "text/plain": repr(self)}
