"""Find and read the attempts of a class: attempts.jsonl in the folder of each student.

Any program may have written these files, so their texts are never shown: ids are looked up in the course's own catalog,
and lines with other ids are counted and skipped.
"""

import json
import os
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from time import time as clock

from feedback.report import SOLVED
from feedback.store import LOG
from tools import Problem
from tools.classroom.catalog import STOPPED

WHICH = "name the folder that holds one folder for each student"
DEPTH = 4  # levels below a student's folder, as in courses/attention-by-hand/data/answers
SKIPPED = {"node_modules", "site-packages", "__pycache__"}  # large, and never a student's own work
LIMIT = 2_000_000  # bytes in one file, which hold more than ten thousand attempts
AHEAD = 24 * 60 * 60  # seconds by which a student's clock may be ahead
UNSOLVED = ("wrong", "error")
DAMAGE = (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError)


@dataclass(frozen=True)
class Attempt:
    """One line of a log: the time in seconds, and the verdict. `mistake` is an id of the catalog, or None."""

    time: float
    exercise: str
    solved: bool
    mistake: str | None = None


@dataclass
class Student:
    """The content of one folder, with attempts ordered by time. Lines on predictions only count for `last`."""

    name: str
    attempts: list[Attempt] = field(default_factory=list)
    last: float = 0.0  # the time of the last line


def read(folders, catalog):
    """Return all students with a line, by name, and a complaint for each file that could not be read completely."""
    complaints = []
    places = {home: logs(home, complaints) for home in homes(folders)}
    found = [home for home in places if places[home]]
    students = [Student(name) for name in names_of(found)]
    for student, home in zip(students, found, strict=True):
        for log in places[home]:
            add(student, log, catalog, complaints)
        student.attempts = sorted(dict.fromkeys(student.attempts), key=lambda each: each.time)  # without duplicates
    return sorted((each for each in students if each.last), key=lambda each: each.name), complaints


# ---- finding files


def homes(folders):
    """Return the folder of each student: a given folder if it holds a log, and otherwise those directly below it."""
    found = {}
    for folder in map(Path, folders):
        if (folder / LOG).is_file() or (folder / "data" / LOG).is_file():
            below = [folder.absolute().parent if folder.name == "data" else folder]
        else:
            below = [each for each in sorted(folder.iterdir()) if is_searched(each.name) and not each.is_symlink()]
        found |= {os.path.realpath(home): None for home in below}
    return [Path(home) for home in found if os.path.isdir(home)]


def logs(home, complaints):
    """Return the logs of a student, who may have several copies of the course."""
    return [path for path in files_of(home, complaints) if path.name == LOG]


def files_of(home, complaints):
    """Yield all regular files of a student; reading a pipe, for example, might never end."""
    for place, folders, names in os.walk(home, onerror=lambda error: complain(complaints, error.filename, error)):
        is_deep = len(Path(place).relative_to(home).parts) >= DEPTH
        folders[:] = [] if is_deep else sorted(filter(is_searched, folders))
        yield from filter(os.path.isfile, (Path(place, name) for name in sorted(names)))


def is_searched(name):
    return not name.startswith(".") and name not in SKIPPED


def require_folders(folders):
    for folder in folders:
        if not folder.is_dir():
            raise Problem(f"There is no folder {folder}: {WHICH}.")


def names_of(paths):
    """Return a name for each folder: its path below their common folder, such as "anna" or "monday/anna"."""
    if len(paths) < 2:
        return [printable(path.name) for path in paths]
    common = os.path.commonpath(paths)
    return [printable(path.relative_to(common).as_posix()) for path in paths]


# ---- reading files


def add(student, log, catalog, complaints):
    """Add the attempts in a file."""
    skipped = []
    try:
        if log.stat().st_size > LIMIT:
            complaints.append(f"{printable(log)}: is larger than {LIMIT // 1_000_000} MB: skipped.")
            return
        lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError as error:
        complain(complaints, log, error)
        return
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                add_line(student, json.loads(line), catalog)
            except DAMAGE:
                skipped.append(number)
    if skipped:
        where = f"line {skipped[0]}{' and others' if skipped[1:] else ''}"
        what = f"{count(len(skipped), 'line')} damaged, dated in the future or not of this edition of the course"
        complaints.append(f"{printable(log)}: {what}, skipped ({where}).")


def add_line(student, entry, catalog):
    """Add the attempt in a line. Errors: those of DAMAGE, for an invalid line"""
    time = datetime.fromisoformat(entry["time"])
    seconds = time.timestamp()
    if time.tzinfo is None or seconds > clock() + AHEAD:
        raise ValueError("a time must have come, and have a time zone")
    if "prediction" not in entry:
        verdict, mistake = entry["verdict"], entry.get("misconception")
        if verdict not in (*SOLVED, *UNSOLVED):
            raise ValueError("no such verdict")
        if mistake is None and verdict == "error":
            mistake = STOPPED
        known = mistake if mistake in catalog[entry["exercise"]].mistakes else None
        student.attempts.append(Attempt(seconds, entry["exercise"], verdict in SOLVED, known))
    student.last = max(student.last, seconds)


# ---- texts


def complain(complaints, path, error):
    complaints.append(f"{printable(path)}: cannot be read ({error.strerror}).")


def printable(text):
    """Return a path as text without control characters, such as those for a terminal or the writing direction."""
    return "".join(character if character.isprintable() else "?" for character in str(text))


def count(number, noun):
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
