"""The notebooks of a course that is not the real one: what comes after an exercise, and where links lead."""

import json

import pytest

from feedback.course import Course
from feedback.notebooks import Contents, Notebook, Step

NOTEBOOKS = (
    Notebook("08_shares.ipynb", "shares", minutes=30, core=20, question="What is a share?"),
    Notebook("09_sums.ipynb", "sums", minutes=20, core=20, question="What is a sum?"),
)
PAGE = """# {id} {name}

minutes: {minutes} · difficulty: 1

correct: Yes.
"""
MODULE = """from feedback.page_exercise import exercise
from tests.feedback.sample import EXERCISE, shares

def {name}(x, scale=None):
    return shares(x, scale)


EXERCISE = exercise({name}, returns=EXERCISE.returns, cases=EXERCISE.cases, minimal_inputs=EXERCISE.minimal_inputs)
"""
PREDICTIONS = """# Predictions

## 08.more
Is it more?
- a: yes
- b: no
> It is.

Look.

## 08.less
Is it less?
- a: yes
- b: no
> It is.

Look.
"""


def cell(id, source, *tags):
    return {"id": id, "cell_type": "code" if "(" in source else "markdown", "source": [source],
            "metadata": {"tags": list(tags)} if tags else {}}  # fmt: skip


CELLS = [
    cell("title", "# 08 Shares"),
    cell("asked", 'predict("08.more")', "predict-08.more"),
    cell("first", "### Exercise 8.1", "task-8.1"),
    cell("between", "Some words."),
    cell("stub", "def f(): ...", "exercise-8.1"),
    cell("second", "### Exercise 8.2", "task-8.2"),
    cell("other-stub", "def g(): ...", "some-other-tag", "exercise-8.2"),
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "08_shares.ipynb").write_text(json.dumps({"cells": CELLS}), encoding="utf-8")
    return tmp_path


@pytest.fixture
def contents(folder):
    return Contents(NOTEBOOKS, folder)


@pytest.fixture
def course(tmp_path, contents, monkeypatch):
    """Exercises 8.1, 8.2 and 9.1 and two predictions, in a package of their own."""
    package = tmp_path / f"sample_{tmp_path.name.replace('-', '_')}"
    (package / "room").mkdir(parents=True)
    for id, name, minutes in (("8.1", "one", 4), ("8.2", "two", 6), ("9.1", "three", 5)):
        for file, text in ((f"{name}.md", PAGE), (f"{name}.py", MODULE)):
            (package / "room" / file).write_text(text.format(id=id, name=name, minutes=minutes), encoding="utf-8")
    (package / "room" / "predictions.md").write_text(PREDICTIONS, encoding="utf-8")
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    return Course(package.name, str(package), contents, progress=tmp_path / "progress.json")


def test_after_an_exercise_comes_the_next_one_in_its_notebook_then_the_next_notebook(course):
    assert course.after("8.1") == Step("exercise 8.2 two", "08_shares.ipynb#cell-id=second")
    assert course.after("8.2") == Step("notebook 09 sums", "09_sums.ipynb")
    assert course.after("9.1") is course.after("7.1") is None


def test_nothing_leads_from_the_core_into_a_deeper_section(folder, course):
    cells = [cell("core", "## Core", "core-4"), *CELLS[2:5], cell("deeper", "## Deeper", "deeper-6"), *CELLS[5:]]
    (folder / "08_shares.ipynb").write_text(json.dumps({"cells": cells}), encoding="utf-8")
    said = course.check("8.1", course.exercises["8.1"].reference).message
    assert "Next: the rest of the core." in said and "8.2" not in said


def test_everything_belongs_to_the_notebook_of_its_number_and_comes_in_its_order(contents):
    assert {contents.of(id) for id in ("8", 8, "08", " 8.1 ", "08.more")} == {NOTEBOOKS[0]}
    assert contents.belonging(["8.2", "8.3", "9.1", "8.1"], NOTEBOOKS[0]) == ["8.1", "8.2", "8.3"]


def test_links_lead_to_the_heading_of_an_exercise_and_to_the_cell_of_a_prediction(contents):
    for id, link in {
        "8.1": "08_shares.ipynb#cell-id=first",
        "8.2": "08_shares.ipynb#cell-id=second",
        "08.more": "08_shares.ipynb#cell-id=asked",
        "8.3": "08_shares.ipynb",  # what it lacks leads to its beginning
        "9.1": "09_sums.ipynb",  # this file does not exist
        "1.1": "",
    }.items():
        assert contents.link(id) == link
