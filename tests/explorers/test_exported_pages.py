"""A saved notebook as nbconvert exports it, light and dark: axe-core finds nothing that is ours.

Notebook 00 has one output of each kind; those of all notebooks are on the website, whose pages axe-core tries as well
(tests/website). Nothing is executed: a page shows the outputs that are saved. Code cells are left out of it: their
colors are all nbconvert's own, and most of the elements of a page are in them.
"""

import nbformat
import pytest
from nbconvert import HTMLExporter

from tests.explorers.axe import OF_COLORS, RULES, violations
from tests.explorers.browser import WatchedPage
from tests.notebooks.common import PATHS

pytestmark = pytest.mark.slow

# What nbconvert's own page violates: (rule, CSS selector of the elements), each with its reason.
NBCONVERTS = (
    ("color-contrast", ".jp-OutputPrompt"),  # "Out[1]:" is pale
    ("color-contrast", ".highlight span"),  # so are comments and operators where a text or an output shows code
    ("link-in-text-block", ".jp-RenderedMarkdown a"),  # its links in text differ from the text in color alone
)
FOLD = "open => document.querySelectorAll('details').forEach(details => { details.open = open; })"


@pytest.fixture
def page(chromium):
    watched = WatchedPage(chromium, size=(1280, 900))
    yield watched.page  # it asks for MathJax and RequireJS, which this browser cannot reach
    watched.close()


def show(page, theme):
    notebook = nbformat.read(PATHS[0], as_version=4)
    html, _ = HTMLExporter(theme=theme, exclude_input=True).from_notebook_node(notebook)
    page.set_content(html, wait_until="domcontentloaded")


def test_axe_finds_nothing_that_is_ours(page):
    show(page, "light")
    assert violations(page, rules=("target-size",)) == []  # while all is folded
    page.evaluate(FOLD, True)
    assert violations(page, disabled=(), rules=RULES, others=NBCONVERTS) == []
    show(page, "dark")
    page.evaluate(FOLD, True)
    assert violations(page, rules=OF_COLORS, others=NBCONVERTS) == []
