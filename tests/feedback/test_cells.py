"""An answer whose cell has a syntax error is not checked in its place's former version."""

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

STUB = "from exercises import check, predict\ndef row_means(x):\n    ..."
CHECK = 'report = check("0.1", row_means)'


@pytest.fixture
def run():
    """Run cells, as a notebook does, and give the report of the last check."""
    shell = InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}))

    def run(*cells):
        for cell in cells:
            shell.run_cell(cell, store_history=True)
        return shell.user_ns["report"]

    yield run
    InteractiveShell.clear_instance()


@pytest.mark.parametrize(
    "broken, words",
    [
        ("def row_means(x):\n    return x.mean(dim=1", "line 2: `return x.mean(dim=1`"),
        ("def row_means(x)\n    return x.mean(dim=1)", "expected ':', line 1: `def row_means(x)`"),
        ("def row_means(x):\nreturn x.mean(dim=1)", "IndentationError"),
    ],
)
def test_a_syntax_error_in_the_cell_above_is_named(run, broken, words):
    report = run(STUB, broken, CHECK)
    assert report.status == "error" and report.diagnosis == "syntax-error"
    assert "has a syntax error" in report.message and words in report.message
    assert run(CHECK).diagnosis == "syntax-error"  # again, when only the check is run again


def test_the_corrected_cell_is_checked(run):
    assert run(STUB, "def row_means(x):\n    return (", CHECK).diagnosis == "syntax-error"
    assert run("def row_means(x):\n    return x.mean(dim=1)", CHECK).status == "correct"


def test_a_syntax_error_in_another_cell_does_not_matter(run):
    assert run(STUB, "y = (row_means(", CHECK).status == "not attempted"
