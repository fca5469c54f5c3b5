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
        self._refusal = ""  # why it could not
        self._unreadable = ""  # why the file could not be read the last time
        self._damage = ""

    @property
    def path(self) -> Path | None:
        return self._file() if callable(self._file) else self._file

    @property
    def unsaved(self) -> str:
        """Why the record cannot be read or saved, and what to do, in one sentence; '' if it can."""
        if self.path is None:
            return ""
        if self._unreadable:
            return (
                f"Your progress cannot be read ({self._unreadable}) and is left as it is; what you do now is kept only "
                f"until the kernel stops: make {self.path} readable, and run a check again."
            )
        if not self._unsaved:
            return ""
        return (
            f"Your progress cannot be saved ({self._refusal}) and is kept only until the kernel stops: make room on "
            "the disk, or make the folder writable, and run a check again."
        )

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
        if status != "not attempted":
            kept = entry["status"] if RANK.get(entry["status"], 0) > RANK.get(status, 0) else status
            entry = {"status": kept, "tries": entry["tries"] + 1}
        record[exercise_id] = entry
        self._save(record)
        self._log({"exercise": exercise_id, "verdict": status, "misconception": misconception})

    def choose(self, prediction_id: str, letter: str) -> None:
        """Remember a choice: the latest, and the first, which was made before anything was said about it."""
        record = self._read()
        made = record.get(PREDICTIONS, {})
        first = made.get(prediction_id, {}).get("first", letter)
        self._save({**record, PREDICTIONS: {**made, prediction_id: {"first": first, "last": letter}}})
        self._log({"prediction": prediction_id, "choice": letter})

    def _log(self, entry: dict[str, str | None]) -> None:
        if self.path is not None:
            now = datetime.now(timezone.utc).isoformat(timespec="seconds")
            with contextlib.suppress(OSError):
                append(self.path.with_name(LOG), json.dumps({"time": now, **entry}))

    def _read(self) -> dict[str, Any]:
        """The whole record. Predictions that are damaged are left out, and cost nothing else."""
        target = self.path
        if target is None:
            return dict(self._unsaved)
        self._unreadable = ""
        try:
            record = json.loads(patiently(target.read_text, encoding="utf-8"))
            predictions = _valid(record.pop(PREDICTIONS, {}))
            if not all(entry["status"] in STATES and entry["tries"] >= 0 for entry in record.values()):
                raise ValueError("not a progress record")
        except (FileNotFoundError, NotADirectoryError):
            return dict(self._unsaved)
        except OSError as error:  # such as that of a network drive: the file may be sound
            self._unreadable = error.strerror or str(error)
            return dict(self._unsaved)
        except (ValueError, LookupError, AttributeError, TypeError, RecursionError):
            return _merged(self._replaced(target), self._unsaved)
        return _merged({**record, **({PREDICTIONS: predictions} if predictions else {})}, self._unsaved)

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
        if target is None or self._unreadable:
            self._unsaved.update(record)
            self._refusal = self._unreadable
            return
        try:
            write(target, json.dumps(record, indent=1, sort_keys=True))
            self._unsaved.clear()
        except OSError as error:
            self._unsaved.update(record)
            self._refusal = error.strerror or str(error)


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
    return store._read()


def _valid(predictions: Any) -> dict[str, dict[str, str]]:
    """The entries that can be read."""
    entries = predictions.items() if isinstance(predictions, dict) else ()
    return {
        id: {"first": entry["first"], "last": entry["last"]}
        for id, entry in entries
        if isinstance(entry, dict) and isinstance(entry.get("first"), str) and isinstance(entry.get("last"), str)
    }


def _merged(record: dict[str, Any], unsaved: dict[str, Any]) -> dict[str, Any]:
    """Both together, where the unsaved one may have begun while the other could not be read."""
    merged = {**record, **unsaved}
    for id in (record.keys() & unsaved.keys()) - {PREDICTIONS}:
        entries = (unsaved[id], record[id])
        best = max(entries, key=lambda entry: RANK.get(entry["status"], 0))
        merged[id] = {"status": best["status"], "tries": max(entry["tries"] for entry in entries)}
    if PREDICTIONS in record and PREDICTIONS in unsaved:
        old, new = record[PREDICTIONS], unsaved[PREDICTIONS]
        firsts = {id: {**new[id], "first": old[id]["first"]} for id in old.keys() & new.keys()}
        merged[PREDICTIONS] = {**old, **new, **firsts}
    return merged


def _set_aside(target: Path) -> None:
    """Rename the file, to a name that no other has."""
    name = f"{target.name}.unreadable-{time.strftime('%Y-%m-%d-%H%M%S')}"
    numbered = itertools.chain([name], (f"{name}-{number}" for number in itertools.count(2)))
    try:
        os.replace(target, next(place for place in map(target.with_name, numbered) if not place.exists()))
    except OSError:
        return
