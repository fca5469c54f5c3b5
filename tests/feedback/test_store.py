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
    file = tmp_path / "deep" / "progress.json"
    monkeypatch.setenv("COURSE_PROGRESS", str(file))
    monkeypatch.setattr(COURSE.store, "_unsaved", {})
    monkeypatch.setattr(COURSE.store, "_damage", "")
    return file


@pytest.fixture
def log(record_file):
    """log() is what the log says."""
    file = record_file.with_name("attempts.jsonl")
    return lambda: [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []


def saved(file):
    return json.loads(file.read_text(encoding="utf-8"))


# ---------------------------------------------------------------- what is recorded


def test_what_was_once_solved_stays_solved(record_file):
    check("0.1", sums)
    assert repr(progress()).startswith("First part: 0 of ") and "↻ 0.1" in repr(progress())
    check("0.1", means)
    check("0.1", sums)
    assert repr(progress()).startswith("First part: 1 of ") and "✓ 0.1" in repr(progress())
    assert saved(record_file) == {"0.1": {"status": "correct", "tries": 3}}


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
    assert saved(record_file)["predictions"] == {"02.cards": {"first": "b", "last": "a"}}
    assert COURSE.store.load() == {"0.1": {"status": "correct", "tries": 3}}
    times = [before, *(datetime.fromisoformat(time) for time, _ in said), datetime.now(timezone.utc)]
    assert times == sorted(times)


def test_an_answer_that_passes_again_unchanged_is_no_new_attempt(record_file, log):
    """As when all cells are run again on the next day."""
    check("0.1", means)
    check("0.1", means)
    assert [line["verdict"] for line in log()] == ["correct"]
    record_file.unlink()  # which starts afresh
    check("0.1", means)
    assert len(log()) == 2


def test_code_that_was_given_is_no_attempt_until_it_is_changed(log):
    def project_and_attend(x, W_query, W_key, W_value):
        q, k, v = x @ W_query, x @ W_key, x @ W_value
        # nothing but a comment is new
        scores = q @ k.transpose(-2, -1) / math.sqrt(x.size(-1))
        weights = scores.softmax(dim=-1)
        return weights @ v, weights

    assert check("2.7", project_and_attend).status == "not attempted" and log() == []
    check("2.7", lambda *given: EXERCISES["2.7"].given(*given))
    assert [line["verdict"] for line in log()] == ["wrong"] and COURSE.store.load()["2.7"]["tries"] == 1


def test_what_is_no_attempt_and_no_choice_is_not_recorded(record_file, log):
    def row_means(x):
        raise NotImplementedError

    check("0.1", row_means)
    check("0.1", means, record=False)
    predict("02.cards")
    predict("02.cards", "d")
    assert not record_file.exists() and log() == []


# ---------------------------------------------------------------- what is damaged, or cannot be read or written


@pytest.mark.parametrize(
    "content",
    [
        "{",
        '{"0.1": 3}',
        "\x00",
        "",
        "[" * 100_000,
        '{"0.1": {"status": "done", "tries": 1}}',
        '{"0.1": {"status": "wrong", "tries": "x"}}',
        '{"predictions": {"02.axis": {"first": [], "last": "b"}}}',
    ],
    ids=lambda text: repr(text[:40]),
)
def test_a_damaged_record_is_set_aside_and_begun_again(record_file, content):
    record_file.parent.mkdir()
    for _ in range(2):
        record_file.write_text(content, encoding="utf-8")
        assert repr(progress()).startswith("First part: 0 of ")
        assert repr(progress()).endswith("The file progress.json was damaged and is begun again.")
    check("0.1", means)
    assert repr(progress()).startswith("First part: 1 of ")
    aside = list(record_file.parent.glob("progress.json.unreadable-*"))
    assert [path.read_text(encoding="utf-8") for path in aside] == [content, content]


def test_a_damaged_record_is_made_again_from_the_log(record_file):
    check("0.1", sums)
    check("0.1", means)
    predict("00.trap", "b")
    before = progress()._repr_mimebundle_()
    record_file.write_text("{", encoding="utf-8")
    with open(record_file.with_name("attempts.jsonl"), "a", encoding="utf-8") as log:
        log.write('{"exercise": "0.1", "verdict": "solved"}\n[1]\n{"prediction": "00.view"}\n{"exer')
    said = "The file progress.json was damaged: what you have done was read from the log next to it."
    assert repr(progress()) == f"{before['text/plain']}\n{said}"
    assert said in repr(progress("00")) and said in progress("00")._repr_mimebundle_()["text/html"]
    assert saved(record_file) == {
        "0.1": {"status": "correct", "tries": 2},
        "predictions": {"00.trap": {"first": "b", "last": "b"}},
    }


def test_a_record_that_cannot_be_read_now_is_left_as_it_is(record_file, monkeypatch):
    check("0.1", means)
    before, read_text = record_file.read_bytes(), Path.read_text

    def broken(path, *args, **options):
        if path == record_file:
            raise OSError(5, "Input/output error")
        return read_text(path, *args, **options)

    said = "Your progress cannot be read (Input/output error) and is left as it is; what you do now is not recorded"
    with monkeypatch.context() as patched:
        patched.setattr(type(record_file), "read_text", broken)
        assert said in check("0.1", sums).message and said in repr(progress())
        predict("00.trap", "a")
        assert record_file.read_bytes() == before
    assert sorted(os.listdir(record_file.parent)) == ["attempts.jsonl", record_file.name]
    assert said not in check("0.1", sums).message


def test_a_record_that_cannot_be_saved_is_told_on_the_card_and_by_progress(record_file, monkeypatch):
    said = "Your progress cannot be saved (No space left on device) and is kept only until the kernel stops"

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        assert said in check("0.1", means).message
        predict("02.cards", "b")
        assert said in progress()._repr_mimebundle_()["text/html"] and repr(progress()).startswith("First part: 1 of ")
        assert COURSE.store.choices() == {"02.cards": {"first": "b", "last": "b"}}
    assert said not in check("0.1", means).message
    assert said not in repr(progress()) and '"correct"' in record_file.read_text(encoding="utf-8")


@pytest.mark.slow
def test_two_notebooks_at_once_lose_no_line(record_file):
    file = record_file.with_name("attempts.jsonl")
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    start = [sys.executable, "-c", MANY_ATTEMPTS, str(file)]
    both = [subprocess.Popen([*start, id], env=environment) for id in ("0.1", "1.1")]
    assert [process.wait(timeout=600) for process in both] == [0, 0]
    found = file.read_text(encoding="utf-8").splitlines()
    assert sorted(found) == sorted(id + "x" * i for id in ("0.1", "1.1") for i in range(400))


def test_a_record_locked_by_another_notebook_is_waited_for(record_file, monkeypatch):
    check("0.1", means)
    act, refusals = os.replace, iter([PermissionError("held")] * 3)

    def held(*args):
        for refusal in refusals:
            raise refusal
        act(*args)

    monkeypatch.setattr(os, "replace", held)
    check("0.1", sums)
    assert next(refusals, None) is None
    assert saved(record_file) == {"0.1": {"status": "correct", "tries": 2}}
