"""Pages for the tests of the explorers, bare or in JupyterLab, and what no page may do."""

import pytest

from tests.explorers.browser import ExplorerPage
from tests.explorers.jupyterlab import lab, open_notebook, windows  # noqa: F401 (fixtures)
from tests.explorers.view import Opened


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
    """What the row of this file is about, and what else the file shows, on one page."""
    row = request.module.ROW
    made = {**row.cases, **getattr(request.module, "OTHERS", {})}
    return Opened(row, open_page({name: make() for name, make in made.items()}))


@pytest.fixture(autouse=True)
def quiet_pages(watched):
    """Fail the test in which a page left this machine, wrote an error or sent a message to the kernel."""
    yield
    problems = [problem for page in watched for problem in page.take_problems()]
    if problems:
        pytest.fail("the page must stay on this machine, write no error and send nothing, but:\n" + "\n".join(problems))
