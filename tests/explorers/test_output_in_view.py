"""After Shift + Enter in a real JupyterLab, what the cell made is in view: tools/jupyterlab/extensions sees to it."""

import pytest

from tests.explorers.jupyterlab import PATIENCE

pytestmark = pytest.mark.slow

TOP, BOTTOM = "start", "end"  # where the cell is when it is run
CELLS = {
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

# The next output is followed until the learner acts: on a slow machine, its time would be over before the test scrolls.
NEVER_SETTLED = """() => {
  const setTimeout = window.setTimeout;
  window.setTimeout = (act, ...others) => {
    if (act.name !== "stop") return setTimeout(act, ...others);
    window.setTimeout = setTimeout;
    window.neverSettled = true;
  };
}"""


@pytest.fixture(scope="module")
def notebook(open_notebook):
    page = open_notebook(list(CELLS.values()), name="view", size=(1280, 800))
    page.run_all()
    return page


def run(notebook, name, place):
    """Put a cell without output at the top or the bottom of the view, and press Shift + Enter in it."""
    number = list(CELLS).index(name)
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
    """Wait until what is known of the output, `above, below, height`, fulfils a condition in JavaScript."""
    notebook.page.wait_for_function(
        f"output => {{ const [above, below, height] = ({PLACES})(output); return {condition}; }}",
        arg=output.element_handle(),
        timeout=PATIENCE,
    )


@pytest.mark.parametrize("place", [TOP, BOTTOM])
def test_the_output_is_in_view_wherever_its_cell_was(notebook, place):
    for name, condition in {
        "explorer": "height > 300 && above >= 0 && below >= 0",
        "card": "height > 100 && above >= 0 && below >= 0",
        "tall": "height > 2900 && above >= 0 && above < 400",  # its top
    }.items():
        until(notebook, run(notebook, name, place), condition)


def test_whoever_scrolls_on_is_not_pulled_back(notebook):
    notebook.page.evaluate(NEVER_SETTLED)
    output = run(notebook, "tall", TOP)
    until(notebook, output, "above >= 0")
    notebook.page.wait_for_function("() => window.neverSettled")
    notebook.page.mouse.move(640, 500)
    notebook.page.mouse.wheel(0, 1500)
    until(notebook, output, "above < -1000")
    output.evaluate("node => { node.querySelector('#tall').style.height = '2500px'; }")  # it grows, or shrinks, again
    notebook.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert output.evaluate(PLACES)[0] < -1000
