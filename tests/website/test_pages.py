"""How notebooks become pages, in cases that do not occur on the course's website, which test_site.py tests."""

import base64
import subprocess
import zipfile

import nbformat
import pytest
import torch

import explorers
from exercises.notebooks import NOTEBOOKS
from tools import Problem, badges
from tools.site import __main__ as site
from tools.site import live, prepare, states

PLACE = {"owner": "someone", "repository": "attention-by-hand", "branch": "main"}
UNKNOWN = {**PLACE, "owner": badges.PLACEHOLDER}


def cell(source, **parts):
    return nbformat.v4.new_code_cell(source, **parts)


def sources(*cells):
    return [each.source for each in states.needed([cell(source) for source in cells])]


def test_only_the_cells_that_define_what_is_needed_are_run():
    assert sources("x = 1", "y = 2", "z = x", "show(z)") == ["x = 1", "z = x", "show(z)"]
    assert sources("x = 1", "x = 2", "show(x)") == ["x = 2", "show(x)"]  # an overwritten value is not needed
    assert sources("x = 1", "x = x + 1", "show(x)") == ["x = 1", "x = x + 1", "show(x)"]
    assert sources("x = 1", "for x in range(3): print(x)", "show(y)") == ["show(y)"]
    function = ["import a", "k = 1", "def f():\n    return a + k", "show(f())"]
    assert sources(*function) == function
    assert sources("%env A=1", "x = 1", "show(x)") == ["x = 1", "show(x)"]


@pytest.mark.slow
def test_an_explorer_is_made_again_and_compared_with_the_saved_one():
    def made(saved, *between):
        """Recreate the explorer of a notebook with these cells in the middle and a saved explorer with these scores."""
        shown = cell("explorers.masks(words, scores)", id="shown")
        alt = repr(explorers.masks(["a", "b"], torch.tensor(saved)))
        shown.outputs = [nbformat.v4.new_output("display_data", data={"text/plain": alt})]
        first = cell("import explorers, torch\nwords, scores = ['a', 'b'], torch.tensor([[0.0, 1.0], [2.0, 3.0]])")
        cells = [first, *map(cell, between), shown]
        [explorer] = states.explorers_of(nbformat.v4.new_notebook(cells=cells))["shown"]
        assert repr(explorer) == alt
        return explorer

    alone = made([[0.0, 1.0], [2.0, 3.0]], "raise RuntimeError('nobody needs this cell')")
    assert live.state(alone)["tokens"] == ["a", "b"]
    made([[5.0, 1.0], [2.0, 3.0]], "scores[0, 0].fill_(5.0)")  # found by running all cells
    with pytest.raises(Problem, match="The cell 'shown' must give the explorer that is saved"):
        made([[0.0, 0.0], [0.0, 0.0]])


def test_the_first_cell_offers_only_links_that_lead_somewhere():
    title = nbformat.v4.new_markdown_cell("*In Colab: ...*\n\n# 02 Single-head attention\n\n**How?**\n", id="title")
    known, unknown = (prepare.text(title, NOTEBOOKS[2], place).source for place in (PLACE, UNKNOWN))
    assert known.startswith("# 02 Single-head attention\n") and "minutes to read" in known
    assert "colab.research.google.com/github/someone/" in known and "Download the notebook" in known
    assert "colab" not in unknown and "Download the notebook" not in unknown and f'href="{prepare.ZIP}"' in unknown
    assert prepare.linked("see [this](../README.md)", UNKNOWN) == "see this"


def test_figures_become_files_with_their_size_and_progress_is_left_out():
    files, svg = live.Files(), '<svg xmlns="x" width="75pt" height="30pt" viewBox="0 0 75 30"></svg>'
    html = f'<img alt="a" src="data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}">'
    made = live.with_files(html, files)
    [address] = files.texts
    assert made == f'<img alt="a" src="{address}" width="100" height="40" loading="lazy">'
    assert files.texts[address] == svg
    progress = nbformat.v4.new_output("execute_result", data={"text/html": "<b>0 of 6 solved</b>"})
    page = prepare.code(cell('import torch\n\nprogress("02")', outputs=[progress]), [], "02-a", files)
    assert page.source == "import torch" and page.outputs == []


@pytest.fixture
def course(tmp_path):
    """A small course, with a file that git does not track."""
    root = tmp_path / "course"
    for name in ("course.py", "data/a.csv", "my notes.txt"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    git = ["git", "-c", "core.autocrlf=false", "-c", "user.name=test", "-c", "user.email=test@localhost"]
    for words in (["init", "--quiet"], ["add", "--", "course.py", "data"], ["commit", "--quiet", "-m", "The course"]):
        subprocess.run([*git, *words], cwd=root, check=True)
    return root


def test_the_zip_has_what_git_tracks(course, tmp_path):
    site.pack(course, tmp_path / "course.zip")
    with zipfile.ZipFile(tmp_path / "course.zip") as archive:
        files = [name for name in archive.namelist() if not name.endswith("/")]
        assert files == ["course/course.py", "course/data/a.csv"]
        assert archive.read("course/data/a.csv") == b"data/a.csv"


def test_without_git_the_site_says_that_it_needs_it(course, tmp_path):
    with pytest.raises(Problem, match="git finds no repository in .*data: install git, and build"):
        site.pack(course / "data", tmp_path / "course.zip")  # a folder inside a repository
    assert not (tmp_path / "course.zip").exists()
