"""Answers with two mistakes at once: over all exercises, at least half are told one of the two."""

import importlib
import importlib.util

import pytest
from feedback.bank import TwoMistakes

from exercises import EXERCISES, check


def answers():
    """(exercise, answer, its two mistakes) of every bank of answers with two mistakes."""
    for id in EXERCISES:
        name = EXERCISES.module_of(id).removesuffix(".exercise") + ".answers_two_mistakes"
        if importlib.util.find_spec(name):
            banks = [value for value in vars(importlib.import_module(name)).values() if isinstance(value, TwoMistakes)]
            yield from ((id, answer, mistakes) for bank in banks for answer, mistakes in bank.answers)


@pytest.mark.slow
def test_half_of_the_answers_with_two_mistakes_are_told_one_of_them():
    found = [(id, answer.__name__, check(id, answer).diagnosis, mistakes) for id, answer, mistakes in answers()]
    assert len(found) >= 60
    named = [entry for entry in found if entry[2] in entry[3]]
    assert len(named) >= len(found) / 2, [entry for entry in found if entry not in named]
