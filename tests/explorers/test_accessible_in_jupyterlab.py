"""Accessibility in a real JupyterLab: outputs in both themes, and a whole notebook with the keyboard alone."""

import nbformat
import pytest
import torch
from playwright.sync_api import expect

import figures
from exercises import COURSE
from feedback.display import Source
from feedback.notebooks import Notebook
from feedback.prediction import Question
from feedback.progress import CourseOverview, Item, NotebookOverview, NotebookProgress
from feedback.report import HEADS, LABELS, Code, Hints, Report, SideBySide, Text
from tests.explorers.axe import violations, violations_of_colors
from tests.explorers.jupyterlab import ALL_RAN, PATIENCE, READY
from tests.notebooks.common import PATHS

pytestmark = pytest.mark.slow

# JupyterLab colors the code of an output in Markdown.
JUPYTERLABS = (("color-contrast", ".jp-RenderedMarkdown pre span"),)
UNFOLD = "document.querySelectorAll('.jp-OutputArea-output details').forEach(details => { details.open = true; })"

# ---------------------------------------------------------------- outputs that need no kernel


def every_card():
    """A card for each status, with parts of every kind."""
    parts = [Text(kind, "A text with `code` in it.", href="00_start_here.ipynb") for kind in ("say", *LABELS)]
    parts += [Code("The input `x`", "tensor([1., 2.])"), SideBySide("out", "tensor([1.])", "tensor([2.])")]
    parts += [Hints("2.1", ("First `q`.", "Then `k`.", "Then both."))]
    return [Report("2.1", "Exercise 2.1 `scores`", status, tuple(parts)) for status in HEADS]


def every_progress():
    notebook = Notebook("08_next.ipynb", "next", minutes=10, core=10, question="What comes next?")
    items = [Item(f"8.{n} f", "08_next.ipynb", state, "tried", 5) for n, state in enumerate(("done", "again", "open"))]
    here = NotebookProgress(notebook, tuple(items), tuple(items))
    return [CourseOverview({"": [here, here]}), NotebookOverview(here, notebook), NotebookOverview(here, None)]


def every_prediction():
    asked = COURSE.predictions["02.cards"]
    return [Question(asked, None, print), asked.noted("a"), *map(asked.verdict, asked.answers)]


def every_output():
    figure = figures.weights(torch.eye(3), ["a", "b", "c"])
    shown = [*every_card(), *every_progress(), figure, Source("def f(x):\n    return x + 1  # more")]
    asked, *replies = every_prediction()
    return [thing._repr_mimebundle_() for thing in (*shown, *replies)] + [asked.still()]


def test_axe_finds_nothing_in_what_is_saved(open_notebook):
    outputs = [nbformat.v4.new_output("display_data", data=data) for data in every_output()]
    cells = [nbformat.v4.new_code_cell("1", outputs=[output]) for output in outputs]
    opened = open_notebook(nbformat.v4.new_notebook(cells=cells), name="every_output")
    page = opened.page
    page.wait_for_function("n => document.querySelectorAll('.jp-OutputArea-output').length === n", arg=len(outputs))
    page.evaluate(UNFOLD)
    assert violations(page, ".jp-OutputArea-output") == []
    opened.lay_out()
    for theme in ("Light", "Dark"):
        opened.theme(theme)
        wrong, measured = violations_of_colors(page, ".jp-OutputArea-output", JUPYTERLABS)
        assert wrong == [] and measured > 20


# ---------------------------------------------------------------- a notebook, from its first cell to its last

NOTEBOOK = PATHS[0]  # it has one of everything: a prediction, an exercise, an explorer
ACTIVE = "window.jupyterapp.shell.currentWidget.content.activeCell.model.id"
FOCUS = f"document.activeElement.closest('.jp-Cell')?.contains(document.activeElement) && {ACTIVE}"
IN_VIEW = """text => [...document.querySelectorAll("h3")].some(heading => heading.textContent.includes(text)
    && heading.getBoundingClientRect().top > 0 && heading.getBoundingClientRect().bottom < innerHeight)"""


class Keyboard:
    """A learner without a mouse: every step is a key press, and nothing else moves the focus."""

    def __init__(self, page, ids):
        self.page, self.ids = page, ids
        page.wait_for_function(READY, timeout=PATIENCE)
        page.wait_for_function(FOCUS, timeout=PATIENCE)

    def output(self, id):
        return self.page.locator(f".jp-Cell[data-windowed-list-index='{self.ids.index(id)}'] .jp-OutputArea").first

    def to(self, key, id):
        """Press a key that moves to another cell, and wait until that has the focus."""
        self.page.keyboard.press(key)
        self.page.wait_for_function(f"id => {FOCUS} === id", arg=id, timeout=PATIENCE)

    def run_up_to(self, id):
        start = self.ids.index(self.page.evaluate(ACTIVE))
        for following in self.ids[start + 1 : self.ids.index(id) + 1]:
            self.to("Shift+Enter", following)

    def tab_to(self, element):
        """Press Tab until this element has the focus."""
        element.wait_for(timeout=PATIENCE)
        for _ in range(10):
            self.page.keyboard.press("Tab")
            if element.evaluate("node => node === document.activeElement"):
                return
        pytest.fail("10 times Tab did not lead there")


def learners_copy():
    """Notebook 00 without outputs."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        if cell.id == "start":
            cell.source = "pass  # these tests' kernels know where the course is"
    return notebook


def test_a_whole_notebook_with_the_keyboard_alone(open_notebook):
    copy = learners_copy()
    opened = open_notebook(copy, name=NOTEBOOK.stem)  # the file name in the links of progress
    page = opened.page
    learner = Keyboard(page, [cell.id for cell in copy.cells])

    learner.run_up_to("explorer-saw")
    explorer = learner.output("explorer")
    matrix = explorer.get_by_role("grid")
    matrix.wait_for(timeout=PATIENCE)
    learner.to("ArrowUp", "explorer")
    before = explorer.get_by_role("status").text_content()
    learner.tab_to(matrix)
    page.keyboard.press("ArrowDown")
    expect(explorer.get_by_role("status")).not_to_have_text(before)  # painted in the next frame
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")  # the first Escape only releases the square
    learner.to("ArrowDown", "explorer-saw")

    learner.run_up_to("solution-text")
    hint = learner.output("row-means-check").locator("summary").first
    hint.wait_for(timeout=PATIENCE)
    learner.to("ArrowUp", "row-means-check")
    learner.tab_to(hint)
    page.keyboard.press("Enter")
    assert hint.evaluate("summary => summary.parentElement.open")
    learner.to("ArrowDown", "solution-text")

    learner.run_up_to("trap-run")
    question = learner.output("trap-predict")
    question.get_by_role("button").first.wait_for(timeout=PATIENCE)
    learner.to("ArrowUp", "trap-predict")
    learner.tab_to(question.get_by_role("button", name="(b)"))
    page.keyboard.press("b")  # if the cell had the focus, JupyterLab would insert another cell
    assert page.evaluate("window.jupyterapp.shell.currentWidget.content.widgets.length") == len(copy.cells)
    page.keyboard.press("Enter")
    assert "You chose (b)" in question.get_by_role("status").inner_text()
    page.keyboard.press("Escape")
    learner.to("ArrowDown", "trap-run")
    learner.run_up_to("trap-saw")
    verdict = repr(COURSE.predictions["00.trap"].verdict("b"))
    expect(learner.output("trap-run")).to_contain_text(verdict.replace("`", ""))

    learner.run_up_to("end-progress")
    page.keyboard.press("Control+Enter")
    page.wait_for_function(ALL_RAN, timeout=PATIENCE)
    prompts = page.locator(".jp-CodeCell .jp-InputArea-prompt").all_text_contents()
    numbers = [int(prompt.strip("[]: ")) for prompt in prompts]  # without the first cell, which is folded
    assert numbers == list(range(2, len(prompts) + 2)), "each cell ran once"
    assert page.locator("[data-mime-type='application/vnd.jupyter.error']").all_inner_texts() == []
    assert "1 of 2 predictions made" in learner.output("end-progress").text_content()
    assert page.locator(".jp-OutputArea-output img:not([alt])").count() == 0

    learner.tab_to(learner.output("end-progress").get_by_role("link", name="0.1 row_means"))
    page.keyboard.press("Enter")
    page.wait_for_function(IN_VIEW, arg="Exercise 0.1", timeout=PATIENCE)
    assert page.locator(".jp-NotebookPanel").count() == 1, "no other tab was opened"

    assert violations(page, ".course-predict") == []  # other outputs are checked above, explorers elsewhere
    opened.lay_out()
    for theme in ("Light", "Dark"):
        opened.theme(theme)
        wrong, measured = violations_of_colors(page, ".course-predict")
        assert wrong == [] and measured > 3
