"""A course folder for nbgrader: its settings, and a source notebook for each assignment."""

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools import Problem
from tools.grading.tasks import FIRST_CELL, grading
from tools.study import KERNEL

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


def write(folder, assignment):
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
