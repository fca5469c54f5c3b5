"""The plugin: broken promises of an exercise are found."""

from dataclasses import replace

import pytest

from feedback import checker
from feedback.pytest_plugin import promises, well_stocked
from tests.feedback.sample import EXERCISE, over_columns, scale_added, shares


def kept(**banks):
    """{promise: None, or the message of its failure} for the sample exercise."""
    banks = {"right": [(shares, "correct")], "wrong": [], "two_mistakes": [], **banks}
    found = {}
    for name, promise in promises(EXERCISE, lambda id, answer: checker.check(EXERCISE, answer), banks):
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
