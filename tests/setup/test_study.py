"""The learner's own copies of the notebooks: nothing that a learner can write is lost.

The commands run in a small course of their own: tools/study.py and two notebooks made here.
"""

import json
import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import nbformat
import pytest
from filelock import FileLock
from ipykernel.ipkernel import IPythonKernel
from nbformat.sign import NotebookNotary
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from feedback import files
from tests.setup.copies import copy_study, ended, imported

NAME = "03_masks.ipynb"
ANSWER = "def mask(t):\n    return torch.ones(t, t).tril().bool()  # mine: ∀ i ≥ j"


def edition():
    """Return the cells of the notebook's first edition."""
    printed = [new_output("stream", text="42\n")]
    return [
        new_markdown_cell("# 03 Masks", id="title"),
        new_code_cell("import torch", id="setup", execution_count=1),
        new_markdown_cell("**Predict:** what is printed?", id="predict"),
        new_code_cell(
            "print(42)", id="print", execution_count=2, outputs=printed, metadata={"jupyter": {"outputs_hidden": True}}
        ),
        new_code_cell("def mask(t):\n    ...", id="mask", metadata={"tags": ["exercise-3.1"]}),
        new_code_cell("check(mask)", id="check-mask"),
        new_code_cell("def fill(x):\n    ...", id="fill", metadata={"tags": ["exercise-3.2"]}),
    ]


class Course:
    """A folder with tools/study.py and notebooks; `study` is that module, imported from this folder."""

    def __init__(self, folder):
        self.folder = folder.resolve()
        (folder / "notebooks").mkdir()
        copy_study(folder)
        self.publish(edition())
        self.publish([new_markdown_cell("# Start here", id="title")], "00_start_here.ipynb")
        self.study = imported(self.folder / "tools" / "study.py")
        self.study.open_in_lab = set
        self.path = self.folder / "study" / NAME

    def publish(self, cells, name=NAME):
        nbformat.write(new_notebook(cells=cells), self.folder / "notebooks" / name)

    def write(self, changes, added=()):
        """Edit the copy: `changes` is {cell id: source}, `added` has pairs (cell, id of the cell before)."""
        notebook = nbformat.read(self.path, as_version=4)
        for cell in notebook.cells:
            cell.source = changes.get(cell.id, cell.source)
        for cell, before in added:
            notebook.cells.insert(1 + [cell.id for cell in notebook.cells].index(before), cell)
        nbformat.write(notebook, self.path)

    def cells(self, path=None):
        """Validate a notebook, by default the copy, and return {cell id: source} in order."""
        notebook = nbformat.read(path or self.path, as_version=4)
        nbformat.validate(notebook)
        return {cell.id: cell.source for cell in notebook.cells}

    def kept(self):
        return sorted((self.folder / "study" / "old").glob("*"))

    def leftovers(self):
        return list((self.folder / "study").rglob("*.part"))

    def start(self, *words, simulate=""):
        """Start a command as a program that runs the code `simulate` first."""
        code = f"import sys\n{simulate}\nfrom tools import study\nsys.exit(study.main(sys.argv[1:]))"
        return subprocess.Popen(
            [sys.executable, "-c", code, *words],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env={**os.environ, "PYTHONUTF8": "1"},
        )

    def run(self, *words, simulate=""):
        return ended(self.start(*words, simulate=simulate))


@pytest.fixture
def course(tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))  # holds the list of trusted notebooks
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "jupyter"))  # holds the list of running servers
    return Course(tmp_path)


@pytest.fixture
def studied(course):
    """A course whose learner has answered exercise 3.1."""
    assert course.study.main(["start"]) == 0
    course.write({"mask": ANSWER})
    return course


def changed(**sources):
    """Return the first edition with changed sources, such as mask="..." for the cell mask."""
    cells = edition()
    for cell in cells:
        cell.source = sources.get(cell.id, cell.source)
    return cells


# ---- the first start, and the next


def test_a_copy_has_the_published_cells_without_outputs(course, capsys):
    published = (course.folder / "notebooks" / NAME).read_bytes()
    assert course.study.main(["start"]) == 0
    assert "copies of 2 notebooks are now in study/" in capsys.readouterr().out
    assert course.cells() == {cell.id: cell.source for cell in edition()}
    code = [cell for cell in nbformat.read(course.path, as_version=4).cells if cell.cell_type == "code"]
    assert not any(cell.outputs or cell.execution_count for cell in code)
    assert not any(cell.metadata.get("jupyter", {}).get("outputs_hidden") for cell in code)
    assert code[2].metadata.tags == ["exercise-3.1"]
    assert (course.folder / "notebooks" / NAME).read_bytes() == published
    assert nbformat.read(course.path, as_version=4).metadata.language_info == IPythonKernel.language_info


def test_a_copy_is_never_overwritten(studied, capsys):
    (studied.folder / "study" / "00_start_here.ipynb").write_text("damaged", encoding="utf-8")
    before = studied.path.read_bytes()
    capsys.readouterr()
    assert studied.study.main(["start"]) == 0
    assert studied.path.read_bytes() == before
    assert capsys.readouterr().out.startswith("study/00_start_here.ipynb is damaged")
    assert (studied.folder / "study" / "00_start_here.ipynb").read_text(encoding="utf-8") == "damaged"


def test_a_notebook_that_is_new_or_was_deleted_is_copied_at_the_next_start(studied):
    (studied.folder / "study" / "00_start_here.ipynb").unlink()
    studied.publish(edition(), "04_more.ipynb")
    studied.study.main(["start"])
    assert {path.name for path in studied.path.parent.glob("*.ipynb")} == {"00_start_here.ipynb", NAME, "04_more.ipynb"}


def test_a_start_says_that_there_is_a_new_edition_and_changes_nothing(studied, capsys):
    cells = edition()
    cells[3].outputs = []  # outputs do not make a new edition
    studied.publish(cells)
    capsys.readouterr()
    studied.study.main(["start"])
    assert capsys.readouterr().out == ""
    studied.publish(changed(predict="**Predict:** another question"))
    before = studied.path.read_bytes()
    assert studied.study.main(["start"]) == 0
    assert "A new edition of 03 is here: `python course.py update`" in capsys.readouterr().out
    assert studied.path.read_bytes() == before


def test_jupyterlab_shows_the_saved_figures_of_the_published_notebooks(course):
    notary = NotebookNotary()
    published = nbformat.read(course.folder / "notebooks" / NAME, as_version=4)
    assert not notary.check_signature(published)
    course.study.main(["start"])
    assert notary.check_signature(published)


# ---- a new edition


def test_an_answer_is_carried_over_and_the_old_copy_kept(studied, capsys):
    before = studied.path.read_bytes()
    studied.publish([*changed(predict="a better question"), new_markdown_cell("The end", id="end")])
    assert studied.study.main(["update"]) == 0
    cells = studied.cells()
    assert (cells["mask"], cells["predict"], cells["end"]) == (ANSWER, "a better question", "The end")
    [kept] = studied.kept()
    assert kept.read_bytes() == before
    out = capsys.readouterr().out
    assert "carried over: exercise 3.1\n" in out and f"study/old/{kept.name}" in out
    assert "3.2" not in out and "00_start_here" not in out
    updated = studied.path.read_bytes()
    assert studied.study.main(["update"]) == 0
    assert capsys.readouterr().out == "Every notebook in study/ is up to date.\n"
    assert studied.path.read_bytes() == updated and studied.kept() == [kept]


def test_an_answer_keeps_its_place_even_where_the_exercise_has_changed_or_is_gone(studied, capsys):
    studied.publish(changed(mask="def mask(t, device):\n    ..."))
    studied.study.main(["update"])
    assert list(studied.cells())[3:5] == ["print", "mask"] and studied.cells()["mask"] == ANSWER
    assert "exercise 3.1, whose text in the course has changed" in capsys.readouterr().out
    studied.publish([cell for cell in edition() if cell.id != "mask"])
    studied.study.main(["update"])
    assert list(studied.cells())[3:5] == ["print", "mask"] and studied.cells()["mask"] == ANSWER
    assert "your version of exercise 3.1, which is no longer in the course" in capsys.readouterr().out


def test_what_the_learner_added_follows_the_cell_that_it_followed(studied):
    picture = {"a.png": {"image/png": "eA=="}}
    note = new_markdown_cell("A note ![](attachment:a.png)", id="11111111", attachments=picture)
    trial = new_code_cell("mask(3)", id="22222222", outputs=[new_output("stream", text="tensor\n")], execution_count=7)
    studied.write({}, [(trial, "mask"), (note, "mask")])
    notebook = nbformat.read(studied.path, as_version=4)
    notebook.cells.insert(0, new_code_cell("%env COURSE_DEVICE=cpu", id="device"))  # follows none, so it stays on top
    nbformat.write(notebook, studied.path)
    cells = edition()
    cells.insert(5, new_markdown_cell("New, behind the exercise", id="new"))
    studied.publish(cells)
    studied.study.main(["update"])
    names = list(studied.cells())
    assert names[:2] == ["device", "title"] and names[5:10] == ["mask", "11111111", "22222222", "new", "check-mask"]
    carried = {cell.id: cell for cell in nbformat.read(studied.path, as_version=4).cells}
    assert carried["11111111"].attachments == picture
    assert (carried["22222222"].source, carried["22222222"].outputs) == ("mask(3)", [])


def test_an_edited_cell_stays_edited_unless_the_course_changed_it_too(studied, capsys):
    studied.write({"print": "print(43)", "setup": "import torch as t", "predict": "I think 43"})
    studied.publish(changed(setup="import torch\nimport math", predict="a better question"))
    studied.study.main(["update"])
    cells = studied.cells()
    assert cells["print"] == "print(43)"
    order = list(cells.values())
    for new, mine in (("import torch\nimport math", "import torch as t"), ("a better question", "I think 43")):
        assert order.index(mine) == order.index(new) + 2 and order[order.index(new) + 1].startswith("*Yours, from")
    kinds = {cell.source: cell.cell_type for cell in nbformat.read(studied.path, as_version=4).cells}
    assert (kinds["import torch as t"], kinds["I think 43"]) == ("raw", "markdown")
    out = capsys.readouterr().out
    assert "carried over: a cell below “03 Masks”\n" in out
    assert "carried over: your version of a cell below “03 Masks”, below the course's new one\n" in out


def test_texts_of_the_course_open_no_source_and_those_of_the_learner_do(studied):
    studied.write({"predict": "I think 43"})
    studied.publish(changed(setup="import math"))
    studied.study.main(["update"])
    texts = [cell for cell in nbformat.read(studied.path, as_version=4).cells if cell.cell_type == "markdown"]
    assert [cell.source for cell in texts if cell.metadata.get("editable", True)] == ["I think 43"]


def test_what_is_carried_over_is_carried_again(studied):
    """Two editions later, nothing is lost or duplicated."""
    scratch = new_code_cell("scratch", id="44444444")
    studied.write({"print": "print(43)", "setup": "import torch as t"}, [(scratch, "print")])
    for number in range(3):
        studied.publish(changed(setup=f"import torch  # {number}", title=f"# {number}"))
        studied.study.main(["update"])
        sources = list(studied.cells().values())
        for mine in (ANSWER, "print(43)", "import torch as t", "scratch"):
            assert sources.count(mine) == 1
        assert f"# {number}" in sources


def test_a_copy_without_a_record_loses_nothing_either(studied):
    """The file was not made by these commands, but, for example, copied by hand."""
    cells = changed(mask=ANSWER, print="print(43)")
    nbformat.write(new_notebook(cells=cells), studied.path)
    studied.study.main(["update"])
    sources = list(studied.cells().values())
    assert ANSWER in sources and len(sources) == len(cells) + 2
    assert sources[3:6:2] == ["print(42)", "print(43)"] and sources[4].startswith("*Yours, from")


def test_a_copy_that_cannot_be_read_is_left_alone(studied, capsys):
    without_id = '{"cells": [{"cell_type": "code", "metadata": {}, "source": "without an id"}], "metadata": {}}'
    studied.publish(changed(title="# Masks"))
    for damage in ("", '{"cells": [', "[]", '{"worksheets": [], "metadata": {}}', without_id):
        studied.path.write_text(damage, encoding="utf-8")
        studied.publish([new_markdown_cell(f"# Start {damage}", id="title")], "00_start_here.ipynb")
        assert studied.study.main(["update"]) == 1
        said = capsys.readouterr()
        assert f"study/{NAME} is {'damaged' if damage else 'empty'}" in said.err and "course.py reset 03`" in said.err
        assert "study/00_start_here.ipynb is now of the new edition" in said.out
        assert studied.path.read_text(encoding="utf-8") == damage
        assert studied.study.main(["reset", "03"]) == 0
        assert studied.cells()["title"] == "# Masks"
        assert damage in [path.read_text(encoding="utf-8") for path in studied.kept()]


# ---- starting over


def test_a_notebook_is_named_in_many_ways(course):
    for word in ("03", "3", "03_masks", NAME, f"study/{NAME}"):
        assert course.study.find(word) == NAME, word


def test_reset_starts_a_notebook_over_and_keeps_it(studied, capsys):
    before = studied.path.read_bytes()
    assert studied.study.main(["reset", "03"]) == 0
    assert studied.cells()["mask"] == "def mask(t):\n    ..."
    [kept] = studied.kept()
    assert kept.read_bytes() == before and kept.name in capsys.readouterr().out


def test_words_that_mean_nothing_change_nothing(studied, capsys):
    for words, said in (
        (["reset"], "Say which notebook"),
        (["reset", "03", "x"], "No notebook is called 'x'"),
        (["reset", ""], "No notebook is called ''"),
        ([], "got ''"),
        (["update", "03"], "got 'update 03'"),
    ):
        assert studied.study.main(words) == 1, words
        assert said in capsys.readouterr().err
    assert studied.cells()["mask"] == ANSWER and not studied.kept()


# ---- interrupted, out of disk space, run twice at once

# Kill the process at its n-th change of a file in study/.
KILLED = """
import os
from tools import study
study.open_in_lab, study.trust_published = set, list  # slow to import, and no part of this
steps = 0
def hook(event, arguments):
    global steps
    writes = event in ("os.rename", "os.remove", "os.mkdir") or event == "open" and "w" in str(arguments[1])
    if writes and str(arguments[0]).startswith(str(study.STUDY)):
        steps += 1
        if steps == {step}:
            os._exit(9)
sys.addaudithook(hook)
"""


@pytest.mark.slow
@pytest.mark.install
def test_at_no_step_is_anything_lost(studied):
    for step in range(1, 30):
        code = studied.run("update", simulate=KILLED.format(step=step)).returncode
        copies = [path for path in (studied.path, *studied.kept()) if path.suffix == ".ipynb"]
        assert ANSWER in [studied.cells(path)["mask"] for path in copies]
        assert studied.cells()["mask"] == ANSWER
        studied.publish(changed(title=f"# {step}"))  # so that each run has something to do
        if code == 0:
            break
        assert code == 9
    assert 4 < step < 29


def test_a_disk_that_fills_up_while_a_copy_is_written(studied, monkeypatch, capsys):
    def full(*_):
        raise OSError(28, "No space left on device")

    before = studied.path.read_bytes()
    studied.publish(changed(title="# Masks"))
    monkeypatch.setattr(studied.study.os, "fsync", full)
    assert studied.study.main(["update"]) == 1
    assert "No space left on device" in (said := capsys.readouterr().err) and "is kept" in said
    assert studied.path.read_bytes() == before and not studied.leftovers()


@pytest.mark.install
def test_two_at_once_take_turns(studied):
    studied.publish(changed(title="# Masks"))
    lock = FileLock(studied.folder / "study" / ".lock")
    with lock:
        both = [studied.start("update"), studied.start("update")]
        waiting = [process.stdout.readline() for process in both]
        assert studied.cells()["title"] == "# 03 Masks"
    assert [ended(process).returncode for process in both] == [0, 0]
    assert all("waiting for it to finish" in line for line in waiting)
    assert sum("carried over: exercise 3.1" in process.out for process in both) == 1
    assert studied.cells()["mask"] == ANSWER and len(studied.kept()) == 1


def test_what_jupyterlab_saves_at_the_last_moment_is_kept(studied, monkeypatch):
    late = studied.path.read_text(encoding="utf-8").replace('j"', 'j\\n# a last thought"')
    keep = studied.study.keep

    def keep_and_save(path):
        kept = keep(path)
        files.write(path, late)
        return kept

    monkeypatch.setattr(studied.study, "keep", keep_and_save)
    assert studied.study.main(["reset", "03"]) == 0
    assert late in [path.read_text(encoding="utf-8") for path in studied.kept()]
    assert studied.cells()["mask"] != ANSWER


# ---- while JupyterLab is open


@pytest.fixture
def server(monkeypatch):
    """server(root, *paths): run a Jupyter server with kernels for these notebooks; return its description."""
    servers = []

    def serve(root, *paths):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                allowed = self.path == "/base/api/sessions" and self.headers["Authorization"] == "token secret"
                self.send_response(200 if allowed else 403)
                self.end_headers()
                self.wfile.write(json.dumps([{"path": path} for path in paths]).encode() if allowed else b"")

            def log_message(self, *_):
                pass

        servers.append(HTTPServer(("127.0.0.1", 0), Handler))
        Thread(target=servers[-1].serve_forever, daemon=True).start()
        return {"url": f"http://127.0.0.1:{servers[-1].server_port}/base/", "token": "secret", "root_dir": str(root)}

    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    yield serve
    for each in servers:
        each.shutdown()
        each.server_close()


def list_servers(course, *listed):
    (course.folder / "jupyter").mkdir()
    for number, text in enumerate(["{", *map(json.dumps, listed)]):
        (course.folder / "jupyter" / f"jpserver-{number}.json").write_text(text, encoding="utf-8")


def test_which_notebooks_are_open(course, server):
    list_servers(
        course,
        server(course.folder, f"study/{NAME}", "notebooks/00_start_here.ipynb", "study/old/03_masks.ipynb"),
        server(course.folder / "study", "00_start_here.ipynb"),
        server(course.folder.parent, NAME),
        {"url": "http://127.0.0.1:9/", "token": "", "root_dir": str(course.folder)},  # a server that has ended
        {**server(course.folder, "study/04_more.ipynb"), "token": "wrong"},
    )
    assert imported(course.folder / "tools" / "study.py").open_in_lab() == {NAME, "00_start_here.ipynb"}


def test_a_course_that_is_open_says_where(course, server, monkeypatch, capsys):
    gone = {"url": "http://127.0.0.1:9/", "token": "", "root_dir": str(course.folder)}
    listed = [gone, server(course.folder.parent), server(course.folder)]
    list_servers(course, *listed)
    capsys.readouterr()
    assert course.study.main(["open"]) == course.study.IS_OPEN
    assert f"The course is open already, at {listed[-1]['url']}lab?token=secret" in capsys.readouterr().out
    (course.folder / "jupyter" / "jpserver-3.json").unlink()
    assert course.study.main(["open"]) == 0 and course.path.exists()


def test_where_jupyter_cannot_write_the_course_says_so(course, monkeypatch, capsys):
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(course.folder / "notebooks" / NAME / "runtime"))  # below a file
    assert course.study.main(["open"]) == 1
    sentence, error = capsys.readouterr().err.splitlines()
    assert sentence.startswith("A folder of Jupyter's cannot be written") and str(Path(NAME, "runtime")) in error


def test_under_a_hub_it_is_open_and_no_token_is_shown(course, server, monkeypatch, capsys):
    list_servers(course, {**server(course.folder), "token": ""})
    monkeypatch.setenv("JUPYTERHUB_API_TOKEN", "secret")
    assert course.study.main(["open"]) == course.study.IS_OPEN
    assert capsys.readouterr().out == "JupyterLab is open already: go on in its tab of your browser.\n"


@pytest.mark.parametrize("words", [["update"], ["reset", "03"]])
def test_a_notebook_that_is_open_in_jupyterlab_is_left_alone(studied, capsys, words):
    studied.publish(changed(title="# Masks"))
    studied.publish([new_markdown_cell("# Start", id="title")], "00_start_here.ipynb")
    studied.study.open_in_lab = lambda: {NAME}
    before = studied.path.read_bytes()
    assert studied.study.main(words) == 1
    assert f"study/{NAME} is open in JupyterLab: save it there" in capsys.readouterr().err
    assert studied.path.read_bytes() == before and not any(NAME[:8] in path.name for path in studied.kept())
    studied.study.open_in_lab = set
    assert studied.study.main(words) == 0 and studied.cells()["title"] == "# Masks"
