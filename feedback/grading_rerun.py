"""Confirm graded answers: run them again in a fresh process, on hidden inputs, and judge the results in this one.

The code of a notebook can do anything to its kernel: replace `grade` or the functions that it calls, or look for the
reference. So the verdict of `grade` is only information for the learner; an answer counts only if `rerun` agrees.

    this process                                         the fresh one (grading_worker)
    sends the cells and, where an answer is taken, the
    arguments of its test cases, in random order    ->   runs the cells; calls each answer with its arguments
    reads the results without trusting them         <-   writes results as JSON; it has no reference to copy from
    compares them with the reference's
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import io
import json
import os
import random
import secrets
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import cloudpickle

from feedback import judge_contract
from feedback.compare import allclose
from feedback.course import Course
from feedback.exercise import Exercise
from feedback.grading_worker import LONGEST_TASK, Answer, Task, Work, decoded
from feedback.observations import known
from feedback.sandbox import session

LARGEST = 10**8  # bytes of results that are read
UNFINISHED = "a cell or an answer ended the process, did not end itself, or returned nothing that can be compared."
_drawn = 1 + secrets.randbelow(10**9)


def drawn_seed() -> int:
    """A random seed of hidden inputs, drawn once per process, so that no seed has to be kept secret."""
    return _drawn


def rerun(course: Course, steps: Sequence[str | Answer], seed: int, folder: str | Path | None = None) -> list[str]:
    """Run the cells of a notebook in a fresh process, and say for each answer why it is not accepted; '' if it is.

    steps   the sources of the cells, and an Answer wherever one is taken
    folder  the working directory of the cells
    """
    hidden = course.hidden(seed)
    answers = [step for step in steps if isinstance(step, Answer)]
    order = {answer.id: _shuffled(hidden[answer.id], seed) for answer in answers}
    work = [step if isinstance(step, str) else _task(hidden[step.id], step.name, order[step.id]) for step in steps]
    runs = _run_afresh(_sent(course, work), LONGEST_TASK * (1 + len(steps)), folder)
    runs += [None] * (len(answers) - len(runs))
    return [_why_not(hidden[each.id], order[each.id], results) for each, results in zip(answers, runs, strict=False)]


def refused(title: str, why: str, seed: int) -> str:
    """The message to the learner on an answer that is not confirmed."""
    return (
        f"{title}: not confirmed. The notebook's code was run once more, in a fresh process and on inputs that it had "
        f"not seen (those of seed {seed}), and {why}"
    )


# ---------------------------------------------------------------- what is sent


def _shuffled(exercise: Exercise, seed: int) -> list[int]:
    """The required test cases in a random order, so that a list of known results does not fit."""
    required = [i for i, case in enumerate(exercise.cases) if not case.limitation]
    return random.Random(seed).sample(required, len(required))


def _task(exercise: Exercise, name: str, order: list[int]) -> Task:
    return Task(name, exercise.runner.call, [exercise.cases[i].args for i in order])


def _sent(course: Course, steps: list[str | Task]) -> bytes:
    """Pickle the cells and tasks. Code of the exercises is pickled by value, since it cannot be imported there."""
    package = importlib.import_module(course.package)
    written = io.BytesIO()
    cloudpickle.register_pickle_by_value(package)
    try:
        _Pickler(written).dump(Work(steps, course.package))
    finally:
        cloudpickle.unregister_pickle_by_value(package)
    return written.getvalue()


class _Pickler(cloudpickle.Pickler):
    """Also pickles functions below `@cache` by value, which cloudpickle would pickle by name."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, functools._lru_cache_wrapper):
            return functools.cache, (value.__wrapped__,)
        return super().reducer_override(value)


# ---------------------------------------------------------------- the process


def _run_afresh(sent: bytes, limit: float, folder: str | Path | None) -> list[Any]:
    """Run the fresh process, and return its results for each task that it completed."""
    paths = os.pathsep.join(filter(None, sys.path))
    variables = {**os.environ, "PYTHONPATH": paths, "PYTHONSAFEPATH": "1"}  # skip modules next to the notebook
    with TemporaryFile() as input, TemporaryFile() as output:  # no pipes: whoever inherits one can keep it open
        input.write(sent)
        input.seek(0)
        process = subprocess.Popen(
            [sys.executable, "-m", "feedback.grading_worker"],
            stdin=input,
            stdout=output,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=variables,
            start_new_session=True,
        )
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(limit)
        _end(process)
        output.seek(0)
        return [_read(line) for line in output.read(LARGEST).splitlines()]


def _end(process: subprocess.Popen) -> None:
    """End the process, and what it may have started."""
    with contextlib.suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def _read(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


# ---------------------------------------------------------------- what came back


def _why_not(exercise: Exercise, order: list[int], runs: Any) -> str:
    """Why results are not accepted, or ''. Nothing in `runs` is trusted: the learner's code may have written it."""
    try:
        found = [(each.get("error"), decoded(each.get("value"))) for each in runs]
    except (TypeError, ValueError, KeyError, AttributeError, RuntimeError, RecursionError):
        return UNFINISHED
    with session():
        for index, (error, value) in zip(order, found, strict=False):
            case, expected = exercise.cases[index], known(exercise).expected[index]
            if error is not None:
                return f"{exercise.name} raised an error there: {error}"
            broken = judge_contract.violation(exercise, None, case.args, value, expected)
            if broken:
                return f"{exercise.name} returned something else there: {broken.sentence}"
            summary = exercise.comparison.summarize(case.args, value)
            if not allclose(summary, known(exercise).summaries[index], case):
                return f"the numbers that {exercise.name} returned there are not right ({case.name})."
    return "" if len(found) == len(order) else UNFINISHED
