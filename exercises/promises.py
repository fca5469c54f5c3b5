"""Tests of every exercise of this course, besides the engine's own: its notebook must state it correctly.

`pytest exercises/n02_single_head_attention/softmax.md` runs these after the engine's own, which are in
feedback/pytest_plugin.py.
"""

from __future__ import annotations

import ast
import inspect
import re

from exercises import COURSE, statement
from feedback import notebooks
from feedback.exercise import Exercise

NOT_YET = "... is left where something is to be written"


def states_it_in_its_notebook(exercise: Exercise) -> None:
    """Check the task's heading, stars, minutes and frame, the stub's name, arguments and docstring, and the check."""
    stated = _stated(exercise)
    text, definition = stated.task["source"], ast.parse(stated.stub["source"]).body[0]
    title = re.escape(statement.heading(exercise.id, "TITLE", exercise.stars)).replace("TITLE", ".+")
    assert re.match(rf"{title}\n", text), f"the text begins with {title!r}, got {text.splitlines()[0]!r}"
    assert statement.task(exercise.minutes) in text, f"the task begins with {statement.task(exercise.minutes)!r}"
    assert statement.END in text, f"the task ends with {statement.END!r}"
    assert definition.name == exercise.name, f"the stub is called {exercise.name}, got {definition.name}"
    arguments = statement.arguments(definition)
    right = statement.arguments(ast.parse(f"def {exercise.signature}: ...").body[0])
    assert arguments in (None, right), f"the stub takes ({right}), got ({arguments})"
    assert ast.get_docstring(definition), "the stub has a docstring"
    assert stated.check["source"] == statement.check(exercise.id, exercise.name), stated.check["source"]


def holds_the_given_code(exercise: Exercise) -> None:
    """Check that the cell has the page's given code, if the task is to repair a line of it."""
    if exercise.given is None:
        return
    given = inspect.getsource(exercise.given).rstrip()
    assert _stated(exercise).stub["source"] == given, f"the cell holds the block `python given` of the page:\n{given}"


def leaves_nothing_to_write(exercise: Exercise) -> None:
    texts = (exercise.when_correct, *exercise.hints, *map(str, exercise.returns))
    assert "..." not in texts, f"the page: {NOT_YET}"
    inputs = (*(case.args for case in exercise.cases), *exercise.minimal_inputs)
    assert not [args for args in inputs if any(value is ... for value in args)], f"test cases: {NOT_YET}"
    stated = _stated(exercise)
    docstring = ast.get_docstring(ast.parse(stated.stub["source"]).body[0])
    assert "..." not in docstring.splitlines() and "Shapes: ..." not in docstring, f"the docstring: {NOT_YET}"
    assert not stated.task["source"].endswith(f" ...{statement.END}"), f"the task: {NOT_YET}"


def fits_into_the_minutes_of_its_section(exercise: Exercise) -> None:
    """Check that a section's minutes, which include its exercises, exceed the exercises' minutes."""
    section = _stated(exercise).section
    solving = sum(COURSE.exercises[id].minutes for id in section.exercises)
    assert solving < section.minutes, (
        f'the exercises of the section "{section.title}" take {solving} minutes, and reading it takes some more, '
        f"but its heading and its tag say {section.minutes}"
    )


PROMISES = (
    states_it_in_its_notebook,
    holds_the_given_code,
    leaves_nothing_to_write,
    fits_into_the_minutes_of_its_section,
)


def _stated(exercise: Exercise) -> notebooks.Statement:
    notebook = COURSE.contents.of(exercise.id)
    assert notebook, f"no notebook has the number of exercise {exercise.id}"
    found = notebooks.statements(notebooks.read(COURSE.contents.folder / notebook.file))
    assert exercise.id in found, f"{notebook.file} has no cell with the tag exercise-{exercise.id}"
    return found[exercise.id]
