"""The sections of the notebooks: their titles, how long they take, and the exercises and predictions in each.

What is said about a section elsewhere, in the instructor's guide or on a slide, is compared with this.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEADING = re.compile(r"## (?P<title>.*)\n\n\*(?P<kind>core|deeper) · (?P<minutes>\d+) min\*")
TAG = "exercise-"


@dataclass(frozen=True)
class Section:
    """One section of a notebook: `kind` is core or deeper, `cells` are the ids of its cells, in order."""

    notebook: str  # its number
    title: str
    kind: str
    minutes: int
    cells: tuple
    exercises: tuple
    predictions: tuple


def cells_of(path):
    """The cells of a saved notebook, each with its source as one string."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [{**cell, "source": "".join(cell["source"])} for cell in cells]


def sections_of(path):
    """The sections of a notebook, in order. What comes before the first one and after the recap is in none."""
    begun = []
    for cell in cells_of(path):
        heading = cell["cell_type"] == "markdown" and re.match(r"## ", cell["source"])
        if heading:
            begun.append((HEADING.match(cell["source"]), []))
        if begun:
            begun[-1][1].append(cell)
    number = path.name.split("_")[0]
    return [section(number, heading, cells) for heading, cells in begun if heading]


def section(number, heading, cells):
    tags = [tag for cell in cells for tag in cell["metadata"].get("tags", [])]
    asked = [re.match(r'predict\("([^"]+)"\)', cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return Section(
        number,
        heading["title"],
        heading["kind"],
        int(heading["minutes"]),
        tuple(cell["id"] for cell in cells),
        tuple(tag.removeprefix(TAG) for tag in tags if tag.startswith(TAG)),
        tuple(match[1] for match in asked if match),
    )


def notebooks(folder=ROOT / "notebooks"):
    """{number: path} of the published notebooks, in order."""
    return {path.name.split("_")[0]: path for path in sorted(folder.glob("*.ipynb"))}


def all_sections():
    """The sections of all notebooks, in order."""
    return [each for path in notebooks().values() for each in sections_of(path)]
