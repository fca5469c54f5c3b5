"""Show how the checker judges the answers on the page of an exercise.

python course.py page 3.3                    each answer: its line, the expected and actual verdict, and the test case
python course.py page mask_by_filling.md:42  the answer in this line: its code as it is run, and its whole card
"""

import os
import re
import sys
import textwrap

from feedback import source
from feedback.checker import check
from feedback.observations import Observations, known
from feedback.page import PageError
from feedback.page_exercise import Answer
from feedback.report import SOLVED
from feedback.sandbox import session
from tools import Parser, Problem, run

MARKS = {True: "✓", False: "✗"}


def answers(exercise):
    """Return all answers of the page in order, followed by those of pages that it includes."""
    banks = exercise.banks()
    return in_order(exercise, [*banks.right, *banks.wrong, *banks.two_mistakes])


def ways(exercise):
    """Return the ways to make each known mistake, as answers that expect that diagnosis."""
    found = [(m, number, code) for m in exercise.misconceptions for number, code in enumerate(m.variants)]
    return in_order(exercise, [Answer(code, m.id, m.place(number)) for m, number, code in found])


def in_order(exercise, found):
    own = exercise.page.page.path.name
    return sorted(found, key=lambda answer: (not answer.place.startswith(f"{own}:"), line_of(answer)))


def line_of(answer):
    return int(answer.place.rpartition(":")[2])


def row(exercise, answer):
    """Return a line about an answer: its place, the verdict, and the first test case on which it is wrong."""
    report = check(exercise, answer.code)
    expected = " & ".join(answer.expected) if isinstance(answer.expected, tuple) else answer.expected or "unnamed"
    found = report.status if report.status in SOLVED else report.diagnosis or "unnamed"
    told = "" if found == expected else f" (found: {found})"
    mark = MARKS[answer.is_told_as_expected(exercise, report)]
    return f"{mark} {answer.place:32} {expected}{told} · {parting_case(exercise, answer)} · {first_line(report)}"


def parting_case(exercise, answer):
    """Return the name of the first test case on which an answer is wrong."""
    with session():
        seen = Observations(exercise, answer.code)
        wrong = (exercise.cases[i].name for i in range(len(seen.runs)) if not seen.passes(i))
        return next(wrong, "right on every case")


def first_line(report):
    """Return the first line of the card below its title, shortened."""
    _, *lines = report.message.splitlines() or [""]
    return textwrap.shorten(lines[0], 100, placeholder=" ...") if lines else ""


def whole(exercise, answer):
    """Return an answer's place, its code as it is run, and its card."""
    return f"{answer.place}\n\n{answer.text or source.text(answer.code)}\n\n{check(exercise, answer.code).message}"


def at(exercise, found, line):
    """Return the last answer of the section up to this line, or else the next one. Errors: Problem if there is none"""
    path = exercise.page.page.path
    own = sorted((each for each in found if each.place.startswith(f"{path.name}:")), key=line_of)
    headings = [n for n, text in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1) if text[:1] == "#"]
    section = max((n for n in headings if n <= line), default=0)
    above = [each for each in own if section <= line_of(each) <= line]
    below = [each for each in own if line_of(each) > line]
    if not above and not below:
        raise Problem(f"No code stands in line {line}; the last is {own[-1].place}.")
    return above[-1] if above else below[0]


def named(name):
    """Return the exercise with this number or page.

    Errors: Problem, or PageError if a page cannot be read
    """
    from exercises import EXERCISES as exercises  # reads the first lines of all pages

    ids = [id for id in exercises if name in (id, f"{exercises.module_of(id).rpartition('.')[2]}.md")]
    if not ids:
        raise Problem(
            f"No page is called {name} or begins with `# {name} NAME`; name it like 3.3 or mask_by_filling.md."
        )
    exercise = exercises[ids[0]]
    try:
        with session():
            _ = known(exercise).expected  # this runs the right answer
    except Exception as error:
        raise Problem(f"{name}: the right answer fails on a test case: {type(error).__name__}: {error}") from error
    return exercise


def show(wanted):
    """Print what `wanted` names; return whether every answer is judged as the page says.

    Errors: Problem if there is no such exercise or line, or a page cannot be read
    """
    name, _, line = wanted.partition(":")
    try:
        exercise = named(os.path.basename(name))
        found = answers(exercise)
    except PageError as error:
        raise Problem(str(error)) from None
    if not re.fullmatch(r"\d*", line):
        raise Problem(f"A line is named like mask_by_filling.md:42, got {wanted!r}.")
    if line:
        print(whole(exercise, at(exercise, [*found, *ways(exercise)], int(line))))
        return True
    lines = []
    for answer in found:
        lines.append(row(exercise, answer))
        print(lines[-1], flush=True)
    counts = f"{len(exercise.misconceptions)} known mistakes, {len(ways(exercise))} ways to make them"
    print(f"{exercise.title}: {counts}, {len(found)} answers")
    return not any(line.startswith(MARKS[False]) for line in lines)


def main(words):
    parser = Parser("page", description="What the checker makes of the answers on the page of an exercise.")
    parser.add_argument(
        "page", help="its number or its file, such as 3.3 or mask_by_filling.md; :42 for one line of it"
    )
    return run(show, parser.parse_args(words).page)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
