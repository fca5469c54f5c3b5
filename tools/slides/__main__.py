"""`python course.py slides` writes a deck of slides for each plan of the guide."""

import argparse
import os
import sys
from pathlib import Path

from tools import Parser, Problem


def parse_options(words):
    parser = Parser(
        "slides",
        description="Make slides out of the notebooks' own cells, with polls and speaker notes: one page for each "
        "plan of classroom/guide.md. A page needs no network; press S in it for the speaker notes.",
    )
    parser.add_argument("decks", nargs="*", metavar="DECK", help="the names of plans, such as session-1; unset: all")
    parser.add_argument(
        "--without-notes",
        action="store_true",
        help="leave out the speaker notes, which hold the answers to the polls: for pages that students get",
    )
    parser.add_argument("--output", metavar="FOLDER", type=Path, default=Path("slides"), help="default: slides")
    parser.add_argument("--from", dest="here", type=Path, default=Path(), help=argparse.SUPPRESS)
    return parser.parse_args(words)


def main(words):
    sys.stdout.reconfigure(errors="replace")
    options = parse_options(words)
    try:
        for path in write(options.decks, options.here / options.output, not options.without_notes):
            print(f"{path.absolute()}", flush=True)
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.filename} cannot be written ({error.strerror}): choose another --output.", file=sys.stderr)
        return 1
    return 0


def write(names, folder, notes):
    """Write these decks, or all; gives the path of each once it is written."""
    try:
        from tools.slides.build import page
        from tools.slides.decks import decks
    except ModuleNotFoundError as error:
        raise Problem(
            f"The package {error.name} is missing: connect to a network and run `python course.py slides` again."
        ) from None
    from exercises import COURSE

    known = decks()
    for name in names:
        if name not in known:
            raise Problem(f"There is no deck {name!r}, only {', '.join(known)}.")
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or known:
        path = folder / f"{name}{'' if notes else '-without-notes'}.html"
        path.write_text(page(known[name], COURSE.predictions, notes), encoding="utf-8", newline="\n")
        yield path


if __name__ == "__main__":
    os.environ["COURSE_PROGRESS"] = "memory"
    sys.exit(main(sys.argv[1:]))
