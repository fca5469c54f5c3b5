"""`python course.py submit NAME` writes one file to hand in: NAME.zip, with all that a learner has done."""

import io
import os
import re
import sys
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from feedback import files
from feedback.store import LOG
from tools import Parser, Problem, run, study

DATA = study.ROOT / "data"


def work():
    """Return {path in the zip file: path of the learner's file}."""
    found = {LOG: Path(os.environ.get("COURSE_PROGRESS") or DATA / LOG)}
    found |= {f"answers/{path.name}": path for path in sorted((DATA / "answers").glob("*.py"))}
    found |= {f"study/{path.name}": path for path in sorted(study.STUDY.glob("*.ipynb"))}
    return {name: path for name, path in found.items() if path.is_file()}


def pack(name, found):
    """Return the content of the zip file; its files are in a folder with the learner's name."""
    content = io.BytesIO()
    with ZipFile(content, "w", ZIP_DEFLATED) as archive:
        for place, path in found.items():
            archive.write(path, f"{name}/{place}")
    return content.getvalue()


def parse_options(words):
    parser = Parser(
        "submit",
        description="Write NAME.zip where you are: your notebooks, your answers that passed, your progress, and the "
        "log of your attempts and predictions. Your instructor sees all of it.",
    )
    parser.add_argument("name", metavar="NAME", help="yours, or what your instructor calls you")
    return parser.parse_args(words)


def submit(name):
    if not re.fullmatch(r"\w[\w .-]*", name):
        raise Problem(f"{name!r} cannot be the name of a folder: use letters, digits, spaces, and any of . - _")
    found = work()
    if not found:
        raise Problem("There is nothing to hand in yet: `python course.py` opens the first notebook.")
    target = Path(f"{name}.zip").absolute()
    files.write(target, pack(name, found))
    print(f"Hand in this file: {target}")


def main(words):
    return run(submit, parse_options(words).name)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
