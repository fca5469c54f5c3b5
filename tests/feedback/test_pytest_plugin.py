"""The plugin: broken promises of an exercise are found."""

import importlib
from dataclasses import replace

import pytest
import torch

from feedback import TestCase, audit, checker
from feedback.pytest_plugin import imported_again, promises, well_stocked
from tests.feedback.sample import EXERCISE, over_columns, scale_added, shares


def kept(exercise=EXERCISE, again=lambda: EXERCISE, **banks):
    """{promise: None, or the message of its failure} for the sample exercise, or another."""
    banks = {"right": [(shares, "correct")], "wrong": [], "two_mistakes": [], **banks}
    found = {}
    for name, promise in promises(exercise, lambda id, answer: checker.check(exercise, answer), banks, again):
        try:
            promise()
            found[name] = None
        except AssertionError as error:
            found[name] = str(error)
    return found


def test_the_promises_of_a_sound_exercise_are_kept():
    found = kept()
    assert found["the-reference-is-correct"] is found["misconceptions-are-distinct"] is found["right-shares"] is None
    assert [name for name in found if name.startswith("card-")] == [f"card-{m.id}" for m in EXERCISE.misconceptions]
    assert all(found[name] is None for name in found if name.startswith("card-"))


@pytest.mark.parametrize(
    "banks, name, words",
    [
        ({"right": [(over_columns, "correct")]}, "right-over_columns", "expected the status 'correct'"),
        ({"wrong": [(shares, None)]}, "wrong-shares", "a wrong answer was accepted"),
        (
            {"wrong": [(over_columns, "scale-added")]},
            "wrong-over_columns",
            "expected 'scale-added', got 'over-columns'",
        ),
        ({"two_mistakes": [(scale_added, ("over-columns", "not-divided"))]}, "two-scale_added", "not 'scale-added'"),
        ({"wrong": [(over_columns, "over-columns")]}, "every-misconception-is-met-in-the-bank", "scale-ignored"),
        ({}, "well-stocked", "at least 4 answers"),
    ],
)
def test_a_broken_promise_is_found(banks, name, words):
    assert words in kept(**banks)[name]


def test_emphasis_is_found_for_a_card_would_show_its_asterisks():
    banks = {"right": [None] * 4, "wrong": [None] * 4}
    well_stocked(EXERCISE, banks)
    with pytest.raises(AssertionError, match="no emphasis: Not .this. one."):
        well_stocked(replace(EXERCISE, hints=("Divide by 2 * x.", "Not *this* one.")), banks)


def test_an_input_without_a_seed_of_its_own_is_found(tmp_path, monkeypatch):
    package = tmp_path / "course_without_seeds"
    folder = package / "e9_1_shares"
    folder.mkdir(parents=True)
    (package / "__init__.py").touch()
    (folder / "exercise.py").write_text(WITHOUT_A_SEED, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    exercise = importlib.import_module(f"{package.name}.{folder.name}.exercise").EXERCISE
    found = kept(exercise, lambda: imported_again(package.name, package, "9.1"))["inputs-are-seeded"]
    assert "a drawn table" in found and "minimal input 0" in found and "a fixed table" not in found


WITHOUT_A_SEED = """from dataclasses import replace

import torch

from feedback import TestCase
from tests.feedback.sample import EXERCISE, X

CASES = (TestCase("a fixed table", (X, None)), TestCase("a drawn table", (torch.rand(2, 5), None)))
EXERCISE = replace(EXERCISE, cases=CASES, minimal_inputs=((torch.rand(1, 2), None),))
"""


def test_an_argument_that_is_square_in_every_case_is_found():
    cases = tuple(TestCase(f"{n} rows", (torch.arange(1.0, n * n + 1).reshape(n, n), None)) for n in (2, 3))
    assert audit.always_square(replace(EXERCISE, cases=cases)) == ["x, axes 0 and 1, (2, 2) and (3, 3)"]
    assert audit.always_square(replace(EXERCISE, cases=cases, square=("x",))) == []
    assert audit.always_square(replace(EXERCISE, cases=(*cases, EXERCISE.cases[0]))) == []


@pytest.mark.parametrize("returns", [("shares",), ("shares", "sums", "scale"), ("shares", ("sums", "scale"))])
def test_names_that_do_not_fit_the_result_are_found(returns):
    assert audit.misnamed_results(EXERCISE) == []
    assert "a tall table" in audit.misnamed_results(replace(EXERCISE, returns=returns))


def the_same_under_another_name(x, scale=None):
    """Another name and a docstring are no other code."""
    x = x if scale is None else x * scale
    sums = x.sum(dim=0)
    return x / sums, sums


def test_an_answer_of_the_bank_that_copies_a_misconception_is_found():
    found = kept(wrong=[(the_same_under_another_name, "over-columns"), (shares, None)])["the-bank-is-no-copy"]
    assert "the_same_under_another_name is the code of over-columns" in found and "shares is" not in found
