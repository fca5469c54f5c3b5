"""Pages for the tests of the explorers, bare or in JupyterLab, and what no page may do."""

import pytest

from tests.explorers.browser import ExplorerPage
from tests.explorers.jupyterlab import lab, open_notebook, windows  # noqa: F401 (fixtures)
from tests.explorers.view import Opened


def pytest_collection_modifyitems(items):
    """Only those that open a page need a browser."""
    for item in items:
        if "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")


@pytest.fixture(scope="session")
def watched():
    """The open pages, for quiet_pages."""
    return []


@pytest.fixture(scope="module")
def open_page(chromium, watched):
    """open_page({name: explorer}, **options) -> an ExplorerPage, closed after the last test of the module."""
    mine = []

    def open_it(explorers, **options):
        mine.append(ExplorerPage(chromium, explorers, **options))
        watched.append(mine[-1])
        return mine[-1]

    yield open_it
    for page in mine:
        watched.remove(page)
        page.close()


@pytest.fixture(scope="module")
def opened(open_page, request):
    """The cases of this file's row on one page."""
    row = request.module.ROW
    return Opened(row, open_page(row.make_all()))


@pytest.fixture(autouse=True)
def quiet_pages(watched):
    """Fail the test in which a page left this machine, wrote an error or sent a message to the kernel."""
    yield
    problems = [problem for page in watched for problem in page.take_problems()]
    if problems:
        pytest.fail("the page must stay on this machine, write no error and send nothing, but:\n" + "\n".join(problems))
