"""A learner's answer after it passed: used in the same notebook, kept, and offered in later ones."""

import os
import subprocess
import sys
import types

import nbformat
import pytest
import torch

from exercises import COURSE, check, reference, yours
from feedback import answers
from tests.notebooks.common import ROOT, execute, printed

ANSWER = '''
import torch
import torch.nn.functional as F
from math import sqrt

EPS, NAME, UNUSED = 0.0, "row", torch.ones(3)

def unused():
    return UNUSED

def logarithm(x):
    return torch.log(x + EPS)

def divide(a, b):
    return (logarithm(a) - logarithm(b)).exp() if len(NAME) == 3 and sqrt(4) == 2 else F.relu(a)

def row_means(x):
    """The mean of each row."""
    return x.sum(dim=1) / divide(torch.tensor(float(x.size(1))), torch.tensor(1.0))
'''
WRONG = "def row_means(x):\n    return x.mean(0)\n"


@pytest.fixture(autouse=True)
def a_fresh_kernel(monkeypatch):
    monkeypatch.setattr(COURSE, "_passed", {})
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)  # with a GPU: test_yours_on_a_gpu.py
    monkeypatch.setattr(COURSE.store, "_unsaved", [])


@pytest.fixture
def folder(tmp_path, monkeypatch, answers_folder):
    """Where answers are kept; without it, all is kept in memory."""
    monkeypatch.setenv("COURSE_PROGRESS", str(tmp_path / "attempts.jsonl"))
    return answers_folder


def from_a_notebook(source, name="row_means"):
    """What a cell with this source defines: it belongs to __main__, and its text is in the cache of lines."""
    notebook = types.ModuleType("notebook")
    file = f"<cell {hash(source)}>"
    answers.linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    vars(notebook)["__name__"] = "__main__"
    exec(compile(source, file, "exec"), vars(notebook))
    return vars(notebook)[name]


# ---------------------------------------------------------------- in the same notebook


def test_before_the_check_it_is_the_courses_and_after_it_the_very_function_that_passed(capsys):
    wrong, mine = from_a_notebook(WRONG), from_a_notebook(ANSWER)
    assert yours("0.1", mine) is reference("0.1")
    assert not check("0.1", wrong).solved and yours("0.1", wrong) is reference("0.1")
    assert check("0.1", mine).solved
    assert yours("0.1", mine) is mine and yours("0.1") is mine and yours(" 0.1 ") is mine
    assert yours("0.1", from_a_notebook(ANSWER)) is reference("0.1"), "one that was changed is to be checked again"
    assert capsys.readouterr().out == ""


def test_a_lambda_is_used_but_not_kept(folder):
    mine = lambda x: x.mean(1)  # noqa: E731 (a learner's)
    assert check("0.1", mine).solved
    assert yours("0.1", mine) is mine
    assert not folder.exists()


# ---------------------------------------------------------------- what is kept


def test_the_source_of_a_passed_answer_is_kept_with_what_it_needs(folder, tmp_path):
    check("0.1", from_a_notebook(ANSWER))
    text = (folder / "0.1.py").read_text(encoding="utf-8")
    assert 'yours("0.1", load=True)' in text.splitlines()[0]
    imports = {"import torch", "import torch.nn.functional as F", "from math import sqrt"}
    assert imports | {"EPS = float('0.0')", "NAME = 'row'"} <= {*text.splitlines()}
    assert "nused" not in text and "UNUSED" not in text
    assert text.index("def logarithm") < text.index("def divide") < text.index("def row_means")
    assert text.endswith("torch.tensor(1.0))\n")
    assert [path.name for path in folder.iterdir()] == ["0.1.py"]
    assert {path.name for path in tmp_path.iterdir()} == {"attempts.jsonl"}
    assert os.name == "nt" or (folder / "0.1.py").stat().st_mode & 0o777 == 0o600


def test_where_nothing_can_be_written_the_answer_is_used_all_the_same(folder):
    folder.write_text("", encoding="utf-8")
    mine = from_a_notebook(ANSWER)
    assert check("0.1", mine).solved and yours("0.1", mine) is mine


@pytest.mark.parametrize(
    "value, line",
    [
        (torch.softmax, "from torch import softmax as f"),
        (torch.nn.Linear, "from torch.nn.modules.linear import Linear as f"),
        (float("inf"), "f = float('inf')"),
        (None, "f = None"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_names_of_a_notebook_become_lines_that_define_the_same(folder, value, line):
    mine = from_a_notebook("def row_means(x):\n    return x.mean(1) if f != 3 else 0\n")
    mine.__globals__["f"] = value
    text = answers.self_contained(mine)
    assert line in text.splitlines()
    namespace = {}
    exec(text, namespace)
    assert namespace["f"] is value or namespace["f"] == value


def test_source_that_cannot_be_read_on_its_own_does_not_disturb_the_check(folder):
    factory = "def make():\n    def row_means(x):\n        '''The mean\nof each row.'''\n        return x.mean(1)\n"
    mine = from_a_notebook(f"{factory}    return row_means\nrow_means = make()\n")
    assert check("0.1", mine).solved and yours("0.1", mine) is mine
    assert COURSE.answers.kept("0.1") is None


# ---------------------------------------------------------------- in a later notebook


@pytest.fixture
def earlier(folder, monkeypatch):
    """An answer passed; then a new kernel was started."""
    check("0.1", from_a_notebook(ANSWER))
    monkeypatch.setattr(COURSE, "_passed", {})
    return folder / "0.1.py"


def test_only_if_asked_for_it_is_run_and_checked_and_used(earlier, capsys):
    assert yours("0.1") is reference("0.1") and capsys.readouterr().out == ""
    mine = yours("0.1", load=True)
    torch.testing.assert_close(mine(torch.tensor([[1.0, 3.0]])), torch.tensor([2.0]))
    said = "Exercise 0.1: using your own row_means from an earlier notebook, checked again.\n"
    assert capsys.readouterr().out == said
    assert yours("0.1") is mine is not reference("0.1")


@pytest.mark.parametrize(
    "text, why",
    [
        (WRONG, "yours no longer passes its check."),
        ("import nowhere_to_be_found\n", "yours stopped with ModuleNotFoundError: No module named"),
        ("def row_means(x:\n", "yours stopped with SyntaxError: "),
        ("", "no answer of yours is kept yet."),
    ],
)
def test_one_that_fails_is_not_used(earlier, capsys, text, why):
    earlier.write_text(text, encoding="utf-8")
    assert yours("0.1", load=True) is reference("0.1")
    line = capsys.readouterr().out
    assert line.startswith(f"Exercise 0.1: using the course's row_means, because {why}") and line.count("\n") == 1


# ---------------------------------------------------------------- real kernels

ATTENTION = """import torch

def softmax(scores):
    return scores.softmax(dim=-1)

def attention(q, k, v):
    weights = softmax(q @ k.mT / q.size(-1) ** 0.5)
    return weights @ v, weights"""
MODULE = """from torch import nn

class SelfAttention(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        for name in ("W_query", "W_key", "W_value"):
            setattr(self, name, nn.Linear(d_in, d_out, bias=False))

    def forward(self, x):
        return attention(self.W_query(x), self.W_key(x), self.W_value(x))"""
START = f"""import sys; sys.path.insert(0, {str(ROOT)!r})
import pathlib, exercises
from exercises import check, yours
"""


def run_cells(folder, *sources):
    sources = [f"{START}exercises.ANSWERS = pathlib.Path({str(folder)!r})", *sources]
    return printed(execute(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in sources]), ROOT))


@pytest.mark.slow
def test_from_one_notebook_to_the_next(folder, tmp_path):
    """A class defined in a notebook has no source for `inspect`, and uses a function of another exercise."""
    first = run_cells(
        folder,
        ATTENTION,
        'check("2.4", attention).status',
        MODULE,
        'check("2.5", SelfAttention).status',
        'print(yours("2.4", attention) is attention, yours("2.5", SelfAttention) is SelfAttention)',
    )
    assert first.endswith("True True\n")
    second = run_cells(
        folder,
        'yours("2.5");',
        'module = yours("2.5", load=True)(3, 2)',
        "import torch\nprint(module(torch.ones(1, 4, 3))[0].shape)",
    )
    assert second.count("Exercise 2.5: ") == 1 and "using your own SelfAttention from an earlier notebook" in second
    assert second.endswith("torch.Size([1, 4, 2])\n")
    subprocess.run([sys.executable, str(folder / "2.5.py")], check=True, timeout=600)  # it is plain Python
    assert COURSE.store.load()["2.5"] == "correct"
