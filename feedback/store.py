"""The record of what was solved and predicted, kept in one file, so that it outlives the kernel.

The file has a line for each attempt and each choice, with neither a name nor code in it:

    {"time": "2026-11-22T09:30:05+00:00", "exercise": "3.3", "verdict": "wrong", "misconception": "no-scale"}
    {"time": "2026-11-22T09:31:40+00:00", "prediction": "02.cards", "choice": "b"}

The course chooses the file; deleting it starts afresh. Lines are only appended, so notebooks that write at the same
time lose nothing. A damaged line is ignored, and a check never fails because of the file.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from feedback.files import append, patiently

LOG = "attempts.jsonl"  # the usual name of the file
RANK = {"not attempted": 0, "wrong": 0, "error": 0, "limited": 1, "correct": 2}  # what was once solved stays solved
DAMAGE = (ValueError, LookupError, AttributeError, TypeError, RecursionError)


class Store:
    """The record of one learner in one course.

    `file` is a path, or a function that returns one and is called whenever the record is read or written; with None,
    all is kept in memory until the kernel ends.
    """

    def __init__(self, file: Path | Callable[[], Path | None] | None = None) -> None:
        self._file = file
        self._unsaved: list[dict[str, Any]] = []  # entries that could not be written, or should not be
        self._refusal = ""

    @property
    def path(self) -> Path | None:
        return self._file() if callable(self._file) else self._file

    @property
    def trouble(self) -> str:
        """Why the record cannot be read or saved, and what to do, in one sentence; '' if it can."""
        return self._refusal if self.path else ""

    def load(self) -> dict[str, str]:
        """{exercise id: the best verdict, or else the last one}"""
        found: dict[str, str] = {}
        for entry in self._entries():
            with contextlib.suppress(*DAMAGE):
                id, verdict = str(entry["exercise"]), entry["verdict"]
                if RANK[verdict] >= RANK[found.get(id, verdict)]:
                    found[id] = verdict
        return found

    def choices(self) -> dict[str, str]:
        """{prediction id: the letter that was chosen last}"""
        found: dict[str, str] = {}
        for entry in self._entries():
            with contextlib.suppress(*DAMAGE):
                found[str(entry["prediction"])] = str(entry["choice"])
        return found

    def note(self, exercise_id: str, verdict: str, misconception: str | None = None) -> None:
        """Remember one attempt."""
        self._add({"exercise": exercise_id, "verdict": verdict, "misconception": misconception})

    def choose(self, prediction_id: str, letter: str) -> None:
        """Remember a choice."""
        self._add({"prediction": prediction_id, "choice": letter})

    def _add(self, entry: dict[str, Any]) -> None:
        """Append an entry, after those that could not be written before; if that fails, keep them in memory."""
        now = datetime.now(timezone.utc).isoformat(timespec="seconds")
        self._unsaved.append({"time": now, **entry})
        target = self.path
        if target is None:
            return
        try:
            append(target, "\n".join(map(json.dumps, self._unsaved)))
            self._unsaved, self._refusal = [], ""
        except OSError as error:
            self._refusal = (
                f"Your progress cannot be saved ({error.strerror or error}) and is kept only until the kernel "
                "stops: make room on the disk, or make the folder writable, and run a check again."
            )

    def _entries(self) -> list[Any]:
        """All entries, in order; those of damaged lines may be anything."""
        target = self.path
        if target is None:
            return self._unsaved
        lines: list[bytes] = []
        try:
            lines = patiently(target.read_bytes).splitlines()
            self._refusal = self._refusal if self._unsaved else ""
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError as error:  # such as one of a network drive: the file may be intact
            self._refusal = (
                f"Your progress cannot be read ({error.strerror or error}): make {target} readable, and run a check "
                "again. What you do now is added to it."
            )
        found: list[Any] = []
        for line in lines:
            with contextlib.suppress(*DAMAGE):
                found.append(json.loads(line))
        return found + self._unsaved
