"""Banks of answers: what the checker of an exercise is held to. They never look at the misconceptions."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any


class RightAnswers:
    """Right answers: `@right` registers one that is simply correct, `@right.limited` one that has a limit."""

    def __init__(self) -> None:
        self.answers: list[tuple[Callable, str]] = []  # (the answer, the status it must get)

    def __call__(self, answer: Callable) -> Callable:
        self.answers.append((answer, "correct"))
        return answer

    def limited(self, answer: Callable) -> Callable:
        self.answers.append((answer, "limited"))
        return answer


class WrongAnswers:
    """Wrong answers: `@wrong("id")` registers one with the diagnosis it must get, `@wrong()` one that has none."""

    def __init__(self) -> None:
        self.answers: list[tuple[Callable, str | None]] = []  # (the answer, the diagnosis it must get)

    def __call__(self, diagnosis: str | None = None) -> Callable:
        def register(answer: Callable) -> Callable:
            self.answers.append((answer, diagnosis))
            return answer

        return register


class TwoMistakes:
    """Answers with two mistakes at once: `@both("one", "other")`. Naming either is true, naming a third is not."""

    def __init__(self) -> None:
        self.answers: list[tuple[Callable, tuple[str, str]]] = []  # (the answer, its two mistakes)

    def __call__(self, one: str, other: str) -> Callable:
        def register(answer: Callable) -> Callable:
            self.answers.append((answer, (one, other)))
            return answer

        return register


BANKS: dict[str, type[RightAnswers | WrongAnswers | TwoMistakes]] = {
    "right": RightAnswers,
    "wrong": WrongAnswers,
    "two_mistakes": TwoMistakes,
}


def read(package: str, name: str) -> list[tuple[Callable, Any]]:
    """The answers of one bank, "right", "wrong" or "two_mistakes", of the exercise in this package.

    They are in answers_right.py, say, and in answers_right_masks.py and the like where a bank is split.
    """
    folder = Path(*importlib.import_module(package).__path__)
    modules = [importlib.import_module(f"{package}.{path.stem}") for path in sorted(folder.glob(f"answers_{name}*.py"))]
    return [
        answer
        for module in modules
        for bank in vars(module).values()
        if isinstance(bank, BANKS[name])
        for answer in bank.answers
    ]
