"""The launch badges of the notebooks, and the packages that their first cell requires."""

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from types import ModuleType, SimpleNamespace

import nbformat
import pytest
import yaml

from runtime import start
from tests.notebooks.common import PATHS, ROOT, read
from tests.setup.test_packaging import settings
from tools import badges

OTHER = "The notebook runs in another Python than the course's: choose the one in the course's folder .venv"
each_notebook = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


# ---------------------------------------------------------------- badges


@each_notebook
def test_a_notebook_opens_with_its_badge_and_the_common_first_cell(path):
    assert badges.launched(read(path), path.name, badges.home()) == read(path)
    first = next(cell for cell in read(path).cells if cell.cell_type == "code")
    assert (first.id, first.source) == ("start", badges.first_cell(badges.home()))


def test_no_badge_is_offered_that_leads_nowhere():
    nowhere = {"owner": badges.PLACEHOLDER, "repository": "course", "branch": "main"}
    notebook = badges.launched(read(PATHS[1]), PATHS[1].name, nowhere)
    assert notebook.cells[0].source.startswith("[← 00 start here]")
    assert "Colab" not in notebook.cells[0].source and "github" not in badges.first_cell(nowhere)
    page = badges.linked((ROOT / "README.md").read_text(encoding="utf-8"), nowhere)
    assert "colab.research" not in page and "mybinder" not in page


def test_the_citation_has_the_version_and_the_address_of_the_project():
    page = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    cited, address = yaml.safe_load(page), "https://github.com/{owner}/{repository}".format(**badges.home())
    assert (cited["version"], cited["repository-code"]) == (settings()["project"]["version"], address)


def test_badges_of_a_fork():
    place = {"owner": "ada", "repository": "fork", "branch": "my-class"}
    notebook = badges.launched(read(PATHS[1]), PATHS[1].name, place)
    assert notebook.cells[0].source.count("Open in Colab") == 1
    assert "/github/ada/fork/blob/my-class/notebooks/01_" in notebook.cells[0].source
    first = next(cell for cell in notebook.cells if cell.cell_type == "code").source
    assert '"https://github.com/ada/fork"' in first and '"--branch=my-class"' in first
    assert badges.launched(notebook, PATHS[1].name, badges.home()) == read(PATHS[1])
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    assert badges.linked(page, badges.home()) == page
    there = badges.linked(page, place)
    assert "github/ada/fork/blob/my-class/notebooks/00_" in there and "gh/ada/fork/my-class?urlpath=lab" in there


def test_the_placeholder_gives_way_to_the_git_remote(monkeypatch, tmp_path, capsys):
    for remote in ("git@github.com:ada/fork.git", "https://github.com/ada/fork", "https://github.com/ada/fork.git/"):
        assert badges.REMOTE.search(remote).groups() == ("ada", "fork")
    address = 'Repository = "https://github.com/your_name/attention-by-hand/tree/main"'
    (tmp_path / "pyproject.toml").write_text(f"[project.urls]\n{address}\n", encoding="utf-8")
    for name in ("README.md", "CITATION.cff"):
        shutil.copy(ROOT / name, tmp_path)
    monkeypatch.setattr(badges, "ROOT", tmp_path)
    monkeypatch.setattr(badges, "NOTEBOOKS", tmp_path / "notebooks")
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    assert badges.main() == 0 and "No badges yet" in capsys.readouterr().out
    assert "mybinder" not in (tmp_path / "README.md").read_text(encoding="utf-8")
    subprocess.run(["git", "remote", "add", "origin", remote], cwd=tmp_path, check=True)
    assert badges.main() == 0 and "The badges lead to ada/fork, branch main." in capsys.readouterr().out
    assert "ada/fork/tree/main" in (tmp_path / "pyproject.toml").read_text(encoding="utf-8")
    assert "gh/ada/fork/main" in (tmp_path / "README.md").read_text(encoding="utf-8")
    before, after = (yaml.safe_load((place / "CITATION.cff").read_text("utf-8")) for place in (ROOT, tmp_path))
    assert after == before | {"repository-code": "https://github.com/ada/fork"}
    monkeypatch.setenv("GITHUB_REPOSITORY", "ada/fork")
    assert badges.main(["--check"]) == 0
    monkeypatch.setenv("GITHUB_REPOSITORY", "bob/fork")
    assert badges.main(["--check"]) == 1 and "must lead to bob/fork, got ada/fork" in capsys.readouterr().err
    (tmp_path / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    assert badges.main() == 1 and "must have a line such as Repository = " in capsys.readouterr().err


def test_a_new_notebook_gets_the_first_cell():
    made = [nbformat.v4.new_markdown_cell("# 09 New", id="title"), nbformat.v4.new_code_cell("1 + 1", id="setup")]
    cells = badges.launched(nbformat.v4.new_notebook(cells=made), "09_new.ipynb", badges.home()).cells
    assert [cell.id for cell in cells] == ["title", "start", "setup"]


# ---------------------------------------------------------------- before PyTorch is imported


def test_threads_that_wait_give_way_to_others():
    """Otherwise training takes a hundred times as long on a busy machine. PyTorch reads the variable on import."""
    code = "import os, sys; from runtime import start; start.complete()"
    code += "; print(os.environ['OMP_WAIT_POLICY'], 'torch' in sys.modules)"
    mine = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=mine, capture_output=True, encoding="utf-8")
    assert done.stdout == "The course is here.\npassive False\n", done.stderr


def test_what_each_start_of_the_course_imports_needs_no_package():
    """Each start reads all notebooks and looks for MiniLM."""
    packages = {"torch", "nbformat", "safetensors", "huggingface_hub"}
    code = f"import sys, tools.study, models.pretrained; print({packages} & set(sys.modules))"
    process = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, encoding="utf-8")
    assert process.stdout == "set()\n", process.stderr


# ---------------------------------------------------------------- required packages


def test_the_required_packages_are_those_of_the_project():
    dependencies = settings()["project"]["dependencies"]
    lab = next(line for line in dependencies if line.startswith("jupyterlab>="))  # Colab has its own user interface
    assert {*start.NEEDED, f"torch>={start.OLDEST_TORCH}", lab} == set(dependencies)


@pytest.fixture
def colab(monkeypatch):
    monkeypatch.setitem(sys.modules, "google.colab", ModuleType("google.colab"))


@pytest.fixture
def without(monkeypatch):
    """without(*names): simulate that these packages are missing; return the list of the pip commands that are run."""

    def remove(*names, pip=(0, "")):
        commands = []
        monkeypatch.setattr(start, "find_spec", lambda name: None if name in names else name)
        monkeypatch.setattr(
            start.subprocess,
            "run",
            lambda command, **_: commands.append(command) or SimpleNamespace(returncode=pip[0], stderr=pip[1]),
        )
        return commands

    return remove


def test_in_colab_missing_packages_are_installed_by_name(colab, without):
    commands = without()
    start.complete()
    assert commands == []
    commands = without("anywidget", "safetensors")
    start.complete()
    assert commands == [[sys.executable, "-m", "pip", "install", "--quiet", "anywidget>=0.9", "safetensors>=0.4"]]


def test_in_colab_without_a_network_the_error_gives_the_reason(colab, without):
    without("anywidget", pip=(1, "WARNING: retrying\nERROR: No matching distribution found for anywidget>=0.9\n"))
    with pytest.raises(ImportError, match=r"^anywidget>=0.9 could not be installed \(ERROR: No match.* index lacks"):
        start.complete()


def test_outside_colab_nothing_is_installed(without):
    commands = without("anywidget")
    with pytest.raises(ImportError, match=f"^{re.escape(sys.executable)} lacks anywidget>=0.9. {OTHER}"):
        start.complete()
    assert commands == []


@pytest.mark.parametrize(
    "found, message",
    [
        (None, f"{sys.executable} lacks PyTorch. {OTHER}"),
        ("1.13.1", f"PyTorch must be 2.4 or newer, {sys.executable} has 1.13.1. {OTHER}"),
        ("2.3.1+cu121", f"PyTorch must be 2.4 or newer, {sys.executable} has 2.3.1"),
    ],
)
def test_missing_or_old_torch_is_an_error_and_is_never_installed(monkeypatch, colab, without, found, message):
    def version(_):
        if found is None:
            raise PackageNotFoundError("torch")
        return found

    commands = without("torch")
    monkeypatch.setattr(start, "version", version)
    with pytest.raises(ImportError, match=re.escape(message)):
        start.complete()
    assert commands == []


def test_torch_2_4_and_newer_is_accepted(monkeypatch):
    for found in ("2.4.0", "2.13.0+cpu", "2.11.0a0+git1234", "10.0"):
        monkeypatch.setattr(start, "version", lambda _, found=found: found)
        start.require_torch()
