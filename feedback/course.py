"""A course: a package with a folder for each exercise, and the four calls with which it answers its learners.

A folder is called e2_2_softmax for exercise 2.2; its module `exercise` holds EXERCISE: it is imported when needed.
"""

from __future__ import annotations

import importlib
import inspect
import os
import pkgutil
import re
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from feedback import checker, store
from feedback.display import Source, Table
from feedback.exercise import Exercise
from feedback.report import SOLVED, Report, following, say
from feedback.sandbox import session

FOLDER = re.compile(r"e(\d+)_(\d+)_(\w+)")
_STATES = {
    "correct": "✓ correct",
    "limited": "✓ with a limit",
    "wrong": "tried",
    "error": "tried",
    "not attempted": "",
}


class Exercises(Mapping):
    """The exercises of a package by their id, in order."""

    def __init__(self, package: str, folder: str) -> None:
        found = [FOLDER.fullmatch(module.name) for module in pkgutil.iter_modules([folder])]
        numbered = sorted((int(match[1]), int(match[2]), match[0]) for match in found if match)
        self._loaded: dict[str, Exercise] = {}
        self._modules = {f"{notebook}.{number}": f"{package}.{name}.exercise" for notebook, number, name in numbered}

    def __getitem__(self, id: str) -> Exercise:
        if id not in self._loaded:
            with session():  # test cases are tensors: they must not depend on the modes around the first check
                self._loaded[id] = importlib.import_module(self.module_of(id)).EXERCISE
        return self._loaded[id]

    def module_of(self, id: str) -> str:
        return self._modules[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


class Course:
    """Check an exercise, ask for a hint, read a solution, look at what is done."""

    def __init__(self, package: str, folder: str) -> None:
        self.package = package
        self.exercises = Exercises(package, folder)

    def check(self, exercise_id: Any, attempt: Any) -> Report:
        """Try an answer and say what it is.

        Shapes: the exercise says them in its docstring
        Units:  the Report's status is "not attempted", "correct", "limited" (right, but it fails on an input that is
                shown), "wrong" or "error"; its diagnosis is the id of a known misconception or None; its message is
                what the card says
        Errors: none; whatever goes wrong is in the Report
        Source: notebook 00
        """
        exercise = self._find(exercise_id)
        if exercise is None:
            return self._unknown(exercise_id)
        try:
            report = checker.check(exercise, attempt)
        except Exception as error:
            if os.environ.get("COURSE_DEBUG") or "PYTEST_CURRENT_TEST" in os.environ:
                raise
            return _own_fault(exercise, error)
        store.note(exercise.id, report.status)
        return report

    def hint(self, exercise_id: Any, number: int = 1) -> Report:
        """One of the hints of an exercise; the later ones say more.

        Errors: none; a number that does not exist is answered with the ones that do
        Source: notebook 00
        """
        exercise = self._find(exercise_id)
        if exercise is None:
            return self._unknown(exercise_id)
        hints = exercise.hints
        if number not in range(1, len(hints) + 1):
            return exercise.report(
                "hint", say(f"Exercise {exercise.id} has {len(hints)} hints: 1 to {len(hints)}, got {number!r}.")
            )
        more = f'hint("{exercise.id}", {number + 1})' if number < len(hints) else f'solution("{exercise.id}")'
        return Report(
            exercise.id,
            f"{exercise.title}, {number} of {len(hints)}",
            "hint",
            (say(hints[number - 1]), following(more)),
        )

    def solution(self, exercise_id: Any) -> Source | Report:
        """The source of a right answer, as text that runs in a notebook.

        Errors: none; an unknown exercise is answered with the known ones
        Source: notebook 00
        """
        exercise = self._find(exercise_id)
        return self._unknown(exercise_id) if exercise is None else Source(self.solution_source(exercise))

    def solution_source(self, exercise: Exercise) -> str:
        """The reference with the imports that a notebook may lack: the names of the course that it uses."""
        reference: Any = exercise.reference
        source, module = inspect.getsource(reference), inspect.getmodule(reference)
        bases = getattr(reference, "__bases__", ())
        own = [
            name
            for name, value in vars(module).items()
            if (inspect.isroutine(value) and f"{name}(" in source or value in bases)
            and getattr(value, "__module__", "").startswith(("helpers.", f"{self.package}."))
            and name != exercise.name
        ]
        own += [
            name
            for name, value in vars(module).items()  # such as UNKNOWN = "<unk>"
            if name.isupper() and isinstance(value, (str, int, float)) and re.search(rf"\b{name}\b", source)
        ]
        origins = {name: getattr(getattr(module, name), "__module__", module.__name__) for name in own if module}
        lines = [
            f"from {origin} import {', '.join(n for n in own if origins[n] == origin)}"
            for origin in dict.fromkeys(origins.values())
        ]
        return "\n".join([*lines, "", "", source]) if lines else source

    def reference(self, exercise_id: str) -> Callable:
        """The course's own answer to an exercise: a function or a class.

        Errors: KeyError if there is no such exercise
        Source: notebook 07
        """
        return self.exercises[exercise_id].reference

    def progress(self) -> Table:
        """All exercises with their state, as a table.

        Errors: none; a record that cannot be read is set aside and a new one begun
        Source: notebook 00
        """
        done = store.load()
        states = {id: done.get(id, {}).get("status", "not attempted") for id in self.exercises}
        rows: list[tuple[str, ...]] = [
            (e.id, e.name, e.stars, f"{e.minutes} min", _STATES[states[e.id]]) for e in self.exercises.values()
        ]
        solved = sum(state in SOLVED for state in states.values())
        return Table(f"{solved} of {len(rows)} exercises solved", ("exercise", "name", "", "about", "state"), rows)

    def _find(self, exercise_id: Any) -> Exercise | None:
        return self.exercises.get(str(exercise_id).strip())

    def _unknown(self, exercise_id: Any) -> Report:
        known = ", ".join(self.exercises)
        return Report(
            str(exercise_id),
            f"exercise {exercise_id!r}",
            "error",
            (say(f"There is no exercise {exercise_id!r}. The exercises are {known}."),),
        )


def _own_fault(exercise: Exercise, error: Exception) -> Report:
    """A mistake of the course's own, said as that, with its place."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).parent.name}/{Path(frame.filename).name}, line {frame.lineno}"
    return exercise.report(
        "error",
        say(f"This is a mistake in the course, not in your code: its checker raised {type(error).__name__} ({place})."),
        following("Please report it, with your code and this line. The exercise and its solution work all the same."),
    )
