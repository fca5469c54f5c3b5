"""The line that each attempt and each prediction leaves."""

import json
import math
import os
import re
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

import pytest

from exercises import COURSE, EXERCISES, check, predict
from feedback.files import append

PROJECT = Path(__file__).resolve().parents[2]
MANY_ATTEMPTS = """
import sys
from pathlib import Path
from feedback.files import append
for i in range(400):
    append(Path(sys.argv[1]), sys.argv[2] + "x" * i)
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_PROGRESS", str(tmp_path / "deep" / "progress.json"))
    monkeypatch.setattr(COURSE.store, "_unsaved", {})
    return tmp_path / "deep" / "attempts.jsonl"


def lines(file):
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def row_means(x):
    raise NotImplementedError


def test_an_attempt_leaves_its_time_exercise_verdict_and_misconception(file):
    before = datetime.now(timezone.utc).replace(microsecond=0)
    check("0.1", lambda secret: secret.sum(1))
    check("0.1", lambda x: x.mean(1))
    check("0.1", lambda x: x.does_not_exist())
    said = [(line.pop("time"), line) for line in lines(file)]
    assert [line for _, line in said] == [
        {"exercise": "0.1", "verdict": "wrong", "misconception": "sum-not-mean"},
        {"exercise": "0.1", "verdict": "correct", "misconception": None},
        {"exercise": "0.1", "verdict": "error", "misconception": None},
    ]
    times = [before, *(datetime.fromisoformat(time) for time, _ in said), datetime.now(timezone.utc)]
    assert times == sorted(times)


def means(x):
    return x.mean(1)


def test_an_answer_that_passes_again_unchanged_is_no_new_attempt(file):
    """As when all cells are run again on the next day."""
    check("0.1", means)
    check("0.1", means)
    assert [line["verdict"] for line in lines(file)] == ["correct"]
    file.with_name("progress.json").unlink()  # which starts afresh
    check("0.1", means)
    assert len(lines(file)) == 2


def test_a_function_that_is_not_written_yet_is_no_attempt(file):
    assert check("0.1", row_means).status == "not attempted"
    assert not file.exists()


def test_code_that_was_given_is_no_attempt_until_it_is_changed(file):
    def project_and_attend(x, W_query, W_key, W_value):
        q, k, v = x @ W_query, x @ W_key, x @ W_value
        # nothing but a comment is new
        scores = q @ k.transpose(-2, -1) / math.sqrt(x.size(-1))
        weights = scores.softmax(dim=-1)
        return weights @ v, weights

    given = EXERCISES["2.7"].given
    assert check("2.7", given).status == check("2.7", project_and_attend).status == "not attempted"
    assert not file.exists() and "2.7" not in COURSE.store.load()
    check("2.7", lambda x, W_query, W_key, W_value: given(x, W_query, W_key, W_value))
    assert [line["verdict"] for line in lines(file)] == ["wrong"] and COURSE.store.load()["2.7"]["tries"] == 1


def test_a_check_that_is_not_recorded_leaves_no_line(file):
    check("0.1", lambda x: x.mean(1), record=False)
    assert not file.exists()


def test_every_choice_leaves_a_line(file):
    predict("02.cards", "b")
    predict("02.cards").choose("a")  # as its buttons do
    predict("02.cards", "no such answer")
    assert [(line["prediction"], line["choice"]) for line in lines(file)] == [("02.cards", "b"), ("02.cards", "a")]
    assert all(line.keys() == {"time", "prediction", "choice"} for line in lines(file))


def test_nothing_is_written_where_the_progress_is_kept_in_memory(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_PROGRESS", "memory")
    monkeypatch.chdir(tmp_path)
    own = PROJECT / "data" / "attempts.jsonl"
    before = own.exists() and own.stat().st_size
    check("0.1", lambda x: x.mean(1))
    assert list(tmp_path.iterdir()) == []
    assert (own.exists() and own.stat().st_size) == before


@pytest.mark.parametrize("obstacle", ["folder", "file"])
def test_a_line_that_cannot_be_written_costs_nothing(tmp_path, monkeypatch, obstacle):
    monkeypatch.setattr(COURSE.store, "_unsaved", {})
    if obstacle == "folder":
        (tmp_path / "attempts.jsonl").mkdir()
        monkeypatch.setenv("COURSE_PROGRESS", str(tmp_path / "progress.json"))
    else:
        (tmp_path / "file").touch()
        monkeypatch.setenv("COURSE_PROGRESS", str(tmp_path / "file" / "progress.json"))
    assert check("0.1", lambda x: x.mean(1)).status == "correct"


def test_a_half_written_line_does_not_spoil_the_next(file):
    file.parent.mkdir()
    file.write_text('{"time": "2026-', encoding="utf-8")
    append(file, "wrong")
    append(file, "correct")
    assert file.read_text(encoding="utf-8").splitlines() == ['{"time": "2026-', "wrong", "correct"]


@pytest.mark.slow
def test_two_notebooks_at_once_lose_no_line(file):
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    start = [sys.executable, "-c", MANY_ATTEMPTS, str(file)]
    both = [subprocess.Popen([*start, id], env=environment) for id in ("0.1", "1.1")]
    assert [process.wait(timeout=600) for process in both] == [0, 0]
    found = file.read_text(encoding="utf-8").splitlines()
    assert sorted(found) == sorted(id + "x" * i for id in ("0.1", "1.1") for i in range(400))


def test_git_ignores_the_file():
    ignored = (PROJECT / ".gitignore").read_text(encoding="utf-8")
    assert re.search(r"^data/attempts\.jsonl$", ignored, re.MULTILINE)
