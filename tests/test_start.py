"""The badges and the first cell of every notebook: in Colab, where a notebook stands alone, and elsewhere.

GitHub is played by a bare repository on this machine; Colab by an empty module google.colab, which the kernel imports
before the first cell, as Colab's does.
"""

import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError
from types import ModuleType, SimpleNamespace

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from helpers import start
from tests import badges
from tests.notebooks import PATHS, ROOT, read
from tests.save_notebooks import sanitised
from tests.test_packaging import course_files, settings

each_notebook = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


# ---------------------------------------------------------------- badges

@each_notebook
def test_a_notebook_opens_with_its_badge_and_the_common_first_cell(path):
    notebook, place = read(path), badges.home()
    badge = badges.COLAB.format(name=path.name, **place)
    assert notebook.cells[0].source.startswith(f"[▶ Open in Colab]({badge})\n\n# ")
    first = next(cell for cell in notebook.cells if cell.cell_type == "code")
    assert (first.id, first.source) == ("start", badges.FIRST_CELL.format(**place))


def test_the_front_page_has_badges():
    page, place = (ROOT / "README.md").read_text(encoding="utf-8"), badges.home()
    assert badges.COLAB.format(name=PATHS[0].name, **place) in page and badges.BINDER.format(**place) in page
    assert badges.linked(page, place) == page


def test_badges_of_a_fork():
    place = {"owner": "ada", "repository": "fork", "branch": "my-class"}
    notebook = badges.launched(read(PATHS[1]), PATHS[1].name, place)
    assert notebook.cells[0].source.count("Open in Colab") == 1
    assert "/github/ada/fork/blob/my-class/notebooks/01_" in notebook.cells[0].source
    first = next(cell for cell in notebook.cells if cell.cell_type == "code").source
    assert '"https://github.com/ada/fork"' in first and '"--branch=my-class"' in first
    assert badges.launched(notebook, PATHS[1].name, badges.home()) == read(PATHS[1])
    page = badges.linked((ROOT / "README.md").read_text(encoding="utf-8"), place)
    assert "github/ada/fork/blob/my-class/notebooks/00_" in page and "gh/ada/fork/my-class?urlpath=lab" in page


def test_a_new_notebook_gets_both():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# 09 New", id="title"),
                                               nbformat.v4.new_code_cell("1 + 1", id="setup")])
    cells = badges.launched(notebook, "09_new.ipynb", badges.home()).cells
    assert [cell.id for cell in cells] == ["title", "start", "setup"]


def test_without_an_address_it_says_what_is_missing(monkeypatch, tmp_path, capsys):
    (tmp_path / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    monkeypatch.setattr(badges, "ROOT", tmp_path)
    assert badges.main() == 1
    assert "pyproject.toml must have a line such as Repository = " in capsys.readouterr().err


# ---------------------------------------------------------------- what a Python lacks

def test_the_packages_are_those_of_the_project():
    dependencies = settings()["project"]["dependencies"]
    lab = next(line for line in dependencies if line.startswith("jupyterlab>="))  # Colab has a Lab of its own
    assert {*start.NEEDED, f"torch>={start.OLDEST_TORCH}", lab} == set(dependencies)


@pytest.fixture
def colab(monkeypatch):
    monkeypatch.setitem(sys.modules, "google.colab", ModuleType("google.colab"))


@pytest.fixture
def without(monkeypatch):
    """without(*names): these packages are missing; returns the list of what pip is told."""
    def take_away(*names, pip=(0, "")):
        told = []
        monkeypatch.setattr(start, "find_spec", lambda name: None if name in names else name)
        monkeypatch.setattr(start.subprocess, "run", lambda command, **_: told.append(command) or SimpleNamespace(
            returncode=pip[0], stderr=pip[1]))
        return told
    return take_away


def test_what_is_complete_is_left_alone(colab, without):
    told = without()
    start.complete()
    assert told == []


def test_colab_gets_what_it_lacks_by_name_and_never_torch(colab, without):
    told = without("anywidget", "safetensors")
    start.complete()
    assert told == [[sys.executable, "-m", "pip", "install", "--quiet", "anywidget>=0.9", "safetensors>=0.4"]]


def test_colab_without_a_network(colab, without):
    without("anywidget", pip=(1, "WARNING: retrying\nERROR: No matching distribution found for anywidget>=0.9\n"))
    with pytest.raises(ImportError, match=r"^anywidget>=0.9 could not be installed \(ERROR: No match.* check the net"):
        start.complete()


def test_elsewhere_nothing_is_installed(without):
    told = without("anywidget")
    with pytest.raises(ImportError, match="^this Python lacks anywidget>=0.9: start the course with `python"):
        start.complete()
    assert told == []


@pytest.mark.parametrize("found, said", [
    (None, "this Python lacks PyTorch: start the course"),
    ("1.13.1", "PyTorch must be 2.4 or newer, got 1.13.1: start the course"),
    ("2.3.1+cu121", "PyTorch must be 2.4 or newer, got 2.3.1"),
])
def test_torch_is_required_and_not_installed(monkeypatch, colab, without, found, said):
    def version(_):
        if found is None:
            raise PackageNotFoundError("torch")
        return found

    told = without("torch")
    monkeypatch.setattr(start, "version", version)
    with pytest.raises(ImportError, match=re.escape(said)):
        start.complete()
    assert told == []


@pytest.mark.parametrize("found", ["2.4.0", "2.13.0+cpu", "2.11.0a0+git1234", "10.0"])
def test_torch_that_is_new_enough(monkeypatch, found):
    monkeypatch.setattr(start, "version", lambda _: found)
    start.require_torch()


# ---------------------------------------------------------------- a notebook alone

@pytest.fixture(scope="module")
def github(tmp_path_factory):
    """A bare repository with the course as it is now, on the badge's branch; returns its address."""
    folder = tmp_path_factory.mktemp("github")
    course = folder / "course"
    for path in course_files():
        copy = course / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy)
    git = ["git", "-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "init.defaultBranch=other"]
    for words in (["init"], ["checkout", "-b", badges.home()["branch"]], ["add", "--all", "--force"],
                  ["commit", "-m", "The course"], ["clone", "--bare", ".", str(folder / "bare.git")]):
        subprocess.run([*git, *words], cwd=course, check=True, capture_output=True)
    return (folder / "bare.git").as_uri()


@pytest.fixture
def alone(tmp_path, github, monkeypatch):
    """alone(): an empty folder as in Colab; an address other than GitHub's leads there."""
    def make(address=github):
        stand_in = tmp_path / "packages" / "google" / "colab"
        startup = tmp_path / "ipython" / "profile_default" / "startup"
        for folder in (stand_in, startup):
            folder.mkdir(parents=True)
        (stand_in / "__init__.py").touch()
        (startup / "colab.py").write_text("import google.colab\n", encoding="utf-8")
        given = "https://github.com/{owner}/{repository}".format(**badges.home())
        settings = {"PYTHONPATH": str(stand_in.parents[1]), "IPYTHONDIR": str(tmp_path / "ipython"),
                    "COURSE_MINILM": os.environ.get("COURSE_MINILM") or str(ROOT / "data" / "cache" / "minilm"),
                    "COURSE_PROGRESS": "memory", "GIT_CONFIG_COUNT": "1",
                    "GIT_CONFIG_KEY_0": f"url.{address}.insteadOf", "GIT_CONFIG_VALUE_0": given}
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        content = tmp_path / "content"
        content.mkdir()
        return content
    return make


def execute(notebook, folder):
    """Run a notebook in a fresh kernel in this folder."""
    client = NotebookClient(notebook, kernel_name="python3", timeout=600, store_widget_state=False,
                            resources={"metadata": {"path": str(folder)}})
    with ThreadPoolExecutor() as elsewhere:  # where another test has started Playwright, this thread has a loop already
        elsewhere.submit(client.execute).result()
    return notebook


def cells(*sources):
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])


FIRST = badges.FIRST_CELL.format(**badges.home())
WHERE = "import helpers; print(os.path.relpath(helpers.__path__[0]))"


def printed(notebook):
    return "".join(output.text for cell in notebook.cells for output in cell.outputs if output.output_type == "stream")


def test_the_first_cell_fetches_the_course_once(alone):
    folder = alone()
    notebook = execute(cells(FIRST, WHERE, FIRST, WHERE), folder)
    assert printed(notebook) == 2 * "attention-by-hand/helpers\n"
    (folder / "attention-by-hand" / "mine.txt").touch()
    execute(cells(FIRST, WHERE), folder)  # after a restart
    assert (folder / "attention-by-hand" / "mine.txt").exists()


def test_in_the_course_it_fetches_nothing(alone, tmp_path):
    alone(address="file:///nowhere")
    for folder in ("notebooks", "notebooks/mine"):
        place = tmp_path / "course" / folder
        place.mkdir(parents=True)
        if folder == "notebooks":
            shutil.copytree(ROOT / "helpers", tmp_path / "course" / "helpers")
        found = printed(execute(cells(FIRST, WHERE), place)).strip()
        assert (place / found).resolve() == tmp_path / "course" / "helpers"


def test_where_github_cannot_be_reached_it_says_so(alone):
    folder = alone(address="file:///nowhere")
    with pytest.raises(CellExecutionError) as caught:
        execute(cells(FIRST), folder)
    said = str(caught.value)
    assert "The course could not be fetched from https://github.com/" in said
    assert "check the network, then run this cell again." in said and "CalledProcessError" not in said
    assert not (folder / "attention-by-hand").exists()


def test_every_notebook_runs_alone_and_again_after_a_restart(alone):
    """What it prints and draws is what is saved: the clone is the course, found from any folder."""
    folder = alone()
    for _ in range(2):
        for path in PATHS:
            ran, saved = execute(read(path), folder), read(path)
            for cell, was in zip(ran.cells, saved.cells, strict=True):
                assert words_of(cell) == words_of(was), f"{path.name}, {cell.id}"
    assert sorted(path.name for path in folder.iterdir()) == ["attention-by-hand"]


def words_of(cell):
    """What a cell shows in words, without times and devices, and with its printed pieces joined."""
    outputs = cell.get("outputs", [])
    streams = "".join(output.text for output in outputs if output.output_type == "stream")
    data = [output.data["text/plain"] for output in outputs if "text/plain" in output.get("data", {})]
    return sanitised(streams), [sanitised(words) for words in data]
