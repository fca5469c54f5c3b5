"""The notebooks that use MiniLM, where it was never fetched: one sentence says so, and every cell still runs."""

import pytest
from nbclient import NotebookClient

from tests.notebooks import PATHS, read

USERS = [path for path in PATHS if "try_load" in path.read_text(encoding="utf-8")]


def test_the_notebooks_that_use_minilm_are_known():
    assert [path.stem[:2] for path in USERS] == ["01", "07"]


@pytest.mark.parametrize("path", USERS, ids=lambda path: path.stem)
def test_every_cell_runs_without_minilm(path, tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_MINILM", str(tmp_path))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    notebook = read(path)
    NotebookClient(notebook, kernel_name="python3", timeout=300, record_timing=False, store_widget_state=False,
                   resources={"metadata": {"path": str(path.parent)}}).execute()
    printed = [output.text for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs
               if output.output_type == "stream"]
    said = [text for text in printed if "MiniLM is not here" in text]
    assert len(said) == 1 and len(said[0].strip().splitlines()) == 1
    assert not any("Warning" in text for text in printed)
