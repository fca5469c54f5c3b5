"""One line for each attempt and each prediction, kept next to the record of what is solved.

    {"time": "2026-11-22T09:30:05+00:00", "exercise": "3.3", "verdict": "wrong", "misconception": "no-scale"}
    {"time": "2026-11-22T09:31:40+00:00", "prediction": "02.cards", "choice": "b"}

The file is attempts.jsonl, in the folder of the progress file. It holds no name and no code: from the files of a class
one can see where it stands. Nothing is written where the progress is kept in memory, and a line that cannot be written
is left out: a check never fails because of it.
"""

from __future__ import annotations

import json
import os
import time
from datetime import datetime, timezone
from pathlib import Path
from typing import BinaryIO

from feedback.files import patiently
from feedback.store import STATES, Store

FILE = "attempts.jsonl"
LOOKS = 5  # at a last line that has no end yet


def tried(record: Path | None, exercise_id: str, verdict: str, misconception: str | None) -> None:
    """Add a line about one try, next to the record of the progress; a function that is not written yet is none."""
    if verdict != "not attempted":
        _append(record, {"exercise": exercise_id, "verdict": verdict, "misconception": misconception})


def chose(record: Path | None, prediction_id: str, letter: str) -> None:
    """Add a line about one choice."""
    _append(record, {"prediction": prediction_id, "choice": letter})


def replay(record: Path, store: Store) -> None:
    """Note in a store what the log next to a record tells; a damaged line tells nothing."""
    try:
        lines = record.with_name(FILE).read_bytes().splitlines()
    except OSError:
        return
    for line in lines:
        try:
            entry = json.loads(line)
            if entry.get("verdict") in STATES:
                store.note(str(entry["exercise"]), entry["verdict"])
            elif "prediction" in entry:
                store.choose(str(entry["prediction"]), str(entry["choice"]))
        except (ValueError, LookupError, AttributeError, TypeError):
            continue


def _append(record: Path | None, entry: dict[str, str | None]) -> None:
    if record is None:
        return
    now = datetime.now(timezone.utc).isoformat(timespec="seconds")
    line = json.dumps({"time": now, **entry}).encode() + b"\n"
    try:
        record.parent.mkdir(parents=True, exist_ok=True)
        patiently(_write, record.with_name(FILE), line)
    except OSError:
        return


def _write(target: Path, line: bytes) -> None:
    """Append in a single call, so that two notebooks that write at once cannot mix their lines."""
    with open(target, "ab+", buffering=0) as file:
        if _is_broken_off(file):
            line = b"\n" + line
        file.write(line)


def _is_broken_off(file: BinaryIO) -> bool:
    """Whether the last line was never finished: the disk was full, or the power went. Another notebook's soon is."""
    for _ in range(LOOKS):
        if not file.seek(0, os.SEEK_END) or _ends_a_line(file):
            return False
        time.sleep(0.01)
    return True


def _ends_a_line(file: BinaryIO) -> bool:
    file.seek(-1, os.SEEK_END)
    return file.read(1) == b"\n"
