"""Find and read what a class has left: attempts.jsonl and progress.json in the folder of each student.

Any program may have written these files. Nothing that they hold is shown: ids are looked up in the course's own
catalog, and lines with other ids are counted and skipped.
"""

import json
import os
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from time import time as clock

from feedback.report import SOLVED
from feedback.store import LOG as ATTEMPTS
from tools import Problem
from tools.classroom.general import STOPPED

WHICH = "name the folder that holds one folder for each student"
PROGRESS = "progress.json"
DEPTH = 4  # folders below the one that is given, as in HOMES/anna/courses/attention-by-hand/data
SKIPPED = {"node_modules", "site-packages", "__pycache__"}  # large, and never a student's
LIMIT = 2_000_000  # bytes that are read of one file: more than ten thousand attempts
AHEAD = 24 * 60 * 60  # seconds by which a student's clock may be ahead
UNSOLVED = ("wrong", "error")


@dataclass(frozen=True)
class Attempt:
    """One line: the time in seconds, and what was said. `misconception` is an id of the catalog, or None."""

    time: float
    exercise: str
    solved: bool
    misconception: str | None = None


@dataclass
class Student:
    """What one folder says."""

    name: str
    attempts: list[Attempt] = field(default_factory=list)
    choices: dict[str, str] = field(default_factory=dict)  # {prediction: the first letter chosen}
    tries: dict[str, tuple[bool, int]] = field(default_factory=dict)  # {exercise: (solved, tries)}, of progress.json
    last: float = 0.0  # the time of the last line


class Reader:
    """Reads folders, again and again if need be: a file that has not changed is not parsed again."""

    def __init__(self, folders, catalog):
        self.folders, self.catalog = [Path(folder) for folder in folders], catalog
        self.complaints = []  # one sentence for each file or folder with something that could not be read
        self._parsed = {}  # {path: (text, what it says, what is wrong with it)}

    def read(self):
        """All students, in the order of their folders' names."""
        self.complaints = []
        found = {}  # {a student's folder: the folders in it with the files}
        seen = set()
        for folder in self.folders:
            for home, place in self._records(Path(os.path.abspath(folder))):
                if os.path.realpath(place) not in seen:
                    seen.add(os.path.realpath(place))
                    found.setdefault(home, []).append(place)
        students = [
            self._student(name, found[home]) for name, home in zip(distinguishing(list(found)), found, strict=True)
        ]
        return sorted(filter(has_entries, students), key=lambda student: student.name)

    def _records(self, folder):
        """(a student's folder, a folder in it with the files), of a student's own folder or of one above them all"""
        own = next((place for place in (folder, folder / "data") if has_files(place)), None)
        if own:
            yield (folder.parent if folder.name == "data" else folder), own
            if os.path.isfile(own / ATTEMPTS):
                return  # progress.json alone may be another program's
        for home in self._below(folder):
            yield from ((home, place) for place in self._places(home, DEPTH - 1))

    def _places(self, folder, depth):
        """The folders with the files in a student's folder: more than one where there are copies of the course."""
        if has_files(folder):
            yield folder
        if depth:
            for below in self._below(folder):
                yield from self._places(below, depth - 1)

    def _below(self, folder):
        try:
            with os.scandir(folder) as entries:
                names = sorted(e.name for e in entries if e.is_dir(follow_symlinks=False) and is_searched(e.name))
        except OSError as error:
            self._complain(folder, f"cannot be opened ({error.strerror})")
            return []
        return [folder / name for name in names]

    def _student(self, name, places):
        student = Student(name)
        for path, parse in [(place / PROGRESS, self._progress) for place in places] + [
            (place / ATTEMPTS, self._attempts) for place in places
        ]:
            text = self._text(path)
            if text is None:
                continue
            if self._parsed.get(path, ("",))[0] != text:
                part = Student(name)
                self._parsed[path] = text, part, parse(text, part)
            _, part, problem = self._parsed.get(path, ("", Student(name), "is empty"))
            merge(student, part)
            if problem:
                self._complain(path, problem)
        return student

    def _text(self, path):
        """The text of a file; None where there is none, or it cannot be read."""
        try:
            if not os.path.isfile(path):  # nor a pipe, which would never end
                return None
            with open(path, "rb") as file:
                content = file.read(LIMIT + 1)
        except OSError as error:
            self._complain(path, f"cannot be read ({error.strerror})")
            return None
        if len(content) > LIMIT and path.name == PROGRESS:  # half of it says nothing
            self._complain(path, f"is larger than {LIMIT // 1_000_000} MB: skipped")
            return None
        if len(content) > LIMIT:
            self._complain(path, f"is larger than {LIMIT // 1_000_000} MB: only its beginning is read")
            content = content[:LIMIT].rpartition(b"\n")[0]
        return content.decode("utf-8", errors="replace")

    def _attempts(self, text, student):
        """Fill in what the lines say; returns a sentence about those that say nothing, or None."""
        damaged, foreign, unknown = [], [], []
        for number, line in enumerate(text.split("\n"), start=1):
            if not line.strip():
                continue
            try:
                if not self._line(json.loads(line), student):
                    unknown.append(number)
            except LookupError:
                foreign.append(number)
            except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
                damaged.append(number)
        student.attempts.sort(key=lambda attempt: attempt.time)
        kinds = (
            (damaged, "damaged or dated in the future, skipped"),
            (foreign, "not of this edition of the course, skipped"),
            (unknown, "with a misconception that this edition does not know"),
        )
        said = [f"{count(len(lines), 'line')} {what} ({whereabouts(lines)})" for lines, what in kinds if lines]
        return "; ".join(said) or None

    def _line(self, entry, student):
        """Add what a line says; returns whether its misconception is in the catalog. Errors: many"""
        time = datetime.fromisoformat(entry["time"])
        if time.tzinfo is None:
            raise ValueError("a time must have a time zone")
        if time.timestamp() > clock() + AHEAD:
            raise ValueError("a time must have come")
        if "prediction" in entry:
            if entry["choice"] not in self.catalog.predictions[entry["prediction"]].answers:
                raise LookupError("no such answer")
            student.choices.setdefault(entry["prediction"], entry["choice"])
        else:
            attempt = self._attempt(time.timestamp(), entry)
            student.attempts.append(attempt)
        student.last = max(student.last, time.timestamp())
        return "prediction" in entry or entry.get("misconception") in (None, attempt.misconception)

    def _attempt(self, time, entry):
        exercise, verdict, id = entry["exercise"], entry["verdict"], entry.get("misconception")
        if verdict not in (*SOLVED, *UNSOLVED):
            raise ValueError("no such verdict")
        known = self.catalog.exercises[exercise].mistakes
        if id is None and verdict == "error":
            id = STOPPED
        return Attempt(time, exercise, verdict in SOLVED, id if id in known else None)

    def _progress(self, text, student):
        """The same for progress.json, which says less, and may be older than the attempts."""
        try:
            record = json.loads(text)
            predictions = record.pop("predictions", {})
            states = {id: (entry["status"] in SOLVED, entry["tries"]) for id, entry in record.items()}
            first = {id: entry["first"] for id, entry in predictions.items()}
            if not all(type(tries) is int and 0 <= tries < 10_000 for _, tries in states.values()):
                raise ValueError("tries must be a number")
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return "is damaged: skipped"
        known = self.catalog.exercises
        student.tries = {id: state for id, state in states.items() if id in known and state[1]}
        for id, letter in first.items():
            if id in self.catalog.predictions and letter in list(self.catalog.predictions[id].answers):
                student.choices[id] = letter
        return None

    def _complain(self, path, sentence):
        self.complaints.append(f"{printable(path)}: {sentence}.")


def merge(student, part):
    """Add what one file says; a copy of a file adds nothing."""
    there = set(student.attempts)
    student.attempts = student.attempts + [attempt for attempt in part.attempts if attempt not in there]
    student.attempts.sort(key=lambda attempt: attempt.time)
    student.choices = {**part.choices, **student.choices}
    for id, (solved, tries) in part.tries.items():
        was_solved, before = student.tries.get(id, (False, 0))
        student.tries[id] = solved or was_solved, max(tries, before)
    student.last = max(student.last, part.last)


def has_entries(student):
    return student.attempts or student.choices or student.tries


def has_files(place):
    return any(os.path.isfile(place / name) for name in (ATTEMPTS, PROGRESS))


def require_folders(folders):
    for folder in folders:
        if not folder.is_dir():
            raise Problem(f"There is no folder {folder}: {WHICH}.")


def is_searched(name):
    return not name.startswith(".") and name not in SKIPPED


def distinguishing(paths):
    """A name for each folder: its path without what all of them begin and end with, such as "anna"."""
    if len(paths) < 2:
        return [printable(path.name) for path in paths]
    rows = [path.parts for path in paths]
    shortest = min(map(len, rows))
    start = next((i for i in range(shortest) if len({row[i] for row in rows}) > 1), shortest - 1)
    end = next(i for i in range(shortest) if len({row[-1 - i] for row in rows}) > 1 or shortest - i == start + 1)
    return [printable("/".join(row[start : len(row) - end])) for row in rows]


def printable(text):
    """A path as text that can neither steer a terminal nor turn the direction of the words around it."""
    return "".join(character if character.isprintable() else "?" for character in str(text))


def whereabouts(lines):
    return f"line {lines[0]}{' and others' if lines[1:] else ''}"


def count(number, noun):
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
