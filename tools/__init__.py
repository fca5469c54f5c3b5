"""The modules behind the commands of course.py."""

import argparse
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


class Problem(Exception):
    """Something that the user can fix; its text says what it is and how to fix it."""


class Parser(argparse.ArgumentParser):
    """A parser for a command's arguments that reports an error in one sentence, as course.py does."""

    def __init__(self, command, **options):
        super().__init__(prog=f"python course.py {command}", allow_abbrev=False, **options)

    def error(self, message):
        self.exit(1, f"{message}: `{self.prog} --help` says what can follow it.\n")


def run(act, *given):
    """Call `act(*given)` in the folder where the command was given; report what the user can fix in one sentence.

    Returns the exit code: 130 after Ctrl-C, and 1 after a Problem, an OSError, or where `act` returns False.
    """
    sys.stdout.reconfigure(errors="replace")  # a character that the console cannot show must not end the command
    os.chdir(os.environ.get("COURSE_CALLED_FROM") or ".")
    try:
        return 1 if act(*given) is False else 0
    except Problem as problem:
        print(problem, file=sys.stderr)
    except OSError as error:
        name = error.filename2 or error.filename
        print(f"{name} cannot be used ({error.strerror or error}): choose another place.", file=sys.stderr)
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return 130
    return 1
