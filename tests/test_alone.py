"""A notebook that stands alone, as in Colab: its first cell fetches the course, once, and everything runs.

GitHub is played by a bare repository on this machine; Colab by an empty module google.colab, which the kernel imports
before the first cell, as Colab's does.
"""

import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from tests import badges
from tests.notebooks import PATHS, ROOT, read
from tests.save_notebooks import sanitised
from tests.test_packaging import course_files

each_notebook = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


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
WHERE = "import helpers; print(os.path.relpath(helpers.__path__[0]).replace(os.sep, '/'))"


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


@each_notebook
def test_every_notebook_runs_alone_twice(path, alone, monkeypatch):
    """What it prints and draws is what is saved: the clone is the course. The second run is that after a restart."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    folder = alone()
    mine = folder / "attention-by-hand" / "mine.txt"
    for run in ("first", "second"):
        assert mine.exists() == (run == "second")  # nothing is fetched anew
        ran, saved = execute(read(path), folder), read(path)
        for cell, was in zip(ran.cells, saved.cells, strict=True):
            assert words_of(cell) == words_of(was), (run, cell.id)
        assert [place.name for place in folder.iterdir()] == ["attention-by-hand"]
        mine.touch()


def words_of(cell):
    """What a cell shows in words, without times and devices, and with its printed pieces joined."""
    outputs = cell.get("outputs", [])
    streams = "".join(output.text for output in outputs if output.output_type == "stream")
    data = [output.data["text/plain"] for output in outputs if "text/plain" in output.get("data", {})]
    return sanitised(streams), [sanitised(words) for words in data]
