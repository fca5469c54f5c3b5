"""A learner's answer after it passed: used in the same notebook, and kept."""

import os
import types

import nbformat
import pytest
import torch

from exercises import COURSE, check, reference, yours
from feedback import answers
from tests.notebooks.common import ROOT, execute, printed

ANSWER = '''
def another(x):
    return x

def row_means(x):
    """The mean of each row."""
    return x.sum(dim=1) / x.size(1)
'''
WRONG = "def row_means(x):\n    return x.mean(0)\n"


@pytest.fixture(autouse=True)
def a_fresh_kernel(monkeypatch):
    monkeypatch.setattr(COURSE, "_passed", {})
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)  # with a GPU: test_yours_on_a_gpu.py
    monkeypatch.setattr(COURSE.store, "_unsaved", [])


@pytest.fixture
def folder(tmp_path, monkeypatch, answers_folder):
    """The folder for answers that pass; without this fixture, all is kept in memory."""
    monkeypatch.setenv("COURSE_PROGRESS", str(tmp_path / "attempts.jsonl"))
    return answers_folder


def from_a_notebook(source, name="row_means"):
    """What a cell with this source defines. It belongs to __main__, and its text is in the cache of lines."""
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


def test_the_source_of_a_passed_answer_is_kept(folder, tmp_path):
    check("0.1", from_a_notebook(ANSWER))
    text = (folder / "0.1.py").read_text(encoding="utf-8")
    assert text == "# Your answer to exercise 0.1, which passed.\n\n" + ANSWER[ANSWER.index("def row_means") :]
    assert [path.name for path in folder.iterdir()] == ["0.1.py"]
    assert {path.name for path in tmp_path.iterdir()} == {"attempts.jsonl"}
    assert os.name == "nt" or (folder / "0.1.py").stat().st_mode & 0o777 == 0o600


def test_where_nothing_can_be_written_the_answer_is_used_all_the_same(folder):
    folder.write_text("", encoding="utf-8")
    mine = from_a_notebook(ANSWER)
    assert check("0.1", mine).solved and yours("0.1", mine) is mine


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
def test_in_a_notebook_a_class_is_used_and_kept(folder):
    """`inspect` finds no source of a class that was defined in a notebook."""
    first = run_cells(
        folder,
        ATTENTION,
        'check("2.4", attention).status',
        MODULE,
        'check("2.5", SelfAttention).status',
        'print(yours("2.4", attention) is attention, yours("2.5", SelfAttention) is SelfAttention)',
    )
    assert first.endswith("True True\n")
    kept = (folder / "2.5.py").read_text(encoding="utf-8")
    assert kept.partition("\n\n")[2] == MODULE[MODULE.index("class") :] + "\n"
    assert COURSE.store.load()["2.5"] == "correct"
