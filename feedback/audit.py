"""Find flaws in the inputs, the stated result and the misconceptions of an exercise, without checking any answer.

The fingerprint of a variant is what it does on every test case of its exercise: its numbers or kind of exception.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import torch

from feedback import tree
from feedback.compare import allclose, same_behavior
from feedback.exercise import Exercise, Misconception
from feedback.format import listed
from feedback.observations import known

# ---------------------------------------------------------------- the inputs and the result


def unseeded(exercise: Exercise, again: Exercise) -> list[str]:
    """The names of inputs that change when the exercise is imported again: they were drawn without their own seed."""
    both = zip(_inputs(exercise), _inputs(again), strict=True)
    return [name for (name, ours), (_, theirs) in both if not tree.unchanged(ours, theirs)]


def _inputs(exercise: Exercise) -> list[tuple[str, list[torch.Tensor]]]:
    """(name, its tensors) of each test case and each minimal input."""
    named = [(case.name, case.args) for case in exercise.cases]
    named += [(f"minimal input {i}", args) for i, args in enumerate(exercise.minimal_inputs)]
    return [(name, [tensor for _, tensor in _tensors("", args)]) for name, args in named]


def always_square(exercise: Exercise) -> list[str]:
    """Arguments with two axes of equal size in every test case: an answer that swaps these axes would go unnoticed."""
    sizes: dict[tuple[str, int], list[torch.Size]] = {}
    for case in exercise.cases:
        for name, value in zip(exercise.input_names, case.args, strict=False):
            for place, tensor in _tensors(name, value):
                if name not in exercise.square:
                    sizes.setdefault((place, tensor.dim()), []).append(tensor.shape)
    return [
        f"{place}, axes {i} and {j}, {listed(sorted({str(tuple(shape)) for shape in shapes}))}"
        for (place, dim), shapes in sizes.items()
        for i, j in combinations(range(dim), 2)
        if all(shape[i] == shape[j] for shape in shapes)
    ]


def _tensors(name: str, value: Any) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield (place, tensor) for each tensor in an argument, without layers, whose sizes are not chosen freely."""
    if isinstance(value, torch.Tensor):
        yield name, value
    elif isinstance(value, (tuple, list)):
        for i, item in enumerate(value):
            yield from _tensors(f"{name}[{i}]", item)


def misnamed_results(exercise: Exercise) -> list[str]:
    """The test cases whose right result does not have the structure of `returns`."""
    names = exercise.returns if len(exercise.returns) > 1 else exercise.returns[0]
    return [
        case.name
        for case, value in zip(exercise.cases, known(exercise).expected, strict=True)
        if not _fits(names, value)
    ]


def _fits(names: Any, value: Any) -> bool:
    if isinstance(names, str):
        return not isinstance(value, tuple)
    return isinstance(value, tuple) and len(value) == len(names) and all(map(_fits, names, value))


# ---------------------------------------------------------------- misconceptions


def variants(exercise: Exercise) -> Iterator[tuple[Misconception, int, Callable]]:
    for misconception in exercise.misconceptions:
        for number, code in enumerate(misconception.variants):
            yield misconception, number, code


def same_fingerprint(exercise: Exercise, one: Callable, other: Callable) -> bool:
    """Whether two pieces of wrong code do the same on every test case."""
    ours = known(exercise)
    return all(
        same_behavior(ours.variant(one, i), ours.variant(other, i), case, exercise.error_meanings)
        for i, case in enumerate(exercise.cases)
    )


def taken_for_another(exercise: Exercise) -> list[str]:
    """Variants that behave like an earlier misconception, whose sentence the learner would then read."""
    seen: list[tuple[Misconception, Callable]] = []
    found = []
    for misconception, number, code in variants(exercise):
        others = (m for m, other in seen if m is not misconception and same_fingerprint(exercise, code, other))
        earlier = next(others, None)
        if earlier:
            found.append(f"{misconception.id} ({misconception.place(number)}) does the same as {earlier.id}")
        seen.append((misconception, code))
    return found


def harmless(exercise: Exercise) -> list[str]:
    """Variants that are right on every required test case; shared ones are listed only if all of them are."""
    ours = known(exercise)
    required = [i for i, case in enumerate(exercise.cases) if not case.limitation]

    def right(code: Callable, i: int) -> bool:
        record = ours.variant(code, i)
        return record.error is None and allclose(record.value, ours.summaries[i], exercise.cases[i])

    found = [(m, number) for m, number, code in variants(exercise) if all(right(code, i) for i in required)]
    return [
        f"{m.id} ({m.place(number)})"
        for m, number in found
        if number >= m.shared or all((m, other) in found for other in range(m.shared))
    ]


def redundant(exercise: Exercise) -> list[str]:
    """Variants that behave like an earlier variant of the same misconception, and can be deleted.

    Shared variants are exempt, since they may differ in another exercise.
    """
    found = []
    for misconception in exercise.misconceptions:
        codes = misconception.variants
        found += [
            f"{misconception.id} ({misconception.place(number)} = {misconception.place(earlier)})"
            for number, code in enumerate(codes)
            if number >= misconception.shared
            for earlier in range(number)
            if same_fingerprint(exercise, code, codes[earlier])
        ]
    return found
