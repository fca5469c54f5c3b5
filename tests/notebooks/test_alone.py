"""A notebook opened on its own, as in Colab: its first cell clones the course, once, and every cell runs.

A bare repository on this machine stands in for GitHub, and an empty module, imported before the first cell, for Colab's
google.colab. test_start.py tests that all notebooks have the same first cell.
"""

import shutil
import subprocess

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError

from tests.minilm import uses_minilm
from tests.notebooks.common import PATHS, ROOT, execute, printed, read
from tests.setup.copies import published_copy
from tools import badges

pytestmark = pytest.mark.notebook

HOME = {"owner": "ada", "repository": "fork", "branch": "main"}  # an address, which the course may not have yet


@pytest.fixture(scope="module")
def github(tmp_path_factory):
    """Make a bare repository with the course's current files, on the branch of the badges; return its address."""
    course, bare = published_copy(tmp_path_factory.mktemp("course"), HOME["branch"]), tmp_path_factory.mktemp("bare")
    subprocess.run(["git", "clone", "--bare", course, bare], check=True, capture_output=True)
    return bare.as_uri()


@pytest.fixture
def colab(tmp_path, github, monkeypatch):
    """An empty folder and an environment as in Colab, in which git clones from `github` instead of GitHub."""
    module = tmp_path / "packages" / "google" / "colab"
    startup = tmp_path / "ipython" / "profile_default" / "startup"
    content = tmp_path / "content"
    for folder in (module, startup, content):
        folder.mkdir(parents=True)
    (module / "__init__.py").touch()
    (startup / "colab.py").write_text("import google.colab\n", encoding="utf-8")
    for name, value in {
        "PYTHONPATH": str(module.parents[1]),
        "IPYTHONDIR": str(tmp_path / "ipython"),
        "OMP_NUM_THREADS": "1",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("COURSE_MINILM", raising=False)  # MiniLM has not been downloaded there
    redirect(monkeypatch, github)
    return content


def redirect(monkeypatch, address):
    """Make git clone from this address instead of the course's own."""
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.{address}.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "https://github.com/{owner}/{repository}".format(**HOME))


def cells(*sources):
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])


def copy_what_the_first_cell_needs(folder):
    for name in ("helpers", "runtime"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "setup_failures.py", folder)


def published(path):
    """Return a notebook as it would be if the course had an address."""
    return badges.launched(read(path), path.name, HOME)


FIRST = badges.first_cell(HOME)
WHERE = "import helpers; print(os.path.relpath(helpers.__path__[0]).replace(os.sep, '/'))"


def test_the_first_cell_clones_the_course_once(colab):
    notebook = execute(cells(FIRST, WHERE, FIRST, WHERE), colab)
    assert printed(notebook) == 2 * "The course is here.\nattention-by-hand/helpers\n"
    (colab / "attention-by-hand" / "mine.txt").touch()
    execute(cells(FIRST, WHERE), colab)  # as after a restart
    assert (colab / "attention-by-hand" / "mine.txt").exists()


def test_inside_the_course_it_clones_nothing(colab, tmp_path, monkeypatch):
    redirect(monkeypatch, "file:///nowhere")
    place = tmp_path / "course" / "study" / "old"
    place.mkdir(parents=True)
    copy_what_the_first_cell_needs(tmp_path / "course")
    found = printed(execute(cells(FIRST, WHERE), place)).splitlines()[-1]
    assert (place / found).resolve() == tmp_path / "course" / "helpers"


def test_where_github_cannot_be_reached_it_says_so(colab, monkeypatch):
    redirect(monkeypatch, "file:///nowhere")
    with pytest.raises(CellExecutionError) as caught:
        execute(cells(FIRST), colab)
    message = str(caught.value)
    assert "The course could not be fetched from https://github.com/" in message
    assert "check the network, then run this cell again." in message and "CalledProcessError" not in message
    assert not (colab / "attention-by-hand").exists()


def test_a_course_without_an_address_says_how_to_get_it(tmp_path):
    first = badges.first_cell({**HOME, "owner": badges.PLACEHOLDER})
    with pytest.raises(CellExecutionError, match="has no public address yet: get the whole folder from whoever gave"):
        execute(cells(first), tmp_path)
    copy_what_the_first_cell_needs(tmp_path / "attention-by-hand")
    assert printed(execute(cells(first, WHERE), tmp_path)).endswith("\nattention-by-hand/helpers\n")


WITH_MINILM = [path for path in PATHS if uses_minilm(path)]
OTHERS = [pytest.param(path, marks=pytest.mark.release) for path in WITH_MINILM[1:]]


@pytest.mark.parametrize("path", [WITH_MINILM[0], *OTHERS], ids=lambda path: path.stem)
def test_every_cell_runs_before_minilm_is_fetched(path, colab):
    """One sentence says that MiniLM is missing, and there are no warnings."""
    text = printed(execute(published(path), colab))
    assert text.count("MiniLM is not here") == 1
    assert "Warning" not in text
    assert [path.name for path in colab.iterdir()] == ["attention-by-hand"]
