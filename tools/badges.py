"""Write the course's address into badges (notebooks, README.md), the notebooks' first cells and CITATION.cff.

`python course.py badges` runs this file: it takes owner, repository and branch from the one URL in pyproject.toml and
writes them wherever they occur. If that URL still has its placeholder, owner and repository are those of the git remote
`origin` on GitHub; without such a remote, there are no badges. Notebooks keep their outputs. With --check, nothing is
written, and the command fails if the badges do not link to the repository that the environment variable
GITHUB_REPOSITORY names.
"""

import os
import re
import subprocess
import sys

import nbformat

from tools import ROOT, Parser, Problem, run
from tools.save_notebooks import NOTEBOOKS, write

HOME = re.compile(r'^Repository = "https://github\.com/([\w.-]+)/([\w.-]+)/tree/([\w./-]+)"$', re.MULTILINE)
COLAB = "https://colab.research.google.com/github/{owner}/{repository}/blob/{branch}/notebooks/{name}"
BINDER = "https://mybinder.org/v2/gh/{owner}/{repository}/{branch}?urlpath=lab/tree/notebooks/00_start_here.ipynb"
PLACEHOLDER = "your_name"  # not a possible account name, because of its underscore
REMOTE = re.compile(r"github\.com[:/]([\w.-]+)/([\w.-]+?)(?:\.git)?/?$")
ABOVE_TITLE = re.compile(r"\A\[▶ Open in Colab\][^\n]*\n\n")
IN_README = re.compile(r"(?<=<!-- badges -->\n).*(?=<!-- end of badges -->)", re.DOTALL)
FIRST_CELL = """\
# @title Run me first: I find the course{fetching}.
import os{imports}, sys

places = ["..", "../..", "attention-by-hand"]
if not any(os.path.exists(f"{{place}}/helpers") for place in places):{otherwise}
sys.path[:0] = [os.path.abspath(place) for place in places if os.path.exists(f"{{place}}/helpers")]

from runtime import start
start.complete()"""
FETCH = """\
  # alone, as in Colab: fetch the course
    address = "{address}"
    clone = ["git", "clone", "--quiet", "--depth=1", "--branch={branch}", address, places[-1]]
    try:
        subprocess.run(clone, check=True, timeout=120, env={{**os.environ, "GIT_TERMINAL_PROMPT": "0"}})
    except (OSError, subprocess.SubprocessError):
        said = f"The course could not be fetched from {{address}}: check the network, then run this cell again."
        raise SystemExit(said) from None"""
GIVE_UP = """
    raise SystemExit("This notebook needs the course's folder around it, and the course has no public address yet: "
                     "get the whole folder from whoever gave you the notebook, and run `python course.py` in it.")"""

FOLDED = {"cellView": "form", "jupyter": {"source_hidden": True}}  # show only its first line, in Colab and JupyterLab


def home():
    """Return owner, repository and branch. Errors: Problem if pyproject.toml does not name them"""
    found = HOME.search((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    if not found:
        raise Problem(
            "Under [project.urls], pyproject.toml must have a line such as "
            'Repository = "https://github.com/OWNER/REPOSITORY/tree/BRANCH".'
        )
    return dict(zip(("owner", "repository", "branch"), found.groups(), strict=True))


def address(place):
    """Return the address of the repository."""
    return "https://github.com/{owner}/{repository}".format(**place)


def unknown(place):
    return place["owner"] == PLACEHOLDER


def find_home():
    """If pyproject.toml has the placeholder, replace it with the git remote's owner and repository."""
    if not unknown(home()) or not (ROOT / ".git").exists():  # git would use a repository around the course
        return
    command = ["git", "remote", "get-url", "origin"]
    remote = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    found = REMOTE.search(remote.stdout.strip())
    if found:
        path = ROOT / "pyproject.toml"
        text = path.read_text(encoding="utf-8")
        line = 'Repository = "https://github.com/{}/{}/tree/{}"'.format(*found.groups(), home()["branch"])
        path.write_text(HOME.sub(line, text), encoding="utf-8", newline="\n")


def launched(notebook, name, place):
    """Add or update the badge above a notebook's title and the cell that finds the course; return the notebook."""
    title = notebook.cells[0]
    title.source = above_title(name, place) + ABOVE_TITLE.sub("", title.source)
    first = next((cell for cell in notebook.cells if cell.id == "start"), None)
    if first is None:
        first = nbformat.v4.new_code_cell(id="start")
        codes = [i for i, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
        notebook.cells.insert(codes[0] if codes else len(notebook.cells), first)
    first.source = first_cell(place)
    first.metadata = nbformat.from_dict(FOLDED)
    return notebook


def first_cell(place):
    """Return the source of the cell that finds the course, and fetches it if the course has an address."""
    if unknown(place):
        return FIRST_CELL.format(fetching="", imports="", otherwise=GIVE_UP)
    fetching = ", and fetch it where this notebook is alone, as in Colab"
    fetch = FETCH.format(address=address(place), branch=place["branch"])
    return FIRST_CELL.format(fetching=fetching, imports=", subprocess", otherwise=fetch)


def above_title(name, place):
    """Return the line above a notebook's title: its badge, or nothing if the course has no address."""
    return "" if unknown(place) else f"{colab(name, place)}\n\n"


def colab(name, place):
    """Return a link that opens a notebook in Colab."""
    return f"[▶ Open in Colab]({COLAB.format(name=name, **place)})"


def linked(text, place):
    """Return README.md with its badges between two comments, or with none if the course has no address."""
    binder = f"[▶ Launch in Binder]({BINDER.format(**place)})"
    badges = "" if unknown(place) else f"{colab('00_start_here.ipynb', place)} ·\n{binder}\n"
    return IN_README.sub(lambda found: badges, text)


def cited(text, place):
    """Return CITATION.cff with the address of the repository."""
    return re.sub(r"^repository-code: .*$", f"repository-code: {address(place)}", text, flags=re.MULTILINE)


def check():
    """Check that the badges link to the repository in which a workflow runs. Errors: Problem if they do not"""
    here, there = os.environ.get("GITHUB_REPOSITORY", ""), "{owner}/{repository}".format(**home())
    if here != there:
        raise Problem(
            f"The badges must lead to {here}, got {there}: run `python course.py badges` in a clone, commit and push."
        )


def write_all():
    find_home()
    place = home()
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        write(launched(nbformat.read(path, as_version=4), path.name, place), path)
    for name, updated in (("README.md", linked), ("CITATION.cff", cited)):
        path = ROOT / name
        path.write_text(updated(path.read_text(encoding="utf-8"), place), encoding="utf-8", newline="\n")
    if unknown(place):
        print(
            "No badges yet: `git remote add origin` with the address of your repository on GitHub, and run this again."
        )
    else:
        print("The badges lead to {owner}/{repository}, branch {branch}.".format(**place))


def main(words=()):
    parser = Parser("badges", description="Write the address in pyproject.toml into all launch badges.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if they lead to another repository")
    return run(check if parser.parse_args(words).check else write_all)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
