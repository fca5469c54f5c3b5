"""What the tests in this folder share: a GPU, real or fake, and the same random numbers for each test."""

import contextlib

import pytest
import torch

from tests.unit.fake_gpu import FakeGpu


@pytest.fixture
def gpu():
    """A GPU to move tensors to; a fake one where there is none."""
    with contextlib.nullcontext() if torch.cuda.is_available() else FakeGpu():
        yield


@pytest.fixture(autouse=True)
def same_random_numbers():
    torch.manual_seed(0)
