"""From a deck to a page: its cells are copied into a notebook and tagged, and nbconvert makes slides of that."""

from functools import cache
from pathlib import Path

import nbformat
from nbconvert import SlidesExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from pygments.formatters import HtmlFormatter

from tools.sections import notebooks, sections_of
from tools.slides import Problem, text

HERE = Path(__file__).parent
CODE_LINES = 15  # a longer cell is not shown, nor is one that draws a figure
OUTPUT_LINES = 16
OWN_STYLE, REVEAL, NOTES = HERE / "template" / "deck.css", HERE / "reveal" / "reveal.js", HERE / "reveal" / "notes.js"


def page(deck, predictions):
    """The deck as one HTML page. `predictions` are the course's, by id. Errors: Problem for an unknown id"""
    cells = title_slide(deck)
    for slide in deck.slides:
        cells += poll(slide, predictions) if slide.poll else shown(slide)
    exporter = SlidesExporter(
        template_name="template",
        extra_template_basedirs=[str(HERE)],
        exclude_input_prompt=True,
        exclude_output_prompt=True,
        exclude_anchor_links=True,
    )
    styles = [HERE / "reveal" / "reveal.css", OWN_STYLE]
    css = "\n".join([*map(read, styles), HtmlFormatter(style="default").get_style_defs(".highlight")])
    parts = {"title": deck.title, "css": css, "js": f"{read(REVEAL)}\n{read(NOTES)}"}
    return exporter.from_notebook_node(new_notebook(cells=cells), resources={"deck": parts})[0]


def read(path):
    return path.read_text(encoding="utf-8")


# ---- one slide


def title_slide(deck):
    names = dict.fromkeys(slide.notebook for slide in deck.slides)
    about = ", ".join(title_of(number) for number in names)
    said = f"Press S for the speaker notes, which hold the notebooks' whole text, and ? for all keys. About: {about}."
    return tagged([new_markdown_cell(f"# {deck.title}\n\nAttention by Hand · notebooks {', '.join(names)}")], said)


def poll(slide, predictions):
    prediction = predictions.get(slide.poll)
    if prediction is None:
        raise Problem(f"There is no prediction {slide.poll}: its ids are those of the class view and of the guide.")
    answers = "\n".join(f"* **({letter})** {answer}" for letter, answer in prediction.answers.items())
    tempting = "\n".join(f"* ({letter}) {why}" for letter, why in prediction.tempting.items())
    notes = (
        f"Right: ({prediction.right}). {prediction.watch}\n\n{tempting}\n\nVote first, discuss, vote again, then run."
    )
    question = f'{top(slide.notebook, "Predict")}\n\n{prediction.question}\n\n{answers}\n\n`predict("{slide.poll}")`'
    return tagged([new_markdown_cell(question)], notes)


def shown(slide):
    saved = {cell.id: cell for cell in saved_notebook(slide.notebook).cells}
    for id in (*slide.cells, *slide.notes):
        if id not in saved:
            raise Problem(f"Notebook {slide.notebook} has no cell {id!r}, which classroom/decks.txt names.")
    cells = [saved[id] for id in slide.cells]
    texts = [cell.source for cell in cells if cell.cell_type == "markdown"]
    title = next(filter(None, map(text.heading, texts)), None) or section_title(slide)
    notes = "\n\n".join(
        text.in_the_notes(saved[id].source) for id in (*slide.cells, *slide.notes) if saved[id].cell_type == "markdown"
    )
    return tagged([new_markdown_cell(top(slide.notebook, title)), *filter(None, map(as_shown, cells))], notes)


def as_shown(cell):
    """A copy of a cell, as it is on a slide; None if nothing of it is."""
    if cell.cell_type == "markdown":
        shortened = text.on_a_slide(cell.source)
        return new_markdown_cell(shortened) if shortened else None
    outputs = [output for output in map(short, cell.outputs) if output]
    draws = any("image/svg+xml" in output.get("data", {}) for output in cell.outputs)
    long = draws or len(cell.source.splitlines()) > CODE_LINES
    return new_code_cell(cell.source, outputs=outputs, metadata={"tags": ["no-code"] if long else []})


def short(output):
    """An output without what only matters in the notebook: a check that nobody has tried yet."""
    if output.output_type == "stream":
        lines = output.text.splitlines()
        rest = ["..."] if len(lines) > OUTPUT_LINES else []
        return new_output("stream", name="stdout", text="\n".join([*lines[:OUTPUT_LINES], *rest]))
    return output


def top(number, title):
    return f'<p class="where">{title_of(number)}</p>\n\n## {title}'


def tagged(cells, notes):
    """The cells of one slide, and what the speaker sees."""
    cells = [*cells, new_markdown_cell(notes)] if notes.strip() else cells
    for i, cell in enumerate(cells):
        kind = "slide" if i == 0 else "-"
        cell.metadata["slideshow"] = {"slide_type": "notes" if notes.strip() and i == len(cells) - 1 else kind}
    return cells


# ---- the notebooks


@cache
def saved_notebook(number):
    if number not in notebooks():
        raise Problem(f"There is no notebook {number}, which classroom/decks.txt names.")
    return nbformat.read(notebooks()[number], as_version=4)


@cache
def title_of(number):
    from exercises.notebooks import NOTEBOOKS

    return next(notebook.name for notebook in NOTEBOOKS if notebook.number == number)


def section_title(slide):
    """The section that the first cell is in; where it is in none, what the notebook is about."""
    for section in sections_of(notebooks()[slide.notebook]):
        if slide.cells[0] in section.cells:
            return section.title
    return text.heading(saved_notebook(slide.notebook).cells[0].source)
