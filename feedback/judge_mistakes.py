"""Find the known mistake that an attempt makes.

A known mistake has code of its own, in one or more variants, each of which is also run on every test case. An attempt
makes the mistake if it behaves like a variant: it gives the same results, or raises the same kind of exception.

Nearly all wrong attempts make a single mistake, and some variant behaves the same on all test cases. The others make
two mistakes, one of which should be named:

    the second shows elsewhere          Code forgets the scale, and also raises on a batch. On the test cases without a
                                        batch it behaves like "no-scale"; a mistake in a later stage can wait.
    the second is in another part       An answer returns (out, weights). The weights are not scaled, and the output is
                                        also summed over the wrong axis: no variant gives such an output. But the
                                        weights alone are those of "no-scale". An exercise names such parts in
                                        `judge_first`.
    both show everywhere                Two variants are combined, as edits or steps of the same code, and tried.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any, Literal

from torch import Tensor

from feedback import tree
from feedback.compare import allclose, same_shapes
from feedback.exercise import Exercise, Misconception
from feedback.format import shortly
from feedback.observations import Observations

PAIRS, SLOW_PAIRS = 200, 60  # the most pairs of mistakes to try; fewer if they are slow: classes, or random


# ---------------------------------------------------------------- one mistake


@dataclass(frozen=True)
class KnownMistake:
    """The misconception of an attempt, and where it shows.

    cases   the failing test cases on which it shows
    only    whether nothing but "these cases", or nothing but the "first parts" of their results, is as it makes them
    """

    misconception: Misconception
    cases: list[int]
    only: Literal["", "these cases", "first parts"]


def known_mistake(seen: Observations, stage: int) -> KnownMistake | None:
    """The known mistake of an attempt that fails in this stage but in no earlier one. The first rule that fits decides:

    1. It behaves the same on every test case.
    2. It behaves the same wherever the attempt fails.
    3. It behaves the same up to this stage: a second mistake, in a later stage, is left for the next attempt.
    4. Its first parts (the weights, say) are the same up to this stage: the other parts hold a second mistake.

    Rules 2 and 3 name nothing if several misconceptions fit.
    """
    exercise = seen.exercise
    failing = [i for i in seen.required() if not seen.passes(i)]
    if seen.hangs or not failing or exercise.judge:
        return None
    so_far = [i for i in seen.required() if exercise.stages[i] <= stage]
    failing_so_far = [i for i in failing if i in so_far]
    found = next(_alike(seen, _failing_first(failing, range(len(exercise.cases))), seen.behaves_like), None)
    if not found and all(seen.runs[i].error is None for i in failing):
        found = _the_only_one(_alike(seen, failing, seen.behaves_like))
    if not found and len(so_far) < len(list(seen.required())) and failing_so_far:  # what is right would fit many
        found = _the_only_one(_alike(seen, _failing_first(failing, so_far), seen.behaves_like))
    found = found or _by_first_parts(seen, so_far)
    return _where_it_shows(seen, found, failing_so_far) if found else None


def _where_it_shows(seen: Observations, found: Misconception, failing: list[int]) -> KnownMistake:
    """Say where a misconception shows, given the failing test cases up to this stage."""

    def made_by(variants: Iterable[Callable], indices: Iterable[int]) -> list[int]:
        return [i for i in indices if any(seen.behaves_like(code, i) for code in variants)]

    fitting = [code for code in found.variants if made_by([code], failing) == failing]
    if fitting:
        required = list(seen.required())
        everywhere = any(made_by([code], required) == required for code in fitting)
        cases = made_by(fitting, [i for i in required if not seen.passes(i)])
        return KnownMistake(found, cases, "" if everywhere else "these cases")
    whole = made_by(found.variants, failing)  # rule 4 named it, but some whole results may be the same, too
    mine, right, firsts = seen.summaries, seen.known.summaries, seen.exercise.judge_first
    partly = [i for i in failing if not _agree_in(seen, mine[i].value, right[i], firsts, i)]
    return KnownMistake(found, sorted({*whole, *partly}), "" if whole else "first parts")


def _alike(
    seen: Observations, indices: Iterable[int], alike: Callable[[Callable, int], bool]
) -> Iterator[Misconception]:
    """Yield each misconception of which some variant is `alike` on all these test cases, compared in this order."""
    indices = list(indices)
    lines = [seen.runs[i].line for i in indices if seen.runs[i].line]
    for misconception in seen.exercise.misconceptions:
        if lines and not re.search(misconception.raised_in, lines[0]):
            continue
        if any(all(alike(code, i) for i in indices) for code in misconception.variants):
            yield misconception


def _failing_first(failing: list[int], indices: Iterable[int]) -> list[int]:
    """Sort the indices so that failing test cases come first, which rule out most misconceptions at once."""
    return sorted(indices, key=lambda i: i not in failing)


def _the_only_one(found: Iterable[Misconception]) -> Misconception | None:
    several = list(found)
    return several[0] if len(several) == 1 else None


# ---------------------------------------------------------------- in some parts of a result


def _by_first_parts(seen: Observations, indices: list[int]) -> Misconception | None:
    """Name a misconception by the parts of a result in `judge_first` alone, if these are wrong.

    A misconception that affects only these parts is named only if the attempt's other parts were made without it: they
    are right, or those of another known mistake. Otherwise one that also affects other parts is named.
    """
    firsts, right = seen.exercise.judge_first, seen.known.summaries
    others = tuple(name for name in tree.flatten(seen.exercise.returns) if name not in firsts)
    mine = {i: seen.summaries[i].value for i in indices}
    wrong = [i for i in indices if not _agree_in(seen, mine[i], right[i], firsts, i)]
    if not wrong or any(_parts(seen.exercise, value, firsts) is None for value in mine.values()):
        return None

    def given_by(code: Callable) -> dict[int, Any]:
        return {i: seen.known.variant(code, i).value for i in indices}

    def others_agree_in(a: Any, b: Any) -> bool:
        return all(_agree_in(seen, a[i], b[i], others, i) for i in indices)

    def alike(code: Callable, i: int) -> bool:
        return _agree_in(seen, mine[i], seen.known.variant(code, i).value, firsts, i)

    fitting = list(_alike(seen, _failing_first(wrong, indices), alike))
    alone = [m for m in fitting if any(others_agree_in(given_by(code), right) for code in m.variants)]
    if others_agree_in(mine, right):
        return next(iter(alone), None)
    elsewhere = (code for m in seen.exercise.misconceptions if m not in fitting for code in m.variants)
    if alone and any(others_agree_in(mine, given_by(code)) for code in elsewhere):
        return alone[0]
    return next((m for m in fitting if m not in alone), None)


def _agree_in(seen: Observations, a: Any, b: Any, names: tuple[str, ...], index: int) -> bool:
    """Whether two results are equal in the parts with these names."""
    mine, theirs = (_parts(seen.exercise, value, names) for value in (a, b))
    return mine is not None and theirs is not None and allclose(mine, theirs, seen.exercise.cases[index], True)


def _parts(exercise: Exercise, value: Any, names: tuple[str, ...]) -> tuple | None:
    """The parts of a result with these names, or None if the result has another structure or they are not tensors."""
    try:
        found = tuple(part for name, part in tree.named(exercise.returns, value) if name in names)
    except (TypeError, ValueError):
        return None
    return found if all(isinstance(part, Tensor) for part in found) else None


# ---------------------------------------------------------------- two mistakes


def two_known_mistakes(seen: Observations) -> list[Misconception]:
    """The two misconceptions that an attempt makes at once, if no single one fits; [] if none are found.

    Edits or steps from the page are combined in pairs, and a pair fits if it gives the same results on every required
    test case. Nothing is named if several pairs fit, or if the results vary too little to tell pairs apart.
    """
    exercise, failing = seen.exercise, [i for i in seen.required() if not seen.passes(i)]
    if not exercise.page or any(seen.runs[i].error for i in failing):
        return []
    in_tensors = {number for i in failing for number in seen.summaries[i].sample}
    if len(in_tensors) < 2 and len({shortly(seen.runs[i].value) for i in failing}) < 3:
        return []
    smallest = min(failing, key=lambda i: _size(exercise.cases[i].args))
    probes = [smallest, *{failing[-1]} - {smallest}]
    slow = exercise.runner.kind == "class" or hasattr(exercise.comparison, "summary")
    fitting: list[set[str]] = []
    for ids, code in islice(_pairs(seen, probes), SLOW_PAIRS if slow else PAIRS):
        if ids not in fitting and all(seen.behaves_like(code, i) for i in _failing_first(probes, seen.required())):
            fitting.append(ids)
    return [m for m in exercise.misconceptions if len(fitting) == 1 and m.id in fitting[0]]


def _pairs(seen: Observations, probes: list[int]) -> Iterator[tuple[set[str], Callable]]:
    """Yield the ids of two mistakes and code that makes both. A few failing cases tell which pairs are tried first."""
    exercise, right = seen.exercise, seen.known.summaries
    variants = [(m.id, n, code) for m in exercise.misconceptions for n, code in enumerate(m.variants)]
    wrong_on = {code: {i for i in probes if _is_wrong(seen, code, i)} for _, _, code in variants}
    if exercise.judge_first:  # both mistakes are in these parts, or neither is: one alone would have been named
        i, firsts = probes[0], exercise.judge_first
        so_far = _agree_in(seen, seen.summaries[i].value, right[i], firsts, i)
        variants = [
            each
            for each in variants
            if _agree_in(seen, seen.known.variant(each[2], i).value, right[i], firsts, i) == so_far
        ]

    def unlikely(pair: tuple) -> tuple[int, int]:
        """Rank a pair: where only one of the two is wrong, the attempt should behave like that one."""
        (_, m, one), (_, n, other) = pair
        alone = [(one, i) for i in wrong_on[one] - wrong_on[other]] + [
            (other, i) for i in wrong_on[other] - wrong_on[one]
        ]
        return sum(-1 if seen.behaves_like(code, i) else 1 for code, i in alone), m + n

    pairs = combinations([each for each in variants if wrong_on[each[2]]], 2)
    for (a, m, _), (b, n, _) in sorted((pair for pair in pairs if pair[0][0] != pair[1][0]), key=unlikely):
        code = exercise.page.two_at_once((a, m), (b, n))
        if code is not None:
            yield {a, b}, code


def _is_wrong(seen: Observations, code: Callable, index: int) -> bool:
    run = seen.known.variant(code, index)
    return run.error is not None or not allclose(run.value, seen.known.summaries[index], seen.exercise.cases[index])


def _size(args: tuple) -> int:
    return sum(leaf.numel() for leaf in tree.flatten(args) if isinstance(leaf, Tensor))


# ---------------------------------------------------------------- the contract


def breaks_the_contract(seen: Observations, named: Misconception, index: int) -> bool:
    """Whether a known mistake alone explains the wrong type, shape or dtype of the attempt's result on a test case.

    If it can also be made in the right dtype, a wrong dtype is a mistake of its own.
    """
    right = seen.known.summaries[index]
    in_shape = same_shapes(seen.summaries[index].value, right)
    others = (seen.known.variant(code, index) for code in named.variants)
    if in_shape and any(run.error is None and _same_dtypes(run.value, right) for run in others):
        return False
    return any(seen.behaves_like(code, index) for code in named.variants)


def _same_dtypes(value: Any, right: Any) -> bool:
    leaves = zip(tree.flatten((value,)), tree.flatten((right,)), strict=False)
    return same_shapes(value, right) and all(getattr(a, "dtype", 0) == getattr(b, "dtype", 0) for a, b in leaves)
