"""`python course.py submit NAME` writes one file to hand in: NAME.zip, with all that a learner has done."""

import argparse
import io
import os
import re
import sys
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from feedback import files  # noqa: E402  the path comes first
from tools import Parser, Problem, study  # noqa: E402  the path comes first

DATA = study.ROOT / "data"


def work():
    """{path in the file: the file itself}"""
    progress = Path(os.environ.get("COURSE_PROGRESS") or DATA / "progress.json")
    records = [progress, progress.with_name("attempts.jsonl")]
    found = {path.name: path for path in records}
    found |= {f"answers/{path.name}": path for path in sorted((DATA / "answers").glob("*.py"))}
    found |= {f"study/{path.name}": path for path in sorted(study.STUDY.glob("*.ipynb"))}
    return {name: path for name, path in found.items() if path.is_file()}


def pack(name, found):
    """The content of the file, in which all is in a folder with the learner's name."""
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
    parser.add_argument("--from", dest="here", type=Path, default=Path(), help=argparse.SUPPRESS)
    return parser.parse_args(words)


def main(words):
    sys.stdout.reconfigure(errors="replace")
    options = parse_options(words)
    target = options.here / f"{options.name}.zip"
    try:
        if not re.fullmatch(r"\w[\w .-]*", options.name):
            raise Problem(
                f"{options.name!r} cannot be the name of a folder: use letters, digits, spaces, and any of . - _"
            )
        found = work()
        if not found:
            raise Problem("There is nothing to hand in yet: `python course.py` opens the first notebook.")
        files.write(target, pack(options.name, found))
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{target} cannot be written ({error.strerror}): go to another folder.", file=sys.stderr)
        return 1
    print(f"Hand in this file: {target.absolute()}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
