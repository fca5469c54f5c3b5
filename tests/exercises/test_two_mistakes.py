"""Answers with two mistakes at once: over all exercises, at least half are told one of the two."""

import pytest

from exercises import EXERCISES, check


@pytest.mark.slow
def test_half_of_the_answers_with_two_mistakes_are_told_one_of_them():
    found = [(each, check(id, each.code).diagnosis) for id in EXERCISES for each in EXERCISES[id].banks().two_mistakes]
    assert len(found) >= 60
    others = [each.place for each, diagnosis in found if diagnosis not in each.expected]
    assert len(others) <= len(found) / 2, others
