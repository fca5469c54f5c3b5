"""`python -m tools.guide` brings classroom/guide.md up to date with the notebooks."""

import sys

from tools import Problem
from tools.guide.plans import GUIDE, ROOT, filled


def write():
    GUIDE.write_text(filled(GUIDE.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    try:
        write()
    except Problem as problem:
        sys.exit(str(problem))
    print(f"Up to date: {GUIDE.relative_to(ROOT)}")
