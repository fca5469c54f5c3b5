"""`python course.py grading FOLDER` writes assignments for nbgrader, made from the exercises."""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tools import Parser, Problem  # noqa: E402  the path comes first
from tools.grading import nbgrader  # noqa: E402  the path comes first
from tools.grading.tasks import assignments  # noqa: E402


def parse_options(words):
    parser = Parser(
        "grading",
        description="Write assignments for nbgrader: one for each notebook of the course, or one with the exercises "
        "that you name.",
        epilog="The chapter on grading, classroom/grading.md, says what to do with them.",
    )
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="where to write; made if it does not exist")
    parser.add_argument("--exercises", nargs="+", metavar="ID", default=[], help="such as 2.1 3.3; default: all")
    parser.add_argument("--name", default="exercises", help="what an assignment of named exercises is called")
    parser.add_argument("--from", dest="here", type=Path, default=Path(), help=argparse.SUPPRESS)
    return parser.parse_args(words)


def main(words):
    sys.stdout.reconfigure(errors="replace")
    options = parse_options(words)
    folder = options.here / options.folder
    try:
        for assignment in assignments(options.exercises, options.name):
            commands = nbgrader.write(folder, assignment)
            count, points = len(assignment.tasks), sum(task.points for task in assignment.tasks)
            print(f"{assignment.name}: {count} exercise{'s' * (count != 1)}, {points} points")
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 1
    print(f"\nNext, in {folder.absolute()}, such as for the last of them:")
    print("\n".join(f"  {command}" for command in commands))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
