"""Finding and reading the files of a class, whatever is in them."""

import os
from datetime import datetime, timedelta, timezone

import pytest

from tests.classroom.small import CATALOG, START, attempt, choice, write
from tools.classroom import records
from tools.classroom.records import Reader


def read(*folders):
    reader = Reader(folders, CATALOG)
    return reader.read(), reader.complaints


def names(*folders):
    return [student.name for student in read(*folders)[0]]


# ---- finding


def test_the_folder_of_each_student_is_found_and_names_the_student(tmp_path):
    for place in ("ben", "anna/data", "cleo/attention-by-hand/data", "dan/courses/attention-by-hand/data"):
        write(tmp_path / "monday" / place, attempt(0))
    write(tmp_path / "monday" / "cleo", progress='{"downloads": [1, 2]}')  # of another program
    write(tmp_path / "friday" / "anna", attempt(0))
    for place in ("eve/a/b/c/d/data", ".hidden", "node_modules"):
        write(tmp_path / "monday" / place, attempt(0))  # too deep, or nobody's
    monday, friday = tmp_path / "monday", tmp_path / "friday"
    assert names(monday) == ["anna", "ben", "cleo", "dan"]
    assert names(monday / "anna") == names(monday / "anna", monday / "anna" / "data") == ["anna"]
    assert names(monday, friday) == ["friday/anna", *(f"monday/{name}" for name in ("anna", "ben", "cleo", "dan"))]


def test_a_student_with_many_folders_is_one_student(tmp_path):
    write(tmp_path / "anna" / "data", attempt(0), attempt(5, misconception="no-scale"))
    write(tmp_path / "anna" / "copy" / "data", attempt(0), attempt(9, verdict="correct"))
    write(tmp_path / "anna" / "old", progress='{"0.1": {"status": "wrong", "tries": 2}}')
    write(tmp_path / "ben" / "data", attempt(0))
    students, complaints = read(tmp_path)
    assert [student.name for student in students] == ["anna", "ben"] and complaints == []
    anna = students[0]
    assert [(a.solved, a.misconception) for a in anna.attempts] == [(False, None), (False, "no-scale"), (True, None)]
    assert anna.tries == {"0.1": (False, 2)}


@pytest.mark.skipif(os.name == "nt", reason="needs the right to make links on Windows")
def test_two_ways_to_the_same_folder_count_once(tmp_path):
    write(tmp_path / "anna", attempt(0))
    (tmp_path / "link").symlink_to(tmp_path / "anna")
    assert len(names(tmp_path / "anna", tmp_path / "link")) == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="only on POSIX")
def test_a_pipe_keeps_nobody_waiting(tmp_path):
    write(tmp_path, progress='{"0.1": {"status": "wrong", "tries": 2}}')
    os.mkfifo(tmp_path / "attempts.jsonl")
    [student], complaints = read(tmp_path)
    assert student.tries == {"0.1": (False, 2)} and student.attempts == [] and complaints == []


# ---- reading


def test_what_the_lines_say(tmp_path):
    later = datetime.now(timezone.utc)
    future = [attempt((later - START) / timedelta(minutes=1) + hours * 60, "3.2") for hours in (23, 25, 1_500_000)]
    stopped = attempt(-1, verdict="error"), attempt(-2, verdict="error", misconception="no-scale")
    lines = (attempt(1, "3.1", "correct"), attempt(0, "3.1", "wrong", "no-scale"), choice(2, "a"), choice(3, "b"))
    write(tmp_path, *lines, *stopped, *future)
    [student], [complaint] = read(tmp_path)
    assert [(a.exercise, a.solved, a.misconception) for a in student.attempts] == [
        ("0.1", False, "no-scale"),
        ("0.1", False, "stopped"),  # an error without a known cause
        ("3.1", False, "no-scale"),
        ("3.1", True, None),
        ("3.2", False, None),
    ]
    assert student.choices == {"03.row": "a"}  # the first, which was made before anything was said about it
    assert "2 lines damaged or dated in the future, skipped (line 8 and others)" in complaint


def test_progress_fills_in_what_has_no_line(tmp_path):
    progress = (
        '{"0.1": {"status": "limited", "tries": 4}, "3.1": {"status": "not attempted", "tries": 0}, '
        '"9.9": {"status": "wrong", "tries": 1}, "predictions": {"03.row": {"first": "b", "last": "a"}}}'
    )
    write(tmp_path, attempt(0, "3.2"), progress=progress)
    [student], complaints = read(tmp_path)
    assert student.tries == {"0.1": (True, 4)} and student.choices == {"03.row": "b"}
    assert [a.exercise for a in student.attempts] == ["3.2"] and not complaints


DAMAGED = [
    *("{", "[]", "3", "null", '"text"', "\x00\x00", "\udcff", "[" * 50_000, "1" * 5_000),
    '{"exercise": "0.1", "verdict": "wrong"}',
    *(f'{{"time": {time}, "exercise": "0.1", "verdict": "wrong"}}' for time in (3, '"now"', '"2026-11-22T09:00:00"')),
    *(
        f'{{"time": "2026-11-22T09:00:00+00:00", {rest}}}'
        for rest in (
            '"exercise": ["0.1"], "verdict": "wrong"',
            '"exercise": "<script>", "verdict": "wrong"',
            '"exercise": "0.1", "verdict": "<b>wrong"',
            '"exercise": "0.1", "verdict": {}',
            '"exercise": "0.1", "verdict": "wrong", "misconception": {}',
            '"prediction": "03.row"',
            '"prediction": "03.row", "choice": "z"',
            '"prediction": "03.row", "choice": ["a"]',
            '"prediction": {}, "choice": "a"',
        )
    ),
]


def test_lines_that_say_nothing_cost_a_sentence_for_each_student(tmp_path):
    for number, line in enumerate(DAMAGED):
        content = f"{attempt(0)}\n{line}\n{attempt(1, verdict='correct')}\n"
        (tmp_path / f"{number:02}").mkdir()
        path = tmp_path / f"{number:02}" / "attempts.jsonl"
        path.write_bytes(content.encode("utf-8", errors="surrogateescape"))
    students, complaints = read(tmp_path)
    for line, student, complaint in zip(DAMAGED, students, complaints, strict=True):
        assert [a.solved for a in student.attempts] == [False, True] and student.choices == {}, line
        assert str(tmp_path / student.name / "attempts.jsonl") in complaint, line
        assert "1 line " in complaint and "skipped (line 2)" in complaint and "script" not in complaint, line


def test_a_line_that_is_being_written_is_left_for_the_next_time(tmp_path):
    write(tmp_path, attempt(0))
    reader = Reader([tmp_path], CATALOG)
    with open(tmp_path / "attempts.jsonl", "a", encoding="utf-8") as file:
        half = attempt(1, verdict="correct")
        file.write(half[:20])
        file.flush()
        assert [len(student.attempts) for student in reader.read()] == [1] and len(reader.complaints) == 1
        file.write(half[20:])
    assert [len(student.attempts) for student in reader.read()] == [2] and reader.complaints == []


def test_a_misconception_that_is_not_known_is_not_taken_over(tmp_path):
    write(tmp_path, attempt(0, misconception="<script>alert(1)</script>"), attempt(1, misconception="no-scale"))
    [student], [complaint] = read(tmp_path)
    assert [a.misconception for a in student.attempts] == [None, "no-scale"]
    assert "1 line with a misconception that this edition does not know (line 1)" in complaint
    assert "script" not in complaint


DAMAGED_PROGRESS = [
    *("", "{", "[]", "[" * 50_000, '{"downloads": [1, 2]}', '{"0.1": 3}'),
    '{"0.1": {"status": "correct"}}',
    '{"0.1": {"status": "correct", "tries": "many"}}',
    '{"0.1": {"status": "correct", "tries": -1}}',
    '{"0.1": {"status": "correct", "tries": 1e99}}',
    '{"0.1": {"status": [], "tries": true}}',
    '{"predictions": [1]}',
    '{"predictions": {"03.row": {"first": []}, "x": 1}}',
]


def test_damaged_progress_costs_a_sentence(tmp_path):
    for number, progress in enumerate(DAMAGED_PROGRESS):
        write(tmp_path / f"{number:02}", attempt(0), progress=progress)
    students, complaints = read(tmp_path)
    for progress, student, complaint in zip(DAMAGED_PROGRESS, students, complaints, strict=True):
        assert len(student.attempts) == 1 and student.tries == {} and student.choices == {}, progress
        assert str(tmp_path / student.name / "progress.json") in complaint, progress


def test_of_an_endless_file_only_the_beginning_is_read_and_of_large_progress_nothing(tmp_path, monkeypatch):
    length = len(attempt(0)) + 1
    monkeypatch.setattr(records, "LIMIT", 7 * length + length // 2)
    write(tmp_path, *(attempt(i) for i in range(50)), progress=" " * 50 * length)
    [student], complaints = read(tmp_path)
    assert len(student.attempts) == 7
    assert "progress.json: is larger than" in complaints[0] and "skipped" in complaints[0]
    assert len(complaints) == 2 and "only its beginning is read" in complaints[1]


def test_paths_cannot_steer_the_terminal(tmp_path):
    write(tmp_path / "\x1b[2Jan\u202ena", "{")
    write(tmp_path / "\x1b[2Jan\u202ena" / "twice", attempt(0))
    write(tmp_path / "ben", attempt(0))
    students, complaints = read(tmp_path)
    assert all(text.isprintable() for text in [*complaints, *(student.name for student in students)])
    assert len(complaints) == 1
