"""How pytest treats what it collects: exercises keep promises (a plugin of feedback/), nbval runs the notebooks.

tests/conftest.py holds what only the tests in tests/ need.
"""

import gc
import os
from pathlib import Path

import pytest
import torch

from tests.minilm import require_minilm, uses_minilm

pytest_plugins = ("feedback.pytest_plugin",)

QUICK_NOTEBOOK = "00_start_here"  # short, and the only one that `python course.py test --quick` runs
LONG = ("notebook", "browser", "install")  # the markers of files that begin first

os.environ["COURSE_PROGRESS"] = "memory"  # no test reads or changes what a contributor has solved
os.environ["COURSE_DEBUG"] = "1"  # a mistake in a checker is an exception, not a card that says so
gc.disable()  # while thousands of tests are collected: nothing of them is garbage
torch.set_num_threads(1)  # several of these processes share the cores; the kernels of notebooks use all of them


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers():
    return (yield) + 1  # than there are cores, since tests also wait: for browsers, servers and other processes


def pytest_configure(config):
    """Let nbval compare notebooks without times and names of devices, and run them with this Python."""
    if hasattr(config.option, "nbval"):
        config.option.nbval_sanitize_with = str(Path(__file__).parent / "tests" / "sanitize.cfg")
        config.option.nbval_current_env = True


@pytest.hookimpl(tryfirst=True)  # before pytest selects by marker
def pytest_collection_modifyitems(items):
    for item in items:
        if is_cell(item) and item.path.stem != QUICK_NOTEBOOK:
            item.add_marker(pytest.mark.notebook)
    long = {item.path for item in items if is_cell(item) or any(map(item.get_closest_marker, LONG))}
    items.sort(key=lambda item: item.path not in long)  # first, so that no process is left alone with them at the end


def pytest_collection_finish():
    gc.freeze()  # the collector need not look at them again, which saves an eighth of the quick run
    gc.enable()


def pytest_runtest_setup(item):
    if is_cell(item) and uses_minilm(item.path):
        require_minilm()


def is_cell(item):
    return item.path.suffix == ".ipynb"
