"""nbval, which runs every notebook, compares all outputs that matter and notices a change."""

import re
import subprocess
import sys

import nbformat
import pytest

from tests.notebooks.common import PATHS, ROOT, SANITIZE, code_cells, is_compared, read, tags
from tools.save_notebooks import VIEW


def notebook_with_number(number):
    return next(path for path in PATHS if path.stem.startswith(number))


def test_every_cell_that_prints_or_draws_is_compared():
    cells = {f"{path.stem}/{cell.id}": cell for path in PATHS for cell in code_cells(path)}
    assert [name for name, cell in cells.items() if cell.outputs and not is_compared(cell)] == []
    exempting = {"raises-exception", "nbval-skip", "nbval-ignore-output"}
    assert [name for name, cell in cells.items() if exempting & set(tags(cell))] == []


@pytest.mark.notebook
@pytest.mark.slow
def test_nbval_sees_a_changed_number_figure_and_card_and_overlooks_a_live_view(tmp_path):
    """nbval's run of the whole notebook shows that the same cells pass unchanged, without a view."""
    notebook = read(notebook_with_number("02"))
    wanted = ("setup", "bank-vectors", "dot-run", "dot-product-scores", "dot-product-scores-check", "scale-explore-run")
    notebook.cells = [cell for cell in notebook.cells if cell.id in wanted]
    setup, figure, numbers, _, card, explorer = notebook.cells
    setup.source = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{setup.source}"
    replace(figure.outputs[0].data, "image/svg+xml", "#0b5fa5", "#0b5fa6")
    replace(numbers.outputs[0], "text", "2.", "3.")
    replace(card.outputs[0].data, "text/html", "not attempted", "attempted")
    explorer.outputs.append(nbformat.v4.new_output("display_data", {VIEW: {"model_id": "as JupyterLab saves it"}}))
    assert run_nbval(tmp_path, notebook) == {
        "setup": "PASSED",
        "bank-vectors": "FAILED",
        "dot-run": "FAILED",
        "dot-product-scores": "PASSED",
        "dot-product-scores-check": "FAILED",
        "scale-explore-run": "PASSED",
    }


def replace(output, key, old, new):
    assert old in output[key]
    output[key] = output[key].replace(old, new, 1)


def run_nbval(folder, notebook):
    """Run nbval on a notebook with the options of `python course.py test`; return the verdict on each cell."""
    nbformat.write(notebook, folder / "changed.ipynb")
    options = f"-v -p no:cacheprovider --nbval --nbval-current-env --nbval-sanitize-with={SANITIZE}".split()
    command = [sys.executable, "-m", "pytest", *options, "--rootdir", str(folder), "changed.ipynb"]
    output = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8").stdout
    verdicts = re.findall(r"::Cell \d+ (PASSED|FAILED)", output)
    return dict(zip((cell.id for cell in notebook.cells), verdicts, strict=True))
