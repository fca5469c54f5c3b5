"""What a card says about an attempt that cannot be run or raises an exception."""

from __future__ import annotations

import re
from typing import Any

from feedback import errors, source
from feedback.exercise import BehavioralTest, Exercise
from feedback.format import argument, listed
from feedback.judge_mistakes import KnownMistake
from feedback.observations import Observations
from feedback.report import Report, following, numbers, raised, say, think
from feedback.sandbox import ContractViolation, Run, StillRunning

INDEXED = r"\w\[(?!None\b)[a-z_]\w*\s*[,\]]"  # x[i], x[i, j], not x[:, i] and x[None]


# ---------------------------------------------------------------- before anything is run


def did_not_run(exercise: Exercise, error: SyntaxError) -> Report:
    """Report a syntax error in the cell that should define the answer."""
    place = f", line {error.lineno}" if error.lineno else ""
    line = f": `{error.text.strip()}`" if error.text and error.text.strip() else ""
    return Report.on(
        exercise,
        "error",
        say(
            f"The cell that defines `{exercise.name}` did not run: it has a syntax error, so Python ignored all of it."
        ),
        raised(f"{type(error).__name__}: {error.msg}{place}{line}"),
        following("Fix that line (or the one above it), run its cell, then run this one again."),
        diagnosis="syntax-error",
    )


def undefined(exercise: Exercise) -> Report:
    """Report that no cell has defined the answer since the kernel started."""
    return Report.on(
        exercise,
        "not attempted",
        say(
            f"Python does not know `{exercise.name}` yet: run the cell that defines it or, if Python has just started, "
            "choose Run → Run All Above Selected Cell."
        ),
    )


def refused(exercise: Exercise, sentence: str, next_step: str) -> Report:
    return Report.on(exercise, "error", say(sentence), following(next_step))


# ---------------------------------------------------------------- exceptions


def never_ends(exercise: Exercise, error: StillRunning) -> Report:
    """Report code that did not return: whether it was running or waiting, and for how long."""
    seconds = f"{error.seconds:.0f} seconds"
    if error.waited:
        means = f"Your code was waiting for something (`time.sleep`, a lock, `input`), and was stopped after {seconds}."
        hint = "What does it wait for? No exercise needs to wait."
    else:
        means = f"Your code was still running after {seconds}, and was stopped."
        hint = "Is there a loop whose condition never becomes false?"
    return Report.on(exercise, "error", say(means), think(hint), diagnosis="never-ends")


def raises_when_read(exercise: Exercise, error: Exception, line: str) -> Report:
    """Report a result or exception of a class whose own methods raise when it is inspected."""
    sentence = f"Looking at what your code returned or raised gave {type(error).__name__}, at your {line}."
    return Report.on(
        exercise,
        "error",
        say(sentence),
        think("Return plain tensors, lists, numbers and texts, of no class of your own."),
    )


def not_written(exercise: Exercise) -> Report:
    return Report.on(exercise, "not attempted", say("It still raises NotImplementedError."))


def broken_rule(exercise: Exercise, error: ContractViolation) -> Report:
    """Report a broken rule of this exercise alone, in the words of its runner."""
    return Report.on(exercise, "wrong", say(error.sentence), diagnosis=error.diagnosis)


def exception(seen: Observations, index: int, found: KnownMistake | None) -> Report:
    """Report an exception: first its meaning, then Python's own message with the line and the input."""
    exercise, record = seen.exercise, seen.runs[index]
    error: Any = record.error
    message = (raised(first_line(record)), numbers(called_with(exercise, record.args, error)))
    if found:
        named = found.misconception
        seen_in_numbers = any(seen.runs[i].error is None for i in found.cases)  # an exception may have other causes
        means = named.means if seen_in_numbers else f"Likely cause: {named.means}"
        return Report.on(exercise, "error", say(means), *message, think(named.hint), diagnosis=named.id)
    if record.elsewhere and not errors.known_here(error, exercise.error_meanings):
        return Report.on(
            exercise,
            "error",
            say("What your line calls stopped with an exception."),
            *message,
            think("What is handed over there? Print shapes, dtypes and values just before it."),
        )
    code = source.text(seen.attempt)
    meaning = errors.meaning(error, exercise.error_meanings, record.line, _one_axis_more(seen, index), code)
    if meaning:
        return Report.on(exercise, "error", say(meaning), *message)
    return Report.on(
        exercise, "error", say("Your code stopped with an exception."), *message, think(_before(record.line))
    )


def _before(line: str) -> str:
    """What to think about if nothing is known about the exception."""
    if re.search(r"`(raise|assert)\b", line):
        return "Your own line demands something that the exercise does not promise: compare it with what was given."
    return "Print what this line works on just before it, values and shapes: which of them is not what you expect?"


def first_line(record: Run) -> str:
    """The exception with the learner's line: "ValueError: ..., at your line 3: `return q @ k`"."""
    error: Any = record.error
    return errors.first_line(error) + (f", at your {record.line}" if record.line else "")


def _one_axis_more(seen: Observations, stopped: int) -> bool:
    """Whether the code indexes single items, is right on inputs with fewer axes, and raises on one with more."""

    def axes(index: int) -> int:
        return max((x.dim() for x in seen.exercise.cases[index].args if hasattr(x, "dim")), default=0)

    if not re.search(INDEXED, source.text(seen.attempt)):
        return False
    return any(axes(i) < axes(stopped) for i in seen.required() if seen.passes(i))


def called_with(exercise: Exercise, args: tuple, error: BaseException | None = None) -> str:
    """Say what the learner's code was called with, including dtypes if the error mentions them."""
    if exercise.runner.describe:
        return exercise.runner.describe(args)
    dtypes = errors.speaks_of_dtypes(error)
    given: dict[str, list[str]] = {}  # the names of arguments by their description, which layers may share
    for name, value in zip(exercise.input_names, args, strict=False):
        given.setdefault(argument("", value, dtypes), []).append(name)
    return f"It was called with {', '.join(listed(names) + looks for looks, names in given.items())}."


def stopped_in_behavioral_test(exercise: Exercise, test: BehavioralTest, record: Run) -> Report:
    error: Any = record.error
    meaning = errors.meaning(error, exercise.error_meanings, record.line)
    return Report.on(
        exercise,
        "error",
        say(f"The numbers are right, but {test.while_doing} your code stopped."),
        raised(first_line(record)),
        think(meaning or test.hint),  # the hint is about numbers; here there are none
    )
