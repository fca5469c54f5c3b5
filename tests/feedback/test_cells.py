"""The check of an answer whose cell has a syntax error, or has not run at all."""

import re
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

ROOT = Path(__file__).resolve().parents[2]

STUB = "from exercises import check, predict\ndef row_means(x):\n    ..."
CHECK = 'report = check("0.1", row_means)'


@pytest.fixture
def report(run):
    """report(*cells) runs cells and returns the report of the last check."""

    def last(*cells):
        run(*cells)
        return InteractiveShell.instance().user_ns["report"]

    return last


def test_a_syntax_error_in_the_cell_above_is_named_until_it_is_corrected(report):
    found = report(STUB, "def row_means(x)\n    return x.mean(dim=1)", CHECK)
    assert found.status == "error" and found.diagnosis == "syntax-error"
    assert "has a syntax error" in found.message and "expected ':', line 1: `def row_means(x)`" in found.message
    assert report(CHECK).diagnosis == "syntax-error"  # again, when only the check is run again
    assert report("def row_means(x):\n    return x.mean(dim=1)", CHECK).status == "correct"
    assert report("y = (row_means(", CHECK).status == "correct", "a slip in another cell does not matter"


@pytest.fixture
def fresh(run):
    """`run` in a fresh kernel that has imported the course."""
    run("from exercises import COURSE, check\nreport = None")
    run("from feedback import source\nsource.answer_undefined_names(COURSE._undefined)")  # as the first import does
    return run


def test_the_check_of_an_answer_that_no_cell_has_defined_is_a_card(fresh):
    [card], printed = fresh('check("0.1", row_means)')
    assert card.startswith("○ 0.1 row_means: not attempted yet. Python does not know `row_means` yet")
    assert "NameError" not in printed


@pytest.mark.parametrize(
    "cell",
    [
        'check("0.1", row_mean)',
        'check("9.9", row_means)',
        "row_means",
        "def f():\n    return row_means\nf()",
    ],
)
def test_every_other_name_error_is_shown_as_usual(fresh, cell):
    shown, printed = fresh(cell)
    assert shown == [] and "Traceback" in printed
    assert re.search(r"NameError(\x1b\[\d*m)?: name 'row_means?' is not defined", printed)


NEW_KERNEL = (ROOT / "tools" / "jupyterlab" / "new_kernel.py").read_text(encoding="utf-8")


@pytest.fixture
def just_started(run):
    """`run` in a kernel as `course.py` starts it."""
    before = set(InteractiveShell.instance().user_ns)
    run(NEW_KERNEL)
    assert {name for name in set(InteractiveShell.instance().user_ns) - before if not name.startswith("_i")} == set()
    return run


@pytest.mark.parametrize("cell", ['check("2.1", dot_product_scores)', 'predict("02.axis")', "progress()"])
def test_a_call_of_the_course_in_a_new_kernel_says_what_to_run_first(just_started, cell):
    name = cell.split("(")[0]
    says = f"Python has just started and does not know {name} yet: choose Run → Run All Above Selected Cell.\n"
    assert just_started(cell) == ([], says)
    _, other = just_started("chekc")
    assert "NameError" in other and "just started" not in other
