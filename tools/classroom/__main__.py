"""`python course.py class FOLDER...` reads the attempts of a class and writes one page about them."""

import argparse
import os
import re
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from feedback import files  # noqa: E402  the path comes first
from tools import Parser, Problem  # noqa: E402
from tools.classroom import catalog, page, terminal  # noqa: E402  the path comes first
from tools.classroom.records import Reader, count  # noqa: E402
from tools.classroom.summary import summarize  # noqa: E402

EVERY = 10  # seconds, with --watch alone
COMPLAINTS = 10  # that are printed
WHICH = "name the folder that holds one folder for each student"


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
    parser.add_argument(
        "--watch", metavar="N", type=seconds, help=f"read and write again every N seconds (default {EVERY})"
    )
    parser.add_argument("--names", action="store_true", help="name who is stuck and who has done what, by folders")
    parser.add_argument("--csv", metavar="FILE", type=Path, help="also write who has done what, by folders, as CSV")
    parser.add_argument("--from", dest="here", type=Path, default=Path(), help=argparse.SUPPRESS)
    options = parser.parse_args(with_seconds(words))
    options.folders = [options.here / folder for folder in options.folders]
    options.output = options.here / options.output
    options.csv = options.csv and options.here / options.csv
    return options


def seconds(word):
    number = float(word)
    if not 1 <= number <= 3600:
        raise argparse.ArgumentTypeError(f"N must be between 1 and 3600 seconds, got {word}")
    return number


def with_seconds(words):
    """--watch may come without a number, and before a folder."""
    given = []
    for i, word in enumerate(words):
        given.append(word)
        if word == "--watch" and not re.fullmatch(r"-?[\d.]+", "".join(words[i + 1 : i + 2])):
            given.append(str(EVERY))
    return given


def main(words):
    sys.stdout.reconfigure(errors="replace")
    options = parse_options(words)
    try:
        for folder in options.folders:
            if not folder.is_dir():
                raise Problem(f"There is no folder {folder}: {WHICH}.")
        for file in filter(None, (options.output, options.csv)):
            if not file.parent.is_dir():
                raise Problem(f"{file} cannot be written (its folder does not exist): choose another place.")
        reader = Reader(options.folders, catalog.load())
        summary = look(reader, options)
        if not summary.students and not options.watch:
            raise Problem(
                f"No attempts.jsonl and no progress.json was found: {WHICH}. Students who have not tried an exercise "
                "have neither."
            )
        print(terminal.text(summary, options.names) if summary.students else "Nobody has tried anything yet.")
        print(f"\nThe page: {options.output.absolute()}")
        if options.watch:
            watch(reader, options)
        return 0
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print()
        return 0


def look(reader, options):
    """Read the folders and write the page; what cannot be read is named, once."""
    said = set(reader.complaints)
    students = reader.read()
    summary = summarize(students, reader.catalog)
    if students or options.watch:
        try:
            files.write(options.output, page.html(summary, reader.complaints, options.names, options.watch))
            if options.csv:
                files.write(options.csv, terminal.csv(summary))
        except OSError as error:
            raise Problem(f"{error.filename2 or error.filename} cannot be written ({error.strerror}).") from None
    new = [complaint for complaint in reader.complaints if complaint not in said]
    for complaint in new[:COMPLAINTS]:
        print(complaint, file=sys.stderr)
    if new[COMPLAINTS:]:
        print(f"... and {count(len(new) - COMPLAINTS, 'more such line')}.", file=sys.stderr)
    return summary


def watch(reader, options):
    print(f"It is written again every {options.watch:g} seconds. To stop, press Ctrl-C.", flush=True)
    before = None
    while True:
        time.sleep(options.watch)
        now = terminal.line(look(reader, options))
        if now != before:
            print(f"{time.strftime('%H:%M:%S')}  {now}", flush=True)
        before = now


if __name__ == "__main__":
    os.environ["COURSE_PROGRESS"] = "memory"  # looking at a class changes nobody's record
    sys.exit(main(sys.argv[1:]))
