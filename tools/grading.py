"""`python course.py grading FOLDER` writes assignments for nbgrader, made from the exercises."""

import sys
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


# ---- the assignments


def assignments(ids, name):
    """Return {name: (title, ids of exercises)}: one assignment for each notebook, or one with the exercises `ids`.

    Errors: Problem if an exercise does not exist
    """
    unknown = [id for id in ids if id not in EXERCISES]
    if unknown:
        raise Problem(f"There is no exercise {unknown[0]}: the exercises are {', '.join(EXERCISES)}.")
    if ids:
        return {name: ("Attention by Hand", [id for id in EXERCISES if id in ids])}
    return {
        each.file.removesuffix(".ipynb"): (each.name, COURSE.contents.belonging(EXERCISES, each)) for each in NOTEBOOKS
    }


def points(ids):
    return sum(EXERCISES[id].difficulty for id in ids)


def notebook(title, ids):
    """Return the source notebook. It holds no answers, so that none can be released by mistake."""
    heading = (
        f"# {title}\n\n"
        f"{len(ids)} exercises, {points(ids)} points: an exercise has as many as filled circles. Replace the "
        "three dots, and run the cell below each exercise, as often as you like: it prints what it finds. These "
        "cells give the points when your work is graded. They also try your code on hidden inputs, so that code "
        "which only repeats known results gets no points; code that computes its result passes on both."
    )
    cells = [locked(new_markdown_cell(heading, id="heading")), locked(new_code_cell(FIRST_CELL, id="first"))]
    return new_notebook(cells=cells + [cell for id in ids for cell in task(id)], metadata={"kernelspec": KERNEL})


def task(id):
    """Return the three cells of an exercise: its text, the stub that students complete, and the cell that grades it."""
    exercise, slug = EXERCISES[id], "exercise-" + id.replace(".", "-")
    cells = notebooks.read(COURSE.contents.folder / COURSE.contents.of(id).file)
    stub = notebooks.statements(cells)[id].stub
    text = cells[cells.index(stub) - 1]["source"]
    if not text.startswith("#"):
        text = f"### Exercise {id}: `{exercise.name}` {exercise.stars}\n\n{text}"
    # Import `grade` here, in case a student has redefined it.
    grades = f'from exercises import grade\n\ngrade("{id}", {exercise.name})'
    return [
        locked(new_markdown_cell(text, id=f"{slug}-text")),
        new_code_cell(stub["source"], id=slug),
        locked(new_code_cell(grades, id=f"{slug}-grade"), exercise.difficulty),
    ]


def locked(cell, worth=None):
    """Mark a cell as one that nbgrader restores before grading, and grades if it is worth points; return the cell."""
    cell.metadata["nbgrader"] = {
        "schema_version": 3,
        "grade_id": cell.id,
        "cell_type": cell.cell_type,
        "grade": worth is not None,
        "locked": True,
        "solution": False,
        "task": False,
        **({} if worth is None else {"points": worth}),
    }
    return cell


def add(folder, name, title, ids):
    """Add an assignment to a course folder. Errors: Problem if it already exists"""
    target = folder / "source" / name / f"{name}.ipynb"
    if target.parent.exists():
        raise Problem(f"{target.parent} exists already: delete it, or choose another folder or --name.")
    target.parent.mkdir(parents=True)
    settings = folder / "nbgrader_config.py"
    if not settings.exists():
        settings.write_text(SETTINGS, encoding="utf-8")
    nbformat.write(notebook(title, ids), target)


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
    for name, (title, ids) in assignments(options.exercises, options.name).items():
        add(options.folder, name, title, ids)
        print(f"{name}: {len(ids)} exercise{'s' * (len(ids) != 1)}, {points(ids)} points")
    print(f"\nNext, in {options.folder.absolute()}, such as for the last of them:")
    for step in ("generate_assignment", "autograde", "generate_feedback"):
        print(f"  nbgrader {step} {name}")


def main(words):
    return run(write, parse_options(words))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
