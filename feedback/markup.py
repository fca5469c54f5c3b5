"""The HTML of boxes in a notebook, which is readable in every theme, light or dark.

A box has a translucent tint and inherits the color of its text. Its status is white on a label of a solid dark color,
so that it has the same contrast everywhere.
"""

from __future__ import annotations

import re
from html import escape

CODE = re.compile(r"`([^`\n]+)`")
GRAY, GREEN, ORANGE, PINK, BLUE = ((86, 94, 110), (15, 110, 72), (160, 76, 8), (170, 45, 85), (38, 92, 160))
Color = tuple[int, int, int]


def with_code(text: str) -> str:
    """Text as HTML, with `backticks` as code."""
    return CODE.sub(r"<code>\1</code>", escape(text))


def box(color: Color, content: str) -> str:
    """A tinted box with a bar of its color on the left."""
    rgb = "{}, {}, {}".format(*color)
    return (
        f'<div style="border-left:4px solid rgb({rgb});background:rgba({rgb}, 0.09);padding:8px 14px;margin:4px 0;'
        f'max-width:52em;line-height:1.5">{content}</div>'
    )


def head(color: Color, sign: str, word: str, title: str) -> str:
    """The first line of a box: its status on a colored label, then the title."""
    rgb = "{}, {}, {}".format(*color)
    plate = (
        f'<span style="background:rgb({rgb});color:rgb(255, 255, 255);padding:1px 8px;border-radius:4px">'
        f"{sign} {word}</span>"
    )
    return f'<div style="font-weight:600;margin-bottom:4px">{plate} &nbsp; {with_code(title)}</div>'


def in_one_line(html: str) -> str:
    """Paragraphs side by side, as far as there is room."""
    return f'<div style="display:flex;flex-wrap:wrap;gap:0 1.5em">{html}</div>'


def paragraph(text: str, label: str = "", href: str = "", lead: str = "") -> str:
    start = f"<b>{label}:</b> " if label else ""
    return f'<div style="margin:4px 0">{start}{with_code(lead)}{link(href, with_code(text))}</div>'


def link(href: str, html: str) -> str:
    """A link, underlined so that it can be told from the text around it without its color."""
    return f'<a href="{escape(href)}" style="text-decoration:underline">{html}</a>' if href else html


def listing(title: str, text: str) -> str:
    """Text in a code font below a title."""
    return (
        f'<div style="margin:4px 0"><div style="opacity:0.8">{with_code(title)}</div>'
        '<pre style="margin:2px 0;padding:2px 0;background:transparent;color:inherit;'
        f'font-size:90%;white-space:pre-wrap">{escape(text)}</pre></div>'
    )


def one_by_one(folded: list[tuple[str, str]], last: str) -> str:
    """Nest folds of (summary, text), so that each is opened separately; `last` comes below the last text."""
    inner = paragraph(last)
    for summary, text in reversed(folded):
        inner = (
            f'<details style="margin:4px 0"><summary style="padding:2px 0">{escape(summary)}</summary>'
            f'<div style="margin-left:1em">{paragraph(text)}{inner}</div></details>'
        )
    return inner
