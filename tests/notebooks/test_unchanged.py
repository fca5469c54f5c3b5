"""Which cells do not run again when a notebook is saved: those that take time, if nothing that they use has changed."""

import shutil
import subprocess

import nbformat
import pytest

from tools import save_notebooks, unchanged
from tools.unchanged import kept, lasting

SETUP = "import os\nimport helpers\n\ndef check(id, answer):\n    return f'{id} not attempted'"
SLOW = "runs = len(os.listdir())\nopen(f'ran-{runs}', 'w').close()\nruns"  # each run sees one file more
CELLS = (("setup", SETUP), ("twice", "def twice(x):\n    return x + x"), ("slow", SLOW), ("use", "twice(runs)"))
STUB = (("stub", "def halves(x):\n    ..."), ("check", 'check("1.2", halves)'))


def cells(*pairs):
    return [nbformat.v4.new_code_cell(source, id=id) for id, source in pairs]


@pytest.mark.parametrize(
    "source",
    [
        'check("1.2", halves)',
        'check("1.2", halves, record=False)',
        'predict("02.cards")',
        "# a comment",
        "def f(x, y=2):\n    return torch.rand(x)",
        'class Model(nn.Module):\n    """Words."""\n\n    def forward(self, x):\n        return x',
    ],
)
def test_what_takes_no_time_and_has_no_effect_always_runs(source):
    assert not kept(cells(("a", source)))


@pytest.mark.parametrize(
    "source",
    [
        "train(model)",
        "x = 1",
        "import torch",
        "%timeit f()",
        "check('1.2', make())",
        "@cached\ndef f():\n    ...",
        "def f(x=torch.rand(2)):\n    ...",
        "class Model:\n    size = count()",
        'halves = yours("1.2", halves)',
    ],
)
def test_everything_else_is_kept(source):
    assert kept(cells(("a", source))) == {"a": source}


def test_a_question_about_something_that_is_kept_is_kept_too_until_the_name_is_defined_again():
    found = kept(
        cells(("a", "x = train()"), ("b", 'check("1.2", x)'), ("c", "def x():\n    ..."), ("d", 'check("1.2", x)'))
    )
    assert list(found) == ["a", "b"]


def test_a_new_exercise_changes_nothing_for_the_others():
    before = lasting(cells(*CELLS))
    assert [id for id, _ in before] == ["setup", "twice", "slow", "use"]
    assert lasting(cells(*CELLS[:2], *STUB, *CELLS[2:])) == before


def test_what_a_magic_command_uses_is_unknown():
    timed = [*CELLS, ("timed", "%timeit twice(3)")]
    assert lasting(cells(*timed)) == timed and lasting(cells(*timed, *STUB)) != timed


@pytest.mark.parametrize(
    "changed",
    [
        (("setup", SETUP + "\nimport math"), *CELLS[1:]),
        (CELLS[0], ("twice", "def twice(x):\n    return 3 * x"), *CELLS[2:]),
        (*CELLS[:2], ("slow", SLOW + " + 1"), CELLS[3]),
        (*CELLS, ("runs", "def runs():\n    ...")),
        (*CELLS[:2], CELLS[3], CELLS[2]),
        CELLS[:3],
        (*CELLS, ("more", "runs = 3")),
    ],
)
def test_what_the_kept_cells_use_is_compared(changed):
    assert lasting(cells(*changed)) != lasting(cells(*CELLS))


# ---- with files


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A course in a repository of its own; its notebook is published with outputs that are those of no run."""
    for name in ("helpers/__init__.py", "exercises/n01_a/f.md", "exercises/n01_a/f.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "notebooks").mkdir()
    monkeypatch.setattr(save_notebooks, "NOTEBOOKS", tmp_path / "notebooks")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    write(tmp_path, *CELLS)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "published"]):
        subprocess.run([*git, *words], cwd=tmp_path, check=True)
    return tmp_path


def write(course, *pairs):
    notebook = nbformat.v4.new_notebook(cells=cells(*pairs))
    for cell in notebook.cells:
        if cell.id in ("slow", "use"):
            cell.outputs = [nbformat.v4.new_output("execute_result", data={"text/plain": "saved"}, execution_count=1)]
    nbformat.write(notebook, course / "notebooks" / "01_a.ipynb")


def outputs(course):
    path = course / "notebooks" / "01_a.ipynb"
    return list(unchanged.kept_outputs(nbformat.read(path, as_version=4), path))


@pytest.mark.parametrize("name", ["helpers/new.py", "exercises/n01_a/g.py", "exercises/n01_a/f.md"])
def test_files_that_the_kept_cells_cannot_use_may_change(course, name):
    (course / name).parent.mkdir(exist_ok=True)
    (course / name).write_text("x = 1", encoding="utf-8")
    assert outputs(course) == ["slow", "use"]


@pytest.mark.parametrize("name", ["helpers/__init__.py", "exercises/n01_a/f.py"])
def test_if_a_file_that_they_may_use_has_changed_everything_runs(course, name):
    (course / name).write_text("x = 1", encoding="utf-8")
    assert outputs(course) == []


def test_without_a_repository_everything_runs(course):
    shutil.rmtree(course / ".git")
    assert outputs(course) == []


@pytest.mark.notebook
def test_a_new_exercise_is_saved_without_running_the_rest(course, capsys):
    write(course, *CELLS[:2], *STUB, *CELLS[2:])
    path = course / "notebooks" / "01_a.ipynb"
    for whole, result in ((False, "saved"), (True, "1")):
        assert save_notebooks.save(path, whole)
        code = nbformat.read(path, as_version=4).cells
        assert [cell.execution_count for cell in code] == [1, 2, 3, 4, 5, 6]
        ((checked,), (slow,)) = code[3].outputs, code[4].outputs
        assert checked.data["text/plain"] == "'1.2 not attempted'" and checked.execution_count == 4
        assert slow.data["text/plain"] == result and slow.execution_count == 5
    assert "6 cells, 2 of them kept as published (--whole runs all), " in capsys.readouterr().out
