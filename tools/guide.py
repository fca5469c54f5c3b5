"""Read the plans of classroom/guide.md and fill in what follows from the notebooks; `python -m tools.contents` does it.

The authors of a plan choose its sections, what to show, the homework and the length of the meeting. `filled` writes
when each section begins, its minutes, its polls and the exercises done in class. A row in italics is not a section but,
for example, a break; its minutes are chosen, too.

The heading of a plan is its name, a colon and its title: `### Session 1: From words to attention` is plan `session-1`.
"""

import re
from dataclasses import dataclass
from functools import cache

from exercises import COURSE, EXERCISES
from feedback.notebooks import Section, paths, read, sections
from tools import ROOT, Problem

GUIDE = ROOT / "classroom" / "guide.md"
POLL = 3  # minutes for a poll: two votes with a discussion between neighbors
NAMED = re.compile(r"\*(\d+ · [^*]+?)\* \([^)]*\)")  # a section in the text, with its kind and minutes
HEAD = r"\| at \| section .*\n\|---.*\n"
TABLE = re.compile(rf"({HEAD})((?:\|.*\n)+)\nEnds at \S* of (\d+:\d\d)\. Exercises at home: .*")
HEADING = re.compile(r"^##+ ([^:\n]+): (.+)$", re.MULTILINE)
CELL = re.compile(r"`([^`]+)`")
EXERCISE = re.compile(r"\d+\.\d+")
NONE = "–"


@dataclass(frozen=True)
class Row:
    """A row of a plan: a section, or something else that takes time. `show` and `homework` are its authors' choice."""

    place: str
    section: Section | None
    minutes: int
    show: str = NONE
    homework: tuple = ()

    @property
    def notebook(self):
        return self.place.partition(" · ")[0]

    @property
    def cells(self):
        """Return the ids of the cells to show."""
        return tuple(CELL.findall(self.show))

    @property
    def polls(self):
        return self.section.predictions if self.section else ()

    @property
    def exercises(self):
        return tuple(id for id in self.section.exercises if id not in self.homework) if self.section else ()


@dataclass(frozen=True)
class Plan:
    name: str
    title: str
    rows: tuple
    limit: str

    @property
    def sections(self):
        return tuple(row for row in self.rows if row.section)

    @property
    def homework(self):
        return tuple(id for row in self.rows for id in row.homework)

    @property
    def minutes(self):
        return sum(row.minutes for row in self.rows)


def plans(text=None):
    """Return {name: Plan}, in the guide's order. Errors: Problem, with a line for each item that the notebooks lack"""
    text = GUIDE.read_text(encoding="utf-8") if text is None else text
    if len(TABLE.findall(text)) < len(re.findall(HEAD, text)):
        raise Problem("Each plan of the guide must end in a line such as `Ends at ? of 1:30. Exercises at home: ?`.")
    found, problems = {}, []
    for table in TABLE.finditer(text):
        name, title = HEADING.findall(text[: table.start()])[-1]
        rows = []
        for line in table[2].splitlines():
            try:
                rows.append(row(*(cell.strip() for cell in line.strip("|").split("|"))))
            except Problem as problem:
                problems.append(f"{name}: {problem}")
        name = name.lower().replace(" ", "-")
        found[name] = Plan(name, title, tuple(rows), table[3])
    if problems:
        raise Problem("\n".join(problems))
    return found


def row(_at, place, minutes, _kind, show, _polls, _exercises, homework):
    if place.startswith("*"):
        if not minutes.isdigit():
            raise Problem(f"{place} is no section, so its minutes must be a number, got {minutes!r}.")
        return Row(place, None, int(minutes))
    there, home = section(place), tuple(EXERCISE.findall(homework))
    if not set(home) <= set(there.exercises):
        has = ", ".join(there.exercises) or "no exercises"
        raise Problem(f"{place!r} has {has}, so its homework cannot be {', '.join(home)}: change the last column.")
    if unknown := set(CELL.findall(show)) - {cell["id"] for cell in there.cells}:
        raise Problem(f"{place!r} has no cell {', '.join(sorted(unknown))}: change the column *show*.")
    reading = there.minutes - sum(EXERCISES[id].minutes for id in home)
    return Row(place, there, reading + POLL * len(there.predictions), show, home)


def section(place):
    """Return the section that the guide calls, for example, `02 · 1. One word, two meanings`. Errors: Problem"""
    if place not in by_place():
        number = place.partition(" · ")[0]
        there = [each for each in by_place() if each.startswith(f"{number} · ")]
        has = f"Notebook {number} has {', '.join(there)}" if there else f"There is no notebook {number}"
        raise Problem(f"The guide names {place!r}, which no notebook has. {has}.")
    return by_place()[place]


@cache
def by_place():
    """Return the sections of all notebooks, in order, by the names that the guide gives them."""
    files = paths(ROOT / "notebooks").items()
    return {f"{number} · {each.title}": each for number, path in files for each in sections(read(path))}


def title_of(number):
    """Return a notebook's number and title, such as `01 embeddings`."""
    return COURSE.contents.of(number).name


# ---- filling in the guide


def filled(text):
    """Return the guide with its plans filled in from the notebooks. Errors: Problem for sections they do not have"""
    text = NAMED.sub(lambda found: f"*{found[1]}* ({(s := section(found[1])).kind} · {s.minutes} min)", text)
    written = iter(plans(text).values())
    return TABLE.sub(lambda found: found[1] + table(next(written)), text)


def table(plan):
    lines, minutes = [], 0
    for each in plan.rows:
        home = [f"{id} ({EXERCISES[id].minutes} min)" for id in each.homework]
        kind = each.section.kind if each.section else NONE
        derived = map(listed, (each.polls, each.exercises, home))
        cells = (clock(minutes), each.place, each.minutes, kind, each.show, *derived)
        lines.append(f"| {' | '.join(map(str, cells))} |\n")
        minutes += each.minutes
    home = sum(EXERCISES[id].minutes for id in plan.homework)
    at_home = f"{home} minutes" if home else "none"
    return f"{''.join(lines)}\nEnds at {clock(minutes)} of {plan.limit}. Exercises at home: {at_home}."


def clock(minutes):
    return f"{minutes // 60}:{minutes % 60:02}"


def listed(ids):
    return ", ".join(ids) or NONE
