"""The reader of notebooks, on a small tenth notebook: numbers of two digits go through all that reads notebooks."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from feedback import notebooks
from feedback.notebooks import Contents, Notebook
from tools import study
from tools.guide import plans
from tools.slides import decks

ROOT = Path(__file__).parents[2]
SOURCES = (  # id, tag and text; what begins with a call or a definition is code
    ("title", "", "# 10 Shares"),
    ("head", "core-12", "## 1. Whole shares\n\n*core · 12 min*\n\n**Predict:** how many?"),
    ("ask", "predict-10.many", 'predict("10.many")'),
    ("run", "", "print(3)"),
    ("answer", "saw", "**What you saw.** Three."),
    ("ex", "task-10.1", "### ✎ Exercise 10.1: halves ●○○"),
    ("hint", "", "A half is two quarters."),
    ("stub", "exercise-10.1", "def halves(x):\n    ..."),
    ("test", "", 'check("10.1", halves)'),
    ("more", "deeper-5", "## 2. Parts of shares\n\n*deeper · 5 min*"),
    ("end", "recap", "## In three sentences\n\nShares."),
)


def cell(id, tag, source):
    code = {"outputs": [], "execution_count": None}
    kind = {"cell_type": "code", **code} if source.endswith((")", "...")) else {"cell_type": "markdown"}
    return {"id": id, **kind, "source": source.splitlines(keepends=True), "metadata": {"tags": [tag] if tag else []}}


@pytest.fixture
def path(tmp_path):
    (tmp_path / "notebooks").mkdir()
    path = tmp_path / "notebooks" / "10_shares.ipynb"
    notebook = {"cells": [cell(*each) for each in SOURCES], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


def ids(cells):
    return [cell["id"] for cell in cells]


def test_sections_have_kind_minutes_cells_exercises_and_predictions(path):
    first, second = notebooks.sections(notebooks.read(path))
    assert (first.title, first.kind, first.minutes) == ("1. Whole shares", "core", 12)
    assert (first.exercises, first.predictions) == (("10.1",), ("10.many",))
    assert (second.title, second.kind, second.minutes) == ("2. Parts of shares", "deeper", 5)
    assert ids(second.cells) == ["more"]


def test_an_exercise_has_a_task_a_stub_a_check_and_a_section(path):
    ((id, exercise),) = notebooks.statements(notebooks.read(path)).items()
    assert id == "10.1" and ids((exercise.task, exercise.stub, exercise.check)) == ["ex", "stub", "test"]
    assert exercise.section.minutes == 12


def test_what_is_in_a_tenth_notebook_is_found(path, monkeypatch):
    monkeypatch.setattr(study, "NOTEBOOKS", path.parent)
    assert study.find("10") == path.name
    folded = {cell["id"]: cell["source"] for cell in study.published_edition(path.name)["cells"]}
    assert folded["answer"] == f"{notebooks.FOLDED}\n\nThree.\n</details>"

    contents = Contents([Notebook(path.name, "shares", minutes=17, core=12, question="?")], path.parent)
    assert contents.link("10.1") == "10_shares.ipynb#cell-id=ex"
    assert contents.link("10.many") == "10_shares.ipynb#cell-id=ask"


def test_the_guide_and_the_slides_take_in_a_tenth_notebook(path, monkeypatch):
    for module in (plans, decks):
        monkeypatch.setattr(module, "ROOT", path.parents[1])
    monkeypatch.setattr(plans, "by_place", plans.by_place.__wrapped__)  # not what is kept of the real notebooks
    monkeypatch.setattr(decks, "cells_of", decks.cells_of.__wrapped__)
    assert plans.filled("*10 · 1. Whole shares* ()") == "*10 · 1. Whole shares* (core · 12 min)"
    run, poll, later = decks.slides("10 run\npoll 10.many\n10 more")
    assert (run, poll) == (decks.Slide("10", ("run",)), decks.Slide("10", poll="10.many"))
    assert [slide.section for slide in (run, poll, later)] == ["1. Whole shares"] * 2 + ["2. Parts of shares"]
    head = "## Day 1: Shares\n\n| at | section | minutes | kind | show | poll | exercises | homework |\n|---|\n"
    plan = f"{head}| | 10 · 1. Whole shares | | | `run` | | | – |\n\nEnds at ? of 1:00. Exercises at home: ?"
    monkeypatch.setattr(plans, "GUIDE", path.with_suffix(".md"))
    plans.GUIDE.write_text(plan, encoding="utf-8")
    assert decks.decks("10 run\npoll 10.many\n10 more") == {"day-1": decks.Deck("day-1", "Shares", (run, poll))}


def test_reading_a_notebook_does_not_import_pytorch():
    code = "import sys, feedback.notebooks; print({'torch', 'nbformat'} & set(sys.modules))"
    process = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, encoding="utf-8")
    assert process.stdout == "set()\n"
