"""Write the sentences of a card about what was found. The other sentences are in the explain_* modules.

Those in this module are about the code itself, about right answers, and notes that are added to other cards.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, TypeGuard

from torch.nn import Module

from feedback import source
from feedback.exercise import BehavioralTest, Exercise
from feedback.explain_errors import called_with
from feedback.explain_numbers import on_a_limitation
from feedback.format import describe, listed, number, sentence
from feedback.judge_contract import Violation
from feedback.observations import Observations
from feedback.report import Code, Part, Report, SideBySide, Text, numbers, raised, say, think
from feedback.sandbox import Run

LONGEST_WORDS, LONGEST_LINES = 95, 12  # without title and next steps, which make it 120 words and 15 lines


def violation(exercise: Exercise, found: Violation, args: tuple) -> Report:
    """Report a broken contract that no known mistake explains."""
    called = [numbers(called_with(exercise, args))] if found.diagnosis == "wrong-shape" else []
    return Report.on(exercise, "wrong", say(found.sentence), *called, think(found.hint), diagnosis=found.diagnosis)


def _wrong(exercise: Exercise, diagnosis: str, sentence: str, hint: str) -> Report:
    return Report.on(exercise, "wrong", say(sentence), think(hint), diagnosis=diagnosis)


# ---------------------------------------------------------------- changed inputs


def changes_a_layer(record: Run) -> bool:
    return any(isinstance(record.args[i], Module) for i in record.changed)


def changed_input(seen: Observations, index: int, named: Report | None = None) -> Report:
    """Report a changed input, below the report `named` on a known mistake if there is one."""
    record = seen.runs[index]
    names = [seen.exercise.input_names[i] for i in record.changed]
    as_before = "it as it was" if len(names) == 1 else "them as they were"
    rest = f"our code changed its input {listed(names)}. Whoever calls it still needs {as_before}."
    if named:
        return with_parts(named, say(f"Besides: y{rest}"))
    elsewhere = any(not seen.runs[i].changed for i in seen.required() if seen.runs[i].error is None)
    where = f' This was seen on "{seen.exercise.cases[index].name}".' if elsewhere else ""
    return _wrong(seen.exercise, "changes-input", f"Y{rest}{where}", _about_changes(names[0], record))


def _about_changes(name: str, record: Run) -> str:
    """Say which code changes an input of this type."""
    kinds = {type(record.args[i]) for i in record.changed}
    if dict in kinds:
        return (
            "`d[key] = ...`, setdefault, update and pop write into the dict d itself; `d.get(key, other)` and "
            "`d[key]` only look."
        )
    if kinds & {list, set}:
        return (
            "pop, remove, add, append and sort change the collection itself; `sorted(...)`, `list(...)` and "
            "`set(...)` make a new one."
        )
    if tuple in kinds:
        return (
            f"The tensors in {name} belong to whoever calls it, too: methods that end in _, `{name}[0] += ...` and "
            f"`{name}[0].data = ...` change them. `torch.cat` and products make new ones."
        )
    if changes_a_layer(record):
        return "Apply the layer, and leave its weight and bias alone: they are to be used again."
    return (
        f"{name} += ..., {name} *= ..., `{name}[...] = ...`, `{name}.data = ...`, `out={name}` and methods "
        f"that end in _ (`masked_fill_`, `requires_grad_`) change {name} itself. Make a new tensor instead ({name} "
        f"= {name} - ..., or return {name} + ...), or start with `{name}.clone()`."
    )


# ---------------------------------------------------------------- several calls


def not_repeatable(exercise: Exercise, moved: float | None) -> Report:
    """Report two calls with the same numbers whose results differ, by up to `moved`."""
    by = "" if moved is None else f"; they differ by up to {number(moved)}"
    is_class = exercise.runner.kind == "class"
    called = "Built and called" if is_class else "Called"
    copied = " Does forward use a copy of parameters, made in `__init__`, when they were random?" if is_class else ""
    return _wrong(
        exercise,
        "not-repeatable",
        f"{called} twice with the same numbers, your code gives two different results{by}.",
        "Nothing here is random: is there a dropout, or a layer of its own with random numbers? Is something kept "
        f"from an earlier call, or a place of `torch.empty` never written?{copied}",
    )


def remembers(seen: Observations) -> Report:
    return _wrong(
        seen.exercise,
        "remembers",
        f"Right on all {len(list(seen.required()))} inputs; but called once more, with other numbers of the same "
        "shapes, your code gives wrong ones.",
        "Does it keep something from an earlier call, in a global variable, a default argument or a cache?",
    )


def shared_result(exercise: Exercise, result: Any) -> Report:
    """Report that a later call changed what an earlier one had returned."""
    kind = "list" if isinstance(result, list) else "tensor"
    return _wrong(
        exercise,
        "shared-result",
        f"A later call changed what an earlier call had returned: both are the same {kind}.",
        f"Make a new {kind} in each call, inside the function.",
    )


# ---------------------------------------------------------------- behavioral tests, and right answers


def failed_behavior(exercise: Exercise, test: BehavioralTest, sentence: str) -> Report:
    return _wrong(exercise, test.id, sentence, test.hint)


def correct(seen: Observations) -> Report:
    """Report a right answer, perhaps with a limit."""
    exercise = seen.exercise
    failing = (i for i, case in enumerate(exercise.cases) if case.limitation and not seen.passes(i))
    passed = f"Correct on {len(list(seen.required()))} inputs."
    for i in failing:  # only the first: a change for it may help with the others
        limit = f"{exercise.cases[i].limitation} {on_a_limitation(seen.runs[i], seen.known.expected[i])}"
        return Report.on(exercise, "limited", say(passed), think(limit))
    return Report.on(exercise, "correct", say(f"{passed} {exercise.when_correct}"))


# ---------------------------------------------------------------- notes below


def with_notes(seen: Observations, report: Report) -> Report:
    """Note what wrong code may do by accident: read the notebook's variables or swap its arguments."""
    exercise, attempt = seen.exercise, seen.attempt
    if report.status not in ("wrong", "error") or report.diagnosis in {m.id for m in exercise.misconceptions}:
        return report
    notes = []
    names = [f"{name} = {describe(value)}" for name, value in source.globals_read(attempt)]
    if names:
        notes.append(
            f"Your code reads {listed(names)}: that comes from elsewhere in the notebook, not from what "
            "it is given. Is that meant?"
        )
    if exercise.runner.kind == "function" and source.in_another_order(attempt, exercise.arguments):
        notes.append(f"Your arguments are in another order than in {exercise.signature}. Is that meant?")
    noted = with_parts(report, *map(think, notes))
    return report if _is_long(noted.parts) else noted


def with_print(seen: Observations, report: Report) -> Report:
    """Show what the code printed on the first input that went wrong, or else on the first input."""
    wrong = (seen.runs[i] for i in seen.required() if not seen.passes(i))
    record = next(wrong, seen.runs[0])
    printed = record.printed.strip()
    if not printed:
        return report
    lines = printed.splitlines()
    cut = "\n".join(line[:100] for line in lines[:8]) + ("\n..." if len(lines) > 8 else "")
    given = called_with(seen.exercise, record.args)
    title = "Your code printed:" if numbers(given) in report.parts else f"{given} Your code printed:"
    return with_parts(report, Code(title, cut))


def shortened(report: Report) -> Report:
    """Shorten a report that is too long to read: inputs go first, then numbers, tables, and printed text."""
    parts = report.parts
    steps = (
        _without_inputs,
        lambda part: None if _is_text(part, "numbers") else part,
        _without_tables,
        lambda part: None if isinstance(part, Code) else part,
        _with_a_short_message,
    )
    for shorter in steps:
        if _is_long(parts):
            parts = tuple(part for part in map(shorter, parts) if part)
    return replace(report, parts=parts)


def _without_inputs(part: Part) -> Part:
    found = re.fullmatch(r"With `.*`: (.*)", part.text) if _is_text(part, "numbers") else None
    return numbers(sentence(found[1])) if found else part


def _without_tables(part: Part) -> Part | None:
    """Leave out tables and the input above them."""
    return None if isinstance(part, SideBySide) or _is_text(part, "say") and part.text.endswith(":") else part


def _with_a_short_message(part: Part) -> Part:
    return raised(f"{part.text[:100]}...") if _is_text(part, "raised") else part


def _is_text(part: Part, kind: str) -> TypeGuard[Text]:
    return isinstance(part, Text) and part.kind == kind


def _is_long(parts: tuple[Part, ...]) -> bool:
    text = "\n".join(part.plain() for part in parts)
    return len(text.split()) > LONGEST_WORDS or len(text.splitlines()) > LONGEST_LINES


def with_changes(report: Report, note: str) -> Report:
    """Add a note on what the code changed for the whole notebook, unless it is ''."""
    return with_parts(report, say(note)) if note else report


def with_parts(report: Report, *parts: Part) -> Report:
    return replace(report, parts=(*report.parts, *parts))
