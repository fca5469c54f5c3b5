"""Explorers in saved notebooks. That nbval overlooks live views is tested in tests/notebooks/test_comparison.py."""

import nbformat
import pytest

from tests.explorers.test_attention import bundle, weights, words
from tools.save_notebooks import VIEW, keep_pictures


def notebook_of(cells):
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in cells])


@pytest.mark.slow
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
