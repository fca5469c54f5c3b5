"""The saved notebooks, as files: saved from one run, readable without a kernel, and built alike."""

import copy
import json
import re
import statistics
from html import unescape

import pytest

from exercises import EXERCISES
from feedback.notebooks import asks, statements
from tests.notebooks.common import PATHS, code_cells, read
from tools.badges import FOLDED
from tools.save_notebooks import hide_answers

FENCE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
each_notebook = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def source_lines(cell):
    return [line for line in cell.source.splitlines() if line.strip()]


def outputs(path):
    return [(cell, output) for cell in code_cells(path) for output in cell.outputs]


@each_notebook
def test_all_outputs_are_from_one_run_in_a_fresh_kernel(path):
    counts = [cell.execution_count for cell in code_cells(path) if cell.source.strip()]
    assert counts == list(range(1, len(counts) + 1))
    for cell, output in outputs(path):
        assert output.output_type != "error", cell.id
        assert output.get("execution_count", cell.execution_count) == cell.execution_count, cell.id


@each_notebook
def test_nothing_of_one_machine_or_session_is_saved(path):
    notebook, text = read(path), path.read_text(encoding="utf-8")
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    keys = {key for cell in notebook.cells for key in cell.metadata if cell.id != "start"}
    assert keys <= {"tags", "jupyter", "cellView"}  # cellView folds a cell in Colab
    assert not re.search(r"/(home|root|Users|tmp)/|object at 0x|grad_fn=|Warning", text)
    assert len(text) < 1_000_000


@each_notebook
def test_the_first_cell_and_the_answers_to_predictions_are_folded(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    start = next(cell for cell in notebook["cells"] if cell["id"] == "start")
    assert start["metadata"] == FOLDED and start["source"][0].startswith("# @title Run me first: ")
    before = copy.deepcopy(notebook)
    for cell in before["cells"]:
        cell["source"] = "".join(cell["source"])
    after = copy.deepcopy(before)
    hide_answers(after)
    assert after == before, f"run `python course.py save {path.stem[:2]}`"


@each_notebook
def test_cells_are_short(path):
    lengths = {cell.id: len(source_lines(cell)) for cell in code_cells(path)}
    with_class = {cell.id for cell in code_cells(path) if re.search(r"^class ", cell.source, re.MULTILINE)}
    assert statistics.median(lengths.values()) <= 6
    assert not {id: n for id, n in lengths.items() if n > (30 if id in with_class else 25)}


@each_notebook
def test_cell_ids_are_words(path):
    ids = [cell.id for cell in read(path).cells]
    assert len(set(ids)) == len(ids)
    assert not [id for id in ids if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", id)]
    generated = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}|[0-9a-f]*$)")
    assert not [id for id in ids if generated.match(id)], "ids that an editor generated"


@each_notebook
def test_it_has_the_parts_of_a_notebook(path):
    cells = read(path).cells
    prose = [cell.source for cell in cells if cell.cell_type == "markdown"]
    text = "\n".join(prose)
    parts = {
        "one title": len(re.findall(r"^# ", text, re.MULTILINE)) == 1,
        "in the first cell, in bold: the question it answers": re.search(r"^\*\*.*\?\*\*$", prose[0], re.MULTILINE),
        "in the first cell: You need, Afterwards you can": all(
            part in prose[0] for part in ("**You need", "**Afterwards you can**")
        ),
        "a prediction": any(map(asks, cells)),
        "in the last cell of text: three sentences, explain to someone, <details>": all(
            part in prose[-1] for part in ("three sentences", "explain to someone", "<details")
        ),
    }
    assert not [part for part, present in parts.items() if not present]


@each_notebook
def test_figures_are_embedded_and_described(path):
    text = "\n".join(cell.source for cell in read(path).cells)
    assert not re.search(r"!\[[^\]]*\]\(https?:|<img[^>]+src=.?https?:", text), "a remote image"
    for cell, output in outputs(path):
        data = output.get("data", {})
        if any(kind.startswith("image/") or "widget" in kind for kind in data):
            description = data["text/plain"]
            assert len(description) > 40 and not description.startswith("<"), f"{cell.id}: {description}"
            assert "image/svg+xml" in data, cell.id
            assert "<text" in data["image/svg+xml"] and "<image" not in data["image/svg+xml"], cell.id
            alternative = re.search(r'<img[^>]* alt="(.+?)"', data["text/html"], re.DOTALL)[1]
            assert unescape(alternative) == " ".join(description.split()), cell.id
            captions = re.findall("<figcaption[^>]*>(.+)<", data["text/html"])
            assert all(len(caption) > 20 for caption in captions), cell.id


@each_notebook
def test_no_figure_is_wider_than_the_page(path):
    for cell, output in outputs(path):
        if "image/svg+xml" in output.get("data", {}):
            root = re.search(r"<svg[^>]*>", output.data["image/svg+xml"])[0]
            width, unit = re.search(r' width="([\d.]+)(pt)?"', root).groups()
            assert float(width) <= (600 if unit else 800), cell.id


@each_notebook
def test_relative_links_lead_to_files(path):
    prose = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")
    assert "](#" not in prose, "JupyterLab and the website know a cell by the file's name and its id alone"
    for target in re.findall(r"\]\(([^)#]+)\)", prose):
        assert target.startswith("https://") or (path.parent / target).exists(), target


@each_notebook
def test_no_exercise_is_solved(path):
    for stated in statements(read(path).cells).values():
        check = stated.check
        assert check.outputs, f"{check.id} has no output yet: run `python course.py save {path.stem[:2]}`"
        card = check.outputs[0].data["text/plain"]
        assert "not attempted" in card


@each_notebook
def test_the_whole_code_in_a_fold_runs_with_pytorch_alone(path):
    for cell in read(path).cells:
        for code in FENCE.findall(cell.source) if cell.cell_type == "markdown" else ():
            if imported := set(re.findall(r"^(?:import|from) (\w+)", code, re.MULTILINE)):
                assert imported <= {"math", "torch"}, cell.id
                exec(code, {"__name__": cell.id})


@each_notebook
def test_it_reads_no_file_by_a_path_of_its_own(path):
    """A notebook may be opened in any folder, as in Colab, so only the first cell and packages may look for files."""
    file_access = re.compile(r"\bopen\(|\bPath\(|\.\./|[\"']data/")
    assert not [cell.id for cell in code_cells(path) if cell.id != "start" and file_access.search(cell.source)]


def test_every_exercise_is_in_the_notebook_of_its_number():
    stubs = [(path.stem[:2], id) for path in PATHS for id in statements(read(path).cells)]
    assert sorted(id for _, id in stubs) == sorted(EXERCISES)
    assert all(int(number) == int(id.split(".")[0]) for number, id in stubs)
