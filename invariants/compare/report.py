"""The result of a comparison, as text and as a card."""

from dataclasses import dataclass
from html import escape

from feedback import markup
from invariants.compare.numbers import Guess

SHOWN = 8  # lines of the table before the first difference, and half as many after it


@dataclass(frozen=True)
class Row:
    """The differences of a module's input (`got`) and output (`gave`) between the models; None if not comparable."""

    name: str
    other: str
    got: float | None
    gave: float | None


@dataclass(frozen=True)
class Comparison:
    """Where two models differ: `name` is the first module that differs, in the order in which those of mine run.

    before: its input differs already, so the difference arises in the code of `inside`, the module that contains it
    difference: the largest difference of any number; guess: a `Guess`, or None if the cause is not known
    follows: the next module that differs if this one gets the numbers of theirs, (name,); () if none does, None if
    that is not known
    undone: the models agree in the end, although outputs in between differ
    alone: the layers of mine and of theirs without a counterpart; other_architecture: whether these are too many for
    one architecture
    """

    name: str | None
    before: bool
    difference: float
    guess: Guess | None
    rows: tuple
    alone: tuple
    other_architecture: bool
    tolerance: float
    inside: str = ""
    follows: tuple | None = None
    undone: bool = False

    def __bool__(self):
        """Whether the models differ."""
        return self.name is not None

    @property
    def title(self):
        if self.other_architecture:
            return "these are different architectures"
        return f"agree to within {self.tolerance:g}" if self.name is None else f"first difference: {_quoted(self.name)}"

    @property
    def sentences(self):
        """The findings, one sentence each."""
        found, size = [], f"by up to {self.difference:.2g}"
        if self.other_architecture:
            found += [f"{who} alone has {_some(names)}." for who, names in zip(WHO, self.alone, strict=True) if names]
        if self.name is None:
            undone = "In between, outputs differ, but later steps undo every difference."
            return [*found, undone if self.undone else f"No output differs by more than {self.tolerance:g}."]
        if self.before:
            arises = f"the difference arises in {_quoted(self.inside)}, before it runs"
            found.append(f"{_quoted(self.name)} is the first module that gets something else, {size}: {arises}.")
        else:
            found.append(f"{_quoted(self.name)} is the first module whose output differs, {size}.")
        if self.guess is not None:
            found.append(str(self.guess))
        elif not self.other_architecture:
            found.append("No cause that compare knows explains it: read the forward of both, line by line.")
        if self.follows is not None:
            then = f"{_quoted(*self.follows)} is the next that" if self.follows else "nothing that comes later"
            found.append(f"With the numbers of theirs there, {then} differs.")
        return found

    @property
    def table(self):
        """The rows around the first difference, as text."""
        at = next((i for i, row in enumerate(self.rows) if row.name == self.name), len(self.rows) - 1)
        first, last = max(0, at - SHOWN), at + SHOWN // 2 + 1
        lines = [("mine", "theirs", "input", "output")]
        lines += [("...", "", "", "")] if first else []
        for row in self.rows[first:last]:
            lines.append((row.name or "(the model)", row.other or "(the model)", _size(row.got), _size(row.gave)))
        lines += [("...", "", "", "")] if last < len(self.rows) else []
        widths = [max(len(line[i]) for line in lines) for i in range(4)]
        return "\n".join(
            f"{a:{widths[0]}}  {b:{widths[1]}}  {c:>{widths[2]}}  {d:>{widths[3]}}".rstrip() for a, b, c, d in lines
        )

    def __repr__(self):
        return "\n".join([f"{self.title[0].upper()}{self.title[1:]}", *self.sentences, "", self.table])

    def _repr_mimebundle_(self, include=None, exclude=None):
        good = self.name is None
        color, sign, word = (markup.GREEN, "✓", "agree") if good else (markup.ORANGE, "✗", "differ")
        content = markup.head(color, sign, word, self.title)
        content += "".join(map(markup.paragraph, self.sentences))
        content += markup.listing("largest differences", self.table)
        return {"text/html": markup.box(color, content), "text/plain": repr(self)}


WHO = ("mine", "theirs")


def _quoted(name):
    return f"`{name}`" if name else "the model itself"


def _size(size):
    return "" if size is None else "0" if size == 0 else f"{size:.2g}"


def _some(names):
    return ", ".join(f"`{escape(name, quote=False)}`" for name in names[:4]) + (", ..." if len(names) > 4 else "")
