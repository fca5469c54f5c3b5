"""What has been solved so far, kept in one small file so that it outlives a kernel.

The file is data/progress.json beside the notebooks. The environment variable COURSE_PROGRESS may name
another file, or be `memory`: then nothing is written, as in tests. Nothing else reads the file, and
deleting it starts afresh.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

STATES = ("not attempted", "correct", "limited", "wrong", "error")
RANK = {"correct": 2, "limited": 1}  # what was once solved stays solved
_unsaved: dict[str, Any] = {}  # what could not be written, or was not to be


def path() -> Path | None:
    """Where the record lies; None where it is kept in memory alone."""
    told = os.environ.get("COURSE_PROGRESS")
    if told == "memory":
        return None
    return Path(told) if told else Path(__file__).parents[1] / "data" / "progress.json"


def load() -> dict[str, Any]:
    """{exercise id: {"status", "tries"}}; a file that cannot be read is set aside, never deleted."""
    target = path()
    if target is None:
        return dict(_unsaved)
    try:
        record = json.loads(_patiently(target.read_text, encoding="utf-8"))
        if not all(entry["status"] in STATES and entry["tries"] >= 0 for entry in record.values()):
            raise ValueError("not a progress record")
    except FileNotFoundError:
        return dict(_unsaved)
    except (OSError, ValueError, LookupError, AttributeError, TypeError, RecursionError):
        _set_aside(target)
        return dict(_unsaved)
    return {**record, **_unsaved}


def note(exercise_id: str, status: str) -> None:
    """Remember one try; what was once correct stays correct."""
    record = load()
    entry = record.get(exercise_id, {"status": "not attempted", "tries": 0})
    if status != "not attempted":
        kept = entry["status"] if RANK.get(entry["status"], 0) > RANK.get(status, 0) else status
        entry = {"status": kept, "tries": entry["tries"] + 1}
    record[exercise_id] = entry
    _save(record)


def _save(record: dict[str, Any]) -> None:
    """Write the whole file or nothing; where it cannot be written, remember until the kernel ends."""
    target = path()
    if target is None:
        _unsaved.update(record)
        return
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f"{target.name}.{os.getpid()}.part")
        part.write_text(json.dumps(record, indent=1, sort_keys=True), encoding="utf-8")
        _patiently(os.replace, part, target)
        _unsaved.clear()
    except OSError:
        _unsaved.update(record)


def _patiently(act: Callable, *args: Any, **options: Any) -> Any:
    """On Windows a file refuses while another notebook has it open, for a moment."""
    for _ in range(10):
        try:
            return act(*args, **options)
        except PermissionError:
            time.sleep(0.02)
    return act(*args, **options)


def _set_aside(target: Path) -> None:
    try:
        os.replace(target, target.with_suffix(".unreadable.json"))
    except OSError:
        return
