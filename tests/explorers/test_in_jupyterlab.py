"""All explorers in a real JupyterLab: what a bare page cannot show.

What each of them computes and says is tested on a bare page, in the files of each, such as test_masks.py.
"""

import re

import pytest
from playwright.sync_api import expect

import explorers
from tests.explorers.axe import violations, violations_of_colors
from tests.explorers.jupyterlab import PATIENCE
from tests.explorers.view import View

pytestmark = pytest.mark.slow

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
NUMBERS = {name: number for number, name in enumerate(CELLS, start=1)}  # of the cells; cell 0 is the set-up
COLORS = "all => all.map(node => getComputedStyle(node)).map(look => look.color + look.backgroundColor)"
NARROW = 760  # of which JupyterLab's own bars take a part
OPERATED = "[role=grid][tabindex='0'], [role=grid] [tabindex='0'], input[type=range]"
each_explorer = pytest.mark.parametrize("name", CELLS)


@pytest.fixture(scope="module")
def notebook(open_notebook):
    page = open_notebook([SETUP, *CELLS.values(), "'the end'"], name="explorers")
    page.run_all()
    return page


@each_explorer
def test_keys_reach_the_explorer_and_shift_enter_runs_the_next_cell(notebook, name):
    """For the arrow keys JupyterLab would choose another cell, and insert one for the letter b."""
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


def test_each_fits_a_narrow_window_and_hides_its_picture(notebook):
    assert set(CELLS) == set(explorers.__all__)
    notebook.resize(NARROW)
    for name, number in NUMBERS.items():
        View(notebook, number).assert_inside()
        assert picture_of(notebook, name).count() == 1 and not picture_of(notebook, name).is_visible(), name
    notebook.resize(1280)


def picture_of(notebook, name):
    return notebook.output(NUMBERS[name]).locator("img[src^='data:image/svg+xml']")


def test_axe_finds_nothing_and_all_follow_the_theme(notebook):
    """It takes the page apart, so that the test after it opens the notebook again."""
    notebook.command("docmanager:save")
    notebook.page.wait_for_function("!window.jupyterapp.shell.currentWidget.context.model.dirty")
    assert violations(notebook.page, ".jp-OutputArea-output") == []
    notebook.lay_out()
    looks = []
    for theme in ("Light", "Dark"):
        notebook.theme(theme)
        wrong, measured = violations_of_colors(notebook.page, ".abh")
        assert wrong == [] and measured > 50
        looks.append(notebook.page.locator(".abh").evaluate_all(COLORS))
    assert len(looks[0]) == len(CELLS) and all(light != dark for light, dark in zip(*looks, strict=True))


def test_on_the_next_day_the_picture_is_back(notebook):
    """A learner has run a notebook and saved it, and opens it again. The last test."""
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
