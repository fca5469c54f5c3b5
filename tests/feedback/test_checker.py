"""The order in which an answer is judged: stages, first parts, three verdicts, and the example that is shown."""

from dataclasses import replace

import pytest
import torch

from feedback import Misconception, checker
from feedback.report import Report, say
from tests.feedback.sample import EXERCISE, KNOWN, means_not_sums, not_divided, over_columns, scale_added, shares


def check(answer):
    return checker.check(EXERCISE, answer)


def test_an_earlier_stage_is_judged_before_a_later_one():
    """Two mistakes: columns are summed, which shows without a scale, and the scale is added."""
    report = check(lambda x, scale=None: over_columns(x if scale is None else x + scale))
    assert report.diagnosis == "over-columns" and check(scale_added).diagnosis == "scale-added"


def test_an_exception_in_a_later_stage_waits_for_the_earlier_one():
    def raises_with_a_scale(x, scale=None):
        return over_columns(x) if scale is None else over_columns(x @ scale[:, None])[2]

    assert check(raises_with_a_scale).diagnosis == "over-columns"
    report = check(lambda x, scale=None: shares(x) if scale is None else shares(x)[2])
    assert report.status == "error" and "IndexError" in report.message


def test_the_first_parts_of_a_result_are_judged_by_themselves():
    """The sums are those of columns; the shares have a second mistake, so no variant gives the whole result."""

    def two_mistakes(x, scale=None):
        return not_divided(x, scale)[0] + 1, over_columns(x, scale)[1]

    assert check(two_mistakes).diagnosis == "over-columns"


def means_and_tenths(x, scale=None):
    """The means of `means_not_sums`, and shares that were computed from them."""
    _, means = means_not_sums(x, scale)
    return (x if scale is None else x * scale) / means[:, None], means


MEANS_USED = Misconception("means-used", "The shares were made with means.", "Sums.", (means_and_tenths,))


@pytest.mark.parametrize(
    ("others", "diagnosis"),
    [
        (shares, "means-not-sums"),
        (not_divided, "means-not-sums"),  # made without the means, so a mistake in the sums alone
        (means_and_tenths, "means-used"),
        (lambda x, scale=None: (means_and_tenths(x, scale)[0] + 1, None), "means-used"),
    ],
)
def test_a_first_part_is_not_named_against_the_others(others, diagnosis):
    """Both mistakes give the same sums; the shares tell which of them was made."""
    exercise = replace(EXERCISE, misconceptions=(MEANS_USED, KNOWN[4], KNOWN[3]))
    report = checker.check(exercise, lambda x, scale=None: (others(x, scale)[0], means_not_sums(x, scale)[1]))
    assert report.diagnosis == diagnosis


def test_a_mistake_that_is_made_on_some_inputs_only_is_said_to_be():
    for answer, expected in [
        (
            lambda x, scale=None: (over_columns if len(x) == 3 else shares)(x, scale),
            'On 1 of 3 inputs ("a tall table") your results match this mistake: Columns were summed',
        ),
        (
            lambda x, scale=None: (over_columns if scale is None else shares)(x, scale),
            'On 2 of 3 inputs (the first: "a table") your results match this mistake: Columns',
        ),
        (
            lambda x, scale=None: over_columns(x) if scale is None else shares(x, scale**2),
            'Tried on "a table", your result matches this mistake: Columns were summed',
        ),
    ]:
        report = check(answer)
        assert report.diagnosis == "over-columns" and expected in report.message
    assert "inputs" not in check(over_columns).message


def test_evidence_of_a_second_mistake_is_told_besides():
    """The sums show that means were used; the shares have a wrong shape, which is a second mistake."""
    cut = lambda x, scale=None: (means_and_tenths(x, scale)[0][:, :1], means_and_tenths(x, scale)[1])  # noqa: E731
    report = checker.check(replace(EXERCISE, misconceptions=(MEANS_USED,)), cut)
    assert report.diagnosis == "means-used"
    assert 'In numbers: Tried on "a table": the number at 1 of your sums' in report.message
    assert "Besides: shares should have shape (2, 5)" in report.message


def test_an_exception_suggests_only_what_its_line_may_have_done_as_a_likely_cause():
    squared = Misconception("squared", "x was squared.", "Why?", (lambda x, scale=None: x @ x,), raised_in="@")
    exercise = replace(EXERCISE, misconceptions=(squared,))
    report = checker.check(exercise, lambda x, scale=None: x @ x)
    assert report.diagnosis == "squared" and "Likely cause: x was squared." in report.message
    assert checker.check(exercise, lambda x, scale=None: x.matmul(x)).diagnosis is None


def test_an_unknown_mistake_falls_to_a_property_and_then_to_the_smallest_counterexample():
    report = check(lambda x, scale=None: (shares(x, scale)[0] * 2, shares(x, scale)[1]))
    assert report.diagnosis == "rows-do-not-sum-to-1" and "Divide by what?" in report.message
    report = check(lambda x, scale=None: (shares(x, scale)[0].flip(1), shares(x, scale)[1]))
    assert report.status == "wrong" and report.diagnosis is None
    assert "With `x = [[1, 3]]`" in report.message and "[0.7500, 0.2500]" in report.message


def test_the_example_shown_fits_no_other_misconception():
    """Halved sums are means if a row has two numbers; a row of three tells the two apart."""
    two, three = (torch.tensor([[1.0, 3.0]]), None), (torch.tensor([[1.0, 2.0, 5.0]]), None)
    exercise = replace(EXERCISE, minimal_inputs=(two, three), properties=())
    report = checker.check(exercise, lambda x, scale=None: (shares(x, scale)[0], shares(x, scale)[1] / 2))
    assert report.diagnosis is None and "`x = [[1, 2, 5]]`" in report.message


def test_an_answer_that_fails_where_it_may_is_limited():
    def overflows(x, scale=None):
        first, sums = shares(x * 1e20, scale)
        return first, sums / 1e20

    report = check(overflows)
    assert (report.status, report.solved) == ("limited", True)
    assert "The product of two large numbers is not finite. Yours is wrong there." in report.message
    assert "Shares sum to 1." in check(shares).message and "Shares sum to 1." not in report.message


def test_every_test_case_is_run_once():
    calls = []

    def counts(x, scale=None):
        calls.append((len(x), scale is None, float(x.max()) > 1e20))
        return shares(x, scale)

    check(counts)
    assert calls[:4] == [(2, True, False), (3, True, False), (2, False, False), (2, True, True)]
    assert len(calls) == 5  # once more, to see whether a later call changes an earlier result


def test_code_that_hangs_is_run_once(monkeypatch):
    monkeypatch.setattr("feedback.sandbox.PATIENCE", 0.2)
    calls = []

    def hangs(x, scale=None):
        calls.append(1)
        while True:
            pass

    assert check(hangs).diagnosis == "never-ends" and len(calls) == 1


def test_a_result_that_is_kept_for_its_shape_is_found():
    kept = {}

    def remembering(x, scale=None):
        key = x.shape, float(x.sum()) > 1e20, scale is None
        return tuple(part.clone() for part in kept.setdefault(key, shares(x, scale)))

    report = check(remembering)
    assert report.diagnosis == "remembers" and "with other numbers of the same shapes" in report.message


def test_a_card_that_is_too_long_loses_its_inputs_first_and_then_all_numbers():
    def told(words):
        wordy = replace(KNOWN[3], means="Nothing was divided. " * (words // 3))
        return checker.check(replace(EXERCISE, misconceptions=(wordy,)), not_divided).message

    assert "In numbers: With `x = [[1, 1], [1, 1]]` and `scale = None`: the number at [0, 0] of" in told(45)
    assert "In numbers: The number at [0, 0] of your shares is 1.0" in told(66)
    assert "In numbers" not in told(87) and "A share is a part of the sum." in told(87)


def test_an_exercise_may_judge_wrong_results_itself_and_later_stages_only_after_the_earlier_ones():
    def judge(seen):
        return Report.on(seen.exercise, "wrong", say(f"Tried on {len(seen.runs)} of {len(EXERCISE.cases)} inputs."))

    own = replace(EXERCISE, judge=judge, stage_of=lambda args: int(args[0] is not EXERCISE.cases[0].args[0]))
    assert "Tried on 1 of" in checker.check(own, means_not_sums).message
    assert checker.check(own, EXERCISE.reference).status == "correct"
