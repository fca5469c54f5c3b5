"""`python course.py equal` lists which submitted answers are the same code."""

import ast

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tools.classroom import equal

ONE = '''def f(x, mask):
    """Attends."""
    total: float = x.sum(dim=1)  # of a row
    return [row / total for row in x if mask]'''


def code(source):
    return equal.normalized(ast.parse(source).body[0])


@pytest.mark.parametrize(
    "other, same",
    [
        ("def g(a: int, b) -> list:\n    s: float = a.sum(dim=1)\n    return [r / s for r in a if b]", True),
        ("def f(x, mask):\n    total: float = x.sum(dim=0)\n    return [row / total for row in x if mask]", False),
        ("def f(x, mask):\n    total: float = x.max(dim=1)\n    return [row / total for row in x if mask]", False),
        ("def f(x, mask):\n    total: float = x.sum(dim=1)\n    return [row / total for row in mask if x]", False),
    ],
)
def test_chosen_names_and_texts_make_no_difference_and_code_does(other, same):
    assert (code(ONE) == code(other)) is same


def test_names_that_the_code_does_not_choose_stay():
    assert code("def f(x):\n    return max(x)") != code("def f(x):\n    return min(x)")


def hand_in(folder, *cells):
    folder.mkdir(parents=True)
    nbformat.write(new_notebook(cells=[new_code_cell(cell) for cell in cells]), folder / "work.ipynb")


def test_answers_are_listed_by_exercise(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    own = "def row_means({0}):\n    # mine\n    total = {0}.sum(1)\n    return total / {0}.shape[1]"
    hand_in(tmp_path / "anna" / "week-2", own.format("x"), "%matplotlib inline", "from helpers import masks")
    hand_in(tmp_path / "ben", own.format("rows"), "from helpers.masks import causal_mask")
    (tmp_path / "cleo" / "answers").mkdir(parents=True)
    from exercises import COURSE, EXERCISES

    (tmp_path / "cleo" / "answers" / "0.1.py").write_text(COURSE.solution_source(EXERCISES["0.1"]), encoding="utf-8")
    (tmp_path / "cleo" / "broken.ipynb").write_text("[", encoding="utf-8")
    assert equal.main(["."]) == 0
    out, err = capsys.readouterr()
    assert "0.1 row_means\n  each other: anna, ben\n  the reference: cleo\n" in out
    assert "3.1 causal_mask\n  import from helpers.masks: ben\n" in out and "broken.ipynb cannot be read" in err
    assert equal.main(["nowhere"]) == 1
