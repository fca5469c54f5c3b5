"""The notebooks of a course: what each is about, what follows what, and links that lead to each exercise.

A course hands in one `Notebook` for each file, in order. Everything that belongs to a notebook starts with its number:
exercise 2.5 and prediction 02.cards are in notebook 02.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from feedback import notebooks


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
        if sum(self.parts.values(), ()) != self.notebooks:
            raise ValueError("the parts of a course, one after another, must be its notebooks")

    def of(self, id: Any) -> Notebook | None:
        """The notebook of an exercise, of a prediction, or with this number."""
        return self._numbered.get(str(id).strip().split(".")[0].zfill(2))

    def following(self, notebook: Notebook) -> Notebook | None:
        """The notebook after this one; None after the last."""
        index = self.notebooks.index(notebook) + 1
        return self.notebooks[index] if index < len(self.notebooks) else None

    def belonging(self, ids: Iterable[str], notebook: Notebook) -> list[str]:
        """Those of the exercises or predictions that are in this notebook, in the order in which they stand there.

        An id is permanent, so an exercise that is added between 8.2 and 8.3 is called 8.7.
        """
        number, places = notebook.number, list(_cells(self.folder / notebook.file))
        found = [id for id in ids if id.split(".")[0].zfill(2) == number]
        return sorted(found, key=lambda id: places.index(id) if id in places else len(places))

    def link(self, id: str) -> str:
        """The address of an exercise or prediction, for a link in a notebook; empty if no notebook has it.

        The folder of the file is left out: the link stays among the learner's own copies.
        """
        notebook = self.of(id)
        if notebook is None:
            return ""
        cell = _cells(self.folder / notebook.file).get(id)
        return f"{notebook.file}#cell-id={cell}" if cell else notebook.file


@cache
def _cells(path: Path) -> dict[str, str]:
    """{exercise or prediction: the id of its cell}, which is the cell with the heading above an exercise.

    JupyterLab and exported pages know cells by these ids, which stay the same when a heading is reworded.
    """
    try:
        cells = notebooks.read(path)
        places = {notebooks.tagged(cell, "task") or notebooks.prediction_of(cell): cell["id"] for cell in cells}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}  # the links then lead to the beginning of the notebook
    return {id: cell for id, cell in places.items() if id}
