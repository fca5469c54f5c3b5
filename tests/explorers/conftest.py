"""A browser for the tests of the explorers, and what no page may do.

Where no browser is found, the tests are skipped; with the environment variable CI set, they fail.
"""

import os

import pytest

from tests.explorers.axe import violations
from tests.explorers.browser import ARGUMENTS, BROWSERS, ExplorerPage, find_browser


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
    return violations


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


@pytest.fixture(autouse=True)
def quiet_pages(watched):
    """Fail the test in which a page left this machine, wrote an error or sent a message to the kernel."""
    yield
    problems = [problem for page in watched for problem in page.take_problems()]
    if problems:
        pytest.fail("the page must stay on this machine, write no error and send nothing, but:\n" + "\n".join(problems))
