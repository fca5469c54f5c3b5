"""`python course.py slides` writes a deck of slides for each plan of the guide."""

import sys
from pathlib import Path

from tools import Parser, Problem, run


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
    return parser.parse_args(words)


def write(names, folder, notes):
    """Write these decks, or all, and print the path of each."""
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
        print(path.absolute(), flush=True)


def main(words):
    options = parse_options(words)
    return run(write, options.decks, options.output, not options.without_notes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
