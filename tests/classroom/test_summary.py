"""The numbers, against a class that was counted by hand."""

from dataclasses import replace

import pytest

from tests.classroom.small import CATALOG, after, attempt, choice, write
from tools.classroom.records import Reader
from tools.classroom.summary import percent, summarize


def test_a_small_class(tmp_path):
    """Anna solves 0.1 at her second attempt. Ben has been trying 0.1 for 14 minutes, and Cleo solved it long ago."""
    no_scale = [attempt(minutes, misconception="no-scale") for minutes in (0, 4)]
    write(tmp_path / "anna", no_scale[0], attempt(2, verdict="correct"), choice(3, "b"))
    write(tmp_path / "ben", *no_scale, attempt(10, misconception="upside-down"), choice(10, "a"))
    write(tmp_path / "cleo", progress='{"0.1": {"status": "correct", "tries": 5}}')
    summary = summarize(Reader([tmp_path], CATALOG).read(), CATALOG, now=after(14).timestamp())
    assert (summary.students, summary.active, summary.attempts) == (3, 2, 10)
    first, *others = summary.rows
    assert (first.solved, first.trying, first.attempts, first.share) == (2, 1, 10, 67)
    assert all((row.solved, row.trying, row.attempts, row.share) == (0, 0, 0, 0) for row in others)
    [ben] = first.stuck
    assert (ben.name, ben.minutes, ben.mistake[1]) == ("ben", 14, "Which triangle?")
    found = [(each.id, each.students, each.attempts, each.still) for each in summary.mistakes]
    assert found == [("no-scale", 2, 3, 0), ("upside-down", 1, 1, 1)]
    [poll] = summary.polls
    assert poll.chosen == {"a": 1, "b": 1} and poll.total == 2


@pytest.mark.parametrize(
    "minutes, now, expected",
    [
        ((0, 3), 3, 0),  # no longer than the exercise's minutes
        ((0, 4), 4, 4),
        ((0,), 20, 20),  # nothing came after it: still at it
        ((0,), 31, 0),  # gone
        ((0, 2, 62, 65), 65, 5),  # an hour is a break
        ((10, 0), 10, 10),  # lines in another order
        ((0, 5), -60, 5),  # a clock that is wrong
    ],
)
def test_minutes_of_work(tmp_path, minutes, now, expected):
    write(tmp_path, *map(attempt, minutes))
    rows = summarize(Reader([tmp_path], CATALOG).read(), CATALOG, after(now).timestamp()).rows
    assert [each.minutes for each in rows[0].stuck] == ([expected] if expected else [])


def test_who_went_on_is_no_longer_at_work_on_it(tmp_path):
    write(tmp_path, attempt(0), attempt(2), attempt(3, "3.1"))
    rows = summarize(Reader([tmp_path], CATALOG).read(), CATALOG, after(20).timestamp()).rows
    assert rows[0].stuck == () and [each.minutes for each in rows[1].stuck] == [17]


def test_of_attempts_in_the_same_second_only_the_last_goes_on(tmp_path):
    write(tmp_path, attempt(0), attempt(0, "3.1"), attempt(0, "3.2"))
    rows = summarize(Reader([tmp_path], CATALOG).read(), CATALOG, after(20).timestamp()).rows
    assert [len(row.stuck) for row in rows] == [0, 0, 1]


def test_who_has_solved_it_since_is_not_counted_as_still_there(tmp_path):
    lines = attempt(0), attempt(1, verdict="correct"), attempt(2, misconception="no-scale")
    write(tmp_path / "anna", *lines)
    write(tmp_path / "ben", attempt(0, misconception="no-scale"))
    mistakes = summarize(Reader([tmp_path], CATALOG).read(), CATALOG, after(3).timestamp()).mistakes
    found = [(each.id, each.students, each.still) for each in mistakes]
    assert found == [("no-scale", 2, 1), ("", 1, 0)]  # a failed attempt without a diagnosis has a row, too


def test_equally_frequent_mistakes_are_in_the_order_of_the_course(tmp_path):
    """Notebook 14 comes after 03: the ids are no words."""
    late = replace(CATALOG.exercises["0.1"], id="14.1")
    catalog = replace(CATALOG, exercises={**CATALOG.exercises, "14.1": late})
    write(tmp_path, attempt(0, "14.1", misconception="no-scale"), attempt(1, "3.1", misconception="no-scale"))
    summary = summarize(Reader([tmp_path], catalog).read(), catalog, after(2).timestamp())
    assert [each.exercise.id for each in summary.mistakes] == ["3.1", "14.1"]


def test_all_and_none_are_not_rounded_to():
    cases = {(0, 0): 0, (0, 9): 0, (9, 9): 100, (1, 1000): 1, (999, 1000): 99, (1, 8): 13, (2, 3): 67}
    assert {case: percent(*case) for case in cases} == cases
