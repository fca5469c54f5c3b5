"""How a notebook becomes a page: its explorers made again, its links, its labels, and what only works in Jupyter."""

import os
import re
import subprocess
import zipfile
from pathlib import Path

import nbformat
import pytest
import torch

import explorers
from exercises.notebooks import NOTEBOOKS
from explorers.base import INVITATION
from tools import Problem
from tools.site import bundle, live, prepare, states

PLACE = {"owner": "someone", "repository": "attention-by-hand", "branch": "main"}
UNKNOWN = {**PLACE, "owner": "your_name"}
EXPLORE = "explorers.masks(words, scores)"


def cell(source, id=None, alt=None, **metadata):
    outputs = [nbformat.v4.new_output("display_data", data={"text/plain": alt})] if alt else []
    made = nbformat.v4.new_code_cell(source, outputs=outputs, metadata=metadata)
    made.id = id or made.id
    return made


def sources(*cells):
    return [each.source for each in states.needed([cell(source) for source in cells])]


def test_only_the_cells_that_define_what_is_needed_are_run():
    assert sources("x = 1", "y = 2", "z = x", "show(z)") == ["x = 1", "z = x", "show(z)"]
    assert sources("x = 1", "x = 2", "show(x)") == ["x = 2", "show(x)"]  # an earlier value is not needed
    assert sources("x = 1", "x = x + 1", "show(x)") == ["x = 1", "x = x + 1", "show(x)"]
    assert sources("x = 1", "for x in range(3): print(x)", "show(y)") == ["show(y)"]
    assert sources("import a", "k = 1", "def f():\n    return a + k", "show(f())")[:3] == [
        "import a",
        "k = 1",
        "def f():\n    return a + k",
    ]
    assert sources("%env A=1", "x = 1", "show(x)") == ["x = 1", "show(x)"]


@pytest.mark.slow
def test_an_explorer_is_made_again_and_compared_with_the_saved_one(tmp_path):
    scores = torch.tensor([[0.0, 1.0], [2.0, 3.0]])
    alt = repr(explorers.masks(["a", "b"], scores))
    cells = [
        cell("import explorers, torch\nwords = ['a', 'b']"),
        cell("raise RuntimeError('nobody needs this cell')"),
        cell("scores = torch.tensor([[0.0, 1.0], [2.0, 3.0]])"),
        cell(EXPLORE, "shown", alt),
    ]
    made = states.explorers_of(nbformat.v4.new_notebook(cells=cells), tmp_path)
    assert [repr(each) for each in made["shown"]] == [alt]
    assert live.state(made["shown"][0])["tokens"] == ["a", "b"]
    cells[2].source = "scores = torch.zeros(2, 2)"
    with pytest.raises(Problem, match="The cell 'shown' must give the explorer that is saved"):
        states.explorers_of(nbformat.v4.new_notebook(cells=cells), tmp_path)


@pytest.mark.slow
def test_a_name_that_is_changed_in_place_is_found_by_running_all_cells(tmp_path):
    alt = repr(explorers.masks(["a", "b"], torch.tensor([[5.0, 1.0], [2.0, 3.0]]), mask="none"))
    cells = [
        cell("import explorers, torch\nwords, scores = ['a', 'b'], torch.tensor([[0.0, 1.0], [2.0, 3.0]])"),
        cell("scores[0, 0].fill_(5.0)"),
        cell("explorers.masks(words, scores, mask='none')", "shown", alt),
    ]
    made = states.explorers_of(nbformat.v4.new_notebook(cells=cells), tmp_path)
    assert INVITATION in repr(made["shown"][0])


def test_a_module_becomes_a_script_that_hands_over_its_default_export():
    script = live.classic("export const two = 2;\nexport default { render };\nfunction render() { return two; }\n")
    assert not re.search(r"^\s*(export|import)\b", script, re.MULTILINE)
    assert "const defaultExport = { render };" in script and "return defaultExport;" in script


def test_embedded_figures_become_files_with_their_size():
    svg = '<svg xmlns="x" width="75pt" height="30pt" viewBox="0 0 75 30"></svg>'
    files = live.Files()
    html = live.with_files(
        f'<img alt="a" src="data:image/svg+xml;base64,{live.base64.b64encode(svg.encode()).decode()}">', files
    )
    (address,) = files.texts
    assert html == f'<img alt="a" src="{address}" width="100" height="40" loading="lazy">'
    assert files.texts[address] == svg


def page(source, id="b", place=PLACE):
    return prepare.text(nbformat.v4.new_markdown_cell(source, id=id), NOTEBOOKS[2], place).source


def test_links_lead_to_pages_and_cells_can_be_reached():
    assert page("## Head") == '<span id="cell-b"></span>\n\n## Head'
    assert '<a href="03_x.html#cell-ex31">3.1</a>' in page("[3.1](03_x.ipynb#cell-id=ex31)")
    assert '<a href="00_x.html">contents</a>' in page("[contents](00_x.ipynb#cell-id=title)")
    assert f'href="{Path(NOTEBOOKS[2].file).stem}.html#cell-end"' in page("[the end](#cell-id=end)")
    assert 'href="03_x.html#cell-ex31"' in page('<a href="03_x.ipynb#cell-id=ex31">')
    assert '<p class="course-tag course-deeper">deeper · 8 min</p>' in page("## Head\n\n*deeper · 8 min*\n")


def test_the_first_cell_says_how_long_a_page_takes_and_offers_only_links_that_lead_somewhere():
    source = "*In Colab: ...*\n\n[← 01](01_embeddings.ipynb)\n\n# 02 Single-head attention\n\n**How?**\n"
    known, unknown = page(source, "title"), page(source, "title", UNKNOWN)
    assert known.startswith("# 02 Single-head attention\n") and known.endswith("**How?**\n")
    assert "minutes to read" in known and "Download the notebook" in known
    assert "colab.research.google.com/github/someone/" in known
    assert "colab" not in unknown and "Download the notebook" not in unknown
    assert 'href="attention-by-hand.zip"' in unknown
    assert (
        "notebook 02, in the first part of a course" in known and 'href="index.html#run-it-on-your-computer"' in known
    )
    assert prepare.linked("see [this](../README.md)", UNKNOWN) == "see this"
    assert "(https://github.com/someone/attention-by-hand/blob/main/README.md)" in prepare.linked(
        "see [this](../README.md)", PLACE
    )


def test_how_to_run_a_notebook_is_folded():
    made = page("## How\n\n*core · 5 min*\n\nRun it.\n", "setup-text")
    assert made.index("5 min") < made.index("<details><summary>When you run it yourself") < made.index("Run it.")


def test_outputs_that_answer_a_prediction_hidden_code_and_imports_are_folded_and_progress_is_left_out():
    files = live.Files()
    answer = cell("print(1)", jupyter={"outputs_hidden": True})
    assert prepare.code(answer, [], "02-a", files).metadata.tags == ["hide-output"]
    hidden = cell("print(1)", jupyter={"source_hidden": True})
    assert prepare.code(hidden, [], "02-a", files).metadata.tags == ["hide-input"]
    assert prepare.code(cell("import torch", "setup"), [], "02-a", files).metadata.tags == ["hide-cell"]
    setup = cell('import torch\n\nprogress("02")')
    setup.outputs = [nbformat.v4.new_output("execute_result", data={"text/html": "<b>0 of 6 solved</b>"})]
    made = prepare.code(setup, [], "02-a", files)
    assert made.source == "import torch" and made.outputs == []


@pytest.fixture
def course(tmp_path):
    """A small course, with a file that git does not track."""
    root = tmp_path / "course"
    names = ["course.py", "data/a.csv", "helpers/a.py"]
    for number, name in enumerate([*names, "my notes.txt"]):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(str(number))
    for command in (["init", "--quiet"], ["add", "--", *names]):
        subprocess.run(["git", "-c", "core.autocrlf=false", *command], cwd=root, check=True)
    return root, names


def test_the_zip_has_what_git_tracks(course, tmp_path):
    root, names = course
    bundle.write(root, tmp_path / "course.zip")
    with zipfile.ZipFile(tmp_path / "course.zip") as archive:
        assert archive.namelist() == [f"attention-by-hand/{name}" for name in names]
        assert archive.read("attention-by-hand/data/a.csv") == b"1"


def test_without_git_the_site_says_that_it_needs_it(course, tmp_path):
    root, _ = course
    with pytest.raises(Problem, match="git finds no repository in .*helpers: install git, and build"):
        bundle.write(root / "helpers", tmp_path / "course.zip")  # a folder in a repository is not one itself
    assert not (tmp_path / "course.zip").exists()


def test_the_same_files_give_the_same_zip(course, tmp_path):
    root, _ = course
    bundle.write(root, tmp_path / "a.zip")
    os.utime(root / "course.py", (10**9, 10**9))
    bundle.write(root, tmp_path / "b.zip")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
