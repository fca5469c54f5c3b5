"""A saved notebook as nbconvert exports it, light and dark: axe-core finds no violation of ours.

Notebook 00 has one output of each kind; those of all notebooks are on the website, whose pages axe-core checks as well
(tests/website). Code cells are left out, since their colors are all nbconvert's.
"""

import contextlib

import nbformat
import pytest
from nbconvert import HTMLExporter

from tests.explorers.axe import OF_COLORS, RULES, violations
from tests.explorers.browser import WatchedPage
from tests.notebooks.common import PATHS

# Violations of nbconvert's own page: (rule, CSS selector of the elements), each with its reason.
NBCONVERTS = (
    ("color-contrast", ".jp-OutputPrompt"),  # "Out[1]:" is pale
    ("color-contrast", ".highlight span"),  # so are comments and operators where a text or an output shows code
    ("link-in-text-block", ".jp-RenderedMarkdown a"),  # its links in text differ from the text in color alone
)
UNFOLD = "document.querySelectorAll('details').forEach(details => { details.open = true; })"


@pytest.mark.slow
def test_axe_finds_nothing_that_is_ours(chromium):
    notebook = nbformat.read(PATHS[0], as_version=4)
    # The page asks for MathJax and RequireJS, which this browser cannot reach, so its problems are not checked.
    with contextlib.closing(WatchedPage(chromium, size=(1280, 900))) as watched:
        for theme, rules in (("light", RULES), ("dark", OF_COLORS)):
            html, _ = HTMLExporter(theme=theme, exclude_input=True).from_notebook_node(notebook)
            watched.page.set_content(html, wait_until="domcontentloaded")
            assert violations(watched.page, rules=("target-size",)) == []  # while all is folded
            watched.page.evaluate(UNFOLD)
            assert violations(watched.page, disabled=(), rules=rules, others=NBCONVERTS) == []
