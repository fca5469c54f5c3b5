"""What the commands of course.py run."""

import argparse


class Problem(Exception):
    """Something that the user can fix; its text says what it is and how to fix it."""


class Parser(argparse.ArgumentParser):
    """The words behind a command of course.py: what is wrong with them is said in one sentence, as everywhere."""

    def __init__(self, command, **options):
        super().__init__(prog=f"python course.py {command}", allow_abbrev=False, **options)

    def error(self, message):
        self.exit(1, f"{message}: `{self.prog} --help` says what can follow it.\n")
