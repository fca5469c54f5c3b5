"""`python course.py class FOLDER...` reads the attempts of a class and writes one page about them."""

import contextlib
import sys
import time
from pathlib import Path

from feedback import files
from tools import Parser, Problem, run
from tools.classroom import catalog, page
from tools.classroom.records import WHICH, Reader, count, require_folders
from tools.classroom.summary import summarize

EVERY = 10  # seconds, with --watch
COMPLAINTS = 10  # that are printed


def parse_options(words):
    parser = Parser(
        "class",
        description="Read the attempts of a class, and write one page about them: what is solved, where somebody is "
        "stuck, which misconceptions are frequent, and what was predicted.",
        epilog="Each folder directly below FOLDER is one student, with every attempts.jsonl and progress.json in it: "
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
    reader = Reader(options.folders, catalog.collect())
    summary = look(reader, options)
    if not summary.students and not options.watch:
        raise Problem(
            f"No attempts.jsonl and no progress.json was found: {WHICH}. Students who have not tried an exercise "
            "have neither."
        )
    print(summary if summary.students else "Nobody has tried anything yet.")
    print(f"The page: {options.output.absolute()}")
    if options.watch:
        watch(reader, options)


def look(reader, options):
    """Read the folders and write the page; what cannot be read is named, once."""
    said = set(reader.complaints)
    students = reader.read()
    summary = summarize(students, reader.catalog)
    if students or options.watch:
        files.write(options.output, page.html(summary, reader.complaints, options.names, EVERY * options.watch))
        if options.csv:
            files.write(options.csv, summary.csv())
    new = [complaint for complaint in reader.complaints if complaint not in said]
    for complaint in new[:COMPLAINTS]:
        print(complaint, file=sys.stderr)
    if new[COMPLAINTS:]:
        print(f"... and {count(len(new) - COMPLAINTS, 'more such line')}.", file=sys.stderr)
    return summary


def watch(reader, options):
    print(f"It is written again every {EVERY} seconds. To stop, press Ctrl-C.", flush=True)
    before = None
    with contextlib.suppress(KeyboardInterrupt):
        while True:
            time.sleep(EVERY)
            now = str(look(reader, options))
            if now != before:
                print(f"{time.strftime('%H:%M:%S')}  {now}", flush=True)
            before = now


def main(words):
    return run(show, parse_options(words))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
