"""The record of what has been solved."""

import json
import os

import pytest

from exercises import COURSE, check, predict, progress


def sums(x):
    return x.sum()


@pytest.fixture
def record_file(tmp_path, monkeypatch):
    file = tmp_path / "deep" / "progress.json"
    monkeypatch.setenv("COURSE_PROGRESS", str(file))
    monkeypatch.setattr(COURSE.store, "_unsaved", {})
    monkeypatch.setattr(COURSE.store, "_damage", "")
    return file


def test_progress_remembers_what_was_solved(record_file):
    check("0.1", sums)
    assert repr(progress()).startswith("First part: 0 of ") and "↻ 0.1" in repr(progress())
    check("0.1", lambda x: x.mean(1))
    check("0.1", sums)
    assert repr(progress()).startswith("First part: 1 of ") and "✓ 0.1" in repr(progress())
    assert json.loads(record_file.read_text(encoding="utf-8")) == {"0.1": {"status": "correct", "tries": 3}}


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        "[1, 2]",
        '{"0.1": 3}',
        '{"0.1": {}}',
        "\x00",
        "null",
        "",
        "[" * 100_000,
        '{"0.1": {"status": "done", "tries": 1}}',
        '{"0.1": {"status": "wrong", "tries": "x"}}',
        '{"0.1": {"status": [], "tries": null}}',
    ],
    ids=lambda text: repr(text[:40]),
)
def test_a_corrupt_record_is_set_aside_and_nothing_is_lost(record_file, content):
    record_file.parent.mkdir()
    record_file.write_text(content, encoding="utf-8")
    assert repr(progress()).startswith("First part: 0 of ")
    check("0.1", lambda x: x.mean(1))
    assert repr(progress()).startswith("First part: 1 of ")
    [aside] = record_file.parent.glob("progress.json.unreadable-*")
    assert aside.read_text(encoding="utf-8") == content


def test_what_was_set_aside_is_never_overwritten(record_file):
    record_file.parent.mkdir()
    for content in ("{", "[", "null"):
        record_file.write_text(content, encoding="utf-8")
        progress()
    aside = record_file.parent.glob("progress.json.unreadable-*")
    assert {path.read_text(encoding="utf-8") for path in aside} == {"{", "[", "null"}


def test_a_record_that_cannot_be_read_now_is_left_as_it_is(record_file, monkeypatch):
    check("0.1", lambda x: x.mean(1))
    predict("00.trap", "b")
    before = record_file.read_bytes()
    read_text = type(record_file).read_text

    def broken(path, *args, **options):
        if path == record_file:
            raise OSError(5, "Input/output error")
        return read_text(path, *args, **options)

    said = "Your progress cannot be read (Input/output error) and is left as it is"
    with monkeypatch.context() as patched:
        patched.setattr(type(record_file), "read_text", broken)
        assert said in check("0.1", sums).message
        predict("00.trap", "a")
        assert said in repr(progress()) and "↻ 0.1" in repr(progress())
        assert record_file.read_bytes() == before
    assert sorted(os.listdir(record_file.parent)) == ["attempts.jsonl", record_file.name]
    assert said not in check("0.1", sums).message
    assert json.loads(record_file.read_text(encoding="utf-8")) == {
        "0.1": {"status": "correct", "tries": 2},
        "predictions": {"00.trap": {"first": "b", "last": "a"}},
    }


def test_a_damaged_record_is_made_again_from_the_log(record_file):
    check("0.1", sums)
    check("0.1", lambda x: x.mean(1))
    predict("00.trap", "b")
    before = progress()._repr_mimebundle_()
    record_file.write_text("{", encoding="utf-8")
    with open(record_file.with_name("attempts.jsonl"), "a", encoding="utf-8") as log:
        log.write('{"exercise": "0.1", "verdict": "solved"}\n[1]\n{"prediction": "00.view"}\n{"exer')
    said = "The file progress.json was damaged: what you have done was read from the log next to it."
    assert repr(progress()) == f"{before['text/plain']}\n{said}"
    assert said in repr(progress("00")) and said in progress("00")._repr_mimebundle_()["text/html"]
    record = json.loads(record_file.read_text(encoding="utf-8"))
    assert record == {
        "0.1": {"status": "correct", "tries": 2},
        "predictions": {"00.trap": {"first": "b", "last": "b"}},
    }


def test_a_record_that_cannot_be_saved_is_told_on_the_card_and_by_progress(record_file, monkeypatch):
    said = "Your progress cannot be saved (No space left on device) and is kept only until the kernel stops"

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        assert said in check("0.1", lambda x: x.mean(1)).message
        assert said in progress()._repr_mimebundle_()["text/html"] and repr(progress()).startswith("First part: 1 of ")
    assert said not in check("0.1", lambda x: x.mean(1)).message
    assert said not in repr(progress()) and '"correct"' in record_file.read_text(encoding="utf-8")


@pytest.mark.parametrize("busy", ["replace", "read_text"])
def test_a_record_locked_by_another_notebook_is_waited_for(record_file, monkeypatch, busy):
    check("0.1", lambda x: x.mean(1))
    place = os if busy == "replace" else type(record_file)
    act, refusals = getattr(place, busy), iter([PermissionError("held")] * 3)

    def held(*args, **options):
        for refusal in refusals:
            raise refusal
        return act(*args, **options)

    monkeypatch.setattr(place, busy, held)
    check("0.1", lambda x: x.mean(1))
    monkeypatch.undo()
    assert next(refusals, None) is None
    assert json.loads(record_file.read_text(encoding="utf-8")) == {"0.1": {"status": "correct", "tries": 2}}
    assert sorted(os.listdir(record_file.parent)) == ["attempts.jsonl", record_file.name]


def test_the_record_is_kept_in_memory_where_nothing_can_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("COURSE_PROGRESS", str(tmp_path / "file" / "progress.json"))
    monkeypatch.setattr(COURSE.store, "_unsaved", {})
    monkeypatch.setattr(COURSE.store, "_damage", "")
    check("0.1", lambda x: x.mean(1))
    assert repr(progress()).startswith("First part: 1 of ")


def test_tests_never_touch_the_learners_own_record():
    assert os.environ["COURSE_PROGRESS"] == "memory" and COURSE.store.path is None
