"""Answers with two mistakes at once: in a sample, at least three of four cards name one of the two."""

import pytest
import torch

from exercises import EXERCISES, check


@pytest.mark.slow
def test_three_of_four_answers_with_two_mistakes_are_told_one_of_them():
    answers = [(id, each) for id in EXERCISES for each in EXERCISES[id].banks().two_mistakes][::3]
    found = [(each, check(id, each.code).diagnosis) for id, each in answers]
    assert len(found) >= 20
    others = [each.place for each, diagnosis in found if diagnosis not in each.expected]
    assert len(others) <= len(found) / 4, others


def test_two_mistakes_that_show_on_every_input_are_both_told():
    def mask_by_filling(scores, mask):
        return torch.softmax(torch.where(mask, -torch.inf, scores), dim=-2)

    report = check("3.3", mask_by_filling)
    assert {report.diagnosis, report.second} == {"true-hides", "over-queries"}
    for known in EXERCISES["3.3"].misconceptions:
        if known.id in (report.diagnosis, report.second):
            assert known.means in report.message


def test_results_that_are_the_same_for_every_input_are_not_explained_by_two_mistakes():
    report = check("1.1", lambda text, vocabulary: [])
    assert report.status == "wrong" and report.second is None
