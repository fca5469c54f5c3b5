"""The numbers of a class: per exercise, per misconception, per prediction."""

import csv
import io
import time
from collections import Counter, defaultdict
from dataclasses import dataclass

from tools.classroom.records import count

BREAK = 30 * 60  # seconds: a longer pause between two attempts is a break, and not work
UNDIAGNOSED = ("Another result than asked for, and no known mistake.", "What does the example on the card show?")
LIVELY = 15 * 60  # seconds since the last line of somebody who is at work


@dataclass(frozen=True)
class Stuck:
    """Somebody who has worked on an unsolved exercise for longer than its minutes."""

    name: str
    minutes: int
    mistake: tuple | None  # (what it means, what to ask) of the last attempt


@dataclass(frozen=True)
class Row:
    """One exercise: how many students have solved it, how many try, and who is stuck."""

    exercise: object
    students: int
    solved: int
    trying: int
    attempts: int
    stuck: tuple

    @property
    def share(self):
        return percent(self.solved, self.students)


@dataclass(frozen=True)
class Mistake:
    """How many students met it, in how many attempts, and for how many it is the last thing that they were told."""

    exercise: object
    id: str
    means: str
    ask: str
    students: int
    attempts: int
    still: int


@dataclass(frozen=True)
class Poll:
    """The first choices of a prediction: {letter: students}."""

    id: str
    prediction: object
    chosen: dict

    @property
    def total(self):
        return sum(self.chosen.values())


@dataclass(frozen=True)
class Summary:
    now: float
    students: int
    active: int
    attempts: int
    rows: tuple
    mistakes: tuple
    polls: tuple
    notebooks: dict
    people: dict  # {name: {exercise: whether it is solved}}, of those that were tried

    @property
    def tried(self):
        """The rows of the notebooks in which somebody has tried an exercise."""
        notebooks = {row.exercise.notebook for row in self.rows if row.solved or row.trying}
        return [row for row in self.rows if row.exercise.notebook in notebooks]

    def __str__(self):
        return (
            f"{count(self.students, 'student')}, {self.active:,} at work in the last 15 minutes, "
            f"{count(self.attempts, 'attempt')}"
        )

    def csv(self):
        """Names x exercises, for a spreadsheet. A name that it would take for a formula gets an apostrophe."""
        rows = [["folder", *(f"{row.exercise.id} {row.exercise.name}" for row in self.tried)]]
        for name, mine in self.people.items():
            states = ({True: "solved", False: "tried", None: ""}[mine.get(row.exercise.id)] for row in self.tried)
            rows.append([f"'{name}" if name[0] in "=+-@" else name, *states])
        text = io.StringIO()
        csv.writer(text).writerows(rows)
        return text.getvalue()


def percent(part, whole):
    """Rounded to the nearest percent, but 0 and 100 only where it is none or all."""
    if part in (0, whole):
        return 100 if part and whole else 0
    return min(99, max(1, int(100 * part / whole + 0.5)))


def summarize(students, catalog, now=None):
    now = time.time() if now is None else now
    by_exercise = [split(student) for student in students]
    rows = tuple(row(exercise, students, by_exercise, now) for exercise in catalog.exercises.values())
    return Summary(
        now,
        len(students),
        sum(abs(now - student.last) < LIVELY for student in students),
        sum(row.attempts for row in rows),
        rows,
        tuple(mistakes(catalog, by_exercise)),
        tuple(polls(catalog, students)),
        catalog.notebooks,
        {
            student.name: {id: has_solved(id, student, tried) for id, tried in mine.items()}
            for student, mine in zip(students, by_exercise, strict=True)
        },
    )


def split(student):
    """{exercise: attempts} of one student, and with progress.json those that have no line."""
    found = defaultdict(list)
    for attempt in student.attempts:
        found[attempt.exercise].append(attempt)
    return {id: found.get(id, []) for id in {**found, **student.tries}}


def has_solved(id, student, attempts):
    return student.tries.get(id, (False, 0))[0] or any(attempt.solved for attempt in attempts)


def row(exercise, students, by_exercise, now):
    solved = trying = tries = 0
    stuck = []
    for student, attempts in zip(students, by_exercise, strict=True):
        if exercise.id not in attempts:
            continue
        mine = attempts[exercise.id]
        tries += max(len(mine), student.tries.get(exercise.id, (False, 0))[1])
        if has_solved(exercise.id, student, mine):
            solved += 1
            continue
        trying += 1
        minutes = int(worked(mine, student, now) / 60)
        if minutes > exercise.minutes:
            stuck.append(Stuck(student.name, minutes, exercise.mistakes.get(mine[-1].misconception)))
    stuck.sort(key=lambda each: (-each.minutes, each.name))
    return Row(exercise, len(students), solved, trying, tries, tuple(stuck))


def worked(attempts, student, now):
    """Seconds between the first attempt and the last, or now if nothing came after it; without the breaks."""
    times = [attempt.time for attempt in attempts]
    # By identity: "Run All Cells" leaves attempts at several exercises in the same second.
    if attempts and attempts[-1] is student.attempts[-1] and times[-1] >= student.last:
        times.append(now)
    gaps = (later - earlier for earlier, later in zip(times, times[1:], strict=False))
    return sum(gap for gap in gaps if 0 <= gap <= BREAK)


def mistakes(catalog, by_exercise):
    """The most frequent first: by students, then by attempts. Attempts that failed without a diagnosis come last."""
    students, attempts, still = Counter(), Counter(), Counter()
    for mine in by_exercise:
        for id, tried in mine.items():
            met = [(id, a.misconception or "") for a in tried if a.misconception or not a.solved]
            students.update(set(met))
            attempts.update(met)
            if met and not any(attempt.solved for attempt in tried):
                still[met[-1]] += 1
    order = list(catalog.exercises)
    for key in sorted(
        students, key=lambda key: (not key[1], -students[key], -attempts[key], order.index(key[0]), key[1])
    ):
        exercise = catalog.exercises[key[0]]
        told = exercise.mistakes.get(key[1], UNDIAGNOSED)
        yield Mistake(exercise, key[1], *told, students[key], attempts[key], still[key])


def polls(catalog, students):
    """The predictions that somebody has answered."""
    for id, prediction in catalog.predictions.items():
        chosen = Counter(student.choices[id] for student in students if id in student.choices)
        if chosen:
            yield Poll(id, prediction, {letter: chosen[letter] for letter in prediction.answers})
