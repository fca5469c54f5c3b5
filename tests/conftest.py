"""No test reads or writes a learner's own progress record."""

import os
import sys
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
os.environ["COURSE_PROGRESS"] = "memory"
torch.set_num_threads(1)  # several of these processes share the cores; the kernels of notebooks use all of them


@pytest.fixture(autouse=True)
def same_random_numbers():
    torch.manual_seed(0)
