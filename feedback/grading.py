"""What a grader such as nbgrader sees: a message, and an exception if an answer is not right."""

from __future__ import annotations

from textwrap import fill

from feedback.report import HEADS, Report, Text

LARGEST = 10**12
WIDTH = 100


class NotYet(AssertionError):
    """Raised if an answer is not right; its text is the diagnosis, which a notebook shows without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [_wrapped(f"{type(self).__name__}: {self}")]


def valid_seed(seed: int) -> int:
    """Return a seed of hidden inputs as an int.

    Errors: ValueError if it is not a whole number from 1 to LARGEST
    """
    if not str(seed).isdecimal() or not 1 <= int(seed) <= LARGEST:
        raise ValueError(
            f"the seed of hidden inputs must be a whole number from 1 to {LARGEST}, got {seed!r}: change it"
        )
    return int(seed)


def print_verdict(seen: Report, hidden: Report | None) -> None:
    """Print what was found on the inputs of `check` and, if the answer is right there, on hidden ones.

    Errors: NotYet, unless both are right
    """
    print(_wrapped(seen.message))
    if hidden is None:
        raise NotYet(f"{seen.title}: {HEADS[seen.status][2]}. {_found(seen)}".rstrip())
    if not hidden.solved:
        print(_wrapped(f"On other inputs of the same kind:\n{hidden.message}"))
        why = "right on the inputs that `check` uses, but not on others of the same kind."
        raise NotYet(f"{seen.title}: {why} {_found(hidden)}")


def _wrapped(text: str) -> str:
    """Wrap lines, since a grader's page does not; indented lines are code and stay as they are."""
    lines = text.splitlines()
    return "\n".join(line if line.startswith("    ") else fill(line, WIDTH, break_long_words=False) for line in lines)


def _found(report: Report) -> str:
    """The diagnosis in a sentence or two, and Python's message."""
    return " ".join(part.plain() for part in report.parts if isinstance(part, Text) and part.kind in ("say", "raised"))
