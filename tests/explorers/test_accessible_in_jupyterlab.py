"""Cards, progress, figures and explorers in a real JupyterLab, light and dark, and a notebook worked without a mouse."""

import nbformat
import pytest
import torch

from exercises import COURSE
from feedback.contents import Notebook
from feedback.display import Source
from feedback.prediction import Question
from feedback.progress import Here, Item, Overview, Standing
from feedback.report import HEADS, LABELS, Code, Hints, Report, SideBySide, Text
from helpers import plots
from tests.explorers.axe import OF_COLORS, violations
from tests.explorers.jupyterlab import lab, open_notebook  # noqa: F401 (fixtures)

pytestmark = [pytest.mark.browser, pytest.mark.slow]

# JupyterLab colors the code of an output in Markdown.
JUPYTERLABS = (("color-contrast", ".jp-RenderedMarkdown pre span"),)
UNFOLD = "document.querySelectorAll('.jp-OutputArea-output details').forEach(details => { details.open = true; })"
# JupyterLab's nested panels cut off what is beyond them, so that axe-core takes all text for hidden, and does not
# measure its contrast: the outputs are moved to a page that is as long as they are.
LAY_OUT = """() => {
  const place = Object.assign(document.createElement("div"), { className: "jp-ThemedContainer" });
  place.append(...document.querySelectorAll(".jp-Notebook .jp-OutputArea"));
  for (const child of document.body.children) child.style.display = "none";
  document.body.append(place);
  for (const node of [document.documentElement, document.body, place])
    node.style.cssText = "position: static; overflow: visible; height: auto; background: var(--jp-layout-color0)";
}"""
MEASURED = """async (root) => (await axe.run(root, { runOnly: ["color-contrast"] }))
  .passes.flatMap(({ nodes }) => nodes).length"""


# ---------------------------------------------------------------- everything that has no kernel


def every_card():
    """A card for each status, with parts of every kind."""
    parts = [Text(kind, "A text with `code` in it.", href="00_start_here.ipynb") for kind in ("say", *LABELS)]
    parts += [Code("The input `x`", "tensor([1., 2.])"), SideBySide("out", "tensor([1.])", "tensor([2.])")]
    parts += [Hints("2.1", ("First `q`.", "Then `k`.", "Then both."))]
    return [Report("2.1", "Exercise 2.1 `scores`", status, tuple(parts)) for status in HEADS]


def every_progress():
    notebook = Notebook("08_next.ipynb", "next", minutes=10, question="What comes next?")
    items = [Item(f"8.{n} f", "08_next.ipynb", state, "tried", 5) for n, state in enumerate(("done", "again", "open"))]
    standing = Standing(notebook, tuple(items), tuple(items))
    return [Overview([standing, standing]), Here(standing, notebook), Here(standing, None)]


def every_prediction():
    asked = COURSE.predictions["02.order"]
    return [Question(asked, None, print), *map(asked.reply, asked.answers)]


def every_output():
    figure = plots.weights(torch.eye(3), ["a", "b", "c"])
    shown = [*every_card(), *every_progress(), figure, Source("def f(x):\n    return x + 1  # more")]
    asked, *replies = every_prediction()
    return [thing._repr_mimebundle_() for thing in (*shown, *replies)] + [asked.still()]


def test_axe_finds_nothing_in_what_is_saved(open_notebook):  # noqa: F811
    outputs = [nbformat.v4.new_output("display_data", data=data) for data in every_output()]
    cells = [nbformat.v4.new_code_cell("1", outputs=[output]) for output in outputs]
    opened = open_notebook(nbformat.v4.new_notebook(cells=cells), name="every_output")
    page = opened.page
    page.wait_for_function("n => document.querySelectorAll('.jp-OutputArea-output').length === n", arg=len(outputs))
    page.evaluate(UNFOLD)
    assert violations(page, ".jp-OutputArea-output") == []
    page.evaluate(LAY_OUT)
    for theme in ("Light", "Dark"):
        opened.theme(theme)
        assert violations(page, ".jp-OutputArea-output", rules=OF_COLORS, others=JUPYTERLABS) == []
        assert page.evaluate(MEASURED, ".jp-OutputArea-output") > 5 * len(HEADS), "contrast was not measured"
