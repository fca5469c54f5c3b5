"""What a card says about wrong numbers, if possible on an input that is small enough to follow by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import torch
from torch import Tensor

from feedback import errors, explainers, judge_contract, tree
from feedback.compare import allclose, same_behavior, same_shapes
from feedback.exercise import Comparison, Exercise, Misconception, Property
from feedback.format import ended, equation, inline, listed, rounded, sentence, shortly, tables
from feedback.judge_contract import KINDS
from feedback.judge_mistakes import KnownMistake
from feedback.observations import Observations, summarized
from feedback.report import Part, Report, SideBySide, numbers, say, think
from feedback.sandbox import Run

LONGEST_EQUATION = 150  # characters that inputs may take up in a sentence
LONGEST_TABLES = 8  # lines that the right and the wrong result may take up together
CHOOSE_A_SMALL_ONE = (
    "Choose a small input of this kind, and print what each line makes of it: which step surprises you?"
)
ONLY_HERE = (
    "On small inputs your code is right. Where do its numbers and the right ones part, and what is special there?"
)
FOLLOW_BY_HAND = "Work this example out by hand, line by line: where do your numbers and those of your code part?"

# ---------------------------------------------------------------- misconceptions


def misconception(seen: Observations, found: KnownMistake, evidence: str, broken: str = "") -> Report:
    """Report a known mistake and, if the contract is violated by a second one, the sentence `broken` on that."""
    besides = f"Besides: {broken[:1].lower()}{broken[1:]}"
    second = besides if broken else _second_mistake(seen, found)
    return Report.on(
        seen.exercise,
        "wrong",
        say(_where_it_matches(seen, found) + found.misconception.means),
        *([numbers(evidence)] if evidence else []),
        think(found.misconception.hint),
        *([say(second)] if second else []),
        diagnosis=found.misconception.id,
    )


def two_misconceptions(seen: Observations, one: Misconception, other: Misconception) -> Report:
    """Report two known mistakes that together give exactly the attempt's results."""
    report = Report.on(
        seen.exercise,
        "wrong",
        say("Two mistakes together give exactly your results."),
        say(f"One: {one.means}"),
        say(f"The other: {other.means}"),
        think(one.hint),
        diagnosis=one.id,
    )
    return replace(report, second=other.id)


def _second_mistake(seen: Observations, found: KnownMistake) -> str:
    """Say that other parts are wrong as well, if a mistake was named for the first parts alone; else ''."""
    alone, cases = _first_parts_alone(seen, found), seen.exercise.cases
    if all(allclose(seen.runs[i].value, case.actual, cases[i], equal_nan=True) for i, case in alone.items()):
        return ""
    others = [name for name in tree.flatten(seen.exercise.returns) if name not in seen.exercise.judge_first]
    return f"Besides, there is another mistake in {listed(others)}: it comes next."


def _first_parts_alone(seen: Observations, found: KnownMistake) -> dict[int, Comparison]:
    """The test cases of a mistake named for the first parts (`judge_first`) alone, with right numbers in the others.

    Empty for other mistakes; first parts of wrong shapes are left out.
    """

    def merged(names: Any, mine: Any, right: Any) -> Any:
        if isinstance(names, tuple):
            return tuple(map(merged, names, mine, right))
        return mine if names in seen.exercise.judge_first else right

    cases = {i: seen.comparison(i) for i in found.cases if found.only == "first parts"}
    alone = {i: replace(x, actual=merged(seen.exercise.returns, x.actual, x.expected)) for i, x in cases.items()}
    return {i: case for i, case in alone.items() if same_shapes(case.actual, case.expected)}


def _in_the_right_dtypes(case: Comparison) -> Comparison:
    """The same comparison with the learner's numbers in the right dtypes: they may hold another mistake as well."""

    def converted(mine: Any, right: Any) -> Any:
        if isinstance(right, tuple) and isinstance(mine, tuple):
            return tuple(map(converted, mine, right))
        return mine.to(right.dtype) if isinstance(right, Tensor) and isinstance(mine, Tensor) else mine

    return replace(case, actual=converted(case.actual, case.expected))


def _where_it_matches(seen: Observations, found: KnownMistake) -> str:
    """The beginning of a sentence on a mistake that shows on these test cases only.

    If other cases fail in another way, no count is given: a second mistake may hide the first one there.
    """
    if found.only != "these cases":
        return ""
    indices, required = found.cases, list(seen.required())
    first = f'"{seen.exercise.cases[indices[0]].name}"'
    if any(i not in indices and not seen.passes(i) for i in required):
        return f"Tried on {first}, your result matches this mistake: "
    where = first if len(indices) == 1 else f"the first: {first}"
    return f"On {len(indices)} of {len(required)} inputs ({where}) your results match this mistake: "


def in_numbers(seen: Observations, found: KnownMistake, index: int, stage: int) -> str:
    """Say what the mistake does on an input small enough to follow by hand, or else on the test case `index`."""
    explain = found.misconception.explain or explainers.entry
    for small in map(_in_the_right_dtypes, minimal_examples(seen, stage, found.misconception)):
        if allclose(small.actual, small.expected, seen.exercise.cases[0]):
            continue  # nothing but the dtype is wrong
        clause = explain(small)
        if clause:
            return f"With {_given(seen.exercise, small.args)}: {ended(clause)}"
    for i, case in _first_parts_alone(seen, found).items():
        return f'Tried on "{seen.exercise.cases[i].name}": {ended(explain(case) or explainers.entry(case))}'
    if found.only == "these cases":
        index = found.cases[0]
    if not same_shapes(seen.runs[index].value, seen.known.expected[index]):
        return ""
    case = _in_the_right_dtypes(seen.comparison(index))
    clause = ended(explain(case) or explainers.entry(case))
    if found.only == "these cases":  # the sentence before this one names the test case
        return sentence(clause)
    return f'Tried on "{seen.exercise.cases[index].name}": {clause}'


def minimal_examples(seen: Observations, stage: int, named: Misconception | None = None) -> list[Comparison]:
    """The minimal inputs on which the attempt is wrong: first those on which it behaves like no other misconception.

    A tiny input may fit two explanations; the best one to show is the smallest that fits only one. Zeros hide what is
    done to them, so they come last. A named mistake is shown in a sentence, so only short inputs are tried.
    """
    exercise = seen.exercise
    found: list[tuple[bool, bool, Comparison]] = []
    for i in _short_minimal_inputs(exercise) if named else range(len(exercise.minimal_inputs)):
        case = seen.minimal_failure(i) if exercise.stage_of(exercise.minimal_inputs[i]) <= stage else None
        if case is None:
            continue
        if named and not any(_same_on_minimal(seen, code, i) for code in named.variants):
            continue  # something else is wrong here
        others = (m for m in exercise.misconceptions if named is None or m.id != named.id)
        ambiguous, zeros = any(_same_on_minimal(seen, m.variants[0], i) for m in others), _holds_zeros(case.args)
        found.append((ambiguous, zeros, case) if named else (zeros, ambiguous, case))
        if named and not (ambiguous or zeros):
            break
    return [case for *_, case in sorted(found, key=lambda each: each[:2])]


def _holds_zeros(args: tuple) -> bool:
    """Whether some table of floats among the arguments holds nothing but 0."""
    floats = (x for x in tree.flatten(args) if isinstance(x, Tensor) and x.is_floating_point() and x.dim() > 1)
    return any(not x.any() for x in floats)


@cache
def _short_minimal_inputs(exercise: Exercise) -> list[int]:
    """The indices of the minimal inputs that are short enough for a sentence."""
    return [i for i, args in enumerate(exercise.minimal_inputs) if len(_given(exercise, args)) < LONGEST_EQUATION]


def _given(exercise: Exercise, args: tuple) -> str:
    return listed([f"`{equation(name, value)}`" for name, value in zip(exercise.input_names, args, strict=False)])


def _same_on_minimal(seen: Observations, code: Callable, index: int) -> bool:
    mine = summarized(seen.exercise, seen.minimal(index))
    return same_behavior(mine, seen.known.minimal(code, index), seen.exercise.cases[0])


# ---------------------------------------------------------------- properties and examples


def broken_property(exercise: Exercise, wanted: Property, lack: str, case: Comparison, name: str | None) -> Report:
    """Report a property that the numbers lack, on a minimal input or on the test case called `name`."""
    tried = [say(f'This was tried on "{name}".')] if name else []
    example = [] if name else side_by_side(exercise, case)
    return Report.on(exercise, "wrong", say(lack), *tried, think(wanted.hint), *example, diagnosis=wanted.id)


def counterexample(seen: Observations, index: int, stage: int) -> Report:
    """Report the expected and the actual result, if possible on an input small enough to work through by hand."""
    exercise, case = seen.exercise, seen.comparison(index)
    so_far = _so_far(case.expected)
    for example in filter(None, (side_by_side(exercise, small) for small in minimal_examples(seen, stage))):
        return Report.on(exercise, "wrong", say(f"{so_far}."), *example, think(FOLLOW_BY_HAND))
    return Report.on(
        exercise,
        "wrong",
        say(f'{so_far}; it was tried on "{exercise.cases[index].name}".'),
        numbers(sentence(explainers.entry(case))),
        think(ONLY_HERE if _right_on_small_inputs(seen) else CHOOSE_A_SMALL_ONE),
    )


def _right_on_small_inputs(seen: Observations) -> bool:
    small = range(len(seen.exercise.minimal_inputs))
    return bool(small) and all(_same_on_minimal(seen, seen.exercise.reference, i) for i in small)


def _so_far(expected: Any) -> str:
    """What is right about a result whose numbers are wrong."""
    if isinstance(expected, list):
        return "It is a list, but not the right one"
    if tree.plain(expected):
        return f"It is {KINDS[tree.plain(expected)]}, but not the right one"
    if not any(isinstance(leaf, Tensor) for leaf in tree.flatten((expected,))):
        return "The types are right, the values are not"
    entries = "entries" if getattr(expected, "dtype", None) == torch.bool else "numbers"
    return f"The shapes are right, the {entries} are not"


def side_by_side(exercise: Exercise, case: Comparison) -> list[Part]:
    """The inputs of a case, with its expected and actual result side by side; [] if that is too long to follow."""
    given = _given(exercise, case.args)
    differing = (
        SideBySide(name, *tables(right, actual))
        for name, actual, right in judge_contract.parts(exercise, case.actual, case.expected)
        if not allclose(actual, right, exercise.cases[0])
    )
    first = next(differing, None)
    if first is None or len(given) >= LONGEST_EQUATION or len(first.plain().splitlines()) > LONGEST_TABLES:
        return []
    return [say(f"With {given}:"), first]


def on_a_limitation(record: Run, right: Any) -> str:
    """What the code did on an input that a right answer may fail."""
    if record.error is not None:
        return f"Yours raised {errors.first_line(record.error)}."
    if isinstance(right, tuple) or not same_shapes(record.value, right):
        return "Yours is wrong there."
    mine, wanted = (inline(rounded(x)) if isinstance(x, Tensor) else shortly(x) for x in (record.value, right))
    return f"Yours gives {mine}, and {wanted} is right."
