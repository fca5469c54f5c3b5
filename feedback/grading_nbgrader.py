"""Two autograding steps for nbgrader: restore deleted graded cells, and give points only to confirmed answers."""

from __future__ import annotations

import ast
import importlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any

from nbformat.v4 import new_code_cell, new_output
from nbgrader.api import Gradebook
from nbgrader.preprocessors import Execute, NbGraderPreprocessor
from nbgrader.utils import determine_grade, is_grade, is_solution
from traitlets import Integer, Unicode

from feedback.course import Course
from feedback.grading_rerun import UNFINISHED, drawn_seed, refused, rerun
from feedback.grading_worker import Answer


class Restore(NbGraderPreprocessor):
    """Adds an empty cell at the end for each graded cell that is missing; nbgrader's OverwriteCells then fills it."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        given = resources["nbgrader"]
        with Gradebook(given["db_url"]) as gradebook:
            cells = gradebook.find_notebook(given["notebook"], given["assignment"]).grade_cells
            graded = {cell.name: cell.cell_type for cell in cells}
        there = {cell.metadata.nbgrader["grade_id"] for cell in nb.cells if is_grade(cell)}
        for name in sorted(graded.keys() - there):
            marks = {"grade_id": name, "grade": True, "locked": True, "solution": False, "task": False, "points": 0}
            marks |= {"schema_version": 3, "cell_type": graded[name]}
            nb.cells.append(new_code_cell(metadata={"nbgrader": marks}))
            self.log.warning("The graded cell %s was missing, and has been added at the end", name)
        return nb, resources


class Judge(Execute):
    """Judges the answers, then runs nbgrader's Execute; an answer that is not confirmed gets no points.

    Both use a copy of the student's folder, away from other students' work. Outputs of ungraded cells are dropped.
    """

    course = Unicode("exercises", help="The package of the exercises.").tag(config=True)
    seed = Integer(0, help="Chooses the hidden inputs; 0 draws one each time nbgrader is started.").tag(config=True)

    def preprocess(self, nb: Any, resources: Any, km: Any = None) -> tuple[Any, Any]:
        course, seed = importlib.import_module(self.course).COURSE, self.seed or drawn_seed()
        folder = resources["metadata"]["path"]
        with _copied(folder) as copy:
            graded = judged(nb, course, seed, copy)
        runs_to_its_end = all(why != UNFINISHED for _, _, why in graded)
        if runs_to_its_end:  # a notebook that ends or blocks its process would do the same to the kernel
            with _copied(folder) as copy:
                super().preprocess(nb, {**resources, "metadata": {**resources["metadata"], "path": copy}}, km)
        for cell in nb.cells:
            if cell.cell_type == "code" and not is_grade(cell):
                cell.outputs = []
        for id, cell, why in graded:
            if why and determine_grade(cell, self.log)[0]:
                message = refused(course.exercises[id].title, why, seed)
                line = f"NotYet: {message}"
                cell.outputs = [new_output("error", ename="NotYet", evalue=message, traceback=[line])]
        return nb, resources


@contextmanager
def _copied(folder: str) -> Iterator[str]:
    with TemporaryDirectory() as place:
        shutil.copytree(folder, place, symlinks=True, dirs_exist_ok=True)
        yield place


def judged(nb: Any, course: Course, seed: int, folder: str) -> list[tuple[str, Any, str]]:
    """For each cell that grades an answer: the exercise's id, the cell, and why it is not accepted, or ''."""
    steps: list[str | Answer] = []
    graded: list[tuple[str, Any]] = []
    for cell in nb.cells:
        answer = _graded(cell)
        if answer is not None:
            steps.append(answer)
            graded.append((answer.id, cell))
        elif cell.cell_type == "code" and (not is_grade(cell) or is_solution(cell)):
            steps.append(cell.source)
    reasons = rerun(course, steps, seed, folder) if graded else []
    return [(id, cell, why) for (id, cell), why in zip(graded, reasons, strict=True)]


def _graded(cell: Any) -> Answer | None:
    """The answer that a cell grades, as in `grade("3.3", mask_by_filling)`; None if people grade the cell.

    nbgrader has restored the source of such a cell, unless it is also a solution, whose source is the student's.
    """
    if cell.cell_type != "code" or not is_grade(cell) or is_solution(cell):
        return None
    try:
        statements = ast.parse(cell.source)
    except SyntaxError:  # such as a magic command
        return None
    for call in ast.walk(statements):
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "grade":
            id, name = call.args[:2]
            if isinstance(id, ast.Constant) and isinstance(name, ast.Name):
                return Answer(str(id.value), name.id)
    return None
