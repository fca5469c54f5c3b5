"""From a learner's code to a report, in a fixed order; the first thing that is found is the first to fix.

attempt -> refuse what cannot be run
        -> observations: every test case is run, once
        -> stage by stage: exceptions, contract, known mistakes, properties, the smallest counterexample
        -> behavioral tests of right numbers
        -> report
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from feedback import contract, explain, tree
from feedback.compare import allclose, same_shapes
from feedback.diagnose import known_mistake, made_on
from feedback.exercise import Exercise
from feedback.format import number
from feedback.observations import Observations, summarized
from feedback.report import Report, numbers, say, think
from feedback.sandbox import ContractViolation, Run, StillRunning, session


def check(exercise: Exercise, attempt: Any) -> Report:
    """Find out what an attempt is.

    Errors: none from the attempt: whatever it does becomes a Report
    """
    refused = contract.refuse(exercise, attempt)
    if refused:
        return refused
    with session() as surroundings:
        seen = Observations(exercise, attempt)
        stages = sorted({exercise.stages[i] for i in seen.required()})
        found = next((report for stage in stages for report in [_judge(seen, stage)] if report), None)
        report = found or _failed_behavior(seen, required=True) or _kept_from_earlier(seen) or _correct(seen)
        report = explain.with_print(seen, explain.with_notes(seen, report))
    return replace(report, parts=(*report.parts, *map(say, surroundings.told)))


def _judge(seen: Observations, stage: int) -> Report | None:
    """The first thing that is wrong in one stage, where the earlier stages are right."""
    return _raised(seen, stage) or _malformed(seen, stage) or _wrong_numbers(seen, stage)


# ---------------------------------------------------------------- exceptions


def _raised(seen: Observations, stage: int) -> Report | None:
    exercise = seen.exercise
    for i in seen.required(stage):
        error = seen.runs[i].error
        if error is None:
            continue
        if isinstance(error, StillRunning):
            return exercise.report("error", *explain.out_of_time(error), diagnosis="never-ends")
        if isinstance(error, ContractViolation):
            return exercise.report("wrong", say(error.sentence), diagnosis=error.diagnosis)
        if isinstance(error, NotImplementedError) and not str(error):
            return exercise.report("not attempted", say("It still raises NotImplementedError."))
        return explain.exception(seen, i, known_mistake(seen, stage))
    return None


# ---------------------------------------------------------------- the contract


def _malformed(seen: Observations, stage: int) -> Report | None:
    exercise = seen.exercise
    for i in seen.required(stage):
        record = seen.runs[i]
        violation = contract.violation(exercise, seen.attempt, record.args, record.value, seen.known.expected[i])
        if violation:
            named = known_mistake(seen, stage)
            if violation.lost_axis and named and len(made_on(seen, named, stage)) == 1:
                named = None  # on a single input, many a mistake does no more than that
            if named:
                return explain.misconception(
                    seen, named, _wrong_before(seen, stage, named, i) or violation.sentence, stage
                )
            of_shapes = violation.diagnosis == "wrong-shape"
            called = [numbers(explain.called_with(exercise, record.args))] if of_shapes else []
            return exercise.report(
                "wrong", say(violation.sentence), *called, think(violation.hint), diagnosis=violation.diagnosis
            )
        if record.changed:
            return _changed_input(seen, stage, i)
    return None


def _wrong_before(seen: Observations, stage: int, named: Any, stop: int | None = None) -> str:
    """What a known mistake did to the numbers, up to the test case `stop`; '' where it did nothing."""
    for i in seen.required(stage):
        if i == stop or seen.runs[i].error or not same_shapes(seen.runs[i].value, seen.known.expected[i]):
            return ""
        if not seen.passes(i):
            return explain.in_numbers(seen, named, i, stage)
    return ""


def _changed_input(seen: Observations, stage: int, index: int) -> Report:
    sentence, hint = explain.changed_input(seen.exercise, seen.runs[index])
    itself = explain.changes_a_layer(seen.runs[index])  # a changed layer is the mistake itself
    named = None if itself else known_mistake(seen, stage)
    if named:
        found = explain.misconception(seen, named, _wrong_before(seen, stage, named), stage)
        return seen.exercise.report(
            "wrong", *found.parts, say(f"Besides: {sentence[0].lower()}{sentence[1:]}"), diagnosis=named.id
        )
    elsewhere = any(not seen.runs[i].changed for i in seen.required() if seen.runs[i].error is None)
    where = f' This was seen on "{seen.exercise.cases[index].name}".' if elsewhere else ""
    return seen.exercise.report("wrong", say(sentence + where), think(hint), diagnosis="changes-input")


# ---------------------------------------------------------------- numbers


def _wrong_numbers(seen: Observations, stage: int) -> Report | None:
    wrong = next((i for i in seen.required(stage) if not seen.passes(i)), None)
    if wrong is None:
        return None
    named = known_mistake(seen, stage)
    if named:
        return explain.misconception(seen, named, explain.in_numbers(seen, named, wrong, stage), stage)
    return (
        _failed_behavior(seen, early=True)
        or _not_repeatable(seen, wrong)
        or _broken_property(seen, stage)
        or _failed_behavior(seen)
        or explain.counterexample(seen, wrong, stage)
    )


def _not_repeatable(seen: Observations, index: int) -> Report | None:
    """Where something is random that must not be, properties and behavioral tests tell nothing."""
    exercise, record = seen.exercise, seen.runs[index]
    if hasattr(exercise.comparison, "summary") or isinstance(record.value, list):
        return None
    once, again = tree.detach(record.value), tree.detach(seen.with_another_seed(index).value)
    if not same_shapes(again, once) or allclose(again, once, exercise.cases[index], equal_nan=True):
        return None
    moved = max(float((a.double() - b.double()).abs().max()) for _, a, b in contract.tensors(exercise, again, once))
    by = f"; they differ by up to {number(moved)}" if math.isfinite(moved) else ""
    twice = "Built and called" if exercise.runner.kind == "class" else "Called"
    of_a_class = (
        " Does forward use a copy of parameters, made in `__init__`, when they were random?"
        if exercise.runner.kind == "class"
        else ""
    )
    return exercise.report(
        "wrong",
        say(f"{twice} twice with the same numbers, your code gives two different results{by}."),
        think(
            "Nothing here is random: is there a dropout, or a layer of its own with random numbers? Is something kept "
            f"from an earlier call, or a place of `torch.empty` never written?{of_a_class}"
        ),
        diagnosis="not-repeatable",
    )


def _broken_property(seen: Observations, stage: int) -> Report | None:
    """The first property that the numbers lack, shown on the smallest input on which they lack it."""
    exercise = seen.exercise
    small = [(case, None) for case in explain.minimal_examples(seen, stage)]
    large = [(seen.comparison(i), exercise.cases[i].name) for i in seen.required(stage)]
    for wanted in exercise.properties:
        for case, name in (*small, *large):
            sentence = wanted.test(case)
            if sentence:
                tried = [say(f'This was tried on "{name}".')] if name else []
                example = [] if name else explain.side_by_side(exercise, case)
                return exercise.report(
                    "wrong", say(sentence), *tried, think(wanted.hint), *example, diagnosis=wanted.id
                )
    return None


# ---------------------------------------------------------------- the code itself


def _failed_behavior(seen: Observations, required: bool = False, early: bool = False) -> Report | None:
    """The first behavioral test that fails; the required ones speak of right numbers, the others explain wrong ones."""
    exercise = seen.exercise
    for test in exercise.behavioral_tests:
        if (test.required, test.early) != (required, early):
            continue
        record = seen.behavior(test)
        if record.error is None and record.value:
            return exercise.report("wrong", say(record.value), think(test.hint), diagnosis=test.id)
        if record.error is not None and required:
            return explain.stopped_in_behavioral_test(exercise, test.while_doing, test.hint, record)
    return None


def _kept_from_earlier(seen: Observations) -> Report | None:
    """A call with other numbers of the same shapes is one too many for code that keeps a result."""
    later = seen.with_other_numbers
    return _shared_result(seen) or _old_numbers(seen, later)


def _old_numbers(seen: Observations, later: Run) -> Report | None:
    """The later call gives wrong numbers: something of an earlier one is in them."""
    right, mine = seen.known.with_other_numbers, summarized(seen.exercise, later)
    if right.error is not None or mine.error is not None or allclose(mine.value, right.value, seen.exercise.cases[0]):
        return None
    return seen.exercise.report(
        "wrong",
        say(
            f"Right on all {len(list(seen.required()))} inputs; but called once more, with other numbers of the same "
            "shapes, your code gives wrong ones."
        ),
        think("Does it keep something from an earlier call, in a global variable, a default argument or a cache?"),
        diagnosis="remembers",
    )


def _shared_result(seen: Observations) -> Report | None:
    """A later call changes what an earlier one returned: both are one and the same tensor or list."""
    before, afterwards = tree.detach(seen.runs[0].value), tree.detach(seen.runs[0].returned)
    if allclose(afterwards, before, seen.exercise.cases[0], equal_nan=True):
        return None
    kind = "list" if isinstance(before, list) else "tensor"
    return seen.exercise.report(
        "wrong",
        say(f"A later call changed what an earlier call had returned: both are the same {kind}."),
        think(f"Make a new {kind} in each call, inside the function."),
        diagnosis="shared-result",
    )


# ---------------------------------------------------------------- it is right


def _correct(seen: Observations) -> Report:
    exercise = seen.exercise
    limits = [
        think(f"{case.limitation} {explain.on_a_limitation(seen.runs[i], seen.known.expected[i])}")
        for i, case in enumerate(exercise.cases)
        if case.limitation and not seen.passes(i)
    ]
    passed = f"Correct on {len(list(seen.required()))} inputs."
    if limits:
        return exercise.report("limited", say(passed), *limits)
    return exercise.report("correct", say(f"{passed} {exercise.when_correct}"))
