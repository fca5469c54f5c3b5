"""Begin an exercise: `python course.py new 4.5 "apply_draw(weights, keep, p)"`.

It writes the exercise's page, its module and its cells in the notebook, each with ... where something is left to write,
and lists what that is. The cells follow the exercise with the previous number, or the cell named by --after.
"""

import ast
import json
import sys
from string import Template

from exercises import statement
from feedback import notebooks
from feedback.files import write
from feedback.page import number_on
from tools import ROOT, Parser, Problem, run

MINUTES, STARS = 5, "●○○"

PAGE = """# $id $name

minutes: 5 · difficulty: 1

correct: ...

1. ...
2. ...

## a-mistake
What the code does.
> What to think about next?
- `...`
- answer: `...`

## unnamed
- answer: `...`

## right
- answer: `...`
"""
MODULE = '''"""..."""

from exercises.common.inputs import AXES, B, S, T, normal, round_numbers
from feedback import TestCase
from feedback.page_exercise import exercise


def $signature:
    """...

    Shapes: ...
    """
    ...


EXERCISE = exercise(
    $name,
    returns=("...",),
    axis_names=AXES,
    cases=(
        TestCase("a table", (normal(T, S, seed=1)$others,)),
        TestCase("a batch", (normal(B, T, S, seed=2)$others,)),
    ),
    minimal_inputs=((round_numbers(2, 3)$others,),),
)
'''
STUB = '''def $signature:
    """...

    Shapes: ...
    """
    ...'''

LEFT = """Exercise $id is begun. Write what is left to write, in this order:

  exercises/$room/
    $name.py   a right answer, as short as a learner could have written it, and the test cases
    $name.md   what is said, at least 4 mistakes, each with the code that makes it and with an answer
    ${blank}that makes it in another way, and at least 4 right answers in styles that differ
  $notebook
    the task, the docstring and the minutes of the section, in the cells $cells

Then run

  python course.py page $id
    which shows what the checker makes of each answer
  python course.py test exercises/$room/$name.md
    which says what is missing
  python course.py save $number 00
    which saves the notebook, and notebook 00, which lists all exercises
"""


def begin(id, signature, after):
    """Write the page, the module and the cells; return a text on what is left to do.

    Errors: Problem if the id, the signature or the position cannot be used
    """
    number, _, place = id.partition(".")
    if not (number.isdigit() and place.isdigit()):
        raise Problem(f"An exercise is numbered like 4.5, got {id!r}.")
    signature = signature if "(" in signature else f"{signature}(x)"
    name, arguments = parts_of(signature)
    number = number.zfill(2)
    path = notebooks.paths(ROOT / "notebooks").get(number)
    if path is None:
        raise Problem(f"There is no notebook {number} for this exercise: add it first.")
    page = ROOT / "exercises" / f"n{path.stem}" / f"{name}.md"
    for taken in (ROOT / "exercises").glob("*/*.md"):
        if taken == page or number_on(taken) == id:
            raise Problem(f"There is such an exercise already: {taken.relative_to(ROOT).as_posix()}.")
    text, cells = with_cells(path, id, name, signature, after)
    words = {"id": id, "name": name, "signature": signature, "others": ", ..." * (arguments - 1), "number": number}
    words |= {"room": page.parent.name, "notebook": f"notebooks/{path.name}", "cells": cells}
    words["blank"] = " " * len(f"{name}.md   ")
    page.parent.mkdir(exist_ok=True)
    page.write_text(Template(PAGE).substitute(words), encoding="utf-8")
    page.with_suffix(".py").write_text(Template(MODULE).substitute(words), encoding="utf-8")
    write(path, text)
    return Template(LEFT).substitute(words)


def parts_of(signature):
    """Return the function's name and number of arguments, as of "apply_draw(weights, keep, p)"."""
    try:
        definition = ast.parse(f"def {signature}: ...").body[0]
    except SyntaxError:
        raise Problem(f'A signature is written like "apply_draw(weights, keep, p)", got {signature!r}.') from None
    return definition.name, len(definition.args.args)


def with_cells(path, id, name, signature, after):
    """Return the notebook's text with the three cells of a new exercise, and the ids of these cells."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cells = notebook["cells"]
    dashed = name.replace("_", "-")
    ids = [f"ex{id.replace('.', '')}", dashed, f"{dashed}-check"]
    used = [cell["id"] for cell in cells]
    for new in ids:
        if new in used:
            raise Problem(f"{path.name} has a cell {new!r} already: choose another name for the exercise.")
    if after is not None and after not in used:
        raise Problem(f"{path.name} has no cell {after!r}: --after names the cell that the new ones follow.")
    index = used.index(after) + 1 if after else end_of_the_exercise_before(cells, id)
    heading = statement.heading(id, name.replace("_", " "), STARS)
    text = f"{heading}{statement.task(MINUTES)}Write `{signature}`, ...{statement.END}"
    cells[index:index] = [
        {"cell_type": "markdown", "id": ids[0], "metadata": {"tags": [f"task-{id}"]}, "source": lines(text)},
        code(ids[1], Template(STUB).substitute(signature=signature), {"tags": [f"exercise-{id}"]}),
        code(ids[2], statement.check(id, name), {}),
    ]
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", ", ".join(ids)


def end_of_the_exercise_before(cells, id):
    """Return the index after the check of the exercise with the largest number below this one's."""
    place = int(id.split(".")[1])
    stubs = {int(found.split(".")[1]): i for i, cell in enumerate(cells) if (found := notebooks.exercise_of(cell))}
    before = [number for number in stubs if number < place]
    if not before:
        raise Problem(f"No exercise comes before {id} in its notebook: say with --after which cell it follows.")
    return stubs[max(before)] + 2  # after the stub and its check


def code(id, source, metadata):
    cell = {"cell_type": "code", "execution_count": None, "id": id, "metadata": metadata, "outputs": []}
    return {**cell, "source": lines(source)}


def lines(text):
    return text.splitlines(keepends=True)


def main(words):
    parser = Parser("new", description="Begin an exercise: its page, its module and its cells.")
    parser.add_argument("id", help="its number, such as 4.5: the fifth exercise of notebook 04")
    parser.add_argument("signature", help='its function, such as "apply_draw(weights, keep, p)", or just the name')
    parser.add_argument("--after", metavar="CELL", help="the id of the cell that the new cells follow")
    options = parser.parse_args(words)
    return run(lambda: print(begin(options.id, options.signature, options.after)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
