"""Helpers for the tests of the notebooks: the saved notebooks, what nbval compares of them, and a way to run one."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
PATHS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SANITIZE = ROOT / "tests" / "sanitize.cfg"

# The types that nbval compares; it ignores PNG, widget views and LaTeX.
COMPARED = {"text/plain", "text/html", "text/markdown", "image/svg+xml"}
NBVAL_TAG = re.compile(r"nbval[-_](ignore[-_]output|skip|check[-_]output|test[-_]name)", re.IGNORECASE)


def read(path):
    return nbformat.read(path, as_version=4)


def code_cells(path):
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def tags(cell):
    return cell.metadata.get("tags", [])


def is_compared(cell):
    """Return whether nbval compares everything that a cell printed and drew."""
    marked = NBVAL_TAG.search(cell.source) or any(NBVAL_TAG.search(tag) for tag in tags(cell))
    return not marked and all(
        output.output_type == "stream" or is_compared_data(output.get("data", {})) for output in cell.outputs
    )


def is_compared_data(data):
    """Return whether nbval compares the essential output; text next to a PNG does not count."""
    return bool(COMPARED & set(data)) and "image/png" not in data


def execute(notebook, folder):
    """Run a notebook from top to bottom, in place, in a fresh kernel in this folder; return the notebook.

    Errors: nbclient.exceptions.CellExecutionError if a cell raises
    """
    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=600,
        record_timing=False,
        store_widget_state=False,
        shutdown_kernel="immediate",  # a regular shutdown takes a second longer
        resources={"metadata": {"path": str(folder)}},
    )
    with ThreadPoolExecutor() as pool:  # a browser test in this process may have left its event loop in this thread
        pool.submit(client.execute).result()
    return notebook


def printed(notebook):
    """Return everything that a notebook printed, as one string."""
    return "".join(
        output.text for cell in notebook.cells for output in cell.get("outputs", []) if output.output_type == "stream"
    )
