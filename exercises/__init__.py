"""What learners import, and a folder for the exercises of each notebook.

    check("3.3", mask_by_filling)   what is right, or what is wrong and why
    hint("3.3")                     a nudge; hint("3.3", 2) is a stronger one
    solution("3.3")                 a right answer, to read after trying
    progress(), progress("03")      what is solved, what is left, and what is worth another look
    predict("02.cards")             a question to answer before the next cell is run
    grade("3.3", mask_by_filling)   check for a grader: text, one exception if it is wrong, nothing recorded
    yours("2.4", attention)         your own function if its check passed, else the course's

A folder such as n03_causal_masking holds the exercises of one notebook. Each consists of a page, mask_by_filling.md,
with all texts, the known mistakes and the answers on which the checker is tested, and of a module, mask_by_filling.py,
with the course's own answer and the test cases. What exercises of one notebook share is next to them, and what those of
several notebooks share is in `common`; `names` is what every page may use. The page predictions.md of a folder holds
the questions that `predict` asks in its notebook. `statement` and `promises` define and check how a notebook states an
exercise; `notebooks` lists the notebooks. The engine behind all this is the package `feedback`.
"""

import os
from pathlib import Path

from exercises.notebooks import NOTEBOOKS, PARTS
from feedback.course import Course
from feedback.notebooks import Contents
from feedback.store import LOG

FOLDER = Path(__path__[0])
ANSWERS = FOLDER.parent / "data" / "answers"


def progress_file():
    """Return data/attempts.jsonl, unless the environment variable COURSE_PROGRESS names another file or is `memory`."""
    place = os.environ.get("COURSE_PROGRESS") or FOLDER.parent / "data" / LOG
    return None if place == "memory" else Path(place)


def answers_folder():
    """Return data/answers, even if COURSE_PROGRESS is set, since it may name a place that a whole class can open."""
    return ANSWERS if progress_file() else None


COURSE = Course(
    __name__,
    str(FOLDER),
    Contents(NOTEBOOKS, FOLDER.parent / "notebooks", PARTS),
    own=("helpers", "models", "figures", "invariants", "runtime"),
    progress=progress_file,
    answers=answers_folder,
    solutions=True,  # in a hand-out False: tools/handout.py writes it here
    debug=bool(os.environ.get("COURSE_DEBUG")),  # raise errors in checkers
)
EXERCISES = COURSE.exercises
check, hint, solution, progress = COURSE.check, COURSE.hint, COURSE.solution, COURSE.progress
grade, predict, reference, yours = COURSE.grade, COURSE.predict, COURSE.reference, COURSE.yours

__all__ = ["EXERCISES", "check", "grade", "hint", "predict", "progress", "reference", "solution", "yours"]
