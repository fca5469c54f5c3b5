"""A pytest plugin that tests what every exercise promises: `pytest exercises/n03_causal_masking/mask_by_filling.md`.

It collects each page; `pytest exercises -k "[3.3]"` tests exercise 3.3, and not 13.3. A course whose package is not
called `exercises` names it in pytest's setting `exercises_package`. A course that promises more has a module `promises`
with a tuple PROMISES of functions that take an exercise and raise AssertionError if the promise is broken.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
import torch

from feedback import audit, checker
from feedback.contract_answers import contract_answers
from feedback.exercise import Exercise
from feedback.exercise_package import HiddenExercises, as_page_error
from feedback.page import PageError, number_on
from feedback.page_exercise import Answer, Banks
from feedback.report import Report

CHECKED = ("cards", "right answers", "wrong answers", "two mistakes at once", "contract")  # not in a quick run
EMPHASIS = re.compile(r"(?<!\S)\*\w+\*")  # *word*, as in Markdown


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("exercises_package", "the package whose pages are exercises", default="exercises")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: checks the answers of an exercise, or what else takes long")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    return PageFile.from_parent(parent, path=file_path) if _is_page(file_path, parent.config) else None


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The module of an exercise holds no tests, even if the exercise is called test_..."""
    page = collection_path.with_suffix(".md")
    return True if collection_path.suffix == ".py" and page.exists() and _is_page(page, config) else None


def _is_page(path: Path, config: pytest.Config) -> bool:
    package = config.getini("exercises_package")
    return path.suffix == ".md" and path.parent.parent.name == package and bool(number_on(path))


class PageFile(pytest.File):
    """The promises of one exercise."""

    def collect(self) -> Iterator[pytest.Item]:
        folder, package = self.path.parent, self.path.parent.parent.name
        try:
            with as_page_error(self.path):
                exercise = importlib.import_module(f"{package}.{folder.name}.{self.path.stem}").EXERCISE
        except PageError as error:
            raise self.CollectError(str(error)) from None  # the sentence alone
        again = partial(imported_again, package, folder.parent, exercise.id)
        own = ((_words(promise), partial(promise, exercise)) for promise in promises_of_the_course(package))
        for name, promise in (*promises(exercise, again), *own):
            item = Promise.from_parent(self, name=f"{name}[{exercise.id}]", promise=promise)
            if name in CHECKED:
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
        if excinfo.errisinstance(AssertionError):
            return str(excinfo.value)
        return excinfo.getrepr(style="short", tbfilter=lambda info: info.traceback.cut(path=__file__))

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, self.name


def imported_again(package: str, folder: Path, id: str) -> Exercise:
    """Import the exercise a second time, with another global seed of PyTorch."""
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


# ---------------------------------------------------------------- the promises


def promises(exercise: Exercise, again: Callable[[], Exercise]) -> Iterator[tuple[str, Callable[[], None]]]:
    """(name, promise) for one exercise; `again` imports it a second time."""
    banks = cache(exercise.banks)
    yield "page", lambda: well_stocked(exercise, banks())
    yield "statement", lambda: says_what_it_asks(exercise, again())
    yield "mistakes", lambda: tells_mistakes_apart(exercise)
    judged = (
        ("cards", shows_its_card, lambda: [each for each in exercise.misconceptions if each.variants]),
        ("right answers", is_told_as_expected, lambda: banks().right),
        ("wrong answers", is_told_as_expected, lambda: banks().wrong),
        ("two mistakes at once", is_told_as_expected, lambda: banks().two_mistakes),
        ("contract", keeps_to_its_contract, lambda: contract_answers(exercise)),
    )
    for name, failure_of, answers in judged:
        yield name, partial(_assert_all_pass, exercise, failure_of, answers)


def well_stocked(exercise: Exercise, banks: Banks) -> None:
    """Assert that there is enough of everything, in whole sentences, and that all names in the code exist."""
    ids = [m.id for m in exercise.misconceptions]
    assert len(ids) >= 4, f"an exercise has at least 4 misconceptions, this one {len(ids)}"
    assert len(exercise.hints) >= 2, "an exercise has at least 2 hints"
    for name in ("right", "wrong"):
        assert len(getattr(banks, name)) >= 4, f"an exercise has at least 4 {name} answers"
    for m in exercise.misconceptions:
        assert m.means.endswith((".", ")")), f"{m.id}: what it means is a sentence"
        assert m.hint.endswith((".", "?", ")")), f"{m.id}: the hint is a sentence or a question"
        assert m.variants or exercise.judge, f"{m.id} has no wrong code"
    for text in (*exercise.hints, *(text for m in exercise.misconceptions for text in (m.means, m.hint))):
        assert not EMPHASIS.search(text), f"a card knows `code`, but no emphasis: {text}"
    met = {answer.expected for answer in banks.wrong}
    _assert_empty([id for id in ids if id not in met], "without an answer that makes it")
    checks: tuple[Any, ...] = (*exercise.properties, *exercise.behavioral_tests)
    diagnoses = {*ids, *met, *(check.id for check in checks), *(each[2] for each in contract_answers(exercise))}
    unknown = [f"{pair.place}: {id}" for pair in banks.two_mistakes for id in pair.expected if id not in diagnoses]
    _assert_empty(unknown, "ids in pairs that no mistake and no check has")
    _assert_empty(exercise.page.unknown_names(), "names that nothing defines")
    _assert_empty(exercise.page.copies(), "the checker has seen these answers: write the mistake in another way")


def says_what_it_asks(exercise: Exercise, again: Exercise) -> None:
    """Assert that inputs are seeded, sizes differ, results are as `returns` says, and the reference is right."""
    _assert_empty(audit.unseeded(exercise, again), "drawn without a seed")
    found = audit.always_square(exercise)
    _assert_empty(found, "of one size in every test case: choose another prime, or name the argument in `square`")
    try:
        found = audit.misnamed_results(exercise)
    except Exception as error:
        raise AssertionError(f"the reference raised {type(error).__name__} on a test case: {error}") from error
    _assert_empty(found, f"`returns` is {exercise.returns}, but the reference returns something else")
    report = checker.check(exercise, exercise.reference)
    assert report.status == "correct", report.message


def tells_mistakes_apart(exercise: Exercise) -> None:
    """Assert that each variant of a known mistake is wrong, differs from the others, and is not taken for another."""
    _assert_empty(audit.harmless(exercise), "right on every required test case")
    _assert_empty(audit.taken_for_another(exercise), "taken for another")
    _assert_empty(audit.redundant(exercise), "the same as another variant")


def shows_its_card(exercise: Exercise, mistake: Any) -> str:
    report = _checked(exercise, mistake.variants[0])
    if report.status in ("wrong", "error") and report.diagnosis == mistake.id:
        shown = mistake.means in report.message and mistake.hint in report.message
        return "" if shown else f"{mistake.id}: its card lacks its text or its hint:\n{report.message}"
    return f"{mistake.id}: the first way to make it is told as {_found(report)}"


def is_told_as_expected(exercise: Exercise, answer: Answer) -> str:
    report = _checked(exercise, answer.code)
    if answer.is_told_as_expected(exercise, report):
        return ""
    return f"{answer.place}: {answer.expected!r} expected, {_found(report)}"


def keeps_to_its_contract(exercise: Exercise, answer: tuple[str, Callable, str]) -> str:
    name, code, diagnosis = answer
    report = _checked(exercise, code)
    known = {diagnosis, *(m.id for m in exercise.misconceptions)}
    return "" if report.diagnosis in known else f"an answer that {name}: {diagnosis!r} expected, {_found(report)}"


def _checked(exercise: Exercise, code: Callable) -> Report:
    """The report, which is short; with the next steps, which all cards share, it has at most 120 words and 15 lines."""
    report = checker.check(exercise, code)
    assert len(report.message.split()) <= 100 and len(report.message.splitlines()) <= 13, f"too long:\n{report.message}"
    return report


def _found(report: Report) -> str:
    return f"got {report.status}, {report.diagnosis!r}:\n{report.message}"


def _assert_all_pass(exercise: Exercise, failure_of: Callable, answers: Callable[[], Iterable]) -> None:
    found = [failure for answer in answers() if (failure := failure_of(exercise, answer))]
    assert not found, "\n\n".join(found)


def _assert_empty(found: list[str], what: str) -> None:
    assert not found, f"{what}:\n  " + "\n  ".join(found)


def _words(promise: Callable) -> str:
    return promise.__name__.replace("_", " ")
