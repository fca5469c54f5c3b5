"""Notebooks of a course that is not the real one: what comes after an exercise, links, and what progress() shows."""

import json
import re
import xml.etree.ElementTree as ElementTree

import pytest

from feedback import progress
from feedback.course import Course
from feedback.notebooks import Contents, Notebook, Step
from feedback.progress import CourseOverview, Item, NotebookOverview, NotebookProgress
from tests.feedback.sample import shares

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
def course(tmp_path, contents, write_package):
    """Exercises 8.1, 8.2 and 9.1 and two predictions, in a package of their own."""
    files = {"room/predictions.md": PREDICTIONS, "__init__.py": ""}
    for id, name, minutes in (("8.1", "one", 4), ("8.2", "two", 6), ("9.1", "three", 5)):
        files[f"room/{name}.md"] = PAGE.format(id=id, name=name, minutes=minutes)
        files[f"room/{name}.py"] = MODULE.format(name=name)
    package = write_package("sample_course", files)
    return Course("sample_course", str(package), contents, progress=tmp_path / "attempts.jsonl")


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


# ---------------------------------------------------------------- progress()


def wrong(x, scale=None):
    return x, x.sum(dim=1)


class Page:
    """The links and the table rows of some HTML; tags that are not nested correctly raise an exception."""

    def __init__(self, shown):
        self.html = shown._repr_mimebundle_()["text/html"]
        root = ElementTree.fromstring(f"<page>{self.html}</page>")
        self.links = {"".join(a.itertext()): a.get("href") for a in root.iter("a")}
        self.rows = [["".join(cell.itertext()) for cell in row] for row in root.iter("tr")]
        self.scopes = [cell.get("scope") for cell in root.iter("th")]


def test_some_are_solved_and_some_are_worth_another_look(course):
    assert repr(course.progress("08")).splitlines() == [
        "□□ 0 of 2 exercises solved here · 0 of 2 predictions made · about 30 minutes left",
        "Left: 8.1 one (4 min) · 8.2 two (6 min)",
        "Next notebook: 09 sums (20 min). What is a sum?",
    ]
    course.check("8.1", shares)
    course.check("8.2", wrong)
    course.predict("08.more", "b")
    assert repr(course.progress(8)).splitlines() == [
        "■□ 1 of 2 exercises solved here · 1 of 2 predictions made · about 20 minutes left",
        "Solved: 8.1 one",
        "Worth another look: 8.2 two (tried, not solved yet; 6 min) · "
        "prediction 08.more (you chose (b); the output says otherwise)",
        "Next notebook: 09 sums (20 min). What is a sum?",
    ]
    page = Page(course.progress("08"))
    assert page.links == {
        "8.1 one": "08_shares.ipynb#cell-id=first",
        "8.2 two": "08_shares.ipynb#cell-id=second",
        "prediction 08.more": "08_shares.ipynb#cell-id=asked",
        "09 sums": "09_sums.ipynb",
    }
    course.predict("08.more", "a")
    assert "prediction 08.more" not in repr(course.progress("08")), "corrected, it needs no other look"


def test_all_is_solved_in_the_last_notebook(course):
    course.check("9.1", shares)
    assert repr(course.progress("09")).splitlines() == [
        "■ 1 of 1 exercise solved here",
        "Solved: 9.1 three",
        "This is the last notebook: progress() shows the whole course.",
    ]
    assert "There is no notebook '10'. The notebooks are 08, 09." in course.progress("10").message


HEAD = "notebook | solved | exercises | predictions | minutes left"


def lines_of(shown):
    """The lines of a text, with | between the columns."""
    return [re.sub(r" {2,}", " | ", line) for line in repr(shown).splitlines()]


def test_the_table_and_the_text_say_the_same_of_each_notebook(course):
    course.check("8.1", shares)
    course.check("8.2", wrong)
    course.predict("08.more", "b")
    page = Page(course.progress())
    assert page.rows == [
        ["notebook", "solved", "exercises", "predictions", "minutes left"],
        ["08 shares", "1 of 2", "✓ 8.1 one ↻ 8.2 two", "1 of 2", "20"],
        ["09 sums", "0 of 1", "○ 9.1 three", "", "20"],
    ]
    assert page.scopes == ["col"] * 5 + ["row"] * 2 and page.html.count("<caption") == 1
    assert page.links["09 sums"] == "09_sums.ipynb" and page.links["8.2 two"] == "08_shares.ipynb#cell-id=second"
    assert lines_of(course.progress()) == [
        "1 of 3 exercises solved · 1 of 2 predictions made · about 40 minutes left",
        HEAD,
        "08 shares | ■□ 1 of 2 | ✓ 8.1 ↻ 8.2 | 1 of 2 | 20",
        "09 sums | □ 0 of 1 | ○ 9.1 | 20",
        progress.LEGEND,
        "Worth another look:",
        " | 8.2 two (tried, not solved yet; 6 min)",
        " | prediction 08.more (you chose (b); the output says otherwise)",
        "Next to solve: 8.2 two",
    ]


def test_a_course_in_parts_has_a_table_and_totals_for_each(course, contents, folder):
    course.contents = Contents(NOTEBOOKS, folder, {"first part": NOTEBOOKS[:1], "second part": NOTEBOOKS[1:]})
    course.check("9.1", shares)
    lines = lines_of(course.progress())
    first = "First part: 0 of 2 exercises solved · 0 of 2 predictions made · about 30 minutes left"
    assert lines[:3] == [first, HEAD, "08 shares | □□ 0 of 2 | ○ 8.1 ○ 8.2 | 0 of 2 | 30"]
    assert lines[3:6] == ["Second part: 1 of 1 exercises solved", HEAD, "09 sums | ■ 1 of 1 | ✓ 9.1 | 0"]
    page = Page(course.progress())
    assert page.html.count("<caption") == 2
    assert [row[0] for row in page.rows] == ["notebook", "08 shares", "notebook", "09 sums"]


def test_names_are_no_markup():
    notebook = Notebook("08_a.ipynb", "a < b", minutes=10, core=10, question="<b>?")
    here = NotebookProgress(notebook, (Item("8.1 <i>", "x", "open", minutes=1),), ())
    for shown in (NotebookOverview(here, notebook), CourseOverview({"": [here]})):
        html = shown._repr_mimebundle_()["text/html"]
        assert "08 a &lt; b" in html and "8.1 &lt;i&gt;" in html and "<i>" not in html and "<b>?" not in html


def test_the_minutes_left_are_in_proportion_to_what_is_not_solved_in_steps_of_5_and_then_in_half_hours():
    notebook, left = Notebook("08_a.ipynb", "a", minutes=60, core=60, question="?"), []
    for states in (["open", "again", "open"], ["done", "open", "open"], ["done", "done", "open"], ["done"] * 3, []):
        items = tuple(Item("", "", state, minutes=m) for state, m in zip(states, (3, 7, 10), strict=False))
        left.append(NotebookProgress(notebook, items, ()).minutes_left)
    assert left == [60, 55, 30, 0, 0]
    said = [progress.duration(minutes) for minutes in (0, 90, 100, 570, 590)]
    assert said == ["0 minutes", "90 minutes", "1½ hours", "9½ hours", "10 hours"]


def test_a_demonstration_is_not_recorded_or_used_and_leads_to_no_other_exercise(course):
    right = course.check("8.1", shares, record=False)
    assert right.status == "correct" and "Next:" not in right.message
    assert course.check("8.2", wrong, record=False).status == "wrong"
    assert not course.store.path.exists() and course.progress("08").here.solved == 0
    assert course.yours("8.1") is course.reference("8.1")
