"""`python course.py class FOLDER...` reads the attempts of a class and writes one page about them."""

import contextlib
import sys
import time
from pathlib import Path

from feedback import files
from tools import Parser, Problem, run
from tools.classroom import catalog, page
from tools.classroom.records import LOG, WHICH, count, read, require_folders
from tools.classroom.summary import summarize

EVERY = 10  # seconds between updates with --watch
COMPLAINTS = 10  # the most complaints that one update prints


def parse_options(words):
    parser = Parser(
        "class",
        description="Read the attempts of a class, and write one page about them: what is solved, where somebody is "
        "stuck, and which misconceptions are frequent.",
        epilog="Each folder directly below FOLDER is one student, with every attempts.jsonl in it: "
        "FOLDER is on a shared drive, or holds collected submissions or the home folders of a hub. It may also be the "
        "folder of a single student. Where a class has sections, name the folder of each.",
    )
    parser.add_argument("folders", nargs="+", metavar="FOLDER", type=Path)
    parser.add_argument("--output", metavar="FILE", type=Path, default=Path("class.html"), help="default: class.html")
    parser.add_argument("--watch", action="store_true", help=f"read and write again every {EVERY} seconds")
    parser.add_argument("--names", action="store_true", help="name who is stuck and who has done what, by folders")
    parser.add_argument("--csv", metavar="FILE", type=Path, help="also write who has done what, by folders, as CSV")
    return parser.parse_args(words)


def show(options):
    require_folders(options.folders)
    for file in filter(None, (options.output, options.csv)):
        if not file.parent.is_dir():
            raise Problem(f"{file} cannot be written (its folder does not exist): choose another place.")
    course, told = catalog.collect(), set()
    summary = look(course, options, told)
    if not summary.students and not options.watch:
        raise Problem(f"No {LOG} was found: {WHICH}. Students who have not tried an exercise have none.")
    print(summary if summary.students else "Nobody has tried anything yet.")
    print(f"The page: {options.output.absolute()}")
    if options.watch:
        print(f"It is written again every {EVERY} seconds. To stop, press Ctrl-C.", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            while True:
                time.sleep(EVERY)
                look(course, options, told)


def look(course, options, told):
    """Read the folders and write the page; report each unreadable file once on the terminal. Return the summary."""
    students, complaints = read(options.folders, course)
    summary = summarize(students, course)
    if students or options.watch:
        every = EVERY if options.watch else None
        files.write(options.output, page.html(summary, complaints, options.names, every))
        if options.csv:
            files.write(options.csv, summary.csv())
    new = [complaint for complaint in complaints if complaint not in told]
    told.update(new)
    if len(new) > COMPLAINTS:
        new = [*new[:COMPLAINTS], f"... and {count(len(new) - COMPLAINTS, 'more such line')}."]
    for complaint in new:
        print(complaint, file=sys.stderr)
    return summary


def main(words):
    return run(show, parse_options(words))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
