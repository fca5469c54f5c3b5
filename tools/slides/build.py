"""Turn a deck into a page: copy its cells into a notebook, tag them, and let nbconvert make slides of it."""

import re
from functools import cache
from pathlib import Path

import nbformat
from nbconvert import SlidesExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from pygments.formatters import HtmlFormatter

from feedback.notebooks import asks, exercise_of, paths
from tools import ROOT
from tools.guide import title_of
from tools.slides import text

HERE = Path(__file__).parent
CODE_LINES = 15  # longer cells are not shown, nor are those that draw a figure
OUTPUT_LINES = 16
LINES = 16  # code and output together; with more, only the output is shown
CAPTION = re.compile(r"<figcaption[^>]*>(.*?)</figcaption>", re.DOTALL)
REVEAL, TEMPLATE = HERE / "reveal", HERE / "template"


def page(deck, predictions, notes=True):
    """Return the deck as one HTML page, with or without speaker notes. `predictions` are the course's, by id."""
    cells = title_slide(deck)
    for slide in deck.slides:
        cells += poll(slide, predictions) if slide.poll else shown(slide, deck.homework)
    if not notes:
        cells = [cell for cell in cells if cell.metadata.get("slideshow", {}).get("slide_type") != "notes"]
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"  # the same in every run
    exporter = SlidesExporter(
        template_name="template",
        extra_template_basedirs=[str(HERE)],
        exclude_input_prompt=True,
        exclude_output_prompt=True,
        exclude_anchor_links=True,
    )
    styles = [REVEAL / "reveal.css", TEMPLATE / "deck.css"]
    css = "\n".join([*map(read, styles), HtmlFormatter(style="default").get_style_defs(".highlight")])
    parts = {"title": deck.title, "css": css, "js": "\n".join(map(read, (REVEAL / "reveal.js", TEMPLATE / "deck.js")))}
    return exporter.from_notebook_node(new_notebook(cells=cells), resources={"deck": parts})[0]


def read(path):
    return path.read_text(encoding="utf-8")


# ---- one slide


def title_slide(deck):
    names = dict.fromkeys(slide.notebook for slide in deck.slides)
    about = ", ".join(title_of(number) for number in names)
    said = f"Press S for the speaker notes, which hold the notebooks' whole text, and ? for all keys. About: {about}."
    return tagged(
        [
            new_markdown_cell(
                f"# {deck.title}\n\nAttention by Hand · notebook{'s' * (len(names) > 1)} {', '.join(names)}"
            )
        ],
        said,
    )


def poll(slide, predictions):
    prediction = predictions[slide.poll]
    answers = "\n".join(f"* **({letter})** {answer}" for letter, answer in prediction.answers.items())
    tempting = "\n".join(f"* ({letter}) {why}" for letter, why in prediction.tempting.items())
    notes = (
        f"Right: ({prediction.right}). {prediction.watch}\n\n{tempting}\n\nVote first, discuss, vote again, then run."
    )
    question = f'<div class="poll">\n\n{prediction.question}\n\n{answers}\n\n`predict("{slide.poll}")`\n\n</div>'
    return tagged([new_markdown_cell(top(slide.notebook, "Predict")), new_markdown_cell(question)], notes)


def shown(slide, homework=()):
    saved = {cell.id: cell for cell in saved_notebook(slide.notebook).cells}
    said = [saved[id] for id in (*slide.cells, *slide.notes)]
    texts = [cell.source for cell in said if cell.cell_type == "markdown"] + list(captions(said))
    headings = (text.heading(saved[id].source) for id in slide.cells if saved[id].cell_type == "markdown")
    title = (
        next(filter(None, headings), None)
        or slide.section
        or text.heading(saved_notebook(slide.notebook).cells[0].source)
    )
    at_home = any(exercise_of(saved[id]) in homework for id in slide.cells)
    cells = [new_markdown_cell(top(slide.notebook, title, " · homework" if at_home else ""))]
    asked = False
    for id in slide.cells:
        if saved[id].cell_type == "markdown":
            if shortened := text.on_a_slide(saved[id].source):
                cells.append(new_markdown_cell(shortened))
            asked = asked or asks(saved[id]) or "**Look for" in saved[id].source
        else:
            cells += code(saved[id], hidden=asked)
    if cells[-1].cell_type == "markdown":  # a colon would announce a cell that is not on this slide
        cells[-1].source = re.sub(r":$", ".", cells[-1].source)
    return tagged(cells, "\n\n".join(map(text.in_the_notes, texts)))


def code(cell, hidden):
    """Return a code cell and a cell with its output, which appears only on the next key press if `hidden`."""
    draws = any("image/svg+xml" in output.get("data", {}) for output in cell.outputs)
    outputs = [output for output in map(short, cell.outputs) if output]
    lines = len(cell.source.splitlines())
    too_long = lines > CODE_LINES or lines + sum(output.get("text", "").count("\n") for output in outputs) > LINES
    parts = [] if draws or too_long else [new_code_cell(cell.source)]
    if outputs:
        parts.append(new_code_cell(outputs=outputs, metadata={"tags": ["no-code"]}))
        parts[-1].metadata["slideshow"] = {"slide_type": "fragment" if hidden else "-"}
    return parts


def captions(cells):
    """Yield the captions of the figures, which go into the speaker notes since they say what one sees."""
    for cell in cells:
        for output in cell.get("outputs", []):
            yield from CAPTION.findall(output.get("data", {}).get("text/html", ""))


def short(output):
    """Return an output shortened for a slide, or None if nothing is left of it."""
    if output.output_type != "stream":
        html = output.data.get("text/html", "")
        return {**output, "data": {**output.data, "text/html": CAPTION.sub("", html)}} if html else output
    lines = [line for line in output.text.splitlines() if not line.startswith("Exercise ")]  # printed by `yours`
    rest = ["..."] if len(lines) > OUTPUT_LINES else []
    return new_output("stream", name="stdout", text="\n".join([*lines[:OUTPUT_LINES], *rest])) if lines else None


def top(number, title, more=""):
    return f'<p class="where">{title_of(number)}{more}</p>\n\n## {title}'


def tagged(cells, notes):
    """Return the cells of one slide with its speaker notes, which come before all fragments."""
    first, *others = cells
    first.metadata["slideshow"] = {"slide_type": "slide"}
    about = new_markdown_cell(notes, metadata={"slideshow": {"slide_type": "notes"}})
    return [first, about, *others] if notes.strip() else cells


# ---- the notebooks


@cache
def saved_notebook(number):
    return nbformat.read(paths(ROOT / "notebooks")[number], as_version=4)
