"""No test reads or writes a learner's own progress record."""

import contextlib
import os
import sys
from pathlib import Path

import pytest
import torch

from tests.unit.fake_gpu import FakeGpu

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
os.environ["COURSE_PROGRESS"] = "memory"
torch.set_num_threads(1)  # several of these processes share the cores; the kernels of notebooks use all of them


SLOW = ("test_alone.py", "test_solved.py", "test_checks.py")


def pytest_collection_modifyitems(items):
    """The slow files first: several processes share the files, and none should wait for the last."""
    items.sort(key=lambda item: item.path.name not in SLOW)


@pytest.fixture
def gpu():
    """A GPU to move tensors to; a fake one where there is none."""
    with contextlib.nullcontext() if torch.cuda.is_available() else FakeGpu():
        yield


@pytest.fixture(autouse=True)
def same_random_numbers():
    torch.manual_seed(0)
