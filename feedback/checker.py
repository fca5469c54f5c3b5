"""Judge a learner's code in a fixed order, and report the first thing found, which is the first to fix.

This module decides, stage by stage; `explain` and the explain_* modules write the sentences.
"""

from __future__ import annotations

import math
from typing import Any

from torch import Tensor

from feedback import explain, explain_errors, explain_numbers, judge_contract, source, tree
from feedback.compare import allclose, same_shapes
from feedback.exercise import Exercise
from feedback.judge_mistakes import KnownMistake, breaks_the_contract, known_mistake, two_known_mistakes
from feedback.observations import Observations, summarized
from feedback.report import Report
from feedback.sandbox import ContractViolation, StillRunning, session


def check(exercise: Exercise, attempt: Any) -> Report:
    """Judge an attempt, and report what was found.

    Errors: none from the attempt: whatever it does becomes a Report
    """
    if source.is_stub(attempt):
        return Report.on(exercise, "not attempted")
    refusal = judge_contract.refuse(exercise, attempt)
    if refusal:
        return explain_errors.refused(exercise, *refusal)
    with session() as kernel:
        seen = Observations(exercise, attempt)
        stages = sorted({exercise.stages[i] for i in seen.required()})
        found = next((report for stage in stages for report in [_judge(seen, stage)] if report), None)
        report = found or _failed_behavior(seen, required=True) or _kept_from_earlier(seen) or explain.correct(seen)
        report = explain.shortened(explain.with_print(seen, explain.with_notes(seen, report)))
    return explain.with_changes(report, kernel.note)


def _judge(seen: Observations, stage: int) -> Report | None:
    """Report the first thing wrong in one stage, given that the earlier stages are right."""
    return _raised(seen, stage) or _malformed(seen, stage) or _wrong_numbers(seen, stage)


# ---------------------------------------------------------------- exceptions


def _raised(seen: Observations, stage: int) -> Report | None:
    for i in seen.required(stage):
        error = seen.runs[i].error
        if error is None:
            continue
        if isinstance(error, StillRunning):
            return explain_errors.never_ends(seen.exercise, error)
        if isinstance(error, ContractViolation):
            return explain_errors.broken_rule(seen.exercise, error)
        if isinstance(error, NotImplementedError) and not str(error):
            return explain_errors.not_written(seen.exercise)
        return explain_errors.exception(seen, i, known_mistake(seen, stage))
    return None


# ---------------------------------------------------------------- the contract


def _malformed(seen: Observations, stage: int) -> Report | None:
    exercise = seen.exercise
    for i in seen.required(stage):
        record = seen.runs[i]
        violation = judge_contract.violation(exercise, seen.attempt, record.args, record.value, seen.known.expected[i])
        if violation:
            named = known_mistake(seen, stage)
            if violation.lost_axis and named and named.only == "these cases":
                named = None  # if sizes are 1, many mistakes have no other effect
            if named and breaks_the_contract(seen, named.misconception, i):
                evidence = _wrong_before(seen, stage, named, i) or violation.sentence
                return explain_numbers.misconception(seen, named, evidence)
            if named:
                evidence = _wrong_before(seen, stage, named, i) or explain_numbers.in_numbers(seen, named, i, stage)
                return explain_numbers.misconception(seen, named, evidence, violation.sentence)
            return _two_at_once(seen) or explain.violation(exercise, violation, record.args)
        if record.changed:
            return _changed_input(seen, stage, i)
    return None


def _wrong_before(seen: Observations, stage: int, named: KnownMistake, stop: int | None = None) -> str:
    """Say what a known mistake did to the numbers on a test case before `stop`; '' if it shows on none."""
    for i in seen.required(stage):
        if i == stop or seen.runs[i].error or not same_shapes(seen.runs[i].value, seen.known.expected[i]):
            return ""
        if i in named.cases:
            return explain_numbers.in_numbers(seen, named, i, stage)
    return ""


def _changed_input(seen: Observations, stage: int, index: int) -> Report:
    itself = explain.changes_a_layer(seen.runs[index])  # a changed layer is the mistake itself
    named = None if itself else known_mistake(seen, stage)
    if named is None:
        return explain.changed_input(seen, index)
    found = explain_numbers.misconception(seen, named, _wrong_before(seen, stage, named))
    return explain.changed_input(seen, index, found)


# ---------------------------------------------------------------- numbers


def _wrong_numbers(seen: Observations, stage: int) -> Report | None:
    wrong = next((i for i in seen.required(stage) if not seen.passes(i)), None)
    if wrong is None:
        return None
    if seen.exercise.judge:
        return seen.exercise.judge(seen)
    named = known_mistake(seen, stage)
    if named:
        evidence = explain_numbers.in_numbers(seen, named, wrong, stage)
        return explain_numbers.misconception(seen, named, evidence)
    return (
        _two_at_once(seen)
        or _failed_behavior(seen, early=True)
        or _not_repeatable(seen, wrong)
        or _broken_property(seen, stage)
        or _failed_behavior(seen)
        or explain_numbers.counterexample(seen, wrong, stage)
    )


def _two_at_once(seen: Observations) -> Report | None:
    both = two_known_mistakes(seen)
    return explain_numbers.two_misconceptions(seen, *both) if both else None


def _not_repeatable(seen: Observations, index: int) -> Report | None:
    """Report results that are random but must not be: properties and behavioral tests would say nothing about them."""
    exercise, record = seen.exercise, seen.runs[index]
    if hasattr(exercise.comparison, "summary") or isinstance(record.value, list):
        return None
    once, again = tree.detach(record.value), tree.detach(seen.with_another_seed(index).value)
    if not same_shapes(again, once) or allclose(again, once, exercise.cases[index], equal_nan=True):
        return None
    both = [(a, b) for _, a, b in judge_contract.parts(exercise, again, once) if isinstance(b, Tensor)]
    moved = max((float((a.double() - b.double()).abs().max()) for a, b in both), default=math.nan)
    return explain.not_repeatable(exercise, moved if math.isfinite(moved) else None)


def _broken_property(seen: Observations, stage: int) -> Report | None:
    """Report the first property that the numbers lack, on the smallest input that shows it."""
    exercise = seen.exercise
    small = [(case, None) for case in explain_numbers.minimal_examples(seen, stage)]
    large = [(seen.comparison(i), exercise.cases[i].name) for i in seen.required(stage)]
    for wanted in exercise.properties:
        for case, name in (*small, *large):
            sentence = wanted.test(case)
            if sentence:
                return explain_numbers.broken_property(exercise, wanted, sentence, case, name)
    return None


# ---------------------------------------------------------------- the code itself


def _failed_behavior(seen: Observations, required: bool = False, early: bool = False) -> Report | None:
    """Report the first behavioral test that fails. Required ones follow right numbers; others explain wrong ones."""
    exercise = seen.exercise
    for test in exercise.behavioral_tests:
        if (test.required, test.early) != (required, early):
            continue
        record = seen.behavior(test)
        if record.error is None and record.value:
            return explain.failed_behavior(exercise, test, record.value)
        if record.error is not None and required:
            return explain_errors.stopped_in_behavioral_test(exercise, test, record)
    return None


def _kept_from_earlier(seen: Observations) -> Report | None:
    """Report code that keeps a result: a call with other numbers of the same shapes changes it, or is wrong."""
    case, later, right = seen.exercise.cases[0], seen.with_other_numbers, seen.known.with_other_numbers
    before, afterwards = tree.detach(seen.runs[0].value), tree.detach(seen.runs[0].returned)
    if not allclose(afterwards, before, case, equal_nan=True):
        return explain.shared_result(seen.exercise, before)
    mine = summarized(seen.exercise, later)
    if right.error is not None or mine.error is not None or allclose(mine.value, right.value, case):
        return None
    return explain.remembers(seen)
