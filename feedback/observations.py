"""The results of an attempt, and of the course's own right and wrong code. Each input is run once and remembered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, cached_property, wraps
from itertools import groupby
from typing import Any

import torch
from torch import Tensor
from torch import allclose as close

from feedback import tree
from feedback.compare import allclose, same_behavior, same_shapes
from feedback.exercise import BehavioralTest, Comparison, Exercise
from feedback.format import describe
from feedback.sandbox import Run, StillRunning, put_functions_back, run, run_trusted


def _once(method: Callable) -> Callable:
    """Run a method once for the same arguments, and keep its results in the object, so that they go with it."""

    @wraps(method)
    def once(self: Any, *args: Any) -> Any:
        kept, key = vars(self).setdefault("_kept", {}), (method, *args)
        if key not in kept:
            kept[key] = method(self, *args)
        return kept[key]

    return once


class Known:
    """The results of the reference and of the variants of misconceptions, each run when first needed."""

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise

    @cached_property
    def expected(self) -> list[Any]:
        """The right result of each test case."""
        return [self._right(case.args) for case in self.exercise.cases]

    @cached_property
    def summaries(self) -> list[Any]:
        """The right results as the exercise compares them."""
        return [
            self.exercise.comparison.summarize(case.args, value)
            for case, value in zip(self.exercise.cases, self.expected, strict=True)
        ]

    @cached_property
    def expected_minimal(self) -> list[Any]:
        """The right result of each minimal input."""
        return [self._right(args) for args in self.exercise.minimal_inputs]

    @cached_property
    def with_other_numbers(self) -> Run:
        """What the reference gives for the first test case with other numbers of the same shapes, summarized."""
        return self._trusted(self.exercise.reference, other_numbers(self.exercise.cases[0].args))

    @_once
    def variant(self, code: Callable, index: int) -> Run:
        """What a variant of a misconception does on a test case, summarized as the exercise compares results."""
        return self._trusted(code, self.exercise.cases[index].args)

    @_once
    def minimal(self, code: Callable, index: int) -> Run:
        return self._trusted(code, self.exercise.minimal_inputs[index])

    def _trusted(self, code: Callable, args: tuple) -> Run:
        return summarized(self.exercise, run_trusted(self.exercise.runner.call, code, args))

    def _right(self, args: tuple) -> Any:
        record = run_trusted(self.exercise.runner.call, self.exercise.reference, args)
        if record.error:
            raise record.error  # a mistake of the course: raised, so that it is not cached
        _require_judged(self.exercise, record.value)
        return record.value


def _require_judged(exercise: Exercise, expected: Any) -> None:
    """Refuse a right result with which no answer could be compared.

    Errors: TypeError
    """
    for leaf in tree.flatten((expected,)):
        if not (tree.is_dense(leaf) or isinstance(leaf, list) or tree.plain(leaf) or (leaf is None and expected)):
            raise TypeError(
                f"exercise {exercise.id}: a right result must be a tensor, a list, a number, a text, or a tuple of "
                f"these and None, got {describe(leaf)}: let the exercise's runner make one of these of it"
            )


@cache
def known(exercise: Exercise) -> Known:
    return Known(exercise)


def summarized(exercise: Exercise, record: Run) -> Run:
    """A run with its result summarized, as the exercise compares it."""
    if record.error is not None:
        return record
    return replace(record, value=exercise.comparison.summarize(record.args, record.value))


class Observations:
    """The results of an attempt on the test cases and, once asked for, on everything else."""

    def __init__(self, exercise: Exercise, attempt: Any) -> None:
        self.exercise, self.attempt, self.known = exercise, attempt, known(exercise)
        self.runs: list[Run] = []
        self.summaries: list[Run] = []
        for _, cases in groupby(enumerate(self.exercise.cases), lambda each: self.exercise.stages[each[0]]):
            for _, case in cases:
                self.runs.append(run(self.exercise.runner.call, self.attempt, case.args))
                if self.hangs:
                    break  # one wait is enough
            put_functions_back()
            self.summaries += [summarized(self.exercise, record) for record in self.runs[len(self.summaries) :]]
            if self.hangs or self.exercise.judge and not all(map(self.passes, self.required())):
                break

    @property
    def hangs(self) -> bool:
        return isinstance(self.runs[-1].error, StillRunning)

    def required(self, stage: int | None = None) -> Iterator[int]:
        """The test cases that a right answer must pass, of one stage or of all."""
        for i, case in enumerate(self.exercise.cases[: len(self.runs)]):
            if not case.limitation and stage in (None, self.exercise.stages[i]):
                yield i

    @_once
    def passes(self, index: int) -> bool:
        """Whether the attempt gave the right result on a test case."""
        record, case = self.summaries[index], self.exercise.cases[index]
        return record.error is None and allclose(record.value, self.known.summaries[index], case)

    @_once
    def behaves_like(self, code: Callable, index: int) -> bool:
        """Whether the attempt behaves like a variant of a misconception on a test case."""
        theirs = self.known.variant(code, index)
        return same_behavior(self.summaries[index], theirs, self.exercise.cases[index], self.exercise.error_meanings)

    def comparison(self, index: int) -> Comparison:
        return Comparison(
            self.exercise.cases[index].args,
            tree.detach(self.known.expected[index]),
            tree.detach(self.runs[index].value),
            self.exercise.returns,
        )

    @_once
    def minimal(self, index: int) -> Run:
        return run(self.exercise.runner.call, self.attempt, self.exercise.minimal_inputs[index])

    def minimal_failure(self, index: int) -> Comparison | None:
        """Expected and actual of a minimal input, if the attempt gives wrong numbers there."""
        record, expected = self.minimal(index), self.known.expected_minimal[index]
        if record.error is not None or not same_shapes(record.value, expected):
            return None
        summarize = self.exercise.comparison.summarize
        mine, right = summarize(record.args, record.value), summarize(record.args, expected)
        if allclose(mine, right, self.exercise.cases[0]):
            return None
        return Comparison(record.args, tree.detach(expected), tree.detach(record.value), self.exercise.returns)

    def with_another_seed(self, index: int) -> Run:
        """A test case run once more, with other random numbers."""
        return run(self.exercise.runner.call, self.attempt, self.exercise.cases[index].args, seed=1)

    @cached_property
    def with_other_numbers(self) -> Run:
        """What the attempt gives for the first test case with other numbers of the same shapes."""
        return run(self.exercise.runner.call, self.attempt, other_numbers(self.exercise.cases[0].args))

    @_once
    def behavior(self, test: BehavioralTest) -> Run:
        """Run a behavioral test, whose result is its sentence, or an exception."""
        return run(lambda code, trial: trial(code), self.attempt, (test.test,))


def other_numbers(args: tuple) -> tuple:
    """Arguments of the same shapes, with everything reversed, and floats halved unless their rows sum to 1."""
    return tuple(_reversed(value) for value in args)


def _reversed(value: Any) -> Any:
    if isinstance(value, Tensor) and value.dim():
        if not value.is_floating_point():
            return value.flip(0)
        are_weights = (value >= 0).all() and close(value.sum(-1), torch.ones((), dtype=value.dtype))
        return value.flip(-1) if are_weights else value.flip(-1) / 2
    if isinstance(value, str):
        return " ".join(reversed(value.split()))
    return other_numbers(value) if isinstance(value, tuple) else value
