"""Every notebook with all exercises solved, by the solutions that learners are shown.

It runs with a single thread, while nbval runs with as many as there are, and on a second device, where it asks for the
best one: the other outputs must be those saved.
"""

import pytest
from nbclient import NotebookClient

from helpers.checks import EXERCISES, solution_source
from helpers.heads import EMPTY_ROWS_GIVE_ZEROS
from tests.notebooks import PATHS, ROOT, exercise_of, read, tags
from tests.save_notebooks import keep_pictures, sanitised

DEPENDS_ON_ANSWERS = {"progress", "whose-attention", "whose-pool"}
DEPENDS_ON_PYTORCH = set() if EMPTY_ROWS_GIVE_ZEROS else {"empty-sdpa"}  # it shows nan there, as its text says
SECOND_DEVICE = f"""import sys
sys.path.insert(0, {str(ROOT)!r})
from tests.second_device import SecondDevice
SecondDevice().__enter__()
"""


def solved(notebook):
    """The notebook with the shown solution in place of every stub."""
    for cell in notebook.cells:
        if exercise_of(cell):
            cell.source = solution_source(EXERCISES[exercise_of(cell)])
    return notebook


def shown(cell):
    """What a cell printed and drew, in the form in which nbval compares it."""
    printed = "".join(output.text for output in cell.outputs if output.output_type == "stream")
    drawn = [{kind: value for kind, value in output.data.items() if "widget" not in kind and kind != "image/png"}
             for output in cell.outputs if "data" in output]
    return sanitised(printed), drawn


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_solved_from_top_to_bottom_with_one_thread_on_a_second_device(path, tmp_path, monkeypatch):
    startup = tmp_path / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "second_device.py").write_text(SECOND_DEVICE, encoding="utf-8")
    for name, value in {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "COURSE_DEVICE": "cuda",
                        "IPYTHONDIR": str(tmp_path)}.items():
        monkeypatch.setenv(name, value)
    saved, notebook = read(path), solved(read(path))
    NotebookClient(notebook, kernel_name="python3", timeout=300, record_timing=False, store_widget_state=False,
                   resources={"metadata": {"path": str(path.parent)}}).execute()
    keep_pictures(notebook)
    checks = 0
    for before, after in zip(saved.cells, notebook.cells, strict=True):
        if after.cell_type != "code" or after.id in DEPENDS_ON_ANSWERS | DEPENDS_ON_PYTORCH:
            continue
        if after.source.startswith("check("):
            checks += 1
            assert after.outputs[0].data["text/plain"].startswith("✓"), after.outputs[0].data["text/plain"]
        else:
            assert shown(after) == shown(before), f"{path.stem}/{after.id}"
    setup = next(cell for cell in notebook.cells if cell.id == "setup")
    asks = "notebook.setup()" in setup.source
    assert setup.outputs[0].text == ("device: cuda:0\n" if asks else "device: cpu\n")
    assert checks == sum(exercise_of(cell) is not None for cell in saved.cells)
    assert not any("wrong-on-purpose" in tags(cell) and "✓" in str(cell.outputs) for cell in notebook.cells)
