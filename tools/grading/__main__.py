"""`python course.py grading FOLDER` writes assignments for nbgrader, made from the exercises."""

import sys
from pathlib import Path

from tools import Parser, run
from tools.grading import nbgrader
from tools.grading.tasks import assignments


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
    return parser.parse_args(words)


def write(options):
    for assignment in assignments(options.exercises, options.name):
        commands = nbgrader.write(options.folder, assignment)
        count, points = len(assignment.tasks), sum(task.points for task in assignment.tasks)
        print(f"{assignment.name}: {count} exercise{'s' * (count != 1)}, {points} points")
    print(f"\nNext, in {options.folder.absolute()}, such as for the last of them:")
    print("\n".join(f"  {command}" for command in commands))


def main(words):
    return run(write, parse_options(words))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
