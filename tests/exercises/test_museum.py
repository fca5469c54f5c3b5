"""The museum of notebook 13: each bug is found by the tests that its exhibit names, and its repair removes it."""

import dataclasses
import json
import re
from pathlib import Path

import pytest
import torch

from exercises import EXERCISES
from exercises.museum import EXHIBITS, examine, exhibits, verdicts
from exercises.museum.curves import LOSSES, STEPS
from exercises.museum.exhibits import PAGE, show, training
from exercises.museum.findings import COMPLAINS, RAISES, SILENT, TESTS, Findings
from feedback.page import PageError
from invariants.assertions import assert_alone_equals_batch, assert_every_parameter_learns
from tools import museum_curves

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "13_the_museum_of_bugs.ipynb"
BY_ID = {"future": "13.1", "scale": "13.2", "padding": "13.3", "cache": "13.4", "heads": "13.5", "modes": "13.6"}
BROKEN = [number for number, exhibit in EXHIBITS.items() if not exhibit.because]
HEALTHY = [number for number, exhibit in EXHIBITS.items() if exhibit.because]
NOT_PROMISED = {2: {"future"}, 6: {"future"}, 7: {"future", "scale"}, 14: {"permutation"}}


@pytest.fixture(scope="module")
def tests():
    """The course's own tests: those of the exercises and those in the notebook."""
    cells = {cell["id"]: "".join(cell["source"]) for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]}
    names = {}
    exec("import copy, math, torch", names)
    for name in ("permutation", "dtype", "reference"):
        exec(cells[f"given-{name}"], names)
    given = {name: names[f"test_{name}"] for name in ("permutation", "dtype", "reference")}
    own = {name: EXERCISES[id].reference for name, id in BY_ID.items()}
    return own | given | {"gradients": assert_every_parameter_learns, "alone": assert_alone_equals_batch}


def complaints(tests, number):
    found = examine(tests, number)
    assert not [name for name, row in found.table.items() if row[number] == RAISES], found
    return {name for name, row in found.table.items() if row[number] == COMPLAINS}


@pytest.mark.parametrize("number", BROKEN)
def test_the_tests_that_are_named_find_the_bug(number, tests):
    found = complaints(tests, number)
    assert set(EXHIBITS[number].tests) <= found and found.isdisjoint(EXHIBITS[number].silent)


def test_about_healthy_exhibits_only_tests_complain_that_they_promised_nothing_to(tests):
    assert {number: complaints(tests, number) for number in HEALTHY} == NOT_PROMISED


@pytest.mark.parametrize("number", BROKEN)
def test_the_repair_turns_the_answer_of_the_tests_that_found_the_bug(number, tests):
    exhibit = EXHIBITS[number]
    repaired = dataclasses.replace(exhibit, make=exhibit.healthy)
    for name in exhibit.tests:
        assert tests[name](*repaired.for_tests()[name]) is not False
    for name in exhibit.silent:
        with pytest.raises(AssertionError):
            assert tests[name](*repaired.for_tests()[name]) is not False


def test_what_is_known_is_complete():
    names = ("repair", "threads", "bug", "story", "symptom", "suspicion", "remedy")
    for exhibit in EXHIBITS.values():
        known = [*(getattr(exhibit, name) for name in names), exhibit.tests + exhibit.silent]
        assert set(map(bool, known)) == {not exhibit.because}, exhibit.number
        assert exhibit.number in LOSSES, "python -m tools.museum_curves trains what has no curve"
        assert len(LOSSES[exhibit.number]) == len(STEPS)


def test_every_exhibit_is_shown_once_in_the_notebook():
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    calls = [call[1] for cell in cells if (call := re.match(r"show\((.*)\)$", "".join(cell["source"])))]
    assert sorted(int(number) for call in calls for number in call.split(", ")) == sorted(EXHIBITS)


def test_a_slip_on_the_page_is_refused_with_its_line(tmp_path, monkeypatch):
    text = PAGE.path.read_text(encoding="utf-8")
    for right, wrong, message in (
        ("symptom: The loss is far", "symptoms: The loss is far", "no exhibit has a field symptoms"),
        ("`attn_mask=~mask)` →", "`attn_mask=~masks)` →", "stands 0 times in"),
        ("`attn_mask=~mask)` →", "attn_mask=~mask) →", "neither a field, nor"),
    ):
        monkeypatch.setattr(PAGE, "path", tmp_path / "exhibits.md")
        PAGE.path.write_text(text.replace(right, wrong), encoding="utf-8")
        with pytest.raises(PageError, match=message) as slip:
            list(exhibits._read())
        assert 1 < slip.value.line < 40


def test_an_exhibit_says_nothing_about_itself_and_is_the_same_in_every_run():
    for number, exhibit in EXHIBITS.items():
        words = ("bug", "wrong", "broken", "should", "fix", "mistake", "healthy")
        assert not any(word in exhibit.source.lower() for word in words), number
        (attend,), before = exhibit.for_tests()["future"], torch.get_rng_state()
        x = torch.randn(2, 5, 8, generator=torch.Generator().manual_seed(0))
        if "modes" not in exhibit.tests:
            torch.testing.assert_close(attend(x), attend(x))
            assert torch.equal(before, torch.get_rng_state()), number
        assert attend(torch.randn(1, 3, 5)).shape == (1, 3, 5), number


@pytest.mark.slow
def test_the_curves_are_those_of_the_script():
    assert museum_curves.losses_of(EXHIBITS[10]) == pytest.approx(LOSSES[10], abs=0.11)


# ---------------------------------------------------------------- what a learner sees


@pytest.fixture
def fresh(monkeypatch):
    monkeypatch.setattr(verdicts, "_first", {})


def test_verdicts_get_cards_and_only_the_first_on_each_exhibit_counts(fresh):
    said = {1: "future", 2: "future", 3: "cache", 4: "healthy", 6: "healthy", 9: ...}
    cards = verdicts.verdict(said).cards
    assert [card.kind for card in cards] == ["right", "accused", "unproved", "missed", "right", "open"]
    score = f"First verdicts: 2 right, 1 healthy one accused, 2 missed or not proved. Score: 1 of {len(EXHIBITS)}."
    assert score in repr(verdicts.verdict({2: "healthy", 3: "scale"}))


def test_nothing_about_an_exhibit_is_told_before_the_right_verdict(fresh):
    for number in BROKEN:
        exhibit = EXHIBITS[number]
        proofs = exhibit.tests + exhibit.silent
        for said in ({"healthy", *TESTS} - set(proofs)) | {...}:
            text = repr(verdicts.verdict({number: said}))
            assert not any(part in text for part in (exhibit.bug, exhibit.story, *exhibit.threads, exhibit.remedy))
        text = repr(verdicts.verdict({number: proofs[-1]}))
        assert ("silence" in text.splitlines()[0]) == bool(exhibit.silent)
        assert exhibit.bug in text and exhibit.story in text and all(thread in text for thread in exhibit.threads)


def test_what_is_no_verdict_stays_open_and_what_makes_no_sense_is_refused(fresh):
    for said in ("Heads", "ill", None, 3):
        cards = verdicts.verdict({13: said, 1: "future"})
        assert [card.kind for card in cards.cards] == ["open", "right"]
        assert f"{said!r} is no verdict" in repr(cards) and "First verdicts: 1 right" in repr(cards)
    for number in (len(EXHIBITS) + 1, True):
        with pytest.raises(ValueError, match=f"the exhibits have the numbers 1 to {len(EXHIBITS)}, got {number}"):
            verdicts.verdict({number: "healthy"})
    with pytest.raises(TypeError, match="verdict takes a dict such as .* got int"):
        verdicts.verdict(4)
    with pytest.raises(ValueError, match="a test has one of the names future, .*, got 'leak'"):
        examine({"leak": print}, 1)


def test_the_repairs_that_exercises_ask_for_are_not_told(fresh):
    for number, id in {8: "13.7", 9: "13.9", 13: "13.8"}.items():
        text = repr(verdicts.verdict({number: EXHIBITS[number].tests[0]}))
        assert f"Its repair is exercise {id}." in text
        assert not any(right in text for _, right in EXHIBITS[number].repair)


def test_a_card_is_html_too(fresh):
    html = verdicts.verdict({4: "padding"})._repr_mimebundle_()["text/html"]
    assert "https://github.com/awslabs/gluonts/issues/1401" in html and "- scores, 1e-9)" in html


def test_what_a_test_does_is_said_in_a_table():
    def complains(attend):
        raise AssertionError("too <late>\nand more")

    found = examine({"future": complains, "scale": lambda scores_of: False, "padding": lambda model: 1 / 0}, 4, 3)
    assert found.table == {
        "future": {4: COMPLAINS, 3: COMPLAINS},
        "scale": {4: "–", 3: COMPLAINS},
        "padding": {4: RAISES, 3: "–"},
    }
    assert (4, "padding", "ZeroDivisionError: division by zero") in found.words
    html = found._repr_mimebundle_()["text/html"]
    assert "too &lt;late&gt;" in html and "and more" not in html
    assert SILENT in repr(examine({"future": lambda attend: None}, 1))
    assert isinstance(found, Findings) and repr(found).splitlines()[0].split() == ["4", "3"]


def test_show_displays_promise_and_code_and_training_the_curves(monkeypatch):
    shown = []
    monkeypatch.setattr(exhibits, "display", shown.append)
    show(1, 16)
    assert "class CausalAttention" in shown[0].data and "HeadByHead" in shown[1].data
    assert "exhibit 16" in repr(training(1, 16))
