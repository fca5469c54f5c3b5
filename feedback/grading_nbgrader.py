"""Two steps of nbgrader's autograding, which `nbgrader_config.py` adds: graded cells come back, and points hold."""

from __future__ import annotations

import ast
import importlib
from typing import Any

from nbformat.v4 import new_code_cell, new_output
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.utils import determine_grade, is_grade, is_solution
from traitlets import Integer, Unicode

from feedback.grading_rerun import drawn_seed, refused, rerun
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


class Rerun(NbGraderPreprocessor):
    """Replaces what a graded cell printed, when Execute ran it in a kernel, by an error if it is not confirmed."""

    course = Unicode("exercises", help="The package of the exercises.").tag(config=True)
    seed = Integer(0, help="Chooses the hidden inputs; 0 draws one each time nbgrader is started.").tag(config=True)

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        steps: list[str | Answer] = []
        graded: list[tuple[str, Any]] = []  # the exercise's id, and the cell
        for cell in nb.cells:
            answer = _graded(cell)
            if cell.cell_type == "code" and (not is_grade(cell) or is_solution(cell)):
                steps.append(cell.source)
            if answer is not None and determine_grade(cell, self.log)[0]:
                steps.append(answer)
                graded.append((answer.id, cell))
        if graded:
            course, seed = importlib.import_module(self.course).COURSE, self.seed or drawn_seed()
            folder = resources.get("metadata", {}).get("path") or None
            for (id, cell), why in zip(graded, rerun(course, steps, seed, folder), strict=True):
                if why:
                    message = refused(course.exercises[id].title, why, seed)
                    line = f"NotYet: {message}"
                    cell.outputs = [new_output("error", ename="NotYet", evalue=message, traceback=[line])]
        return nb, resources


def _graded(cell: Any) -> Answer | None:
    """What a cell grades, as in `grade("3.3", mask_by_filling)`; None where people grade it.

    nbgrader has restored its source, unless it is a solution, too: that is the student's.
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
