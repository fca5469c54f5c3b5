"""Another course, tests/feedback/drills: the engine works without this repository's course."""

import importlib
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from feedback import TestCase, checker, sandbox
from feedback.course import Course
from feedback.notebooks import Contents

HERE = Path(__file__).parent


@pytest.fixture
def drills(monkeypatch, tmp_path):
    """The course, used in an empty folder."""
    monkeypatch.syspath_prepend(HERE)
    monkeypatch.chdir(tmp_path)
    course = importlib.import_module("drills").COURSE
    monkeypatch.setattr(course, "debug", True)
    return course


def test_a_known_mistake_is_named_and_shown_in_numbers(drills):
    report = drills.check("1.1", lambda text, word: text.count(word))
    assert report.diagnosis == "inside-words"
    assert "With `text = 'a an a'` and `word = 'a'`: your result is 3, and 2 is right." in report.message
    report = drills.check("1.2", lambda numbers: (numbers[0], numbers[-1], sum(numbers) / len(numbers)))
    assert report.diagnosis == "unsorted" and "your smallest is 2, and 1 is right." in report.message


@pytest.mark.parametrize(
    "change, sentences",
    [
        (str, ("returned the str '3'; a whole number (int), times, was expected.", "`int(...)` and `float(...)` make")),
        (float, ("returned 3.0; a whole number (int), times, was expected.", "`/` always gives a float")),
        (torch.tensor, ("returned a tensor of shape (); a whole number", "`.item()` takes the number out")),
        (lambda times: (times,), ("returned a tuple of 1; a whole number", "a comma after `return` makes a tuple")),
        (lambda times: [times], ("returned a list of 1; a whole number", "Return the value alone")),
        (lambda times: None, ("returned None; a whole number (int), times, was expected.",)),
    ],
    ids=["str", "float", "tensor", "tuple", "list", "None"],
)
def test_another_type_breaks_the_contract(drills, change, sentences):
    report = drills.check("1.1", lambda text, word: change(text.split().count(word)))
    assert report.status == "wrong" and report.diagnosis.startswith("returns-")
    assert all(sentence in report.message for sentence in sentences)


@pytest.mark.parametrize(
    "reference, answer, status, hint",
    [
        (0.1 + 0.2, 0.3, "correct", ""),
        (0.3, 0.31, "wrong", ""),
        (1.0, True, "wrong", ""),
        (True, True, "correct", ""),
        (True, 1, "wrong", ""),
        (True, "True", "wrong", "A comparison such as `a == b` gives True or False"),
        (["a", 0.3], ["a", 0.1 + 0.2], "correct", ""),
        ("ab", "ab ", "wrong", ""),
        ("3", 3, "wrong", "`str(...)` makes a text of it."),
        (float("inf"), 1e300, "wrong", ""),
        (float("nan"), float("nan"), "wrong", ""),
        (([1], 2), ([1], 2), "correct", ""),
        (([1], 2), ([3], 2), "wrong", ""),
        ((1, 2), (1, None), "wrong", "Is it given a value on every path?"),
        ((1, [2]), (1, 2), "wrong", "Collect them in a Python list: others = []"),
    ],
    ids=repr,
)
def test_floats_have_a_tolerance_all_else_is_exact_and_a_hint_suits_what_is_asked_for(
    drills, reference, answer, status, hint
):
    report = checker.check(judged_by(drills, reference), lambda text, word: answer)
    assert report.status == status and hint in report.message
    assert not hint or report.diagnosis == "returns-wrong-type"


def judged_by(drills, result):
    """Exercise 1.1 with another right result."""
    returns = ("times", "others") if isinstance(result, tuple) else ("times",)
    return replace(
        drills.exercises["1.1"],
        reference=lambda text, word: result,
        returns=returns,
        cases=(TestCase("a case", ("a b", "a")),),
        misconceptions=(),
    )


@pytest.mark.parametrize("result", [{"a": 1}, {1}, None, (1, {"a": 1}), 1j], ids=repr)
def test_a_result_that_cannot_be_judged_is_refused(drills, result):
    with pytest.raises(TypeError, match=r"exercise 1.1: a right result must be a tensor, a list, a number, a text"):
        checker.check(judged_by(drills, result), lambda text, word: result)


def test_an_exception_in_a_helper_of_the_course_is_told_with_the_learners_line(drills):
    words = importlib.import_module("drills.text").words  # which learners are given

    def count(text, word):
        return words(len(text)).count(word)

    assert "from drills.text import words\n" in repr(drills.solution("1.1"))
    message = drills.check("1.1", count).message
    assert "TypeError: words takes a text, got int: hand in the text itself, at your line " in message
    assert "`return words(len(text)).count(word)`" in message
    assert "Your own line demands something" not in message


def test_the_lines_of_a_module_are_the_learners_unless_the_course_says_they_are_its_own(drills, tmp_path, monkeypatch):
    (tmp_path / "given.py").write_text("def fails():\n    raise ValueError('no')\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sandbox, "_FOREIGN", dict(sandbox._FOREIGN))
    fails = importlib.import_module("given").fails
    assert "at your line 2: `raise ValueError('no')`" in drills.check("1.1", lambda text, word: fails()).message
    Course("drills", str(HERE / "drills"), Contents((), tmp_path), own=("given",))
    assert "lambda text, word: fails()" in drills.check("1.1", lambda text, word: fails()).message


def test_a_course_needs_no_predictions(drills):
    assert repr(drills.progress()).startswith("0 of 3 exercises solved · about 15 minutes left\n")
    assert "There is no prediction '01.x'. This course has none." in drills.predict("01.x").message


@pytest.mark.slow
def test_the_plugin_holds_the_exercises_to_their_promises(tmp_path):
    shutil.copytree(HERE / "drills", tmp_path / "drills", ignore=shutil.ignore_patterns("__pycache__"))
    settings = ["-q", "-p", "feedback.pytest_plugin", "-o", "exercises_package=drills", "-p", "no:cacheprovider"]
    pages = ["drills/n01_drills/count.md", "drills/n01_drills/positives.md"]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *settings, "--strict-markers", *pages],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(HERE.parents[1])])},
        capture_output=True,
        encoding="utf-8",
    )
    failed = [line.split(" ")[1] for line in ran.stdout.splitlines() if line.startswith("FAILED")]
    assert failed == ["drills/n01_drills/positives.md::page[1.3]"], ran.stdout
    assert "an exercise has at least 4 misconceptions, this one 1" in ran.stdout and "warning" not in ran.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["drills"], "nothing is recorded"
