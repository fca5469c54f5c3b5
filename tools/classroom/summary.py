"""The numbers of a class, by exercise and by misconception."""

import csv
import io
import time
from collections import Counter
from dataclasses import dataclass

from tools.classroom.records import count

BREAK = 30 * 60  # seconds; a longer pause between two attempts counts as a break
LIVELY = 15 * 60  # seconds; somebody whose last line is more recent is at work
UNDIAGNOSED = ("Another result than asked for, and no known mistake.", "What does the example on the card show?")


@dataclass(frozen=True)
class Row:
    """One exercise: how many students have solved it, how many are trying, and who is stuck.

    stuck  (minutes, name) of those who have worked on it for longer than its minutes, the longest first
    told   their most frequent last diagnosis, (what it means, what to ask); None if there is none
    """

    exercise: object
    solved: int
    trying: int
    stuck: tuple
    told: tuple | None


@dataclass(frozen=True)
class Mistake:
    """A mistake: how many students made it, and for how many it is still the last diagnosis."""

    exercise: object
    id: str
    means: str
    ask: str
    students: int
    still: int


@dataclass(frozen=True)
class Summary:
    """The numbers of a class; `people` is {name: {tried exercise: whether it is solved}}."""

    now: float
    students: int
    active: int
    attempts: int
    rows: tuple  # of the notebooks in which somebody has tried an exercise
    mistakes: tuple
    people: dict

    def __str__(self):
        return (
            f"{count(self.students, 'student')}, {self.active:,} at work in the last 15 minutes, "
            f"{count(self.attempts, 'attempt')}"
        )

    def csv(self):
        """Return names x exercises for a spreadsheet. A name that looks like a formula gets an apostrophe."""
        rows = [["folder", *(f"{row.exercise.id} {row.exercise.name}" for row in self.rows)]]
        for name, mine in self.people.items():
            states = ({True: "solved", False: "tried", None: ""}[mine.get(row.exercise.id)] for row in self.rows)
            rows.append([f"'{name}" if name[0] in "=+-@" else name, *states])
        text = io.StringIO()
        csv.writer(text).writerows(rows)
        return text.getvalue()


def summarize(students, catalog, now=None):
    now = time.time() if now is None else now
    attempts = {(student.name, id): [] for student in students for id in catalog}
    for student in students:
        for each in student.attempts:
            attempts[student.name, each.exercise].append(each)
    rows = [row(exercise, students, attempts, now) for exercise in catalog.values()]
    tried = {row.exercise.notebook for row in rows if row.solved or row.trying}
    return Summary(
        now,
        len(students),
        sum(abs(now - student.last) < LIVELY for student in students),
        sum(len(student.attempts) for student in students),
        tuple(row for row in rows if row.exercise.notebook in tried),
        tuple(mistakes(catalog, attempts)),
        {s.name: {id: is_solved(mine) for id in catalog if (mine := attempts[s.name, id])} for s in students},
    )


def is_solved(attempts):
    return any(attempt.solved for attempt in attempts)


def row(exercise, students, attempts, now):
    tried = [(student, mine) for student in students if (mine := attempts[student.name, exercise.id])]
    trying = [(student, mine) for student, mine in tried if not is_solved(mine)]
    stuck, told = [], Counter()
    for student, mine in trying:
        minutes = int(worked(mine, student, now) / 60)
        if minutes > exercise.minutes:
            stuck.append((minutes, student.name))
            told[mine[-1].mistake] += 1
    del told[None]
    most = exercise.mistakes[told.most_common(1)[0][0]] if told else None
    stuck.sort(key=lambda each: (-each[0], each[1]))
    return Row(exercise, len(tried) - len(trying), len(trying), tuple(stuck), most)


def worked(attempts, student, now):
    """Return the seconds from the first attempt to the last, or to now if nothing came after it, without breaks."""
    times = [attempt.time for attempt in attempts]
    # Compare by identity: "Run All Cells" leaves attempts at several exercises in the same second.
    if attempts[-1] is student.attempts[-1] and times[-1] >= student.last:
        times.append(now)
    gaps = (later - earlier for earlier, later in zip(times, times[1:], strict=False))
    return sum(gap for gap in gaps if 0 <= gap <= BREAK)


def mistakes(catalog, attempts):
    """Yield the mistakes that most students made first; failed attempts without a diagnosis come last."""
    met_by, still = Counter(), Counter()
    for (_, id), mine in attempts.items():
        met = [(id, each.mistake or "") for each in mine if each.mistake or not each.solved]
        met_by.update(set(met))
        if met and not is_solved(mine):
            still[met[-1]] += 1
    order = list(catalog)
    for id, mistake in sorted(met_by, key=lambda key: (not key[1], -met_by[key], order.index(key[0]), key[1])):
        told = catalog[id].mistakes.get(mistake, UNDIAGNOSED)
        yield Mistake(catalog[id], mistake, *told, met_by[id, mistake], still[id, mistake])
