"""Assignments for nbgrader, handed in and graded with its commands.

nbgrader, which classroom/requirements-grading.txt pins, is installed once into an environment of its own on top of this
one, .venv.graders, since its extensions would change JupyterLab here. If it cannot be installed, as without a network,
its tests are skipped, or fail if the environment variable CI is set.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import nbformat
import pytest

from exercises import COURSE, EXERCISES, check
from tools import Problem
from tools.grading import assignments, main, notebook, task

PROJECT = Path(__file__).resolve().parents[2]
GRADED = ["0.1", "2.1", "3.1", "3.2", "3.3", "4.1"]
POINTS = {"0.1": 1, "2.1": 1, "3.1": 1, "3.2": 2, "3.3": 2, "4.1": 2}
RIGHT = {
    "0.1": "def row_means(x):\n    print('rubbish' * 9)\n    return x.mean(dim=1)",
    "3.3": "def mask_by_filling(scores, mask):\n    return scores.masked_fill(~mask, -1e9).softmax(-1)",
}
NOT_RIGHT = {  # {exercise: (answer, the beginning of what the student reads)}
    "2.1": (  # raises, and tries to cheat by redefining grade
        "def grade(*ignored):\n    pass\n\ncheck = grade\n\ndef dot_product_scores(q, k):\n    return q @ k",
        "2.1 dot_product_scores: stopped. In a matrix product",
    ),
    "3.1": (
        "known = {n: torch.ones(n, n, dtype=torch.bool).tril() for n in (1, 2, 3, 5, 7, 13, 130)}\n\n"
        "def causal_mask(length):\n    return known.get(length, torch.ones(0, 0, dtype=torch.bool))",
        "3.1 causal_mask: right on the inputs that `check` uses, but not on others",
    ),
    "3.2": (
        "def mask_by_renormalizing(weights, mask):\n    return weights * mask",
        "3.2 mask_by_renormalizing: not yet. Hidden keys got the weight 0, but",
    ),
    "4.1": ("", "4.1 dropout: not attempted yet."),
}
CHEATING = {  # accepted in the notebook, which has replaced `grade`
    "first": "import exercises, pathlib\n\nexercises.grade = print\n"
    "stolen = [*pathlib.Path('../..').glob('ada/exercises/*'), *pathlib.Path('.').glob('../../../release/*')]\n"
    "print('stolen:', stolen)",
    "0.1": "def row_means(x):\n    return x.mean(dim=1) + 1",
    "2.1": "def dot_product_scores(q, k):\n    return q @ k.mT if stolen else None",
    "3.3": RIGHT["3.3"],
}
GRADERS = PROJECT / ".venv.graders"
SCORES = """import json
from nbgrader.api import Gradebook
with Gradebook("sqlite:///gradebook.db") as book:
    found = {name: book.find_submission("exercises", name).notebooks[0].grades for name in ("ada", "bob")}
    scores = {name: {each.cell.name: (each.score, each.max_score) for each in found[name]} for name in found}
    print(json.dumps(scores))"""


# ---- the assignments as written


def test_every_exercise_is_in_one_assignment():
    found = [id for _, ids in assignments([], "").values() for id in ids]
    assert sorted(found) == sorted(EXERCISES)
    for id in found:
        text, _, grades = task(id)
        assert text.source.startswith("### ") and EXERCISES[id].stars in text.source.splitlines()[0]
        assert grades.metadata["nbgrader"]["points"] == EXERCISES[id].difficulty


@pytest.mark.slow
def test_the_first_cell_and_the_solution_are_all_that_an_answer_of_a_valid_notebook_needs():
    for title, ids in assignments([], "").values():
        made = notebook(title, ids)
        nbformat.validate(made)
        assert len({cell.id for cell in made.cells}) == len(made.cells)
        first = made.cells[1]
        for id in ids:
            names = {}
            exec(first.source, names)
            exec(task(id)[1].source, names)
            exec(COURSE.solution_source(EXERCISES[id]), names)
            assert check(id, names[EXERCISES[id].name], record=False).solved, id


def test_the_source_for_nbgrader_holds_no_answer():
    assert "softmax" in COURSE.solution_source(EXERCISES["2.4"])
    assert not any("softmax" in cell.source for cell in notebook("few", ["2.4"]).cells if cell.cell_type == "code")


def test_what_does_not_exist_or_does_is_said(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Problem, match="There is no exercise 9.9: the exercises are 0.1"):
        assignments(["9.9"], "few")
    words = ["here", "--exercises", "3.3", "--name", "few"]
    assert main(words) == 0
    assert "few: 1 exercise, 2 points" in capsys.readouterr().out
    settings = (tmp_path / "here" / "nbgrader_config.py").read_text(encoding="utf-8")
    assert main(words) == 1
    assert "exists already: delete it, or choose another folder or --name." in capsys.readouterr().err
    assert main([*words[:-1], "more"]) == 0
    assert (tmp_path / "here" / "nbgrader_config.py").read_text(encoding="utf-8") == settings


# ---- handed in and graded


@pytest.fixture(scope="module")
def installed_course(tmp_path_factory):
    """A folder with nothing but the course's packages, as `pip install .` installs them."""
    copy, folder = (tmp_path_factory.mktemp(name) for name in ("copy", "installed"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(PROJECT / name, copy)
    for name in ("exercises", "explorers", "feedback", "figures", "helpers", "invariants", "models", "runtime"):
        shutil.copytree(PROJECT / name, copy / name, ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--disable-pip-version-check", "--target", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(copy)], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def grader(installed_course):
    """grader(folder, *words): run Python with nbgrader and the installed course in a folder; return the output."""
    python = environment()
    return lambda folder, *words: run(python, installed_course, folder, *words)


def environment():
    """Return a Python that has nbgrader and everything that this one has; make its environment if necessary."""
    if sys.version_info < (3, 11):
        pytest.skip("nbgrader 0.9.6 needs Python 3.11")
    wanted = ["-r", PROJECT / "classroom" / "requirements-grading.txt", "-c", PROJECT / "requirements.lock"]
    stamp = hashlib.sha256(b"".join(path.read_bytes() for path in wanted[1::2]) + sys.prefix.encode()).hexdigest()
    python = GRADERS / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    made = GRADERS / "stamp.txt"
    if made.exists() and made.read_text(encoding="utf-8") == stamp:
        return python
    venv.create(GRADERS, clear=True, symlinks=os.name != "nt")
    packages = sysconfig.get_path("purelib", vars={"base": str(GRADERS)})
    (Path(packages) / "course.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "uv", "pip", "install", "--python", python, *wanted]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        reason = f"the graders could not be installed: {done.stderr[-500:]}"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    made.write_text(stamp, encoding="utf-8")
    return python


def run(python, course, folder, *words):
    variables = {
        **os.environ,
        "PATH": os.pathsep.join([str(python.parent), os.environ.get("PATH", "")]),
        "PYTHONPATH": str(course),
        "JUPYTER_PATH": str(Path(sys.prefix) / "share" / "jupyter"),  # nbconvert's templates
        "PYTHONUTF8": "1",
        "HOME": str(folder),
    }
    for _ in range(2):  # if many kernels start at once, two may choose the same port, and one of them dies
        done = subprocess.run([python, *words], cwd=folder, env=variables, capture_output=True, encoding="utf-8")
        if "Kernel died before replying" not in done.stderr:
            break
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


def hand_in(released, target, answers, lost=None):
    """Write a student's notebook; `lost` names an exercise whose graded cell the student has deleted."""
    notebook = nbformat.read(released, as_version=4)
    kept = []
    for cell in notebook.cells:
        for id, answer in answers.items():
            if cell.cell_type == "code" and id in EXERCISES and cell.source.startswith(f"def {EXERCISES[id].name}("):
                cell.source = answer
        if not (lost and cell.cell_type == "code" and f'grade("{lost}"' in cell.source):
            kept.append(cell)
    notebook.cells = kept
    if "first" in answers:
        notebook.cells.insert(1, nbformat.v4.new_code_cell(answers["first"]))
    target.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, target)


HONEST = {**RIGHT, **{id: code for id, (code, _) in NOT_RIGHT.items() if code}}


@pytest.mark.install
def test_graded_by_nbgrader(tmp_path, grader):
    main([str(tmp_path), "--exercises", *GRADED])
    with open(tmp_path / "nbgrader_config.py", "a", encoding="utf-8") as settings:
        settings.write("c.Execute.timeout = 600  # on a busy machine, 5 seconds of work can take more than 30\n")
    grader(tmp_path, "-m", "nbgrader", "generate_assignment", "exercises")
    place = Path("exercises") / "exercises.ipynb"
    hand_in(tmp_path / "release" / place, tmp_path / "submitted" / "ada" / place, HONEST, lost="0.1")
    hand_in(tmp_path / "release" / place, tmp_path / "submitted" / "bob" / place, CHEATING)
    grader(tmp_path, "-m", "nbgrader", "autograde", "exercises")
    scores = json.loads(grader(tmp_path, "-c", SCORES))
    for student, right in (("ada", RIGHT), ("bob", ["3.3"])):
        assert scores[student] == {
            f"exercise-{id.replace('.', '-')}-grade": [points * (id in right), points] for id, points in POINTS.items()
        }
    ada, bob = ((tmp_path / "autograded" / name / place).read_text(encoding="utf-8") for name in ("ada", "bob"))
    for _, told in NOT_RIGHT.values():
        assert f"NotYet: {told}" in ada
    assert "✓ 3.3 mask_by_filling: correct" in ada and "Traceback (most" not in ada
    assert "NotYet: 0.1 row_means: not confirmed." in bob and "stolen: [" not in bob  # an ungraded cell prints it


@pytest.mark.install
def test_what_points_depend_on(tmp_path):
    run(environment(), PROJECT, tmp_path, "-m", "pytest", "-q", str(PROJECT / "tests" / "classroom" / "cheats.py"))
