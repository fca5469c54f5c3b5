"""What the tests in this folder share: a GPU, real or fake, equal random numbers for each test, Ctrl-C and a browser.

Where no browser is found, the tests that need one are skipped; with the environment variable CI set, they fail.
"""

import contextlib
import os
import signal

import pytest
import torch

from tests.unit.fake_gpu import FakeGpu
from tools.browser import ARGUMENTS, BROWSERS, find_browser


@pytest.fixture
def gpu():
    """A GPU to move tensors to; a fake one where there is none."""
    with contextlib.nullcontext() if torch.cuda.is_available() else FakeGpu():
        yield


@pytest.fixture(autouse=True)
def same_random_numbers():
    torch.manual_seed(0)


@pytest.fixture
def press_ctrl_c():
    """press_ctrl_c(process), for a program that the test starts.

    A shell that runs these tests in the background lets them ignore Ctrl-C, and what they start would inherit that.
    """
    if os.name == "nt":
        pytest.skip("a test cannot press Ctrl-C for a program on Windows: it would reach the tests too")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield lambda process: process.send_signal(signal.SIGINT)
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def chromium():
    """One Chromium for all tests."""
    path = find_browser()
    if path is None:
        reason = f"no browser found: install {BROWSERS[0]}, or name one in the environment variable COURSE_BROWSER"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe():
    """axe(page, root=None): the accessibility violations that axe-core finds, as a list of sentences."""
    from tests.explorers.axe import violations  # it needs a package that only these tests use

    return violations
