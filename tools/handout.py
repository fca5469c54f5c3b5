"""Write a hand-out for students: the course without what only maintainers and teachers need, and a key for the teacher.

`python course.py handout FOLDER` runs this file; tools/for_learners.py lists the files. In a hand-out, the notebooks
have no outputs, and `solution` says that there are no solutions; no notebook, page or card mentions it. The course's
own answers stay in the folder `exercises`, since `check` and `yours` use them.
"""

import re
import shutil
import sys
from pathlib import Path

from tools import ROOT, Parser, Problem, for_learners, run, study

FIRST = "00"  # always included: the course opens with it, and it shows how to answer an exercise
WITH = "    solutions=True,  # in a hand-out False: tools/handout.py writes it here\n"  # in exercises/__init__.py
WITHOUT = "    solutions=False,\n"


# ---- the notebooks


def for_students(published):
    """Return a copy like those in study/, without calls of `solution`."""
    cells = [stripped for cell in published["cells"] if (stripped := without_solution(cell))["source"].strip()]
    return study.make_copy({**published, "cells": cells})


def without_solution(cell):
    source = cell["source"]
    if cell["cell_type"] == "code":
        source = re.sub(r"^(from exercises import .*?)(?:, solution\b|\bsolution, )", r"\1", source, flags=re.MULTILINE)
        source = re.sub(r"^[ \t]*(?:# *)?solution\(.*\n?", "", source, flags=re.MULTILINE)
    else:
        source = "\n\n".join(part for part in source.split("\n\n") if "solution(" not in part)
    return {**cell, "source": source}


def without_lines(text):
    """Return a text, such as a table or list, without the lines that mention `solution`."""
    return "".join(line for line in text.splitlines(keepends=True) if "solution(" not in line)


# ---- the key


def key(numbers):
    """Return the answers to all exercises and predictions of these notebooks, as Markdown."""
    from exercises import COURSE  # slow to import, and only needed here

    parts = ["# Key\n\nFor the teacher: one right answer to each exercise, of many, and the right choices.\n"]
    for notebook in COURSE.contents.notebooks:
        if notebook.number not in numbers:
            continue
        parts.append(f"## {notebook.name}\n")
        for id in COURSE.contents.belonging(COURSE.exercises, notebook):
            exercise = COURSE.exercises[id]
            code = COURSE.solution_source(exercise).strip()
            parts.append(f"### Exercise {id}: `{exercise.name}` ({exercise.minutes} min)\n\n```python\n{code}\n```\n")
        for id in COURSE.contents.belonging(COURSE.predictions, notebook):
            asked = COURSE.predictions[id]
            parts.append(f"### Prediction {id}\n\n{asked.question}\n\n({asked.right}) {asked.answers[asked.right]}\n")
    return "\n".join(parts)


# ---- the files


def write(folder, names, key_file):
    """Write the hand-out into a new or empty folder, and the key. Errors: Problem if something is there; OSError"""
    if folder == ROOT or ROOT in folder.parents:
        raise Problem(f"{folder} is inside of the course, which is what is handed out: choose a folder outside of it.")
    if folder.exists() and (not folder.is_dir() or any(path.name != ".git" for path in folder.iterdir())):
        raise Problem(f"{folder} is not empty, and nothing is overwritten: choose a new folder, or empty this one.")
    if key_file and key_file.exists():
        raise Problem(f"{key_file} is already there, and nothing is overwritten: choose another name for the key.")
    if key_file and folder in key_file.parents:
        raise Problem(f"{key_file} is inside of what students get: choose a place outside of {folder} for the key.")
    part = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)  # left by an interrupted call
    try:
        fill(part, names)
        if key_file:  # first, so that a failure leaves the folder empty for another try
            key_file.write_text(key({name[:2] for name in names}), encoding="utf-8", newline="\n")
        folder.mkdir(exist_ok=True)
        for path in part.iterdir():
            path.rename(folder / path.name)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def fill(folder, names):
    for name, source in for_learners.files(ROOT, fail).items():
        if name.startswith("notebooks/"):
            continue
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, folder / name)
    for name in for_learners.FOR_A_HUB:
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    rewrite(folder / "exercises" / "__init__.py", lambda text: without_lines(text).replace(WITH, WITHOUT))
    rewrite(folder / "docs" / "accessibility.md", without_lines)
    for name in names:
        study.write(for_students(study.read(study.NOTEBOOKS / name)), folder / "notebooks" / name)


def fail(error):
    raise error


def rewrite(path, change):
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")


# ---- the command


def parse_options(words):
    parser = Parser(
        "handout",
        description="Write what students get: a folder that `python course.py` in it sets up and opens, with notebooks "
        "without outputs, and no solution() that answers. Nothing that exists is overwritten.",
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="new or empty, outside of the course")
    parser.add_argument("--notebooks", nargs="+", metavar="NN", default=[], help="only these, such as 02 03, and 00")
    parser.add_argument("--key", metavar="FILE", type=Path, help="also write all solutions, for the teacher: key.md")
    return parser.parse_args(words)


def hand_out(options):
    folder, key_file = options.folder.resolve(), options.key and options.key.resolve()
    chosen = {study.find(word) for word in (FIRST, *options.notebooks)} if options.notebooks else None
    names = sorted(chosen or study.names_published())
    write(folder, names, key_file)
    print(f"The hand-out, with {len(names)} notebooks: {folder}")
    if key_file:
        print(f"The key, for the teacher: {key_file}")


def main(words):
    return run(hand_out, parse_options(words))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
