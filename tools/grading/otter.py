"""Assignments for otter-grader: a source notebook from which `otter assign` makes what students get, and the tests."""

from textwrap import indent

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell

from tools import Problem
from tools.grading.tasks import FIRST_CELL, grading
from tools.study import KERNEL

# Tests raise exceptions, whose text students read; the others are doctests, which put their traceback before it.
# Cells of otter's own would begin with `import otter`, which students need not have: they check with the course alone.
SETTINGS = """\
# ASSIGNMENT CONFIG
init_cell: false
export_cell: false
check_all_cell: false
generate: true
plugins:
  - feedback.for_otter.Confirm
tests:
  files: false
  ok_format: false
"""


def write(folder, assignment):
    """Write an assignment's source notebook, and return the commands that come next.

    Errors: Problem if it is there already
    """
    target = folder / assignment.name / f"{assignment.name}.ipynb"
    if target.parent.exists():
        raise Problem(f"{target.parent} exists already: delete it, or choose another folder or --name.")
    target.parent.mkdir(parents=True)
    nbformat.write(notebook(assignment), target)
    built = f"{assignment.name}/dist"
    return [
        f"otter assign {assignment.name}/{target.name} {built}",
        f"otter run -a {built}/autograder/{assignment.name}-autograder_*.zip -o RESULTS SUBMISSION.ipynb",
    ]


def notebook(assignment):
    """The source notebook, with answers, which `otter assign` runs the tests on and then removes."""
    cells = [
        new_raw_cell(SETTINGS, id="settings"),
        new_markdown_cell(assignment.heading, id="heading"),
        new_code_cell(FIRST_CELL, id="first"),
    ]
    for task in assignment.tasks:
        cells += question(task)
    return new_notebook(cells=cells, metadata={"kernelspec": KERNEL})


def question(task):
    name = task.slug.replace("-", "_")
    answer = f"{task.stub}\n# BEGIN SOLUTION NO PROMPT\n{task.solution.rstrip()}\n# END SOLUTION"
    test = f"def test_{name}({task.name}):\n{indent(grading(task), '    ')}"
    parts = [
        ("begin", new_raw_cell(f"# BEGIN QUESTION\nname: {name}\npoints: {task.points}\ncheck_cell: false")),
        ("text", new_markdown_cell(task.text)),
        ("begin-solution", new_raw_cell("# BEGIN SOLUTION")),
        ("answer", new_code_cell(answer)),
        ("end-solution", new_raw_cell("# END SOLUTION")),
        ("begin-tests", new_raw_cell("# BEGIN TESTS")),
        ("test", new_code_cell(test)),
        ("end-tests", new_raw_cell("# END TESTS")),
        ("end", new_raw_cell("# END QUESTION")),
        ("grade", new_code_cell(grading(task))),
    ]
    for part, cell in parts:
        cell.id = f"{task.slug}-{part}"
    return [cell for _, cell in parts]
