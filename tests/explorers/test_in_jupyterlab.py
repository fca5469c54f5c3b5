"""Tests that need a real JupyterLab: explorers, links, what is in view after a cell runs, and a full disk.

What each explorer computes and says is tested on a bare page, in its own file, such as test_masks.py.
"""

import contextlib
import re

import nbformat
import pytest
from playwright.sync_api import expect

import explorers
from exercises import COURSE, EXERCISES
from feedback.report import Report, following
from tests.explorers.axe import violations, violations_of_colors
from tests.explorers.browser import SETTLED
from tests.explorers.jupyterlab import PATIENCE, LabPage
from tests.explorers.view import View
from tests.notebooks.common import PATHS

pytestmark = pytest.mark.slow

# ---------------------------------------------------------------- all explorers

SETUP = """import torch
import explorers
from helpers import embeddings
from models import stories, story_model

words = ["Your", "journey", "starts", "with", "one", "step"]
scores = torch.randn(6, 6, generator=torch.Generator().manual_seed(123))
q = k = torch.randn(9, 64, generator=torch.Generator().manual_seed(1))"""
CELLS = {
    "attention": "explorers.attention(words, torch.stack([scores, 2 * scores]).softmax(-1), mask=scores > 0)",
    "cache": "explorers.cache()",
    "dropout": "explorers.dropout(words, scores.softmax(-1))",
    "heads": 'explorers.heads(["the", "cat", "sleeps"], 6, 2)',
    "long_texts": "explorers.long_texts()",
    "masks": "explorers.masks(words, scores, [True] * 4 + [False] * 2)",
    "next_token": 'explorers.next_token(story_model.new_model(0), stories.WORDS, stories.encode("In Lima Mia"))',
    "positions": "explorers.positions(embeddings.sinusoidal_positions(101, 128))",
    "rotation": "explorers.rotation(q[0], q[1])",
    "scaling": "explorers.scaling(q, k)",
    "tiles": "explorers.tiles(causal=True)",
}
NUMBERS = {name: number for number, name in enumerate(CELLS, start=1)}  # {explorer: its cell}; cell 0 is the set-up
COLORS = "all => all.map(node => getComputedStyle(node)).map(look => look.color + look.backgroundColor)"
OPERATED = "[role=grid][tabindex='0'], [role=grid] [tabindex='0'], input[type=range]"


@pytest.fixture(scope="module")
def notebook(open_notebook):
    page = open_notebook([SETUP, *CELLS.values(), "'the end'"], name="explorers")
    page.run_all()
    return page


@pytest.mark.parametrize("name", CELLS)
def test_keys_reach_the_explorer_and_shift_enter_runs_the_next_cell(notebook, name):
    """JupyterLab itself would move to another cell for an arrow key, and insert a cell for the letter b."""
    view = View(notebook, NUMBERS[name])
    cells = notebook.page.locator(".jp-CodeCell")
    cell, next_one = (cells.nth(NUMBERS[name] + n) for n in (0, 1))
    cell.locator(".jp-InputPrompt").click()  # not its editor
    before, messages = view.said(), notebook.messages
    view.root.locator(OPERATED).first.focus()
    view.press("ArrowUp", "ArrowRight", "ArrowRight")
    view.press("b")
    assert view.said() != before and view.focused()
    assert cells.count() == len(CELLS) + 2
    assert cell.evaluate("cell => cell.classList.contains('jp-mod-active')")
    assert notebook.messages == messages
    prompts = [each.locator(".jp-InputPrompt") for each in (cell, next_one)]
    numbers, said, controls = [each.text_content() for each in prompts], view.said(), view.controls()
    view.root.locator(f"{OPERATED}, button, summary").last.focus()
    notebook.page.keyboard.press("Shift+Enter")
    expect(prompts[1]).not_to_have_text(numbers[1], timeout=PATIENCE)
    expect(prompts[1]).to_have_text(re.compile(r"\[\d+\]"), timeout=PATIENCE)
    assert [prompts[0].text_content(), view.said(), view.controls()] == [numbers[0], said, controls]


def picture_of(notebook, name):
    return notebook.output(NUMBERS[name]).locator("img[src^='data:image/svg+xml']")


def test_axe_finds_nothing_pictures_are_hidden_and_all_follow_the_theme(notebook):
    """This test takes the page apart, so the next one opens the notebook again."""
    assert set(CELLS) == set(explorers.__all__)
    pictures = [picture_of(notebook, name) for name in CELLS]
    assert [(picture.count(), picture.is_visible()) for picture in pictures] == [(1, False)] * len(CELLS)
    notebook.command("docmanager:save")
    notebook.page.wait_for_function("!window.jupyterapp.shell.currentWidget.context.model.dirty")
    assert violations(notebook.page, ".jp-OutputArea-output") == []
    notebook.lay_out()
    looks = []
    for theme in ("Light", "Dark"):
        notebook.theme(theme)
        wrong, measured = violations_of_colors(notebook.page, ".abh")
        assert wrong == [] and measured > 20
        looks.append(notebook.page.locator(".abh").evaluate_all(COLORS))
    assert len(looks[0]) == len(CELLS) and all(light != dark for light, dark in zip(*looks, strict=True))


def test_on_the_next_day_the_picture_is_back(notebook):
    """A learner reopens a notebook after running and saving it. This must be the last test of its page."""
    notebook.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    notebook.open()
    picture = picture_of(notebook, "attention")
    picture.wait_for()
    assert picture.is_visible() and picture.evaluate("image => image.naturalWidth") > 300
    message = notebook.output(NUMBERS["attention"]).get_by_text("model not found")
    message.wait_for()
    assert message.evaluate("node => getComputedStyle(node).fontSize") == "0px"
    assert "earlier session" in message.evaluate("node => getComputedStyle(node, '::after').content")
    assert all("widget model not found" in problem for problem in notebook.take_problems())


# ---------------------------------------------------------------- links

FOLDER, HERE = "links", "02_single_head_attention.ipynb"
LINKS = {  # {kind of link: (its words, the exercise, prediction or cell that it leads to)}
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
AT_REST = """() => new Promise((done) => {
  const { content } = window.jupyterapp.shell.currentWidget;
  let height = 0, times = 0;
  const look = () => {
    times = height === content.viewportNode.clientHeight ? times + 1 : 0;
    height = content.viewportNode.clientHeight;
    if (times === 10) done(); else setTimeout(look, 100);
  };
  look();
})"""


@pytest.fixture(scope="module")
def linked(lab, windows):
    """Notebook 02 with all kinds of links in the output of its first cell, and the other notebooks next to it."""
    folder = lab.root / FOLDER
    folder.mkdir()
    for path in PATHS:
        notebook = nbformat.read(path, as_version=4)
        if path.name == HERE:
            card = Report.on(EXERCISES["2.1"], "correct", following(*LINKS["a card"]))
            shown = [card._repr_mimebundle_(), COURSE.progress()._repr_mimebundle_()]
            cell = next(cell for cell in notebook.cells if cell.id == "setup")
            cell.outputs = [nbformat.v4.new_output("display_data", data=data) for data in shown]
        nbformat.write(notebook, folder / path.name)
    with contextlib.closing(LabPage(windows, lab, f"{FOLDER}/{HERE}", (1280, 900))) as page:
        yield page


def go_back(page):
    page.command("docmanager:open", {"path": f"{FOLDER}/{HERE}"})
    page.page.wait_for_function("name => window.jupyterapp.shell.currentWidget.title.label === name", arg=HERE)


def landed(page, at):
    """The state of the view once it has settled on this cell; checks that Shift + Enter then runs the cell."""
    page.wait_for_function(ARRIVED, arg=at, timeout=60_000)
    page.wait_for_function(f"({STATE})().seen", timeout=60_000)  # slow on a busy machine
    page.evaluate(AT_REST)
    state = page.evaluate(STATE)
    page.keyboard.press("Shift+Enter")
    page.wait_for_function(
        "number => window.jupyterapp.shell.currentWidget.content.activeCellIndex === number", arg=state["number"] + 1
    )
    return state


@pytest.mark.parametrize("kind", LINKS)
def test_a_link_selects_its_cell_alone_in_the_middle_and_shift_enter_runs_it(linked, kind):
    words, target = LINKS[kind]
    go_back(linked)
    link = linked.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)").get_by_role("link", name=words)
    link.first.click()
    at = target if "#" in target else COURSE.contents.link(target)
    state = landed(linked.page, at)
    assert (state["at"], state["selected"], state["focused"]) == (at, 1, True), state
    assert state["middle"] < 90, state  # a tenth of the view's height


def test_a_heading_in_the_table_of_contents_selects_its_cell_alone_in_view(linked):
    go_back(linked)
    linked.command("toc:show-panel")
    linked.page.get_by_role("treeitem", name="Exercise 2.4").click()
    state = landed(linked.page, COURSE.contents.link("2.4"))
    assert (state["selected"], state["focused"], state["seen"]) == (1, True, True)


# ---------------------------------------------------------------- the output of a cell is in view

TOP, BOTTOM = "start", "end"  # where the cell is when it is run
TALL = {
    "setup": """import torch
import explorers
from exercises import check
from IPython.display import HTML
words = "the dog saw the cat and the cat ran".split()""",
    "space above": "HTML('<div style=\"height: 1200px\">above</div>')",
    "explorer": "explorers.attention(words, torch.eye(9))",
    "space between": "HTML('<div style=\"height: 1200px\">between</div>')",
    "card": 'check("0.1", lambda x: x.mean(dim=0), record=False)',
    "space below": "HTML('<div style=\"height: 1200px\">below</div>')",
    "tall": "HTML('<div id=tall style=\"height: 3000px\">from the top</div>')",
    "last": "HTML('<div style=\"height: 1200px\">the end</div>')",
}
PLACES = """output => {
  const seen = output.closest(".jp-WindowedPanel-outer").getBoundingClientRect(), made = output.getBoundingClientRect();
  return [made.top - seen.top, seen.bottom - made.bottom, made.height];
}"""

# Keeps the next output followed until the learner acts; on a slow machine, its time would end before the test scrolls.
NEVER_SETTLED = """() => {
  const setTimeout = window.setTimeout;
  window.setTimeout = (act, ...others) => {
    if (act.name !== "stop") return setTimeout(act, ...others);
    window.setTimeout = setTimeout;
    window.neverSettled = true;
  };
}"""


@pytest.fixture(scope="module")
def tall(open_notebook):
    page = open_notebook(list(TALL.values()), name="view", size=(1280, 800))
    page.run_all()
    return page


def run(notebook, name, place):
    """Put a cell without output at the top or the bottom of the view, and press Shift + Enter in it."""
    number = list(TALL).index(name)
    cell = notebook.page.locator(".jp-CodeCell").nth(number)
    notebook.page.evaluate(
        "number => { const { content } = window.jupyterapp.shell.currentWidget;"
        " content.activeCellIndex = number; content.activeCell.model.clearExecution(); }",
        number,
    )
    cell.locator(".jp-OutputArea-output").first.wait_for(state="detached")
    cell.evaluate("(node, block) => node.scrollIntoView({ block })", place)
    cell.locator(".jp-InputPrompt").click()
    notebook.page.keyboard.press("Shift+Enter")
    cell.locator(".jp-OutputArea-output").last.wait_for()
    return cell.locator(".jp-OutputArea").first


def until(notebook, output, condition):
    """Wait until the position of the output, `above, below, height`, meets a condition in JavaScript."""
    notebook.page.wait_for_function(
        f"output => {{ const [above, below, height] = ({PLACES})(output); return {condition}; }}",
        arg=output.element_handle(),
        timeout=PATIENCE,
    )


@pytest.mark.parametrize("place", [TOP, BOTTOM])
def test_the_output_is_in_view_wherever_its_cell_was(tall, place):
    for name, condition in {
        "explorer": "height > 300 && above >= 0 && below >= 0",
        "card": "height > 100 && above >= 0 && below >= 0",
        "tall": "height > 2900 && above >= 0 && above < 400",  # its top
    }.items():
        until(tall, run(tall, name, place), condition)


def test_whoever_scrolls_on_is_not_pulled_back(tall):
    tall.page.evaluate(NEVER_SETTLED)
    output = run(tall, "tall", TOP)
    until(tall, output, "above >= 0")
    tall.page.wait_for_function("() => window.neverSettled")
    tall.page.mouse.move(640, 500)
    tall.page.mouse.wheel(0, 1500)
    until(tall, output, "above < -1000")
    output.evaluate("node => { node.querySelector('#tall').style.height = '2500px'; }")  # it grows, or shrinks, again
    tall.page.evaluate(f"() => {SETTLED}")
    assert output.evaluate(PLACES)[0] < -1000


# ---------------------------------------------------------------- a full disk

SAVE = "() => window.jupyterapp.shell.currentWidget.context.save().catch(() => {})"  # as autosave does
FILE = "**/api/contents/test.ipynb*"
FULL = '{"message": "Unexpected error while saving file: test.ipynb [Errno 28] No space left on device"}'


def test_an_autosave_that_fails_says_so_once_until_something_is_saved_or_somebody_asks_again(open_notebook):
    notebook = open_notebook(["1"])
    page, message = notebook.page, notebook.page.locator(".jp-Dialog", has_text="File Save Error")

    def read():
        message.wait_for()
        assert "No space left on device" in message.inner_text()
        message.locator("button").last.click()
        message.wait_for(state="detached")

    def refuse(route):
        route.fulfill(status=500, body=FULL) if route.request.method == "PUT" else route.continue_()

    page.wait_for_function("window.jupyterapp?.shell.currentWidget?.context.isReady")
    page.route(FILE, refuse)
    page.evaluate(SAVE)
    read()
    page.evaluate(SAVE)
    page.wait_for_timeout(300)
    assert message.count() == 0
    notebook.command("docmanager:save")
    read()
    page.unroute(FILE)
    page.evaluate(SAVE)
    page.route(FILE, refuse)
    page.evaluate(SAVE)
    read()
    page.unroute(FILE)
    notebook.take_problems()  # the browser notes each answer that was an error
