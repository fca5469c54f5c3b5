"""`python -m tools.guide` brings classroom/guide.md up to date with the notebooks."""

import sys

from tools import run
from tools.guide.plans import GUIDE, ROOT, filled


def write():
    GUIDE.write_text(filled(GUIDE.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
    print(f"Up to date: {GUIDE.relative_to(ROOT)}")


if __name__ == "__main__":
    sys.exit(run(write))
