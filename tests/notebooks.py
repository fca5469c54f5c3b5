"""What several tests ask of the notebooks: their cells, their outputs, and what nbval compares."""

import re
from pathlib import Path

import nbformat

ROOT = Path(__file__).parents[1]
PATHS = sorted((ROOT / "notebooks").glob("*.ipynb"))

# nbval compares these; it passes over PNG, widget views and LaTeX.
COMPARED = {"text/plain", "text/html", "text/markdown", "image/svg+xml"}
SKIPPING = re.compile(r"nbval[-_](ignore[-_]output|skip|check[-_]output|test[-_]name)", re.IGNORECASE)

# Cells that print or draw, and whose output cannot be compared: "notebook/cell": the reason.
EXCEPTIONS = {
    "05_multi_head_attention/cost-time-figure": "a curve of times, which are others on every machine and in every run",
}


def read(path):
    return nbformat.read(path, as_version=4)


def code_cells(path):
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def tags(cell):
    return cell.metadata.get("tags", [])


def exercise_of(cell):
    """The id of the exercise whose stub this cell holds, or None."""
    found = [tag.removeprefix("exercise-") for tag in tags(cell) if tag.startswith("exercise-")]
    return found[0] if found else None


def is_compared(cell):
    """Whether nbval compares all that a cell printed and drew."""
    marked = SKIPPING.search(cell.source) or any(SKIPPING.search(tag) for tag in tags(cell))
    return not marked and all(output.output_type == "stream" or is_compared_data(output.get("data", {}))
                              for output in cell.outputs)


def is_compared_data(data):
    """Whether nbval compares what matters: words beside pixels do not say what the pixels show."""
    return bool(COMPARED & set(data)) and "image/png" not in data
