"""The numbers as text."""

import io
from csv import writer

from tools.classroom.records import count

WIDTH = 20  # of a bar
FREQUENT = 10  # mistakes that are listed


def line(summary):
    return (
        f"{count(summary.students, 'student')}, {summary.active:,} at work in the last 15 minutes, "
        f"{count(summary.attempts, 'attempt')}"
    )


def text(summary, names):
    """All tables, one after the other."""
    parts = [line(summary), table(summary) if summary.tried else "", frequent(summary), predicted(summary)]
    if names:
        parts.insert(2, stuck(summary))
    return "\n\n".join(part for part in parts if part)


def table(summary):
    wide = max(len(title(row)) for row in summary.tried)
    head = f"{'exercise'.ljust(wide)}  {'solved'.ljust(WIDTH + 13)}trying  stuck"
    return "\n".join(
        [
            head,
            *(
                f"{title(row).ljust(wide)}  {bar(row.share)} {row.share:3d}%{row.solved:7,d} "
                f"{row.trying:7,d} {len(row.stuck):6,d}"
                for row in summary.tried
            ),
        ]
    )


def title(row):
    return f"{row.exercise.id} {row.exercise.name}"


def bar(share):
    filled = round(WIDTH * share / 100)
    return "■" * filled + "□" * (WIDTH - filled)


def frequent(summary):
    if not summary.mistakes:
        return ""
    return "Most frequent misconceptions:\n" + "\n".join(
        f"{each.students:5,d}  {each.exercise.id}  {each.means}\n       ask: {each.ask}"
        for each in summary.mistakes[:FREQUENT]
    )


def stuck(summary):
    lines = [
        f"  {row.exercise.id}  {each.name}: {each.minutes} minutes (planned: {row.exercise.minutes})"
        for row in summary.rows
        for each in row.stuck
    ]
    return "\n".join(["Stuck for longer than the exercise's minutes:", *lines]) if lines else ""


def predicted(summary):
    lines = [
        f"  {poll.id}  "
        + "   ".join(
            f"({letter}) {number}{' ✓' if letter == poll.prediction.right else ''}"
            for letter, number in poll.chosen.items()
        )
        for poll in summary.polls
    ]
    return "\n".join(["Predictions, first choices (✓ is right):", *lines]) if lines else ""


def csv(summary):
    """Names x exercises, for a spreadsheet. A name that it would take for a formula gets an apostrophe."""
    ids = [row.exercise.id for row in summary.tried]
    rows = [["folder", *(title(row) for row in summary.tried)]]
    for name, mine in summary.people.items():
        states = ({True: "solved", False: "tried", None: ""}[mine.get(id)] for id in ids)
        rows.append([f"'{name}" if name[0] in "=+-@" else name, *states])
    text = io.StringIO()
    writer(text).writerows(rows)
    return text.getvalue()
