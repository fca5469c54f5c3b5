"""Pytest's settings for all it collects: the tests, the exercises (a plugin of feedback/) and the notebooks (nbval).

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
LONG = ("notebook", "browser", "install")  # markers of the files that run first

os.environ["COURSE_PROGRESS"] = "memory"  # no test reads or changes a contributor's own progress
os.environ["COURSE_DEBUG"] = "1"  # an error in a checker raises instead of showing a card
gc.disable()  # while thousands of tests are collected, none of which is garbage
torch.set_num_threads(1)  # several of these processes share the cores; notebook kernels use all of them


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers():
    return (yield) + 1  # one more than there are cores, since tests also wait for browsers, servers and other processes


def pytest_configure(config):
    """Make nbval ignore times and device names when it compares outputs, and run notebooks with this Python."""
    if hasattr(config.option, "nbval"):
        config.option.nbval_sanitize_with = str(Path(__file__).parent / "tests" / "sanitize.cfg")
        config.option.nbval_current_env = True


@pytest.hookimpl(tryfirst=True)  # before pytest selects by marker
def pytest_collection_modifyitems(items):
    for item in items:
        if is_cell(item) and item.path.stem != QUICK_NOTEBOOK:
            item.add_marker(pytest.mark.notebook)
    long = {item.path for item in items if is_cell(item) or any(map(item.get_closest_marker, LONG))}
    items.sort(key=lambda item: item.path not in long)  # long ones first: the processes then finish together


def pytest_collection_finish():
    gc.freeze()  # the garbage collector skips them from here on, which saves an eighth of the quick run
    gc.enable()


def pytest_runtest_setup(item):
    if is_cell(item) and uses_minilm(item.path):
        require_minilm()


def is_cell(item):
    return item.path.suffix == ".ipynb"
