"""Exercises with dropout are judged by statistics: the verdict must be the same whatever is drawn."""

import pytest
import torch

from exercises import EXERCISES, check
from feedback.compare import allclose

pytestmark = pytest.mark.slow

WITH_DROPOUT = ("4.1", "4.2", "4.3")
DECIDED_BY_COUNTS = (
    "always-half",
    "normal-not-uniform",
    "p-not-used",
    "same-for-every-query",
    "only-with-a-generator",
    "dropped-twice",
    "one-draw-for-all",
    "on-scores-and-weights",
    "p-kept",
)


def after_other_draws(answer, count):
    """The same answer, after `count` random numbers were drawn: it drops others."""
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


def summaries(dropout, case, seeds):
    x, p, _ = case.args
    for seed in seeds:
        torch.manual_seed(seed)
        yield EXERCISES["4.1"].comparison.summary(case.args, dropout(x, p, None))


def same(summary, other, case):
    return allclose(summary, other, case, equal_nan=True)


def test_right_dropouts_have_one_summary_for_every_seed():
    for case in EXERCISES["4.1"].cases:
        if case.args[1]:
            first, *others = summaries(EXERCISES["4.1"].reference, case, range(60))
            assert all(same(first, other, case) for other in others), case.name


def test_wrong_dropouts_have_one_summary_for_every_seed():
    case = EXERCISES["4.1"].cases[0]
    for known in EXERCISES["4.1"].misconceptions:
        for number, wrong in enumerate(known.variants):
            first, *others = summaries(wrong, case, range(20))
            assert all(same(first, other, case) for other in others), known.place(number)


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
