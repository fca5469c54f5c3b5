"""`python -m tools.guide` brings classroom/guide.md up to date with the notebooks, and writes classroom/index.md."""

import sys

from tools import Problem
from tools.guide.index import INDEX, index
from tools.guide.plans import GUIDE, ROOT, filled


def write():
    GUIDE.write_text(filled(GUIDE.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
    INDEX.write_text(index(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    try:
        write()
    except Problem as problem:
        sys.exit(str(problem))
    print(f"Up to date: {GUIDE.relative_to(ROOT)}, {INDEX.relative_to(ROOT)}")
