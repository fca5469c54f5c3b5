"""Read the slides of each plan, which are those of its sections, from classroom/slides.txt; it explains its format."""

from dataclasses import dataclass
from functools import cache

from feedback.notebooks import paths, prediction_of, read, sections
from tools import ROOT, Problem
from tools.guide import plans

FILE = ROOT / "classroom" / "slides.txt"


@dataclass(frozen=True)
class Slide:
    """Cells of one notebook, by their ids, or a poll, by the id of a prediction."""

    notebook: str = ""
    cells: tuple = ()
    notes: tuple = ()
    poll: str = ""

    @property
    def section(self):
        """Return the title of the section that the slide belongs to, or '' if it comes before the first one."""
        return next((each.title for each in sections(cells_of(self.notebook)) if any(map(self.has, each.cells))), "")

    @property
    def unknown(self):
        """Return descriptions of the cells or the poll that its notebook does not have."""
        cells = cells_of(self.notebook)
        if self.poll:
            return [] if any(map(self.has, cells)) else [f"poll {self.poll}"]
        there = {cell["id"] for cell in cells}
        return [f"{self.notebook} {id}" for id in (*self.cells, *self.notes) if id not in there]

    def has(self, cell):
        """Return whether the slide shows this cell, or is the poll that this cell asks."""
        return prediction_of(cell) == self.poll if self.poll else cell["id"] in self.cells


@dataclass(frozen=True)
class Deck:
    """The slides of a plan, and the exercises that it assigns as `homework`."""

    name: str
    title: str
    slides: tuple
    homework: tuple = ()


def decks(text=None):
    """Return {name: Deck} for the guide's plans, in order. Errors: Problem for a bad line, or a cell in no notebook"""
    given, by_section = slides(text), {}
    if unknown := [each for slide in given for each in slide.unknown]:
        raise Problem(f"{FILE.name} names what is in no notebook: {', '.join(unknown)}. Change or remove these slides.")
    for slide in given:
        by_section.setdefault((slide.notebook, slide.section), []).append(slide)
    return {plan.name: deck(plan, by_section) for plan in plans().values()}


def deck(plan, by_section):
    """Return the deck of a plan; the slides before a notebook's first section precede each turn to that notebook."""
    chosen, notebook = [], ""
    for row in plan.sections:
        if row.notebook != notebook:
            notebook = row.notebook
            chosen += by_section.get((notebook, ""), [])
        chosen += by_section.get((notebook, row.section.title), [])
    return Deck(plan.name, plan.title, tuple(chosen), plan.homework)


def slides(text=None):
    """Return all slides, in order. Errors: Problem for a line that cannot be read"""
    text = FILE.read_text(encoding="utf-8") if text is None else text
    lines = enumerate(text.splitlines(), start=1)
    return [slide(line, number) for number, line in lines if line.strip() and not line.startswith("#")]


def slide(line, number):
    shown, _, notes = line.partition("|")
    first, *cells = shown.split()
    if first == "poll" and len(cells) == 1 and not notes:
        return Slide(cells[0].split(".")[0], poll=cells[0])
    if not (len(first) == 2 and first.isdigit() and cells):
        raise Problem(
            f"Line {number} of {FILE.name} must be the number of a notebook and the ids of its cells, such as "
            f"`02 dot dot-run | dot-saw`, or `poll 02.axis`; got {line!r}."
        )
    return Slide(first, tuple(cells), tuple(notes.split()))


@cache
def cells_of(number):
    known = paths(ROOT / "notebooks")
    if number not in known:
        raise Problem(f"There is no notebook {number}, which {FILE.name} names.")
    return read(known[number])
