"""The links of progress() in a real JupyterLab: they lead to the exercise, in the notebook that is open."""

import nbformat
import pytest

from feedback.contents import Contents, Notebook
from feedback.progress import Here, Item, Standing

pytestmark = [pytest.mark.browser, pytest.mark.slow]

NOTEBOOK = Notebook("08_links.ipynb", "links", minutes=10, core=10, question="Where does it lead?")


def cells(shown):
    filling = [nbformat.v4.new_markdown_cell(f"Paragraph {n}.\n\n" * 10, id=f"text-{n}") for n in range(10)]
    output = nbformat.v4.new_output("execute_result", data=shown._repr_mimebundle_(), execution_count=1)
    return [
        nbformat.v4.new_code_cell('progress("08")', id="progress", outputs=[output], execution_count=1),
        *filling[:5],
        nbformat.v4.new_markdown_cell("### Exercise 8.1", id="heading"),
        nbformat.v4.new_code_cell("def f(): ...", id="stub", metadata={"tags": ["exercise-8.1"]}),
        *filling[5:],
    ]


def test_a_link_of_progress_leads_to_the_heading_of_the_exercise(lab, open_notebook):
    empty = Here(Standing(NOTEBOOK, (), ()), None)
    (lab.root / NOTEBOOK.file).write_text(nbformat.writes(nbformat.v4.new_notebook(cells=cells(empty))), "utf-8")
    link = Contents([NOTEBOOK], lab.root).link("8.1")
    shown = Here(Standing(NOTEBOOK, (Item("8.1 f", link, "open"),), ()), None)
    page = open_notebook(nbformat.v4.new_notebook(cells=cells(shown)), name="08_links").page
    heading = page.locator("h3", has_text="Exercise 8.1")
    page.get_by_role("link", name="8.1 f").click()
    page.wait_for_function(
        "() => [...document.querySelectorAll('h3')].some(h => h.textContent.startsWith('Exercise 8.1')"
        " && h.getBoundingClientRect().top > 0 && h.getBoundingClientRect().bottom < innerHeight)",
        timeout=30_000,
    )
    assert heading.is_visible() and page.locator(".jp-NotebookPanel").count() == 1, "no other tab was opened"
