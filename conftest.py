"""How the cells of `notebooks/` are run, which nbval collects as tests; tests/conftest.py holds the rest."""

import os

import pytest

from tests.minilm import require_minilm, uses_minilm

QUICK_NOTEBOOK = "00_start_here"  # short, and the only one that `python course.py test --quick` runs

os.environ["COURSE_PROGRESS"] = "memory"  # no test reads or changes what a contributor has solved


@pytest.hookimpl(tryfirst=True)  # before pytest selects by marker
def pytest_collection_modifyitems(items):
    for item in items:
        if is_cell(item) and item.path.stem != QUICK_NOTEBOOK:
            item.add_marker(pytest.mark.notebook)


def pytest_runtest_setup(item):
    if is_cell(item) and uses_minilm(item.path):
        require_minilm()


def is_cell(item):
    return item.path.suffix == ".ipynb"
