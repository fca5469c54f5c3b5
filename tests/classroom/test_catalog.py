"""The course's texts, kept so that PyTorch need not be imported."""

import ast
import json
import os

import pytest

from exercises import EXERCISES
from tools.classroom import catalog

ROOT = catalog.ROOT


@pytest.fixture(scope="module")
def collected():
    return catalog.collect()


def test_it_holds_what_the_exercises_say(collected):
    assert list(collected.exercises) == list(EXERCISES)
    softmax = collected.exercises["2.2"]
    assert (softmax.name, softmax.minutes, softmax.notebook) == ("softmax", EXERCISES["2.2"].minutes, "02")
    for known in EXERCISES["2.2"].misconceptions:
        assert softmax.mistakes[known.id] == (known.means, known.hint)
    assert collected.predictions["02.cards"].right in collected.predictions["02.cards"].answers


@pytest.mark.slow
def test_every_diagnosis_that_a_check_can_give_is_known(collected):
    for id, exercise in collected.exercises.items():
        met = {answer.expected for answer in EXERCISES[id].banks().wrong}
        assert met - {None} <= set(exercise.mistakes), id


@pytest.mark.slow
def test_every_violation_of_a_contract_is_known(collected):
    """Their ids are constants in the source: the first argument of a violation, or `diagnosis`."""
    found = set()
    for path in [*(ROOT / "feedback").glob("*.py"), *(ROOT / "exercises").rglob("*.py")]:
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(call, ast.Call):
                continue
            name = getattr(call.func, "id", getattr(call.func, "attr", ""))
            first = call.args[:1] if name in ("ContractViolation", "Violation") else []
            for value in (*first, *(word.value for word in call.keywords if word.arg == "diagnosis")):
                found |= {leaf.value for leaf in ast.walk(value) if isinstance(leaf, ast.Constant) and leaf.value}
    assert {"wrong-shape", "syntax-error", "no-init"} <= found
    assert found <= set(catalog.GENERAL)


def test_it_is_kept_until_a_file_changes(tmp_path, monkeypatch, collected):
    calls = []
    monkeypatch.setattr(catalog, "collect", lambda: calls.append(1) or collected)
    cache = tmp_path / "cache" / "catalog.json"
    first = catalog.load(cache)
    assert catalog.load(cache) == catalog.restored(json.loads(json.dumps(catalog.asdict(first)))) and len(calls) == 1
    monkeypatch.setattr(catalog, "fingerprint", lambda: "another")
    catalog.load(cache)
    assert len(calls) == 2


def test_the_fingerprint_changes_with_the_files(tmp_path, monkeypatch):
    monkeypatch.setattr(catalog, "ROOT", tmp_path)
    monkeypatch.setattr(catalog, "__file__", str(tmp_path / "tools" / "catalog.py"))
    file = tmp_path / "exercises" / "n00_start_here" / "row_means.md"
    file.parent.mkdir(parents=True)
    file.write_text("one", encoding="utf-8")
    before = catalog.fingerprint()
    assert catalog.fingerprint() == before
    os.utime(file, ns=(1, 1))
    assert catalog.fingerprint() != before


@pytest.mark.parametrize("content", ["", "{", "[]", '{"made_from": "KEY"}', '{"made_from": "KEY", "catalog": {}}'])
def test_a_damaged_catalog_is_made_again(tmp_path, monkeypatch, collected, content):
    monkeypatch.setattr(catalog, "collect", lambda: collected)
    cache = tmp_path / "catalog.json"
    cache.write_text(content.replace("KEY", catalog.fingerprint()), encoding="utf-8")
    assert catalog.load(cache) is collected
    assert json.loads(cache.read_text(encoding="utf-8"))["catalog"]["notebooks"] == collected.notebooks


def test_it_works_where_nothing_can_be_kept(tmp_path, monkeypatch, collected):
    monkeypatch.setattr(catalog, "collect", lambda: collected)
    (tmp_path / "file").touch()
    assert catalog.load(tmp_path / "file" / "catalog.json") is collected
