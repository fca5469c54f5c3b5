"""Finding and reading the files of a class, whatever is in them."""

import os
from datetime import datetime, timedelta, timezone

import pytest

from tests.classroom.small import CATALOG, START, attempt, choice, write
from tools.classroom import records


def read(*folders):
    return records.read(folders, CATALOG)


def names(*folders):
    return [student.name for student in read(*folders)[0]]


# ---- finding files


def test_the_folder_of_each_student_is_found_and_names_the_student(tmp_path):
    for place in ("ben", "anna/data", "cleo/attention-by-hand/data", "dan/courses/attention-by-hand/data"):
        write(tmp_path / place, attempt(0))
    assert names(tmp_path) == ["anna", "ben", "cleo", "dan"]
    assert names(tmp_path / "anna") == names(tmp_path / "anna", tmp_path / "anna" / "data") == ["anna"]


def test_students_in_several_sections_keep_the_name_of_theirs(tmp_path):
    for name in ("monday/anna", "monday/ben", "friday/anna"):
        write(tmp_path / name, attempt(0))
    assert names(tmp_path / "monday", tmp_path / "friday") == ["friday/anna", "monday/anna", "monday/ben"]


def test_a_student_with_many_folders_is_one_student(tmp_path):
    write(tmp_path / "anna" / "data", attempt(0), attempt(5, misconception="no-scale"))
    write(tmp_path / "anna" / "copy" / "data", attempt(0), attempt(9, verdict="correct"))
    write(tmp_path / "ben" / "data", attempt(0))
    students, complaints = read(tmp_path)
    assert [student.name for student in students] == ["anna", "ben"] and complaints == []
    anna = students[0]
    assert [(a.solved, a.mistake) for a in anna.attempts] == [(False, None), (False, "no-scale"), (True, None)]


@pytest.mark.skipif(os.name == "nt", reason="needs the right to make links on Windows")
def test_two_ways_to_the_same_folder_count_once(tmp_path):
    write(tmp_path / "anna", attempt(0))
    (tmp_path / "link").symlink_to(tmp_path / "anna")
    assert len(names(tmp_path / "anna", tmp_path / "link")) == 1


def test_only_a_few_folders_deep_is_searched(tmp_path):
    write(tmp_path.joinpath("anna", *"abcd", "data"), attempt(0))
    write(tmp_path / ".hidden", attempt(0))
    write(tmp_path / "node_modules", attempt(0))
    assert names(tmp_path) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="only on POSIX")
def test_a_pipe_keeps_nobody_waiting(tmp_path):
    (tmp_path / "anna").mkdir()
    os.mkfifo(tmp_path / "anna" / "attempts.jsonl")
    assert read(tmp_path) == ([], [])


# ---- reading files


def test_what_the_lines_say(tmp_path):
    later = datetime.now(timezone.utc)
    future = [attempt((later - START) / timedelta(minutes=1) + hours * 60, "3.2") for hours in (23, 25, 1_500_000)]
    stopped = attempt(-1, verdict="error"), attempt(-2, verdict="error", misconception="no-scale")
    lines = (attempt(1, "3.1", "correct"), attempt(0, "3.1", "wrong", "no-scale"), choice(2, "a"), choice(3, "b"))
    write(tmp_path, *lines, *stopped, *future)
    [student], [complaint] = read(tmp_path)
    assert [(a.exercise, a.solved, a.mistake) for a in student.attempts] == [
        ("0.1", False, "no-scale"),
        ("0.1", False, "stopped"),  # an exception without a known cause
        ("3.1", False, "no-scale"),
        ("3.1", True, None),
        ("3.2", False, None),
    ]
    assert (
        "2 lines damaged, dated in the future or not of this edition of the course, skipped (line 8 and others)"
        in complaint
    )


DAMAGED = [
    "{",
    "[]",
    "3",
    "null",
    '"text"',
    "\x00\x00",
    "\udcff",
    "[" * 50_000,
    "1" * 5_000,
    '{"exercise": "0.1", "verdict": "wrong"}',
    '{"time": 3, "exercise": "0.1", "verdict": "wrong"}',
    '{"time": "yesterday", "exercise": "0.1", "verdict": "wrong"}',
    '{"time": "2026-11-22T09:00:00", "exercise": "0.1", "verdict": "wrong"}',
    '{"time": "2026-11-22T09:00:00+00:00", "exercise": ["0.1"], "verdict": "wrong"}',
    '{"time": "2026-11-22T09:00:00+00:00", "exercise": "0.1", "verdict": "<b>wrong"}',
    '{"time": "2026-11-22T09:00:00+00:00", "exercise": "0.1", "verdict": {}}',
    '{"time": "2026-11-22T09:00:00+00:00", "exercise": "0.1", "verdict": "wrong", "misconception": {}}',
    '{"time": "2026-11-22T09:00:00+00:00", "exercise": "<script>", "verdict": "wrong"}',
]


def test_lines_that_say_nothing_cost_a_sentence_for_each_student(tmp_path):
    for number, line in enumerate(DAMAGED):
        content = f"{attempt(0)}\n{line}\n{attempt(1, verdict='correct')}\n"
        (tmp_path / f"{number:02}").mkdir()
        path = tmp_path / f"{number:02}" / "attempts.jsonl"
        path.write_bytes(content.encode("utf-8", errors="surrogateescape"))
    students, complaints = read(tmp_path)
    for line, student, complaint in zip(DAMAGED, students, complaints, strict=True):
        assert [a.solved for a in student.attempts] == [False, True], line
        assert str(tmp_path / student.name / "attempts.jsonl") in complaint, line
        assert "1 line " in complaint and "skipped (line 2)" in complaint and "script" not in complaint, line


def test_a_misconception_that_is_not_known_is_not_taken_over(tmp_path):
    write(tmp_path, attempt(0, misconception="<script>alert(1)</script>"), attempt(1, misconception="no-scale"))
    [student], complaints = read(tmp_path)
    assert [a.mistake for a in student.attempts] == [None, "no-scale"] and complaints == []


def test_an_endless_file_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "LIMIT", 100)
    write(tmp_path, *(attempt(i) for i in range(50)))
    students, [complaint] = read(tmp_path)
    assert students == [] and "is larger than" in complaint


def test_paths_cannot_steer_the_terminal(tmp_path):
    write(tmp_path / "\x1b[2Jan\u202ena", "{")
    write(tmp_path / "\x1b[2Jan\u202ena" / "twice", attempt(0))
    write(tmp_path / "ben", attempt(0))
    students, complaints = read(tmp_path)
    assert all(text.isprintable() for text in [*complaints, *(student.name for student in students)])
    assert len(complaints) == 1
