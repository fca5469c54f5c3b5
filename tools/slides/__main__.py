"""`python course.py slides` writes a deck of slides for each session of the guide."""

import argparse
import os
import sys
from pathlib import Path

from tools import Parser, Problem


def parse_options(words):
    parser = Parser(
        "slides",
        description="Make slides out of the notebooks' own cells, with polls and speaker notes: one page for each "
        "session of classroom/guide.md. A page needs no network; press S in it for the speaker notes.",
    )
    parser.add_argument("decks", nargs="*", metavar="DECK", help="the numbers of sessions, such as 1 2; unset: all")
    parser.add_argument("--output", metavar="FOLDER", type=Path, default=Path("slides"), help="default: slides")
    parser.add_argument("--from", dest="here", type=Path, default=Path(), help=argparse.SUPPRESS)
    return parser.parse_args(words)


def main(words):
    sys.stdout.reconfigure(errors="replace")
    options = parse_options(words)
    try:
        for path in write(options.decks, options.here / options.output):
            print(f"{path.absolute()}", flush=True)
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.filename} cannot be written ({error.strerror}): choose another --output.", file=sys.stderr)
        return 1
    return 0


def write(numbers, folder):
    """Write these decks, or all; gives the path of each once it is written."""
    from tools.slides.decks import decks

    known = decks()
    for number in numbers:
        if number not in known:
            raise Problem(f"There is no deck {number!r}, only {', '.join(known)}.")
    try:
        from tools.slides.build import page
    except ModuleNotFoundError as error:
        raise Problem(
            f"The package {error.name} is missing: connect to a network and run `python course.py slides` again."
        ) from None
    from exercises import COURSE

    folder.mkdir(parents=True, exist_ok=True)
    for number in numbers or known:
        path = folder / known[number].file
        path.write_text(page(known[number], COURSE.predictions), encoding="utf-8", newline="\n")
        yield path


if __name__ == "__main__":
    os.environ["COURSE_PROGRESS"] = "memory"
    sys.exit(main(sys.argv[1:]))
