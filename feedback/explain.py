"""From what was found to what a learner reads: the parts of a report."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module

from feedback import contract, errors, explainers, source
from feedback.compare import allclose, same_behavior, same_shapes
from feedback.diagnose import made_on
from feedback.exercise import Comparison, Exercise, Misconception
from feedback.format import (
    argument,
    describe,
    ended,
    equation,
    inline,
    listed,
    rounded,
    sentence,
    shortly,
    table,
    tables,
)
from feedback.observations import Observations, summarized
from feedback.report import Code, Part, Report, SideBySide, numbers, raised, say, think
from feedback.sandbox import Run, StillRunning

INDEXED = r"\w\[(?!None\b)[a-z_]\w*\s*[,\]]"  # x[i], x[i, j], not x[:, i] and x[None]
LONGEST_EQUATION = 150  # characters of inputs that are worth reading in a sentence


# ---------------------------------------------------------------- misconceptions


def misconception(seen: Observations, found: Misconception, evidence: str, stage: int) -> Report:
    means = _made_on(seen, made_on(seen, found, stage)) + found.means
    return seen.exercise.report(
        "wrong", say(means), *([numbers(evidence)] if evidence else []), think(found.hint), diagnosis=found.id
    )


def _made_on(seen: Observations, indices: list[int]) -> str:
    """The beginning of a sentence on a mistake that is seen on these test cases only.

    Where others fail in another way, how many they are says nothing: there a second mistake may hide the first.
    """
    if not indices:
        return ""
    required = list(seen.required())
    first = f'"{seen.exercise.cases[indices[0]].name}"'
    if any(i not in indices and not seen.passes(i) for i in required):
        return f"Tried on {first}, your result is that of this mistake: "
    where = first if len(indices) == 1 else f"the first: {first}"
    return f"On {len(indices)} of {len(required)} inputs ({where}) your results are those of this mistake: "


def in_numbers(seen: Observations, found: Misconception, index: int, stage: int) -> str:
    """What the mistake does: on an input small enough to follow by hand, or else on the test case `index`."""
    explain = found.explain or explainers.entry
    for small in minimal_examples(seen, stage, found):
        told = explain(small)
        if told:
            return f"With {_given(seen.exercise, small.args)}: {ended(told)}"
    case = seen.comparison(index)
    told = ended(explain(case) or explainers.entry(case))
    if index in made_on(seen, found, stage)[:1]:  # the sentence before this one names the test case
        return sentence(told)
    return f'Tried on "{seen.exercise.cases[index].name}": {told}'


def minimal_examples(seen: Observations, stage: int, named: Misconception | None = None) -> list[Comparison]:
    """The minimal inputs on which the attempt is wrong: first those on which it behaves like no other misconception.

    A tiny input may fit two explanations; the best one to show is the smallest that fits one alone. A named mistake is
    shown in a sentence, so only inputs that are short enough for one are tried.
    """
    exercise = seen.exercise
    ambiguous: list[Comparison] = []
    clear: list[Comparison] = []
    for i in _short_minimal_inputs(exercise) if named else range(len(exercise.minimal_inputs)):
        case = seen.minimal_failure(i) if exercise.stage_of(exercise.minimal_inputs[i]) <= stage else None
        if case is None:
            continue
        if named and not any(_same_on_minimal(seen, code, i) for code in named.variants):
            continue  # something else is wrong here
        others = (m for m in exercise.misconceptions if named is None or m.id != named.id)
        fits = any(_same_on_minimal(seen, m.variants[0], i) for m in others)
        (ambiguous if fits else clear).append(case)
        if clear and named:
            break
    return clear + ambiguous


@cache
def _short_minimal_inputs(exercise: Exercise) -> list[int]:
    """Which minimal inputs are worth reading in a sentence."""
    return [i for i, args in enumerate(exercise.minimal_inputs) if len(_given(exercise, args)) < LONGEST_EQUATION]


def _given(exercise: Exercise, args: tuple) -> str:
    return listed([f"`{equation(name, value)}`" for name, value in zip(exercise.input_names, args, strict=False)])


def _same_on_minimal(seen: Observations, code: Callable, index: int) -> bool:
    mine = summarized(seen.exercise, seen.minimal(index))
    return same_behavior(mine, seen.known.minimal(code, index), seen.exercise.cases[0])


# ---------------------------------------------------------------- exceptions


def exception(seen: Observations, index: int, named: Misconception | None) -> Report:
    """An exception: first what it means here, then Python's own message, with the place and the input."""
    exercise, record = seen.exercise, seen.runs[index]
    error: Any = record.error
    message = (raised(first_line(record)), numbers(called_with(exercise, record.args, error)))
    if named:
        means = named.means if _is_seen_in_numbers(seen, named) else f"Likely cause: {named.means}"
        return exercise.report("error", say(means), *message, think(named.hint), diagnosis=named.id)
    meaning = errors.meaning(error, exercise.error_meanings, record.line, _one_axis_more(seen, index))
    if meaning:
        return exercise.report("error", say(meaning), *message)
    return exercise.report(
        "error",
        say("Your code stopped with an exception."),
        *message,
        think(_before(record.line)),
    )


def out_of_time(error: StillRunning) -> list[Part]:
    """Code that did not come back: what it did all the time, and for how long."""
    stopped = f"and was stopped after {error.seconds:.0f} seconds."
    if error.waited:
        return [
            say(f"Your code was waiting for something (`time.sleep`, a lock, `input`), {stopped}"),
            think("What does this line wait for? An exercise never needs that."),
        ]
    return [
        say(f"Your code was still running after {error.seconds:.0f} seconds, and was stopped."),
        think("Is there a loop whose condition never becomes false?"),
    ]


def _before(line: str) -> str:
    """What to think about an exception of which nothing is known."""
    if re.search(r"`(raise|assert)\b", line):
        return "Your own line demands something that the exercise does not promise: compare it with what was given."
    return "Print what this line works on just before it, values and shapes: which of them is not what you expect?"


def _is_seen_in_numbers(seen: Observations, named: Misconception) -> bool:
    """Whether an attempt returns wrong results of this mistake: an exception alone may have other causes."""
    returned = [i for i in seen.required() if seen.runs[i].error is None and not seen.passes(i)]
    return any(seen.behaves_like(code, i) for i in returned for code in named.variants)


def first_line(record: Run) -> str:
    """The exception with the learner's line: "ValueError: ..., at your line 3: `return q @ k`"."""
    error: Any = record.error
    return errors.first_line(error) + (f", at your {record.line}" if record.line else "")


def _one_axis_more(seen: Observations, stopped: int) -> bool:
    """Whether the code takes items by an index, gave right numbers with fewer axes, and stops with more of them."""

    def axes(index: int) -> int:
        return max((x.dim() for x in seen.exercise.cases[index].args if hasattr(x, "dim")), default=0)

    if not re.search(INDEXED, source.text(seen.attempt)):
        return False
    return any(axes(i) < axes(stopped) for i in seen.required() if seen.passes(i))


def called_with(exercise: Exercise, args: tuple, error: BaseException | None = None) -> str:
    """What the learner's code was given, with its dtypes where the error speaks of them."""
    if exercise.runner.describe:
        return exercise.runner.describe(args)
    dtypes = errors.speaks_of_dtypes(error)
    given = ", ".join(argument(name, value, dtypes) for name, value in zip(exercise.input_names, args, strict=False))
    return f"It was called with {given}."


def stopped_in_behavioral_test(exercise: Exercise, while_doing: str, hint: str, record: Run) -> Report:
    error: Any = record.error
    meaning = errors.meaning(error, exercise.error_meanings, record.line)
    return exercise.report(
        "error",
        say(f"The numbers are right, but {while_doing} your code stopped."),
        raised(first_line(record)),
        *([think(meaning)] if meaning else []),
        think(hint),
    )


# ---------------------------------------------------------------- changed inputs


def changes_a_layer(record: Run) -> bool:
    return any(isinstance(record.args[i], Module) for i in record.changed)


def changed_input(exercise: Exercise, record: Run) -> tuple[str, str]:
    """That an input was changed, and what to think about."""
    names = " and ".join(exercise.input_names[i] for i in record.changed)
    name = exercise.input_names[record.changed[0]]
    kinds = {type(record.args[i]) for i in record.changed}
    if dict in kinds:
        hint = (
            "`d[key] = ...`, setdefault, update and pop write into the dict d itself; `d.get(key, other)` and "
            "`d[key]` only look."
        )
    elif kinds & {list, set}:
        hint = (
            "pop, remove, add, append and sort change the collection itself; `sorted(...)`, `list(...)` and "
            "`set(...)` make a new one."
        )
    elif tuple in kinds:
        hint = (
            f"The tensors in {name} belong to whoever calls it, too: methods that end in _, `{name}[0] += ...` and "
            f"`{name}[0].data = ...` change them. `torch.cat` and products make new ones."
        )
    elif changes_a_layer(record):
        hint = "Apply the layer, and leave its weight and bias alone: they are to be used again."
    else:
        hint = (
            f"{name} += ..., {name} -= ..., `{name}[...] = ...`, `{name}.data = ...`, `out={name}` and methods "
            f"that end in _ (`masked_fill_`, `requires_grad_`) change {name} itself. Make a new tensor instead ({name} "
            f"= {name} - ..., or return {name} + ...), or start with `{name}.clone()`."
        )
    as_before = "it as it was" if len(record.changed) == 1 else "them as they were"
    return f"Your code changed its input {names}. Whoever calls it still needs {as_before}.", hint


# ---------------------------------------------------------------- examples


def counterexample(seen: Observations, index: int, stage: int) -> Report:
    """Expected and actual, on an input that is small enough to work through by hand."""
    exercise, case = seen.exercise, seen.comparison(index)
    so_far = (
        "It is a list, but not the right one"
        if isinstance(case.expected, list)
        else "The shapes are right, the entries are not"
        if getattr(case.expected, "dtype", None) == torch.bool
        else "The shapes are right, the numbers are not"
    )
    for small in minimal_examples(seen, stage):
        return exercise.report(
            "wrong",
            say(f"{so_far}. A small input on which they differ:"),
            *side_by_side(exercise, small),
            think(FOLLOW_BY_HAND),
        )
    return exercise.report(
        "wrong",
        say(f'{so_far}; it was tried on "{exercise.cases[index].name}".'),
        numbers(sentence(explainers.entry(case))),
        think("Choose a small input of this kind, and print what each line makes of it: which step surprises you?"),
    )


FOLLOW_BY_HAND = "Work this example out by hand, line by line: where do your numbers and those of your code part?"


def side_by_side(exercise: Exercise, case: Comparison) -> list[Part]:
    """The inputs of a case, then what was expected next to what came."""
    named = list(zip(exercise.input_names, case.args, strict=False))
    shown: list[Part] = [Code(f"{name} =", table(value)) for name, value in named if not isinstance(value, Module)]
    layers = ", ".join(equation(name, value) for name, value in named if isinstance(value, Module))
    if layers:
        shown.append(Code("layers:", layers))
    return shown + [
        SideBySide(name, *tables(right, actual))
        for name, actual, right in contract.tensors(exercise, case.actual, case.expected)
        if not allclose(actual, right, exercise.cases[0])
    ]


def on_a_limitation(record: Run, right: Any) -> str:
    """What the code did on an input that a right answer may fail."""
    if record.error is not None:
        return f"Yours raised {errors.first_line(record.error)}."
    if isinstance(right, tuple) or not same_shapes(record.value, right):
        return "Yours is wrong there."
    mine, wanted = (inline(rounded(x)) if isinstance(x, Tensor) else shortly(x) for x in (record.value, right))
    return f"Yours gives {mine}, and {wanted} is right."


# ---------------------------------------------------------------- notes below


def with_notes(seen: Observations, report: Report) -> Report:
    """What wrong code may do without meaning to: read the notebook's variables, swap its arguments."""
    exercise, attempt = seen.exercise, seen.attempt
    if report.status not in ("wrong", "error") or report.diagnosis in {m.id for m in exercise.misconceptions}:
        return report
    notes = []
    names = [f"{name} = {describe(value)}" for name, value in source.borrowed(attempt)]
    if names:
        notes.append(
            f"Your code reads {' and '.join(names)}: that comes from elsewhere in the notebook, not from what "
            "it is given. Is that meant?"
        )
    if exercise.runner.kind == "function" and source.in_another_order(attempt, exercise.arguments):
        notes.append(f"Your arguments are in another order than in {exercise.signature}. Is that meant?")
    return exercise.report(report.status, *report.parts, *map(think, notes), diagnosis=report.diagnosis)


def with_print(seen: Observations, report: Report) -> Report:
    """Show once what the code printed: on the first input that went wrong, or on the first of all."""
    wrong = (seen.runs[i] for i in seen.required() if not seen.passes(i))
    record = next(wrong, seen.runs[0])
    printed = record.printed.strip()
    if not printed:
        return report
    lines = printed.splitlines()
    cut = "\n".join(line[:100] for line in lines[:8]) + ("\n..." if len(lines) > 8 else "")
    given = called_with(seen.exercise, record.args)
    title = "Your code printed:" if numbers(given) in report.parts else f"{given} Your code printed:"
    return seen.exercise.report(report.status, *report.parts, Code(title, cut), diagnosis=report.diagnosis)
