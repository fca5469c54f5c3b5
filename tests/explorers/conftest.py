"""Fixtures: pages for the tests of the explorers, bare or in JupyterLab, and a check of what no page may do."""

import contextlib

import pytest

from tests.explorers.browser import ExplorerPage, WatchedPage
from tests.explorers.jupyterlab import lab, open_notebook, windows  # noqa: F401 (fixtures)
from tests.explorers.view import Opened


@pytest.hookimpl(tryfirst=True)  # before tests/conftest.py selects tests by their markers
def pytest_collection_modifyitems(items):
    """Mark each test that opens a page as one that needs a browser."""
    for item in items:
        if "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")


@pytest.fixture(scope="module")
def open_page(chromium):
    """open_page({name: explorer}, **options) -> an ExplorerPage, closed after the last test of the module."""
    with contextlib.ExitStack() as pages:

        def open_it(explorers, **options):
            return pages.enter_context(contextlib.closing(ExplorerPage(chromium, explorers, **options)))

        yield open_it


@pytest.fixture(scope="module")
def opened(open_page, request):
    """The cases of this file's row on one page."""
    row = request.module.ROW
    return Opened(row, open_page(row.make_all()))


@pytest.fixture(autouse=True)
def quiet_pages():
    """Fail a test if a page asks another machine, logs an error or sends a message to the kernel."""
    yield
    problems = [problem for page in WatchedPage.watched for problem in page.take_problems()]
    if problems:
        pytest.fail("the page must stay on this machine, write no error and send nothing, but:\n" + "\n".join(problems))
