"""The class view's catalog of exercises and mistakes."""

import ast
from pathlib import Path

import pytest

from exercises import EXERCISES
from tools.classroom import catalog

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def collected():
    return catalog.collect()


def test_it_holds_what_the_exercises_say(collected):
    assert list(collected) == list(EXERCISES)
    softmax = collected["2.2"]
    assert (softmax.name, softmax.minutes, softmax.notebook) == ("softmax", EXERCISES["2.2"].minutes, "02")
    for known in EXERCISES["2.2"].misconceptions:
        assert softmax.mistakes[known.id] == (known.means, known.hint)
    assert softmax.mistakes["wrong-shape"] == ("Wrong shape.", "")


@pytest.mark.slow
def test_every_diagnosis_that_a_check_can_give_is_known(collected):
    for id, exercise in collected.items():
        met = {answer.expected for answer in EXERCISES[id].banks().wrong}
        assert met - {None} <= set(exercise.mistakes), id


@pytest.mark.slow
def test_every_violation_of_a_contract_is_known():
    """Their ids are constants in the source: the first argument of a violation, or the keyword `diagnosis`."""
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
    assert found <= catalog.GENERAL
