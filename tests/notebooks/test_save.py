"""`python course.py save`: what it writes into a notebook, and what counts as a changed output."""

import json
import os
import re
import shutil
import subprocess
import sys

import nbformat
import pytest

from feedback.notebooks import FOLDED
from tests.notebooks.common import PATHS, ROOT
from tools import save_notebooks, study

IN_PIECES = "import os, sys, time\nprint('grüß dich'); sys.stdout.flush(); time.sleep(0.3); print('again')"
BAD = ("x = 1", "# first line\nx / 0")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The output of `save` and the folder of its notebooks: a good one, and one that fails."""
    course = tmp_path_factory.mktemp("course")
    (course / "tests").mkdir()
    shutil.copy(ROOT / "tests" / "sanitize.cfg", course / "tests")
    for name in ("feedback", "tools"):
        shutil.copytree(ROOT / name, course / name)
    shutil.copy(ROOT / "setup_failures.py", course)
    folder = course / "notebooks"
    folder.mkdir()
    make_notebook(folder / "01_good.ipynb", IN_PIECES, "os.path.basename(os.getcwd()), os.environ['COURSE_PROGRESS']")
    make_notebook(folder / "02_bad.ipynb", *BAD)
    environment = {**os.environ, "COURSE_PROGRESS": "that of whoever saves them"}
    command = [sys.executable, "-m", "tools.save_notebooks"]
    process = subprocess.run(command, cwd=course, env=environment, capture_output=True, encoding="utf-8")
    assert process.returncode == 1
    return process.stdout, folder


def make_notebook(path, *sources):
    notebook = nbformat.v4.new_notebook(
        metadata={"widgets": {"state": {}}, "kernelspec": {"name": "elsewhere", "display_name": "Elsewhere"}}
    )
    notebook.cells = [
        nbformat.v4.new_code_cell(source, id=f"cell-{number}", metadata={"execution": {"busy": "now"}})
        for number, source in enumerate(sources)
    ]
    nbformat.write(notebook, path)


@pytest.mark.notebook
def test_a_notebook_is_saved_with_its_outputs_and_without_metadata(saved):
    said, folder = saved
    assert re.search(r"01_good.ipynb  2 cells, [\d.]+ s\n", said)
    text = (folder / "01_good.ipynb").read_text(encoding="utf-8")
    assert text.startswith('{\n "cells"') and text.endswith("}\n") and "grüß dich" in text
    notebook = json.loads(text)
    first, second = notebook["cells"]
    assert notebook["metadata"]["kernelspec"] == study.KERNEL  # JupyterLab would write the same
    assert notebook["metadata"]["language_info"] == study.language_info()
    assert [first["id"], second["id"], first["metadata"], second["execution_count"]] == ["cell-0", "cell-1", {}, 2]
    assert [output["text"] for output in first["outputs"]] == [["grüß dich\n", "again\n"]]
    assert second["outputs"][0]["data"]["text/plain"] == ["('notebooks', 'memory')"]


@pytest.mark.notebook
def test_a_notebook_that_fails_is_left_unchanged(saved, tmp_path):
    said, folder = saved
    assert "02_bad.ipynb  failed in cell cell-1, which begins: # first line" in said
    assert "ZeroDivisionError: division by zero" in said and len(said.splitlines()) < 11
    make_notebook(tmp_path / "before.ipynb", *BAD)
    assert (folder / "02_bad.ipynb").read_bytes() == (tmp_path / "before.ipynb").read_bytes()
    assert {path.name for path in folder.iterdir()} == {"01_good.ipynb", "02_bad.ipynb"}


def cell(kind, source, **metadata):
    outputs = {"outputs": [{"output_type": "stream", "name": "stdout", "text": "3\n"}]} if kind == "code" else {}
    return {"cell_type": kind, "source": source, "metadata": metadata, **outputs}


def test_an_output_that_answers_a_prediction_is_folded_and_no_other():
    cells = [
        cell("code", "1 + 2", jupyter={"outputs_hidden": True}),  # no prediction precedes it any longer
        cell("markdown", "Add them. **Predict:** what comes out?", tags=["predict"]),
        {**cell("code", "x = 1"), "outputs": []},
        cell("code", "hidden = x + 2"),
        cell("code", "x + 3"),
        cell("code", 'predict("02.cards")', tags=["predict-02.order"]),
        cell("code", "hidden = x + 4", jupyter={"source_hidden": True}),
        cell("code", "x + 5"),
        cell("code", 'predict("02.slope")', tags=["predict-02.slope"]),
        cell("code", "hidden = x + 6"),
        cell("code", "hidden = x + 7"),
        cell("markdown", f"{FOLDED}\n\nThirteen and fourteen, for x = 7.\n</details>"),
        cell("code", "x + 8"),
    ]
    save_notebooks.hide_answers({"cells": cells})
    assert cells[6]["metadata"]["jupyter"] == {"source_hidden": True, "outputs_hidden": True}
    for one in cells:
        assert bool(one["metadata"].get("jupyter")) == one["source"].startswith("hidden"), one["source"]


def test_the_named_notebooks_are_saved_in_their_order_or_all(monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(save_notebooks, "save", lambda path: asked.append(path) or path != PATHS[3])
    assert save_notebooks.main([PATHS[4].name, "02", PATHS[4].name]) == 0 and asked == [PATHS[2], PATHS[4]]
    assert save_notebooks.main([]) == 1 and asked[2:] == PATHS  # one failed, but all were run
    assert save_notebooks.main(["99"]) == 1 and "No notebook is called '99'" in capsys.readouterr().err


def test_saved_times_are_kept_up_to_the_first_changed_output():
    def notebook(first, time, picture):
        printed = [nbformat.v4.new_output("stream", name="stdout", text=text) for text in (first, time)]
        drawn = nbformat.v4.new_output("execute_result", {"image/png": picture, "text/plain": "a curve"})
        cells = [nbformat.v4.new_code_cell("x", id=f"c{n}", outputs=[o]) for n, o in enumerate([*printed, drawn])]
        return nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("text", id="text"), *cells])

    saved = notebook("1", "took 3 ms", "old")
    same, new = notebook("1", "took 9 ms", "new"), notebook("2", "took 9 ms", "new")
    save_notebooks.keep_times(same, saved)
    save_notebooks.keep_times(new, saved)
    assert same == saved and new == notebook("2", "took 9 ms", "new")

    inserted = nbformat.v4.new_code_cell("y", id="new", outputs=[output("stream", name="stdout", text="0")])
    longer = notebook("1", "took 9 ms", "new")
    longer.cells.insert(1, inserted)
    longer.cells[-1].execution_count = 4
    save_notebooks.keep_times(longer, saved)
    assert longer.cells[:-1] == [saved.cells[0], inserted, *saved.cells[1:-1]]
    assert longer.cells[-1].outputs == [{**saved.cells[-1].outputs[0], "execution_count": 4}]


# ---- what comparisons of outputs ignore


def test_devices_and_times_are_overlooked_and_nothing_else():
    for saved, new in (
        ("tensor([1., 2.])", "tensor([1., 2.], device='cuda:0')"),
        ("tensor([1.], grad_fn=<AddBackward0>)", "tensor([1.],\n       device='cuda:1', grad_fn=<AddBackward0>)"),
        ("device(type='cpu')", "device(type='cuda', index=0)"),
        ("Device: cpu, seed: 123", "Device: cuda:0, seed: 123"),
        ("loop   12.3 ms\neinsum  1.24 ms", "loop  110.5 ms\neinsum 0.9 ms"),
        ("it took 1.24 s", "it took 2 s"),
        ("97 \u00b5s a call", "1,012 us a call"),
    ):
        assert save_notebooks.sanitize(saved) == save_notebooks.sanitize(new)
    for text in (
        *("tensor([0.1234, 0.8766])", "cuda is a platform", "T = 5 steps, 3 seeds", "m 12.5 Ms", "x2 s"),
        *("torch.Size([2, 3])", "shape (2, 3, 5) softmax", "M 10.2 3.4 L 5 6 S 1 2"),
    ):
        assert save_notebooks.sanitize(text) == text


def output(kind, **contents):
    return nbformat.v4.new_output(kind, **contents)


def test_live_views_and_pixels_are_not_compared_but_what_is_next_to_them_is():
    view = output("display_data", data={save_notebooks.VIEW: {"model_id": "1"}})
    curve, other = (
        output("display_data", data={"image/png": pixels, "text/plain": words})
        for pixels, words in (("AA", "a curve"), ("BB", "a curve"))
    )
    line = output("display_data", data={"image/png": "AA", "text/plain": "a line"})
    assert save_notebooks.comparable([view, curve]) == save_notebooks.comparable([other])
    assert save_notebooks.comparable([curve]) != save_notebooks.comparable([line])


def test_how_printed_text_is_cut_into_pieces_is_not_compared_but_where_it_went_is():
    pieces = [output("stream", name="stdout", text="a\n"), output("stream", name="stdout", text="b\n")]
    whole, error = (output("stream", name=name, text="a\nb\n") for name in ("stdout", "stderr"))
    assert save_notebooks.comparable(pieces) == save_notebooks.comparable([whole])
    assert save_notebooks.comparable([whole]) != save_notebooks.comparable([error])
