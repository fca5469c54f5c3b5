"""The plugin and its audit: broken promises of an exercise are found, and mistakes that are taken for each other."""

import importlib
from dataclasses import replace

import pytest
import torch

from feedback import Misconception, TestCase, audit
from feedback.checker import check
from feedback.page_exercise import Answer, Banks
from feedback.pytest_plugin import imported_again, promises, well_stocked
from tests.feedback.sample import EXERCISE, KNOWN, over_columns, scale_added, shares


class Page:
    """The part of a page that the plugin uses."""

    def __init__(self, **banks):
        self.banks = lambda: Banks(**{"right": [Answer(shares, "correct", "shares.md:1")], **banks})

    def unknown_names(self):
        return []

    copies = unknown_names

    def two_at_once(self, one, other):
        return None


def kept(exercise=EXERCISE, again=lambda: EXERCISE, **banks):
    """{promise: None, or the message of its failure} for the sample exercise, or another."""
    found = {}
    for name, promise in promises(replace(exercise, page=Page(**banks)), again):
        try:
            promise()
            found[name] = None
        except AssertionError as error:
            found[name] = str(error)
    return found


@pytest.mark.parametrize(
    "slip, words",
    [
        ({"returns": "shares"}, "returns is a tuple of names"),
        ({"cases": EXERCISE.cases[0]}, "cases is a tuple of TestCases"),
        ({"minimal_inputs": EXERCISE.minimal_inputs[0]}, "minimal_inputs is a tuple of tuples"),
        ({"cases": (TestCase("one", torch.ones(2)),)}, r"TestCase\('one', \.\.\.\) are a tuple"),
    ],
)
def test_missing_parentheses_are_refused(slip, words):
    with pytest.raises(TypeError, match=words):
        replace(EXERCISE, **slip)


def test_the_promises_of_a_sound_exercise_are_kept():
    found = kept()
    assert [name for name, message in found.items() if message] == ["page"] and "4 right answers" in found["page"]


def test_an_answer_that_is_judged_otherwise_is_named_with_its_place():
    found = kept(
        right=[Answer(over_columns, "correct", "shares.md:7")],
        wrong=[Answer(shares, None, "shares.md:8"), Answer(over_columns, "scale-added", "shares.md:9")],
        two_mistakes=[Answer(scale_added, ("over-columns", "not-divided"), "shares.md:10")],
    )
    assert found["right answers"].startswith("shares.md:7: 'correct' expected, got wrong, 'over-columns'")
    assert found["wrong answers"].startswith("shares.md:8: None expected, got correct, None")
    assert "shares.md:9: 'scale-added' expected, got wrong, 'over-columns'" in found["wrong answers"]
    both = "shares.md:10: ('over-columns', 'not-divided') expected, got wrong, 'scale-added'"
    assert found["two mistakes at once"].startswith(both)


def test_a_mistake_that_no_answer_makes_and_emphasis_that_a_card_cannot_show_are_found():
    banks = Banks([Answer(shares, "correct", "")] * 4, [Answer(over_columns, "over-columns", "")] * 4)
    exercise = replace(EXERCISE, page=Page())
    with pytest.raises(AssertionError, match="without an answer that makes it:\\s+scale-ignored"):
        well_stocked(exercise, banks)
    with pytest.raises(AssertionError, match="no emphasis: Not .this. one."):
        well_stocked(replace(exercise, hints=("Divide by 2 * x.", "Not *this* one.")), banks)


WITHOUT_A_SEED = """from dataclasses import replace

import torch

from feedback import TestCase
from tests.feedback.sample import EXERCISE, X

CASES = (TestCase("a fixed table", (X, None)), TestCase("a drawn table", (torch.rand(2, 5), None)))
EXERCISE = replace(EXERCISE, cases=CASES, minimal_inputs=((torch.rand(1, 2), None),))
"""


def test_an_input_without_a_seed_of_its_own_is_found(write_package):
    files = {"n09_room/shares.md": "# 9.1 shares\n", "n09_room/shares.py": WITHOUT_A_SEED}
    folder = write_package("course_without_seeds", files)
    exercise = importlib.import_module("course_without_seeds.n09_room.shares").EXERCISE
    found = kept(exercise, lambda: imported_again("course_without_seeds", folder, "9.1"))["statement"]
    assert "a drawn table" in found and "minimal input 0" in found and "a fixed table" not in found


def test_an_argument_that_is_square_in_every_case_is_found():
    cases = tuple(TestCase(f"{n} rows", (torch.arange(1.0, n * n + 1).reshape(n, n), None)) for n in (2, 3))
    assert audit.always_square(replace(EXERCISE, cases=cases)) == ["x, axes 0 and 1, (2, 2) and (3, 3)"]
    assert audit.always_square(replace(EXERCISE, cases=cases, square=("x",))) == []
    assert audit.always_square(replace(EXERCISE, cases=(*cases, EXERCISE.cases[0]))) == []


@pytest.mark.parametrize("returns", [("shares",), ("shares", "sums", "scale"), ("shares", ("sums", "scale"))])
def test_names_that_do_not_fit_the_result_are_found(returns):
    assert audit.misnamed_results(EXERCISE) == []
    assert "a tall table" in audit.misnamed_results(replace(EXERCISE, returns=returns))


def with_mistakes(*more):
    """The sample exercise with more known mistakes, (id, code)."""
    return replace(EXERCISE, misconceptions=(*KNOWN, *(Misconception(id, "a.", "b.", (code,)) for id, code in more)))


def with_ways(*ways, shared=0):
    """The sample exercise with these ways to sum over columns."""
    return replace(EXERCISE, misconceptions=(replace(KNOWN[0], variants=ways, shared=shared), *KNOWN[1:]))


def over_columns_again(x, scale=None):
    return over_columns(x, scale)


def test_the_audit_finds_what_is_taken_for_another_harmless_or_redundant():
    assert audit.taken_for_another(EXERCISE) == audit.harmless(EXERCISE) == audit.redundant(EXERCISE) == []
    assert audit.harmless(with_mistakes(("right", shares))) == ["right (variant 0)"]
    assert audit.redundant(with_ways(over_columns, over_columns_again)) == ["over-columns (variant 1 = variant 0)"]
    copied = with_mistakes(("copy", lambda x, scale=None: over_columns(x, scale)))
    assert audit.taken_for_another(copied) == ["copy (variant 0) does the same as over-columns"]


def test_shared_variants_that_do_the_same_here_may_differ_in_another_exercise():
    shared = over_columns, over_columns_again
    assert audit.redundant(with_ways(*shared, shared=2)) == []
    found = audit.redundant(with_ways(*shared, lambda x, scale=None: over_columns(x, scale), shared=2))
    assert found == [f"over-columns (variant 2 = variant {n})" for n in (0, 1)]


def test_what_a_card_shows_is_the_mistake_that_it_names_and_the_other_comes_after_it():
    by_parts = replace(EXERCISE, judge_first=("shares",))

    def wrong_sums_too(x, scale=None):
        return over_columns(x, scale)[0], shares(x, scale)[1] + 100

    message = check(by_parts, wrong_sums_too).message
    assert "of your shares" in message.partition("In numbers: ")[2].partition("\n")[0]
    assert "Besides, there is another mistake in sums: it comes next." in message
    assert "Besides" not in check(by_parts, over_columns).message
    only_shown = check(by_parts, lambda x, scale=None: (over_columns(x, scale)[0], shares(x, scale)[1]))
    assert only_shown.diagnosis != "over-columns", "the other parts must follow it"
