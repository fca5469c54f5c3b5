"""Where the course lives: the badges in the notebooks and README.md, the first cells, and the address in CITATION.cff.

`python course.py badges` runs this file: it takes owner, repository and branch from the one URL in pyproject.toml and
writes them wherever it occurs. Notebooks keep their outputs.
"""

import re
import sys
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tools.save_notebooks import NOTEBOOKS, write  # noqa: E402  the folder must be known first

HOME = re.compile(r'^Repository = "https://github\.com/([\w.-]+)/([\w.-]+)/tree/([\w./-]+)"$', re.MULTILINE)
COLAB = "https://colab.research.google.com/github/{owner}/{repository}/blob/{branch}/notebooks/{name}"
BINDER = "https://mybinder.org/v2/gh/{owner}/{repository}/{branch}?urlpath=lab/tree/notebooks/00_start_here.ipynb"
FIRST_CELL = """\
# @title Run me first: I find the course, and fetch it where this notebook is alone, as in Colab.
import os, subprocess, sys

places = ["..", "../..", "attention-by-hand"]
if not any(os.path.exists(f"{{place}}/helpers") for place in places):  # alone, as in Colab: fetch the course
    address = "https://github.com/{owner}/{repository}"
    clone = ["git", "clone", "--quiet", "--depth=1", "--branch={branch}", address, places[-1]]
    try:
        subprocess.run(clone, check=True, timeout=120, env={{**os.environ, "GIT_TERMINAL_PROMPT": "0"}})
    except (OSError, subprocess.SubprocessError):
        said = f"The course could not be fetched from {{address}}: check the network, then run this cell again."
        raise SystemExit(said) from None
sys.path[:0] = [os.path.abspath(place) for place in places if os.path.exists(f"{{place}}/helpers")]

from helpers import start
start.complete()"""

FOLDED = {"cellView": "form", "jupyter": {"source_hidden": True}}  # to its first line, in Colab and in JupyterLab


def home():
    """Owner, repository and branch. Errors: LookupError if pyproject.toml does not name them."""
    found = HOME.search((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    if not found:
        raise LookupError(
            "under [project.urls], pyproject.toml must have a line such as "
            'Repository = "https://github.com/OWNER/REPOSITORY/tree/BRANCH"'
        )
    return dict(zip(("owner", "repository", "branch"), found.groups(), strict=True))


def launched(notebook, name, place):
    """The notebook with its badge above the title and the first cell, which finds the course; added or updated."""
    title = notebook.cells[0]
    words = re.sub(r"\A\[▶ Open in Colab\]\(\S*\)\n\n", "", title.source)
    title.source = f"[▶ Open in Colab]({COLAB.format(name=name, **place)})\n\n{words}"
    first = next((cell for cell in notebook.cells if cell.id == "start"), None)
    if first is None:
        first = nbformat.v4.new_code_cell(id="start")
        codes = [i for i, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
        notebook.cells.insert(codes[0] if codes else len(notebook.cells), first)
    first.source = FIRST_CELL.format(**place)
    first.metadata = nbformat.from_dict(FOLDED)
    return notebook


def linked(text, place):
    """The front page with its badges."""
    text = re.sub(
        r"https://colab\.research\.google\.com/github/\S+/notebooks/(\w+\.ipynb)",
        lambda found: COLAB.format(name=found[1], **place),
        text,
    )
    return re.sub(r"https://mybinder\.org/v2/gh/[^\s)]+", BINDER.format(**place), text)


def cited(text, place):
    """CITATION.cff with the address of the repository."""
    address = "https://github.com/{owner}/{repository}".format(**place)
    return re.sub(r"^repository-code: .*$", f"repository-code: {address}", text, flags=re.MULTILINE)


def main():
    try:
        place = home()
    except LookupError as error:
        print(error, file=sys.stderr)
        return 1
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        write(launched(nbformat.read(path, as_version=4), path.name, place), path)
    for name, updated in (("README.md", linked), ("CITATION.cff", cited)):
        path = ROOT / name
        path.write_text(updated(path.read_text(encoding="utf-8"), place), encoding="utf-8", newline="\n")
    print("The badges lead to {owner}/{repository}, branch {branch}.".format(**place))
    return 0


if __name__ == "__main__":
    sys.exit(main())
