"""What has been solved and predicted so far, kept in one small file so that it outlives a kernel.

    {"2.1": {"status": "correct", "tries": 3}, "predictions": {"02.order": {"first": "a", "last": "b"}}}

The file is data/progress.json in the folder of the course. The environment variable COURSE_PROGRESS may name
another file, or be `memory`: then nothing is written, as in tests. Deleting the file starts afresh.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from feedback.files import patiently, write

STATES = ("not attempted", "correct", "limited", "wrong", "error")
RANK = {"correct": 2, "limited": 1}  # what was once solved stays solved
PREDICTIONS = "predictions"  # the one key that is not an exercise's
_unsaved: dict[str, Any] = {}  # what could not be written, or was not to be


def path() -> Path | None:
    """Where the record lies; None where it is kept in memory alone."""
    told = os.environ.get("COURSE_PROGRESS")
    if told == "memory":
        return None
    return Path(told) if told else Path(__file__).parents[1] / "data" / "progress.json"


def load() -> dict[str, Any]:
    """{exercise id: {"status", "tries"}}; a file that cannot be read is set aside, never deleted."""
    record = _read()
    record.pop(PREDICTIONS, None)
    return record


def choices() -> dict[str, dict[str, str]]:
    """{prediction id: {"first", "last"}}: the letters that were chosen."""
    return _read().get(PREDICTIONS, {})


def _read() -> dict[str, Any]:
    """The whole record. Predictions that are damaged are left out, and cost nothing else."""
    target = path()
    if target is None:
        return dict(_unsaved)
    try:
        record = json.loads(patiently(target.read_text, encoding="utf-8"))
        predictions = _sound(record.pop(PREDICTIONS, {}))
        if not all(entry["status"] in STATES and entry["tries"] >= 0 for entry in record.values()):
            raise ValueError("not a progress record")
    except FileNotFoundError:
        return dict(_unsaved)
    except (OSError, ValueError, LookupError, AttributeError, TypeError, RecursionError):
        _set_aside(target)
        return dict(_unsaved)
    return {**record, **({PREDICTIONS: predictions} if predictions else {}), **_unsaved}


def _sound(predictions: Any) -> dict[str, dict[str, str]]:
    """The entries that can be read."""
    entries = predictions.items() if isinstance(predictions, dict) else ()
    return {
        id: {"first": entry["first"], "last": entry["last"]}
        for id, entry in entries
        if isinstance(entry, dict) and isinstance(entry.get("first"), str) and isinstance(entry.get("last"), str)
    }


def note(exercise_id: str, status: str) -> None:
    """Remember one try; what was once correct stays correct."""
    record = _read()
    entry = record.get(exercise_id, {"status": "not attempted", "tries": 0})
    if status != "not attempted":
        kept = entry["status"] if RANK.get(entry["status"], 0) > RANK.get(status, 0) else status
        entry = {"status": kept, "tries": entry["tries"] + 1}
    record[exercise_id] = entry
    _save(record)


def choose(prediction_id: str, letter: str) -> None:
    """Remember a choice: the latest, and the first, which was made before anything was said about it."""
    record = _read()
    made = record.get(PREDICTIONS, {})
    first = made.get(prediction_id, {}).get("first", letter)
    _save({**record, PREDICTIONS: {**made, prediction_id: {"first": first, "last": letter}}})


def _save(record: dict[str, Any]) -> None:
    """Keep the record in its file; where it cannot be written, remember until the kernel ends."""
    target = path()
    if target is None:
        _unsaved.update(record)
        return
    try:
        write(target, json.dumps(record, indent=1, sort_keys=True))
        _unsaved.clear()
    except OSError:
        _unsaved.update(record)


def _set_aside(target: Path) -> None:
    try:
        os.replace(target, target.with_suffix(".unreadable.json"))
    except OSError:
        return
