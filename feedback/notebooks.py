"""The notebooks of a course, links into them, and their sections and exercises, which are found by the tags of cells.

    core-12, deeper-8   the heading of a section, core or one that may be skipped, and its minutes
    recap               the heading that ends the last section
    task-2.2            the heading of exercise 2.2, and the colored frame that says what to write
    exercise-2.2        the empty function; the next code cell is its check
    predict-02.cards    the code cell that asks prediction 02.cards
    predict             a text that asks for a prediction

A cell is a dict, as in the file, with its source as one string. A course has one `Notebook` for each file, in
order. The id of an exercise or prediction begins with the number of its notebook: 2.5 and 02.cards are in notebook 02.
Only the standard library is imported, since each start of the course makes the learner's copies with this module.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

Cell = Mapping[str, Any]
FOLDED = '<details style="margin: 0.5em 0"><summary>What you saw</summary>'  # how such a text begins
LABEL = re.compile(r"^\*(core|deeper) · (\d+) min\*$", re.MULTILINE)  # the tag of a section, as its text shows it


@dataclass(frozen=True)
class Section:
    """One section: `kind` is core or deeper, `minutes` are for reading it and solving its exercises."""

    title: str
    kind: str
    minutes: int
    cells: tuple[Cell, ...]

    @property
    def exercises(self) -> tuple[str, ...]:
        return tuple(id for cell in self.cells if (id := exercise_of(cell)))

    @property
    def predictions(self) -> tuple[str, ...]:
        return tuple(id for cell in self.cells if (id := prediction_of(cell)))


@dataclass(frozen=True)
class Statement:
    """An exercise as a notebook states it: its heading and task, its empty function, and its check."""

    section: Section
    task: Cell
    stub: Cell
    check: Cell


def read(path: Path) -> list[dict[str, Any]]:
    """The cells of a saved notebook."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [{**cell, "source": "".join(cell["source"])} for cell in cells]


def paths(folder: Path) -> dict[str, Path]:
    """{number: path} of the notebooks in a folder, in order."""
    return {path.name.split("_")[0]: path for path in sorted(folder.glob("*.ipynb"))}


# ---- one cell


def tagged(cell: Cell, name: str) -> str | None:
    """The rest of the tag that begins with `name-`: "2.2" for "exercise" if it is `exercise-2.2`; None without one."""
    tags = cell["metadata"].get("tags", [])
    return next((tag.removeprefix(f"{name}-") for tag in tags if tag.startswith(f"{name}-")), None)


def has_tag(cell: Cell, name: str) -> bool:
    return name in cell["metadata"].get("tags", [])


def exercise_of(cell: Cell) -> str | None:
    return tagged(cell, "exercise")


def prediction_of(cell: Cell) -> str | None:
    """The prediction that this cell asks with buttons."""
    return tagged(cell, "predict")


def asks(cell: Cell) -> bool:
    """Whether the cell asks what a later one will show."""
    return has_tag(cell, "predict") or prediction_of(cell) is not None


# ---- several cells


def sections(cells: Sequence[Cell]) -> list[Section]:
    """The sections, in order. What comes before the first one, and the recap, are in none."""
    starts = [n for n, cell in enumerate(cells) if _kind(cell)]
    end = next((n for n, cell in enumerate(cells) if has_tag(cell, "recap")), len(cells))
    return [_section(cells[start:following]) for start, following in zip(starts, [*starts[1:], end], strict=True)]


def _kind(cell: Cell) -> str | None:
    return next((kind for kind in ("core", "deeper") if tagged(cell, kind)), None)


def _section(cells: Sequence[Cell]) -> Section:
    kind = _kind(cells[0]) or ""
    title = cells[0]["source"].partition("\n")[0].removeprefix("## ")
    return Section(title, kind, int(tagged(cells[0], kind) or 0), tuple(cells))


def statements(cells: Sequence[Cell]) -> dict[str, Statement]:
    """{exercise: how the notebook states it}, in order."""
    found = {}
    for section in sections(cells):
        tasks = {tagged(cell, "task"): cell for cell in section.cells}
        code = [cell for cell in section.cells if cell["cell_type"] == "code"]
        for stub, check in zip(code, code[1:], strict=False):
            if id := exercise_of(stub):
                found[id] = Statement(section, tasks[id], stub, check)
    return found


# ---- a course


@dataclass(frozen=True)
class Notebook:
    """One notebook: its file, its title without the number, how long it takes, and the question that it answers."""

    file: str
    title: str
    minutes: int
    core: int  # minutes without the sections that a learner may leave out
    question: str

    @property
    def number(self) -> str:
        return self.file.split("_")[0]

    @property
    def name(self) -> str:
        return f"{self.number} {self.title}"


@dataclass(frozen=True)
class Step:
    """Something to do next: its name, and a link to it that works in all notebooks of the course."""

    name: str
    href: str


class Contents:
    """The notebooks of a course in order, and where in them its exercises and predictions are.

    A course may be divided: `parts` is {the name of a part: its notebooks}, and then `notebooks` is all of them.
    """

    def __init__(
        self, notebooks: Sequence[Notebook], folder: Path, parts: Mapping[str, Sequence[Notebook]] | None = None
    ) -> None:
        self.notebooks, self.folder = tuple(notebooks), folder
        self._numbered = {notebook.number: notebook for notebook in self.notebooks}
        self.parts = {name: tuple(some) for name, some in (parts or {"": notebooks}).items()}

    def of(self, id: Any) -> Notebook | None:
        """The notebook of an exercise, of a prediction, or with this number."""
        return self._numbered.get(str(id).strip().split(".")[0].zfill(2))

    def following(self, notebook: Notebook) -> Notebook | None:
        """The notebook after this one; None after the last."""
        index = self.notebooks.index(notebook) + 1
        return self.notebooks[index] if index < len(self.notebooks) else None

    def belonging(self, ids: Iterable[str], notebook: Notebook) -> list[str]:
        """The exercises or predictions among `ids` that are in this notebook, in its order.

        Ids are permanent, so they may be out of order: an exercise added between 8.2 and 8.3 is called 8.7, say.
        """
        number, places = notebook.number, list(_cells(self.folder / notebook.file))
        found = [id for id in ids if id.split(".")[0].zfill(2) == number]
        return sorted(found, key=lambda id: places.index(id) if id in places else len(places))

    def link(self, id: str) -> str:
        """The address of an exercise or prediction, for a link in a notebook; empty if no notebook has it.

        The folder is left out, so that the link leads to another of the learner's own copies.
        """
        notebook = self.of(id)
        if notebook is None:
            return ""
        cell = _cells(self.folder / notebook.file).get(id)
        return f"{notebook.file}#cell-id={cell}" if cell else notebook.file

    def kind(self, exercise: str) -> str:
        """Whether an exercise is in a core or a deeper section; empty if no notebook says so."""
        notebook = self.of(exercise)
        return _kinds(self.folder / notebook.file).get(exercise, "") if notebook else ""


@cache
def _cells(path: Path) -> dict[str, str]:
    """{exercise or prediction: the id of its cell}; for an exercise, that is the cell with its heading.

    JupyterLab and exported pages know cells by these ids, which stay the same when a heading is reworded.
    """
    try:
        cells = read(path)
        places = {tagged(cell, "task") or prediction_of(cell): cell["id"] for cell in cells}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}  # the links then lead to the beginning of the notebook
    return {id: cell for id, cell in places.items() if id}


@cache
def _kinds(path: Path) -> dict[str, str]:
    """{exercise: the kind of its section}."""
    try:
        return {id: section.kind for section in sections(read(path)) for id in section.exercises}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}
