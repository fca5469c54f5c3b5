"""The code on all pages is linted, as far as what learners write can be."""

import subprocess
import sys
import textwrap

import pytest

from exercises import EXERCISES

MEANT = "F401,F811,F821,F841"  # what learners write: unused and unknown names, which the tests of each page judge


def functions(exercise):
    """(place, source of a function) for each piece of code of an exercise."""
    for page, code, _ in exercise.page.written:
        text = exercise.page.text_of(page, code)
        yield f"{page.path.name}:{code.line}", f"def code(self):\n{textwrap.indent(text, '    ')}\n"


@pytest.mark.slow
def test_all_code_is_linted():
    lines, starts = [], []
    for exercise in EXERCISES.values():
        exercise.banks()  # which compiles everything
        for place, source in functions(exercise):
            starts.append((len(lines) + 1, place))
            lines += source.splitlines()
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F,E9,PLE,B023", "--ignore", MEANT]
    done = subprocess.run(
        [*ruff, "--output-format", "concise", "-"], input="\n".join(lines), capture_output=True, encoding="utf-8"
    )
    found = [line.split(":", 3) for line in done.stdout.splitlines() if line.startswith("-:")]
    told = [f"{max(s for s in starts if s[0] <= int(row))[1]}:{words}" for _, row, _, words in found]
    assert starts and not told, "\n".join(told)
