"""What a notebook is made of, by the tags of its cells: sections, exercises, predictions, and what answers them.

    core-12, deeper-8   the heading with which a section begins, whether a learner may leave it out, and its minutes
    recap               the heading that ends the last section
    task-2.2            the heading of exercise 2.2, and the colored frame that says what to write
    exercise-2.2        the empty function; the next cell of code is its check
    predict-02.cards    the cell of code that asks prediction 02.cards
    predict             a text that asks for a prediction
    saw                 a text that begins with what was to be seen in the output above

A cell is a dict, as in the file, with its source as one string. Nothing is imported but the standard library: the
learner's copies are made with this at every start of the course.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Cell = Mapping[str, Any]
SAW = "**What you saw.**"  # how a text with the tag `saw` begins
FOLDED = '<details style="margin: 0.5em 0"><summary>What you saw</summary>'  # how one begins that is to be opened
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
    """What follows the dash of the cell's tag: "2.2" for "exercise" where that is `exercise-2.2`; None without it."""
    tags = cell["metadata"].get("tags", [])
    return next((tag.removeprefix(f"{name}-") for tag in tags if tag.startswith(f"{name}-")), None)


def has_tag(cell: Cell, name: str) -> bool:
    return name in cell["metadata"].get("tags", [])


def exercise_of(cell: Cell) -> str | None:
    """The exercise that is to be solved in this cell."""
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
