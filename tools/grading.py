"""`python course.py grading FOLDER` writes assignments for nbgrader, made from the exercises."""

import sys
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from exercises import COURSE, EXERCISES
from exercises.notebooks import NOTEBOOKS
from feedback import notebooks
from tools import Parser, Problem, run
from tools.study import KERNEL

FIRST_CELL = """\
# Run me first. Where the course is not installed, I look for it in the folders around this notebook.
import math
import os
import sys

sys.path += [os.path.abspath(place) for place in ("..", "../..") if os.path.exists(f"{place}/helpers")]

import torch
import torch.nn.functional as F
from torch import nn

from helpers import heads, masks"""


# Judge takes the place of nbgrader's Execute.
SETTINGS = """\
import os

os.environ["COURSE_PROGRESS"] = "memory"  # grading leaves no trace in anybody's progress
os.environ["PYTHONSAFEPATH"] = "1"  # no file next to a notebook stands in for a module

c = get_config()  # noqa: F821  nbgrader defines it
c.CourseDirectory.course_id = "attention-by-hand"
c.Autograde.sanitize_preprocessors.prepend(["feedback.grading_nbgrader.Restore"])
c.Autograde.autograde_preprocessors = [
    "feedback.grading_nbgrader.Judge",
    "nbgrader.preprocessors.IgnorePattern",
    "nbconvert.preprocessors.ClearMetadataPreprocessor",
    "nbgrader.preprocessors.LimitOutput",
    "nbgrader.preprocessors.SaveAutoGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]
c.Execute.timeout = 30  # seconds for a cell; grade() itself stops an answer after 5 seconds of work
"""


# ---- what is handed out


@dataclass(frozen=True)
class Task:
    """One exercise as it is handed out.

    text  the Markdown cell above it in the notebook
    stub  the cell that students complete
    """

    id: str
    name: str
    text: str
    stub: str
    points: int

    @property
    def slug(self):
        """The exercise's name in the graders' records."""
        return "exercise-" + self.id.replace(".", "-")


@dataclass(frozen=True)
class Assignment:
    """What is handed out in one notebook: `title` is its heading, `name` that of its files."""

    name: str
    title: str
    tasks: tuple[Task, ...]

    @property
    def heading(self):
        points = sum(task.points for task in self.tasks)
        return (
            f"# {self.title}\n\n"
            f"{len(self.tasks)} exercises, {points} points: an exercise has as many as filled circles. Replace the "
            "three dots, and run the cell below each exercise, as often as you like: it prints what it finds. These "
            "cells give the points when your work is graded. They also try your code on hidden inputs, so that code "
            "which only repeats known results gets no points; code that computes its result passes on both."
        )


def assignments(ids, name):
    """All exercises by notebook, or those with these ids in one assignment.

    Errors: Problem if an exercise does not exist
    """
    unknown = [id for id in ids if id not in EXERCISES]
    if unknown:
        raise Problem(f"There is no exercise {unknown[0]}: the exercises are {', '.join(EXERCISES)}.")
    if ids:
        return [Assignment(name, "Attention by Hand", tuple(task(id) for id in EXERCISES if id in ids))]
    return [whole(notebook) for notebook in NOTEBOOKS]


def whole(notebook):
    """The exercises of one notebook of the course."""
    ids = COURSE.contents.belonging(EXERCISES, notebook)
    return Assignment(notebook.file.removesuffix(".ipynb"), notebook.name, tuple(map(task, ids)))


def task(id):
    exercise = EXERCISES[id]
    cells = notebooks.read(COURSE.contents.folder / COURSE.contents.of(id).file)
    stub = notebooks.statements(cells)[id].stub
    text, stub = cells[cells.index(stub) - 1]["source"], stub["source"]
    if not text.startswith("#"):
        text = f"### Exercise {exercise.id}: `{exercise.name}` {exercise.stars}\n\n{text}"
    return Task(id, exercise.name, text, stub, exercise.difficulty)


def grading(task):
    """A cell that grades an answer. It imports `grade` itself, in case a student has defined another one."""
    return f'from exercises import grade\n\ngrade("{task.id}", {task.name})'


# ---- a course folder for nbgrader


def add(folder, assignment):
    """Add an assignment to a course folder, and return the commands that come next.

    Errors: Problem if it is there already
    """
    target = folder / "source" / assignment.name / f"{assignment.name}.ipynb"
    if target.parent.exists():
        raise Problem(f"{target.parent} exists already: delete it, or choose another folder or --name.")
    target.parent.mkdir(parents=True)
    settings = folder / "nbgrader_config.py"
    if not settings.exists():
        settings.write_text(SETTINGS, encoding="utf-8")
    nbformat.write(notebook(assignment), target)
    return [f"nbgrader {step} {assignment.name}" for step in ("generate_assignment", "autograde", "generate_feedback")]


def notebook(assignment):
    """The source notebook. It holds no answers, so that none can be released by mistake."""
    cells = [locked_text("heading", assignment.heading), locked(new_code_cell(FIRST_CELL, id="first"))]
    for task in assignment.tasks:
        cells += [
            locked_text(f"{task.slug}-text", task.text),
            new_code_cell(task.stub, id=task.slug),
            graded(task),
        ]
    return new_notebook(cells=cells, metadata={"kernelspec": KERNEL})


def locked_text(id, text):
    return locked(new_markdown_cell(text, id=id))


def locked(cell, points=None):
    """A cell that nbgrader restores before it grades; with points it is graded."""
    cell.metadata["nbgrader"] = {
        "schema_version": 3,
        "grade_id": cell.id,
        "cell_type": cell.cell_type,
        "grade": points is not None,
        "locked": True,
        "solution": False,
        "task": False,
        **({} if points is None else {"points": points}),
    }
    return cell


def graded(task):
    return locked(new_code_cell(grading(task), id=f"{task.slug}-grade"), task.points)


# ---- the command


def parse_options(words):
    parser = Parser(
        "grading",
        description="Write assignments for nbgrader: one for each notebook of the course, or one with the exercises "
        "that you name.",
        epilog="The chapter on grading, classroom/grading.md, says what to do with them.",
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="where to write; made if it does not exist")
    parser.add_argument("--exercises", nargs="+", metavar="ID", default=[], help="such as 2.1 3.3; default: all")
    parser.add_argument("--name", default="exercises", help="what an assignment of named exercises is called")
    return parser.parse_args(words)


def write(options):
    for assignment in assignments(options.exercises, options.name):
        commands = add(options.folder, assignment)
        count, points = len(assignment.tasks), sum(task.points for task in assignment.tasks)
        print(f"{assignment.name}: {count} exercise{'s' * (count != 1)}, {points} points")
    print(f"\nNext, in {options.folder.absolute()}, such as for the last of them:")
    print("\n".join(f"  {command}" for command in commands))


def main(words):
    return run(write, parse_options(words))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
