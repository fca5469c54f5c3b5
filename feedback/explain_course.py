"""What a card says about the course itself: hints, next steps, unknown ids, and failures of the checker."""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from feedback.exercise import Exercise
from feedback.notebooks import Step
from feedback.prediction import Prediction
from feedback.report import Hints, Part, Report, Text, following, say


def next_steps(
    exercise: Exercise, report: Report, step: Step | None, solutions: bool, unsaved: str = ""
) -> tuple[Part, ...]:
    """What every card says about what to do next.

    `step` comes after this exercise; `solutions`: whether they are shown; `unsaved` says that progress is not saved.
    """
    lost = (say(unsaved),) if unsaved else ()
    if report.solved:
        if step is None:
            return (*lost, following("the rest of this notebook. This was the last exercise."))
        rest = "the rest of this notebook, then " if step.name.startswith("notebook") else ""
        return (*lost, following(f"{step.name}.", step.href, rest))
    run_it = f'Insert a cell below (in Jupyter: Esc, then B), and run `solution("{exercise.id}")` in it.'
    last = run_it if solutions else "Show your instructor what you have."
    hints = Hints(exercise.id, exercise.hints, f"Still stuck? {last}")
    if report.status == "not attempted" or any(isinstance(part, Text) and part.kind == "next" for part in report.parts):
        return (*lost, hints)
    return (*lost, following("Change your code, run its cell, then run this one again."), hints)


def no_attempt(exercise: Exercise) -> Report:
    call = f'`check("{exercise.id}", {exercise.name})`'
    return Report.on(exercise, "error", say(f"`check` must be given your answer too: {call}."))


def unchanged(exercise: Exercise) -> Report:
    """Report that the code to be repaired is still as it was given."""
    return Report.on(exercise, "not attempted", say("This is the code as it was given."))


def hint(exercise: Exercise, number: int, solutions: bool) -> Report:
    hints = exercise.hints
    if number not in range(1, len(hints) + 1):
        has = f"Exercise {exercise.id} has {len(hints)} hints: 1 to {len(hints)}, got {number!r}."
        return Report.on(exercise, "hint", say(has))
    last = f'`solution("{exercise.id}")`' if solutions else "Show your instructor what you have."
    more = f'`hint("{exercise.id}", {number + 1})`' if number < len(hints) else last
    title = f"{exercise.title}, {number} of {len(hints)}"
    return Report(exercise.id, title, "hint", (say(hints[number - 1]), following(more)))


def no_solution(exercise: Exercise) -> Report:
    there = f'This copy of the course shows no solutions. `hint("{exercise.id}")` gives the first of the hints.'
    return Report.on(exercise, "hint", say(there))


def unknown(what: str, id: Any, known: Iterable[str], title: str = "") -> Report:
    """Report that no exercise, prediction or notebook has this id."""
    there = ", ".join(known)
    those = f"The {what}s are {there}." if there else "This course has none."
    return Report(str(id), title or f"{what} {id!r}", "error", (say(f"There is no {what} {id!r}. {those}"),))


def unknown_answer(asked: Prediction, answer: Any) -> Report:
    known = ", ".join(f'"{letter}"' for letter in asked.answers)
    sentence = f"Prediction {asked.id} has the answers {known}, got {answer!r}."
    return Report(asked.id, f"prediction {asked.id!r}", "error", (say(sentence),))


def own_fault(exercise: Exercise, error: Exception) -> Report:
    """Report an exception in the checker as a mistake of the course, with its place."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).parent.name}/{Path(frame.filename).name}, line {frame.lineno}"
    return Report.on(
        exercise,
        "error",
        say(f"This is a mistake in the course, not in your code: its checker raised {type(error).__name__} ({place})."),
        following("Please report it, with your code and this line. You can go on: nothing later needs this check."),
    )
