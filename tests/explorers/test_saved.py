"""Explorers in saved notebooks."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.explorers.test_attention import bundle, weights, words
from tools.save_notebooks import VIEW, keep_pictures

ROOT = Path(__file__).parents[2]
CELLS = [
    "import torch\nimport explorers",
    "explorers.attention(['a', 'b'], torch.eye(2))",
    "explorers.attention(['a', 'b'], torch.eye(2).expand(2, 3, 2, 2))",
]


def notebook_of(cells):
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in cells])


def test_saving_keeps_pictures_and_drops_views():
    notebook = notebook_of(["explorers.attention(...)", "slider"])
    view = {VIEW: {"model_id": "1"}}
    for cell, data_of in zip(notebook.cells, [[bundle(words, weights(6, 6)), view], [view]], strict=True):
        cell.outputs = [nbformat.v4.new_output("display_data", data=data) for data in data_of]
    notebook.metadata["widgets"] = {}
    kept = keep_pictures(notebook)
    assert [set(output.data) for output in kept.cells[0].outputs] == [{"text/html", "image/svg+xml", "text/plain"}]
    assert [set(output.data) for output in kept.cells[1].outputs] == [{VIEW}]  # nothing else would be left
    assert "widgets" not in kept.metadata


@pytest.mark.slow
def test_a_saved_explorer_passes_nbval(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])))
    notebook = notebook_of(CELLS)
    with ThreadPoolExecutor() as elsewhere:  # Playwright, once started, keeps an event loop in this thread
        elsewhere.submit(NotebookClient(notebook, store_widget_state=False).execute).result()
    nbformat.write(notebook, tmp_path / "with_views.ipynb")
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "--nbval",
            "--nbval-current-env",
            "-p",
            "no:cacheprovider",
            "--rootdir",
            tmp_path,
            tmp_path,
        ],
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert "3 passed" in run.stdout, run.stdout
