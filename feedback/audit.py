"""What a catalog of misconceptions promises, computed from fingerprints: no check is run.

The fingerprint of a variant is what it does on every test case of its exercise: numbers, or the kind of exception.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from feedback.compare import allclose, same_behavior
from feedback.exercise import Exercise, Misconception
from feedback.observations import known


def variants(exercise: Exercise) -> Iterator[tuple[Misconception, int, Callable]]:
    """(misconception, number of the variant, the variant) for all of them."""
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
    """Variants that do the same as a misconception that is tried before theirs: they would be told its sentence."""
    seen: list[tuple[Misconception, Callable]] = []
    found = []
    for misconception, number, code in variants(exercise):
        others = (m for m, other in seen if m is not misconception and same_fingerprint(exercise, code, other))
        earlier = next(others, None)
        if earlier:
            found.append(f"{misconception.id} (variant {number}) does the same as {earlier.id}")
        seen.append((misconception, code))
    return found


def harmless(exercise: Exercise) -> list[str]:
    """Variants that are right on every test case that a right answer must pass; of shared ones, if all of them are."""
    ours = known(exercise)
    required = [i for i, case in enumerate(exercise.cases) if not case.limitation]

    def right(code: Callable, i: int) -> bool:
        record = ours.variant(code, i)
        return record.error is None and allclose(record.value, ours.summaries[i], exercise.cases[i])

    found = [(m, number) for m, number, code in variants(exercise) if all(right(code, i) for i in required)]
    return [
        f"{m.id} (variant {number})"
        for m, number in found
        if number >= m.shared or all((m, other) in found for other in range(m.shared))
    ]


def redundant(exercise: Exercise) -> list[str]:
    """Variants that do the same as an earlier variant of their own misconception: they can go.

    Not so shared variants, which may differ in another exercise.
    """
    found = []
    for misconception in exercise.misconceptions:
        codes = misconception.variants
        found += [
            f"{misconception.id} (variant {number} = variant {earlier})"
            for number, code in enumerate(codes)
            if number >= misconception.shared
            for earlier in range(number)
            if same_fingerprint(exercise, code, codes[earlier])
        ]
    return found
