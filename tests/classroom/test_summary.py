"""The numbers of a class, in cases that the small class of test_page.py does not have."""

from dataclasses import replace

import pytest

from tests.classroom.small import CATALOG, after, attempt, write
from tools.classroom.records import read
from tools.classroom.summary import summarize


@pytest.mark.parametrize(
    "minutes, now, expected",
    [
        ((0, 3), 3, 0),  # no longer than the exercise's minutes
        ((0, 4), 4, 4),
        ((0,), 20, 20),  # nothing came after it: still at work
        ((0,), 31, 0),  # no longer at work
        ((0, 2, 62, 65), 65, 5),  # the pause of an hour is a break
        ((10, 0), 10, 10),  # lines out of order
        ((0, 5), -60, 5),  # a wrong clock
    ],
)
def test_minutes_of_work(tmp_path, minutes, now, expected):
    write(tmp_path, *map(attempt, minutes))
    rows = summarize(read([tmp_path], CATALOG)[0], CATALOG, after(now).timestamp()).rows
    assert [minutes for minutes, _ in rows[0].stuck] == ([expected] if expected else [])


def test_who_went_on_is_no_longer_at_work_on_it(tmp_path):
    write(tmp_path, attempt(0), attempt(2), attempt(3, "3.1"))
    rows = summarize(read([tmp_path], CATALOG)[0], CATALOG, after(20).timestamp()).rows
    assert rows[0].stuck == () and [minutes for minutes, _ in rows[1].stuck] == [17]


def test_of_attempts_in_the_same_second_only_the_last_goes_on(tmp_path):
    write(tmp_path, attempt(0), attempt(0, "3.1"), attempt(0, "3.2"))
    rows = summarize(read([tmp_path], CATALOG)[0], CATALOG, after(20).timestamp()).rows
    assert [len(row.stuck) for row in rows] == [0, 0, 1]


def test_who_has_solved_it_since_is_not_counted_as_still_there(tmp_path):
    lines = attempt(0), attempt(1, verdict="correct"), attempt(2, misconception="no-scale")
    write(tmp_path / "anna", *lines)
    write(tmp_path / "ben", attempt(0, misconception="no-scale"))
    mistakes = summarize(read([tmp_path], CATALOG)[0], CATALOG, after(3).timestamp()).mistakes
    found = [(each.id, each.students, each.still) for each in mistakes]
    assert found == [("no-scale", 2, 1), ("", 1, 0)]  # a failed attempt without a diagnosis has a row, too


def test_equally_frequent_mistakes_are_in_the_order_of_the_course(tmp_path):
    """Exercise 14.1 comes after 3.1, so ids are not compared as text."""
    late = replace(CATALOG["0.1"], id="14.1")
    catalog = {**CATALOG, "14.1": late}
    write(tmp_path, attempt(0, "14.1", misconception="no-scale"), attempt(1, "3.1", misconception="no-scale"))
    summary = summarize(read([tmp_path], catalog)[0], catalog, after(2).timestamp())
    assert [each.exercise.id for each in summary.mistakes] == ["3.1", "14.1"]
