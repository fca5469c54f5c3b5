"""How an answer looks: one card in HTML that reads well on light and on dark, and the same as plain text."""

from dataclasses import dataclass
from html import escape

HEADS = {
    "not attempted": ("○", "not attempted yet", "128, 136, 152"),
    "correct": ("✓", "correct", "27, 150, 100"),
    "wrong": ("✗", "not yet", "214, 110, 20"),
    "error": ("!", "stopped", "200, 70, 110"),
    "hint": ("?", "hint", "70, 130, 200"),
}
LABELS = {"numbers": "In numbers", "think": "Think", "next": "Next"}


@dataclass(frozen=True)
class Report:
    """The answer to one check: `status`, `diagnosis` (a misconception's id or None) and `message`."""

    exercise: str
    title: str
    status: str
    parts: tuple
    diagnosis: str = None

    @property
    def message(self):
        """All that the card says, as plain text."""
        sign, word, _ = HEADS[self.status]
        return "\n".join([f"{sign} {self.title}: {word}", *(_text(kind, body) for kind, body in self.parts if body)])

    def __str__(self):
        return self.message

    __repr__ = __str__

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/html": _card(self), "text/plain": self.message}


def _text(kind, body):
    if kind == "pair":
        name, right, got = body
        return f"expected {name} =\n{_indent(right)}\nyour {name} =\n{_indent(got)}"
    if kind == "code":
        return _indent(body)
    label = LABELS.get(kind)
    return f"{label}: {body}" if label else body


def _indent(text):
    return "\n".join("    " + line for line in text.splitlines())


def _card(report):
    """A tinted box: its tint is see-through and its ink is inherited, so every theme shows it well."""
    sign, word, rgb = HEADS[report.status]
    head = (f'<div style="font-weight:600;margin-bottom:4px"><span style="color:rgb({rgb})">{sign} {word}</span>'
            f" &nbsp; {escape(report.title)}</div>")
    body = "".join(_html(kind, text) for kind, text in report.parts if text)
    return (f'<div style="border-left:4px solid rgb({rgb});background:rgba({rgb},0.09);padding:8px 14px;'
            f'margin:4px 0;max-width:52em;line-height:1.5">{head}{body}</div>')


def _html(kind, body):
    if kind == "pair":
        name, right, got = body
        return ('<div style="display:flex;flex-wrap:wrap;gap:6px 32px">'
                f"{_block(f'expected {name}', right)}{_block(f'your {name}', got)}</div>")
    if kind == "code":
        title, _, rest = body.partition("\n")
        return _block(title, rest)
    label = LABELS.get(kind)
    label = f"<b>{label}:</b> " if label else ""
    return f'<div style="margin:4px 0">{label}{escape(body)}</div>'


def _block(title, text):
    return (f'<div style="margin:4px 0"><div style="opacity:0.75">{escape(title)}</div>'
            '<pre style="margin:2px 0;padding:2px 0;background:transparent;color:inherit;'
            f'font-size:90%;white-space:pre-wrap">{escape(text)}</pre></div>')
