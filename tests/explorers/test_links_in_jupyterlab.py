"""Every kind of link of the course in a real JupyterLab: it selects its cell alone, in the middle of the view."""

import nbformat
import pytest

from exercises import COURSE, EXERCISES
from feedback.report import Report, following
from tests.explorers.jupyterlab import LabPage
from tests.notebooks.common import PATHS

pytestmark = pytest.mark.slow

FOLDER, HERE = "links", "02_single_head_attention.ipynb"
LINKS = {  # what a link is in: (its words, the exercise, prediction or cell that it leads to)
    "a card": (COURSE.after("2.1").name, COURSE.after("2.1").href),
    "a long notebook": ("8.3 sample", "8.3"),
    "a notebook that is open already": ("8.4 generate", "8.4"),
    "a text": ("contents", "00_start_here.ipynb#cell-id=contents"),
}
STATE = """() => {
  const { content, context } = window.jupyterapp.shell.currentWidget;
  const [cell, seen] = [content.activeCell.node, content.outerNode].map((node) => node.getBoundingClientRect());
  return {
    at: `${context.path.split("/").pop()}#cell-id=${content.activeCell.model.id}`,
    number: content.activeCellIndex,
    selected: content.selectedCells.length,
    middle: Math.abs(cell.top + cell.height / 2 - seen.top - seen.height / 2),
    seen: cell.top > seen.top - 10 && cell.top < seen.bottom,
    focused: content.node.contains(document.activeElement),
  };
}"""
ARRIVED = """at => {
  const { content, context } = window.jupyterapp.shell.currentWidget ?? {};
  return context && at === `${context.path.split("/").pop()}#cell-id=${content?.activeCell?.model.id}`;
}"""
SETTLED = """() => new Promise((settled) => {
  const { content } = window.jupyterapp.shell.currentWidget;
  let height = 0, times = 0;
  const look = () => {
    times = height === content.viewportNode.clientHeight ? times + 1 : 0;
    height = content.viewportNode.clientHeight;
    if (times === 10) settled(); else setTimeout(look, 100);
  };
  look();
})"""


@pytest.fixture(scope="module")
def page(lab, windows):
    """Notebook 02 with all kinds of links in the output of its first cell, and the others next to it."""
    folder = lab.root / FOLDER
    folder.mkdir()
    step = COURSE.after("2.1")
    card = Report.on(EXERCISES["2.1"], "correct", following(f"{step.name}.", step.href))  # none is recorded for this
    for path in PATHS:
        notebook = nbformat.read(path, as_version=4)
        if path.name == HERE:
            shown = [card._repr_mimebundle_(), COURSE.progress()._repr_mimebundle_()]
            cell = next(cell for cell in notebook.cells if cell.id == "setup")
            cell.outputs = [nbformat.v4.new_output("display_data", data=data) for data in shown]
        nbformat.write(notebook, folder / path.name)
    page = LabPage(windows, lab, f"{FOLDER}/{HERE}", (1280, 900))
    yield page
    page.close()


def go_back(page):
    page.command("docmanager:open", {"path": f"{FOLDER}/{HERE}"})
    page.page.wait_for_function("name => window.jupyterapp.shell.currentWidget.title.label === name", arg=HERE)


def landed(page, at):
    """What the view shows once it has settled on this cell, which Shift + Enter then runs."""
    page.wait_for_function(ARRIVED, arg=at, timeout=60_000)
    page.wait_for_function(f"({STATE})().seen", timeout=60_000)  # a busy machine takes long to lay out a notebook
    page.evaluate(SETTLED)
    state = page.evaluate(STATE)
    page.keyboard.press("Shift+Enter")
    page.wait_for_function(
        "number => window.jupyterapp.shell.currentWidget.content.activeCellIndex === number", arg=state["number"] + 1
    )
    return state


@pytest.mark.parametrize("kind", LINKS)
def test_a_link_selects_its_cell_alone_in_the_middle_and_shift_enter_runs_it(page, kind):
    words, target = LINKS[kind]
    go_back(page)
    link = page.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)").get_by_role("link", name=words)
    link.first.click()
    at = target if "#" in target else COURSE.contents.link(target)
    state = landed(page.page, at)
    assert (state["at"], state["selected"], state["focused"]) == (at, 1, True), state
    assert state["middle"] < 90, state  # a tenth of the view's height


def test_a_heading_in_the_table_of_contents_selects_its_cell_alone_in_view(page):
    go_back(page)
    page.command("toc:show-panel")
    page.page.get_by_role("treeitem", name="Exercise 2.4").click()
    state = landed(page.page, COURSE.contents.link("2.4"))
    assert (state["selected"], state["focused"], state["seen"]) == (1, True, True)
