"""Which slides a plan has: those of its sections, from classroom/slides.txt, which explains its own format."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from feedback.notebooks import paths, prediction_of, read, sections
from tools import Problem
from tools.guide import plans

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "classroom" / "slides.txt"


@dataclass(frozen=True)
class Slide:
    """Cells of one notebook, by their ids; or a poll, by the id of a prediction."""

    notebook: str = ""
    cells: tuple = ()
    notes: tuple = ()
    poll: str = ""

    @property
    def section(self):
        """The title of the section that it belongs to; '' where it comes before the first one."""
        cells = cells_of(self.notebook)
        ids = [cell["id"] for cell in cells]
        if self.poll:
            places = [place for place, cell in enumerate(cells) if prediction_of(cell) == self.poll]
        else:
            places = [ids.index(id) for id in self.cells if id in ids]
        if unknown := {*self.cells, *self.notes} - set(ids):
            raise Problem(f"Notebook {self.notebook} has no cell {sorted(unknown)[0]!r}, which {FILE.name} names.")
        if not places:
            raise Problem(f"Notebook {self.notebook} has no prediction {self.poll!r}, which {FILE.name} names.")
        first = ids[places[0]]
        return next((each.title for each in sections(cells) if any(c["id"] == first for c in each.cells)), "")


@dataclass(frozen=True)
class Deck:
    """The slides of a plan. `homework` are the exercises that it leaves for home."""

    name: str
    title: str
    slides: tuple
    homework: tuple = ()


def decks(text=None):
    """{name: Deck}, in order, for the plans of the guide. Errors: Problem for what cannot be read or is nowhere"""
    by_section = {}
    for slide in slides(text):
        by_section.setdefault((slide.notebook, slide.section), []).append(slide)
    return {plan.name: deck(plan, by_section) for plan in plans.plans().values()}


def deck(plan, by_section):
    """Where a plan turns to a notebook, what the notebook begins with comes before its sections."""
    chosen, notebook = [], ""
    for row in plan.sections:
        if row.notebook != notebook:
            notebook = row.notebook
            chosen += by_section.get((notebook, ""), [])
        chosen += by_section.get((notebook, row.section.title), [])
    return Deck(plan.name, plan.title, tuple(chosen), plan.homework)


def slides(text=None):
    """All slides, in order. Errors: Problem for a line that cannot be read"""
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
