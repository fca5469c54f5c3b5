"""Exercises with dropout are judged by statistics; the verdict must not depend on the random draws."""

import pytest
import torch

from exercises import EXERCISES, check
from feedback.compare import allclose

pytestmark = pytest.mark.slow

WITH_DROPOUT = ("4.1", "4.2", "4.3")
DECIDED_BY_COUNTS = {
    *("always-half", "normal-not-uniform", "p-not-used", "same-for-every-query", "only-with-a-generator"),
    *("dropped-twice", "one-draw-for-all", "on-scores-and-weights", "p-kept"),
}


def after_other_draws(answer, count):
    """Return the answer preceded by `count` random draws, so that it drops different elements."""
    if isinstance(answer, type):

        class Later(answer):
            def forward(self, x):
                torch.rand(count)
                return super().forward(x)

        return Later

    def later(*args):
        torch.rand(count, generator=args[-1] if isinstance(args[-1], torch.Generator) else None)
        return answer(*args)

    return later


def require_one_summary(dropout, case, draws, place):
    """Assert that the comparison's summary of a result is the same for all seeds."""
    x, p, _ = case.args
    found = []
    for seed in range(draws):
        torch.manual_seed(seed)
        found.append(EXERCISES["4.1"].comparison.summary(case.args, dropout(x, p, None)))
    assert all(allclose(found[0], other, case, equal_nan=True) for other in found[1:]), place


def test_a_dropout_has_one_summary_for_every_seed():
    exercise = EXERCISES["4.1"]
    for case in exercise.cases:
        if case.args[1]:
            require_one_summary(exercise.reference, case, 60, case.name)
    for known in exercise.misconceptions:
        for number, wrong in enumerate(known.variants):
            require_one_summary(wrong, exercise.cases[0], 20, known.place(number))


@pytest.mark.parametrize("id", WITH_DROPOUT)
def test_right_answers_are_correct_for_every_seed(id):
    for count in (1, 50, 200):
        report = check(id, after_other_draws(EXERCISES[id].reference, count))
        assert report.status == "correct", f"after {count} draws: {report.message}"


@pytest.mark.parametrize("id", WITH_DROPOUT)
def test_wrong_dropout_is_diagnosed_for_every_seed(id):
    for answer in EXERCISES[id].banks().wrong:
        for count in (1, 50, 200) if answer.expected in DECIDED_BY_COUNTS else ():
            report = check(id, after_other_draws(answer.code, count))
            assert report.diagnosis == answer.expected, f"{answer.place} after {count} draws: {report.message}"
