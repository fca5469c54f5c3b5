"""Banks of answers: what the checker of an exercise is held to. They never look at the misconceptions."""

from __future__ import annotations

from collections.abc import Callable


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
