"""A pytest plugin that holds every exercise to its promises: `pytest exercises/e2_2_softmax`, or `pytest exercises`.

It collects each folder's exercise.py with its banks of answers (see `bank.read`). A course whose package is called
otherwise names it in pytest's settings: `exercises_package`. A course that promises more has a module `promises` there,
with a tuple PROMISES of functions that take an exercise and raise AssertionError where the promise is broken.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
import torch

from feedback import audit, bank, checker
from feedback.exercise import FOLDER, Exercise
from feedback.hidden import HiddenExercises
from feedback.observations import known
from feedback.report import SOLVED, Report

CHECKED = (
    "card-",
    "right-",
    "wrong-",
    "two-",
)  # thousands of checks, which a quick run leaves to the matrix of fingerprints

EMPHASIS = re.compile(r"(?<!\S)\*\w+\*")  # *word*, as in Markdown


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("exercises_package", "the package whose folders are exercises", default="exercises")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: checks an answer, as thousands of these tests do")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    package = parent.config.getini("exercises_package")
    if file_path.name != "exercise.py" or file_path.parent.parent.name != package:
        return None
    return ExerciseFile.from_parent(parent, path=file_path)


class ExerciseFile(pytest.File):
    """The promises of one exercise."""

    def collect(self) -> Iterator[pytest.Item]:
        folder, package = self.path.parent, self.path.parent.parent.name
        exercise = importlib.import_module(f"{package}.{folder.name}.exercise").EXERCISE
        banks = {name: bank.read(f"{package}.{folder.name}", name) for name in bank.BANKS}
        expected = ".".join(FOLDER.fullmatch(folder.name).group(1, 2))  # type: ignore[union-attr]
        if exercise.id != expected:
            raise ValueError(
                f"the folder {folder.name} holds exercise {expected}, but its reference comes from "
                f"{exercise.reference.__module__}, which is exercise {exercise.id}"
            )

        def check(id: str, answer: Callable) -> Report:
            return checker.check(exercise, answer)  # nothing is recorded, and a mistake of the checker is raised

        again = partial(imported_again, package, folder.parent, exercise.id)
        own = ((_words(promise), partial(promise, exercise)) for promise in promises_of_the_course(package))
        for name, promise in (*promises(exercise, check, banks, again), *own):
            item = Promise.from_parent(self, name=name, promise=promise)
            if name.startswith(CHECKED):
                item.add_marker("slow")
            yield item


class Promise(pytest.Item):
    """One promise: a function that raises AssertionError where it is broken."""

    def __init__(self, *, promise: Callable[[], None], **others: Any) -> None:
        super().__init__(**others)
        self.promise = promise

    def runtest(self) -> None:
        self.promise()

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        return str(excinfo.value) if excinfo.errisinstance(AssertionError) else super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, self.name


def imported_again(package: str, folder: Path, id: str) -> Exercise:
    """The exercise as a second import makes it, with other numbers from every source of random numbers."""
    with torch.random.fork_rng(devices=[]):
        torch.seed()
        return _second_import(package, folder)[id]


@cache
def _second_import(package: str, folder: Path) -> HiddenExercises:
    return HiddenExercises(package, str(folder), seed=0)


def promises_of_the_course(package: str) -> tuple[Callable, ...]:
    """The functions in PROMISES of the course's module `promises`, if it has one."""
    name = f"{package}.promises"
    return importlib.import_module(name).PROMISES if importlib.util.find_spec(name) else ()


def promises(
    exercise: Exercise, check: Callable, banks: dict[str, list], again: Callable[[], Exercise]
) -> Iterator[tuple[str, Callable[[], None]]]:
    """(name, promise) for one exercise; `again` imports it a second time."""
    yield "well-stocked", lambda: well_stocked(exercise, banks)
    yield "inputs-are-seeded", lambda: _empty(audit.unseeded(exercise, again()), "drawn without a seed")
    yield "sizes-differ", lambda: sizes_differ(exercise)
    yield "returns-fit", lambda: returns_fit(exercise)
    yield "the-reference-is-correct", lambda: the_reference_is_correct(exercise, check)
    yield "misconceptions-are-wrong", lambda: _empty(audit.harmless(exercise), "right on every required test case")
    yield "misconceptions-are-distinct", lambda: _empty(audit.taken_for_another(exercise), "taken for another")
    yield "no-variant-is-redundant", lambda: _empty(audit.redundant(exercise), "the same as another variant")
    yield "every-misconception-is-met-in-the-bank", lambda: met_in_the_bank(exercise, banks["wrong"])
    yield "the-bank-is-no-copy", lambda: the_bank_is_no_copy(exercise, banks)
    for misconception in exercise.misconceptions:
        yield f"card-{misconception.id}", partial(shows_its_card, exercise, check, misconception)
    for answer, status in banks["right"]:
        yield f"right-{_name(answer)}", partial(is_accepted, exercise, check, answer, status)
    for answer, diagnosis in banks["wrong"]:
        yield f"wrong-{_name(answer)}", partial(is_rejected, exercise, check, answer, diagnosis)
    for answer, mistakes in banks["two_mistakes"]:
        yield f"two-{_name(answer)}", partial(names_nothing_false, exercise, check, answer, mistakes)


def well_stocked(exercise: Exercise, banks: dict[str, list]) -> None:
    ids = [m.id for m in exercise.misconceptions]
    assert len(ids) >= 4, f"an exercise has at least 4 misconceptions, this one {len(ids)}"
    assert len(set(ids)) == len(ids), "two misconceptions have the same id"
    assert len(exercise.hints) >= 2, "an exercise has at least 2 hints"
    for name in ("right", "wrong"):
        assert len(banks[name]) >= 4, f"answers_{name}.py has at least 4 answers, this one {len(banks[name])}"
    for m in exercise.misconceptions:
        assert m.means.endswith((".", ")")), f"{m.id}: `means` is a sentence"
        assert m.hint.endswith((".", "?", ")")), f"{m.id}: `hint` is a sentence or a question"
        assert m.variants, f"{m.id} has no wrong code"
    for text in (*exercise.hints, *(text for m in exercise.misconceptions for text in (m.means, m.hint))):
        assert not EMPHASIS.search(text), f"a card knows `code`, but no emphasis: {text}"


def the_reference_is_correct(exercise: Exercise, check: Callable) -> None:
    report = check(exercise.id, exercise.reference)
    assert report.status == "correct", report.message
    assert known(exercise).expected, "there are test cases"


def met_in_the_bank(exercise: Exercise, wrong: list) -> None:
    met = {diagnosis for _, diagnosis in wrong}
    _empty([m.id for m in exercise.misconceptions if m.id not in met], "without an answer in answers_wrong.py")


def sizes_differ(exercise: Exercise) -> None:
    found = audit.always_square(exercise)
    _empty(found, "of one size in every test case: choose another prime, or name the argument in `square`")


def returns_fit(exercise: Exercise) -> None:
    try:
        found = audit.misnamed_results(exercise)
    except Exception as error:
        raise AssertionError(f"the reference raised {type(error).__name__} on a test case: {error}") from error
    _empty(found, f"`returns` is {exercise.returns}, but the reference returns something else")


def the_bank_is_no_copy(exercise: Exercise, banks: dict[str, list]) -> None:
    answers = [answer for name in ("wrong", "two_mistakes") for answer, _ in banks[name]]
    _empty(audit.copied(exercise, answers), "the checker has seen these answers: write the mistake in another way")


def shows_its_card(exercise: Exercise, check: Callable, misconception: Any) -> None:
    report = check(exercise.id, misconception.variants[0])
    assert report.status in ("wrong", "error"), report.message
    assert report.diagnosis == misconception.id, report.message
    assert misconception.means in report.message and misconception.hint in report.message, report.message


def is_accepted(exercise: Exercise, check: Callable, answer: Callable, status: str) -> None:
    report = check(exercise.id, answer)
    assert report.status == status, f"expected the status {status!r}:\n{report.message}"


def is_rejected(exercise: Exercise, check: Callable, answer: Callable, diagnosis: str | None) -> None:
    report = check(exercise.id, answer)
    assert report.status in ("wrong", "error"), f"a wrong answer was accepted:\n{report.message}"
    assert report.diagnosis == diagnosis, f"expected {diagnosis!r}, got {report.diagnosis!r}:\n{report.message}"


def names_nothing_false(exercise: Exercise, check: Callable, answer: Callable, mistakes: tuple[str, str]) -> None:
    report = check(exercise.id, answer)
    assert report.status not in SOLVED, f"a wrong answer was accepted:\n{report.message}"
    others = {m.id for m in exercise.misconceptions} - set(mistakes)
    assert report.diagnosis not in others, f"its mistakes are {mistakes}, not {report.diagnosis!r}:\n{report.message}"


def _empty(found: list[str], what: str) -> None:
    assert not found, f"{what}:\n  " + "\n  ".join(found)


def _words(promise: Callable) -> str:
    return promise.__name__.replace("_", "-")


def _name(answer: Any) -> str:
    return getattr(answer, "__name__", "answer")
