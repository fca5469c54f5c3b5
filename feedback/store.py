"""What has been solved and predicted so far, kept in one small file so that it outlives a kernel.

    {"2.1": {"status": "correct", "tries": 3}, "predictions": {"02.cards": {"first": "a", "last": "b"}}}

Which file that is, the course says. Deleting it starts afresh. A log next to it, attempts.jsonl, has a line for each
attempt and each prediction:

    {"time": "2026-11-22T09:30:05+00:00", "exercise": "3.3", "verdict": "wrong", "misconception": "no-scale"}
    {"time": "2026-11-22T09:31:40+00:00", "prediction": "02.cards", "choice": "b"}

The log holds no name and no code, and shows where a class stands. A line that cannot be written is left out: a check
never fails because of it.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import time
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from feedback.files import append, patiently, write

STATES = ("not attempted", "correct", "limited", "wrong", "error")
RANK = {"correct": 2, "limited": 1}  # what was once solved stays solved
LOG = "attempts.jsonl"
PREDICTIONS = "predictions"  # the one key that is not an exercise's


class Store:
    """The record of one learner in one course.

    `file` is where it lies, or a function that says so whenever the record is read or written; with None, all is kept
    in memory until the kernel ends.
    """

    def __init__(self, file: Path | Callable[[], Path | None] | None = None) -> None:
        self._file = file
        self._unsaved: dict[str, Any] = {}  # what could not be written, or was not to be
        self._refusal = ""  # why the record cannot be read or saved, and what to do, in one sentence
        self._unreadable = False  # the last time
        self._damage = ""

    @property
    def path(self) -> Path | None:
        return self._file() if callable(self._file) else self._file

    @property
    def unsaved(self) -> str:
        """Why the record cannot be read or saved, and what to do, in one sentence; '' if it can."""
        return self._refusal if self.path else ""

    @property
    def trouble(self) -> str:
        """What happened to the record, in one sentence; '' if nothing did."""
        return self.unsaved or self._damage

    def load(self) -> dict[str, Any]:
        """{exercise id: {"status", "tries"}}; a file that is damaged is set aside, never deleted."""
        record = self._read()
        record.pop(PREDICTIONS, None)
        return record

    def choices(self) -> dict[str, dict[str, str]]:
        """{prediction id: {"first", "last"}}: the letters that were chosen."""
        return self._read().get(PREDICTIONS, {})

    def note(self, exercise_id: str, status: str, misconception: str | None = None) -> None:
        """Remember one try; what was once correct stays correct."""
        record = self._read()
        entry = record.get(exercise_id, {"status": "not attempted", "tries": 0})
        kept = entry["status"] if RANK.get(entry["status"], 0) > RANK.get(status, 0) else status
        record[exercise_id] = {"status": kept, "tries": entry["tries"] + 1}
        self._save(record)
        self._log({"exercise": exercise_id, "verdict": status, "misconception": misconception})

    def choose(self, prediction_id: str, letter: str) -> None:
        """Remember what was chosen: the first choice stays, the last one counts."""
        record = self._read()
        chosen = record.get(PREDICTIONS, {})
        first = chosen.get(prediction_id, {}).get("first", letter)
        record[PREDICTIONS] = {**chosen, prediction_id: {"first": first, "last": letter}}
        self._save(record)
        self._log({"prediction": prediction_id, "choice": letter})

    def _log(self, entry: dict[str, str | None]) -> None:
        if self.path is not None:
            now = datetime.now(timezone.utc).isoformat(timespec="seconds")
            with contextlib.suppress(OSError):
                append(self.path.with_name(LOG), json.dumps({"time": now, **entry}))

    def _read(self) -> dict[str, Any]:
        target, record = self.path, {}
        if target is None:
            return dict(self._unsaved)
        self._unreadable = False
        if not self._unsaved:
            self._refusal = ""
        try:
            record = json.loads(patiently(target.read_text, encoding="utf-8"))
            _require_sound(record)
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError as error:  # such as that of a network drive: the file may be sound
            self._unreadable = True
            self._refusal = (
                f"Your progress cannot be read ({error.strerror or error}) and is left as it is; what you do now is "
                f"not recorded: make {target} readable, and run a check again."
            )
        except (ValueError, LookupError, AttributeError, TypeError, RecursionError):
            record = self._replaced(target)
        return {**record, **self._unsaved}

    def _replaced(self, target: Path) -> dict[str, Any]:
        """Set a damaged file aside, and give what the log knows of it, which is saved in its place."""
        _set_aside(target)
        record = _rebuilt(target.with_name(LOG))
        self._damage = f"The file {target.name} was damaged" + (
            ": what you have done was read from the log next to it." if record else " and is begun again."
        )
        if record:
            self._save(record)
        return record

    def _save(self, record: dict[str, Any]) -> None:
        """Keep the record in its file; where it cannot be written, remember until the kernel ends."""
        target = self.path
        if target is None:
            self._unsaved = record
        elif not self._unreadable:
            try:
                write(target, json.dumps(record, indent=1, sort_keys=True))
                self._unsaved, self._refusal = {}, ""
            except OSError as error:
                self._unsaved = record
                self._refusal = (
                    f"Your progress cannot be saved ({error.strerror or error}) and is kept only until the kernel "
                    "stops: make room on the disk, or make the folder writable, and run a check again."
                )


def _require_sound(record: Any) -> None:
    """Refuse what is no record of progress.

    Errors: ValueError, LookupError, AttributeError or TypeError
    """
    chosen = record.get(PREDICTIONS, {}).values()
    exercises = [entry for id, entry in record.items() if id != PREDICTIONS]
    letters = [entry[which] for entry in chosen for which in ("first", "last")]
    sound = all(entry["status"] in STATES and entry["tries"] >= 0 for entry in exercises)
    if not sound or {*map(type, letters)} - {str}:
        raise ValueError("not a record of progress")


def _rebuilt(log: Path) -> dict[str, Any]:
    """The record as the log tells it; a damaged line tells nothing."""
    store = Store()
    try:
        lines = log.read_bytes().splitlines()
    except OSError:
        return {}
    for line in lines:
        with contextlib.suppress(ValueError, LookupError, AttributeError, TypeError):
            entry = json.loads(line)
            if entry.get("verdict") in STATES:
                store.note(str(entry["exercise"]), entry["verdict"])
            elif "prediction" in entry:
                store.choose(str(entry["prediction"]), str(entry["choice"]))
    return store._unsaved


def _set_aside(target: Path) -> None:
    """Rename the file, to a name that no other has."""
    name = f"{target.name}.unreadable-{time.strftime('%Y-%m-%d-%H%M%S')}"
    numbered = itertools.chain([name], (f"{name}-{number}" for number in itertools.count(2)))
    with contextlib.suppress(OSError):
        os.replace(target, next(place for place in map(target.with_name, numbered) if not place.exists()))
