"""Which cells of which notebook are on which slide, from classroom/decks.txt, which explains its own format."""

from dataclasses import dataclass
from pathlib import Path

from tools import Problem

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "classroom" / "decks.txt"


@dataclass(frozen=True)
class Slide:
    """Cells of one notebook, by their ids; or a poll, by the id of a prediction."""

    notebook: str = ""
    cells: tuple = ()
    notes: tuple = ()
    poll: str = ""


@dataclass(frozen=True)
class Deck:
    number: str
    title: str
    slides: tuple

    @property
    def file(self):
        return f"session-{self.number}.html"


def decks(text=None):
    """{number: Deck}, in order. Errors: Problem for a line that cannot be read"""
    text = FILE.read_text(encoding="utf-8") if text is None else text
    found, slides = {}, None
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("session "):
            name, _, title = line.removeprefix("session ").partition(":")
            slides = []
            found[name.strip()] = (title.strip(), slides)
        elif slides is None:
            raise Problem(f"Line {number} of {FILE.name} belongs to no session: begin with `session 1: a title`.")
        else:
            slides.append(slide(line, number))
    return {name: Deck(name, title, tuple(slides)) for name, (title, slides) in found.items()}


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
