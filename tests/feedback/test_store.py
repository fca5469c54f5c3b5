"""The record of what has been solved and predicted, and the line that each attempt and each prediction leaves."""

import json
import math
import os
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

import pytest

from exercises import COURSE, EXERCISES, check, predict, progress
from feedback import store

PROJECT = Path(__file__).resolve().parents[2]
MANY_ATTEMPTS = """
import sys
from pathlib import Path
from feedback.files import append
for i in range(400):
    append(Path(sys.argv[1]), sys.argv[2] + "x" * i)
"""


def sums(x):
    return x.sum()


def means(x):
    return x.mean(1)


@pytest.fixture
def record_file(tmp_path, monkeypatch):
    file = tmp_path / "deep" / "attempts.jsonl"
    monkeypatch.setenv("COURSE_PROGRESS", str(file))
    monkeypatch.setattr(COURSE.store, "_unsaved", [])
    return file


@pytest.fixture
def log(record_file):
    """log() returns the entries of the record."""

    def lines():
        text = record_file.read_text(encoding="utf-8") if record_file.exists() else ""
        return [json.loads(line) for line in text.splitlines()]

    return lines


# ---------------------------------------------------------------- what is recorded


def test_what_was_once_solved_stays_solved(record_file):
    check("0.1", sums)
    assert repr(progress()).startswith("First part: 0 of ") and "↻ 0.1" in repr(progress())
    check("0.1", means)
    check("0.1", sums)
    assert repr(progress()).startswith("First part: 1 of ") and "✓ 0.1" in repr(progress())
    assert COURSE.store.load() == {"0.1": "correct"}


def test_each_attempt_and_each_choice_leaves_a_line_with_its_time(record_file, log):
    before = datetime.now(timezone.utc).replace(microsecond=0)
    check("0.1", lambda secret: secret.sum(1))
    check("0.1", means)
    check("0.1", lambda x: x.does_not_exist())
    predict("02.cards", "b")
    predict("02.cards").choose("a")  # as its buttons do
    said = [(line.pop("time"), line) for line in log()]
    assert [line for _, line in said] == [
        {"exercise": "0.1", "verdict": "wrong", "misconception": "sum-not-mean"},
        {"exercise": "0.1", "verdict": "correct", "misconception": None},
        {"exercise": "0.1", "verdict": "error", "misconception": None},
        {"prediction": "02.cards", "choice": "b"},
        {"prediction": "02.cards", "choice": "a"},
    ]
    assert COURSE.store.choices() == {"02.cards": "a"} and COURSE.store.load() == {"0.1": "correct"}
    times = [before, *(datetime.fromisoformat(time) for time, _ in said), datetime.now(timezone.utc)]
    assert times == sorted(times)


def test_an_answer_that_passes_again_unchanged_is_no_new_attempt(record_file, log):
    """As when all cells are run again on the next day."""
    check("0.1", means)
    check("0.1", means)
    assert [line["verdict"] for line in log()] == ["correct"]
    record_file.unlink()  # which starts afresh
    check("0.1", means)
    assert len(log()) == 1


def test_code_that_was_given_is_no_attempt_until_it_is_changed(log):
    def project_and_attend(x, W_query, W_key, W_value):
        q, k, v = x @ W_query, x @ W_key, x @ W_value
        # nothing but a comment is new
        scores = q @ k.transpose(-2, -1) / math.sqrt(x.size(-1))
        weights = scores.softmax(dim=-1)
        return weights @ v, weights

    given = EXERCISES["2.7"].given
    assert check("2.7", given).status == check("2.7", project_and_attend).status == "not attempted"
    assert log() == [] and "2.7" not in COURSE.store.load()
    check("2.7", lambda x, W_query, W_key, W_value: given(x, W_query, W_key, W_value))
    assert [line["verdict"] for line in log()] == ["wrong"]


def test_what_is_no_attempt_and_no_choice_is_not_recorded(record_file, log):
    def row_means(x):
        raise NotImplementedError

    check("0.1", row_means)
    predict("02.cards")
    predict("02.cards", "d")
    assert not record_file.exists()


# ---------------------------------------------------------------- what is damaged, or cannot be read or written


def test_a_damaged_line_says_nothing_and_hides_no_other(record_file):
    check("0.1", sums)
    check("0.1", means)
    predict("00.trap", "b")
    before = progress()._repr_mimebundle_()
    damaged = (
        "{",
        "[1]",
        "\x00",
        "[" * 100_000,
        '{"exercise": "0.1", "verdict": "solved"}',
        '{"prediction": "00.view"}',
    )
    with open(record_file, "a", encoding="utf-8") as file:
        file.write("\n".join((*damaged, '{"exercise": ["0.1"], "verdict": {}}', '{"exer')))
    assert progress()._repr_mimebundle_() == before


def test_a_record_that_cannot_be_read_now_is_told_and_added_to(record_file, monkeypatch):
    check("0.1", lambda x: x.mean(1))
    read_bytes = type(record_file).read_bytes

    def broken(path):
        if path == record_file:
            raise OSError(5, "Input/output error")
        return read_bytes(path)

    with monkeypatch.context() as patched:
        patched.setattr(type(record_file), "read_bytes", broken)
        assert "Your progress cannot be read (Input/output error): make" in repr(progress())
        check("0.1", sums)
    assert COURSE.store.load() == {"0.1": "correct"} and "cannot be read" not in repr(progress())
    assert len(record_file.read_text(encoding="utf-8").splitlines()) == 2


def test_a_record_that_cannot_be_saved_is_told_on_the_card_and_by_progress(record_file, monkeypatch):
    said = "Your progress cannot be saved (No space left on device) and is kept only until the kernel stops"

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(store, "append", full)
        assert said in check("0.1", lambda x: x.mean(1)).message
        predict("02.cards", "b")
        assert said in progress()._repr_mimebundle_()["text/html"] and repr(progress()).startswith("First part: 1 of ")
        assert COURSE.store.choices() == {"02.cards": "b"}
    assert said not in check("0.1", lambda x: x.mean(1)).message
    assert said not in repr(progress()) and '"correct"' in record_file.read_text(encoding="utf-8")


@pytest.mark.slow
def test_two_notebooks_at_once_lose_no_line(record_file):
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    start = [sys.executable, "-c", MANY_ATTEMPTS, str(record_file)]
    both = [subprocess.Popen([*start, id], env=environment) for id in ("0.1", "1.1")]
    assert [process.wait(timeout=600) for process in both] == [0, 0]
    found = record_file.read_text(encoding="utf-8").splitlines()
    assert sorted(found) == sorted(id + "x" * i for id in ("0.1", "1.1") for i in range(400))
