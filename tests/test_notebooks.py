"""Hygiene of the saved notebooks: fresh, short, legible everywhere, and truly compared."""

import ast
import json
import re
import statistics
import subprocess
import sys

import nbformat
import pytest
import torch

from helpers.checks import EXERCISES
from tests.notebooks import EXCEPTIONS, PATHS, ROOT, code_cells, exercise_of, is_compared, read, tags

each_notebook = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def source_lines(cell):
    return [line for line in cell.source.splitlines() if line.strip()]


def outputs(path):
    return [(cell, output) for cell in code_cells(path) for output in cell.outputs]


@each_notebook
def test_it_was_saved_from_one_fresh_run(path):
    counts = [cell.execution_count for cell in code_cells(path) if cell.source.strip()]
    assert counts == list(range(1, len(counts) + 1))
    assert not [cell.id for cell, output in outputs(path) if output.output_type == "error"]


@each_notebook
def test_nothing_of_a_machine_or_a_session_is_saved(path):
    notebook, text = read(path), path.read_text(encoding="utf-8")
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert notebook.metadata.language_info == {"name": "python"}
    assert not [cell.id for cell in notebook.cells if set(cell.metadata) - {"tags"}]
    assert not re.search(r"/(home|root|Users|tmp)/|object at 0x|grad_fn=|Warning", text)
    assert len(text) < 1_000_000


@each_notebook
def test_cells_are_short(path):
    lengths = {cell.id: len(source_lines(cell)) for cell in code_cells(path)}
    with_class = {cell.id for cell in code_cells(path) if re.search(r"^class ", cell.source, re.MULTILINE)}
    assert statistics.median(lengths.values()) <= 6
    assert not {id: n for id, n in lengths.items() if n > (30 if id in with_class else 25)}


@each_notebook
def test_cell_ids_are_words_that_stay(path):
    ids = [cell.id for cell in read(path).cells]
    assert len(set(ids)) == len(ids)
    assert not [id for id in ids if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", id)]
    invented = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}|[0-9a-f]*$)")
    assert not [id for id in ids if invented.match(id)], "ids that an editor made up"


@each_notebook
def test_it_has_the_anatomy_of_a_notebook(path):
    cells = read(path).cells
    prose = [cell.source for cell in cells if cell.cell_type == "markdown"]
    text = "\n".join(prose)
    parts = {
        "one title": len(re.findall(r"^# ", text, re.MULTILINE)) == 1,
        "in the first cell, in bold: the question it answers": re.search(r"^\*\*.*\?\*\*$", prose[0], re.MULTILINE),
        "in the first cell: You need, Time, Afterwards you can":
            all(part in prose[0] for part in ("**You need", "**Time:**", "**Afterwards you can**")),
        "at least 3 times **Predict": text.count("**Predict") >= 3,
        "at least 3 times **What you saw.**": text.count("**What you saw.**") >= 3,
        "in the last cell: three sentences, explain to someone, <details>":
            all(part in prose[-1] for part in ("three sentences", "explain to someone", "<details>")),
    }
    assert [part for part, there in parts.items() if not there] == []


@each_notebook
def test_the_readme_and_the_first_notebook_name_it(path):
    assert path.name in (ROOT / "README.md").read_text(encoding="utf-8")
    assert path == PATHS[0] or path.name in read(PATHS[0]).cells[0].source


@each_notebook
def test_pictures_are_at_hand_and_have_words(path):
    text = "\n".join(cell.source for cell in read(path).cells)
    assert not re.search(r"!\[[^\]]*\]\(https?:|<img[^>]+src=.?https?:", text), "a remote image"
    for cell, output in outputs(path):
        data = output.get("data", {})
        if any(kind.startswith("image/") or "widget" in kind for kind in data):
            words = data["text/plain"]
            assert len(words) > 40 and not words.startswith("<"), f"{cell.id}: {words}"
            if f"{path.stem}/{cell.id}" in EXCEPTIONS:
                continue
            assert "image/svg+xml" in data, cell.id
            assert "<text" in data["image/svg+xml"] and "<image" not in data["image/svg+xml"], cell.id


@each_notebook
def test_links_lead_somewhere(path):
    prose = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")
    for target in re.findall(r"\]\(([^)#]+)\)", prose):
        assert target.startswith("https://") or (path.parent / target).exists(), target


@each_notebook
def test_stubs_are_empty_and_followed_by_their_check(path):
    cells = code_cells(path)
    for stub, after in zip(cells, cells[1:], strict=False):
        id = exercise_of(stub)
        if id is None:
            continue
        exercise = EXERCISES[id]
        assert after.source == f'check("{id}", {exercise.name})'
        definition = ast.parse(stub.source).body[0]
        assert definition.name == exercise.name
        assert ast.get_docstring(definition), id
        assert "not attempted" in after.outputs[0].data["text/plain"]


@each_notebook
def test_an_exercise_says_the_same_as_its_card(path):
    """The cell before a stub: its number, its stars and its minutes are those of the exercise."""
    cells = read(path).cells
    for stub in code_cells(path):
        if exercise_of(stub):
            exercise = EXERCISES[exercise_of(stub)]
            text = next(cell.source for cell in reversed(cells[:cells.index(stub)]) if "## Exercise" in cell.source)
            assert f"Exercise {exercise.id}: " in text and exercise.stars in text, exercise.id
            assert f"*About {exercise.minutes} minutes.*" in text, f"{exercise.id}: {exercise.minutes} minutes"


def test_every_exercise_stands_in_the_notebook_of_its_number():
    stubs = [(path.stem[:2], exercise_of(cell)) for path in PATHS for cell in code_cells(path) if exercise_of(cell)]
    assert [id for _, id in stubs] == list(EXERCISES)
    assert all(int(number) == int(id.split(".")[0]) for number, id in stubs)


def test_at_least_98_percent_of_the_cells_that_print_or_draw_are_compared():
    talking = [(f"{path.stem}/{cell.id}", is_compared(cell)) for path in PATHS for cell in code_cells(path)
               if cell.outputs]
    left_out = {name for name, compared in talking if not compared}
    print(f"{len(talking) - len(left_out)} of {len(talking)} cells that print or draw are compared")
    assert left_out == set(EXCEPTIONS)
    assert len(left_out) <= 0.02 * len(talking)


# ---------------------------------------------------------------- nbval itself

def nbval(folder, notebook):
    """Run nbval over one notebook as `python course.py test` does; returns what it printed and its exit code."""
    nbformat.write(notebook, folder / "tried.ipynb")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), "--nbval",
         "--nbval-current-env", f"--nbval-sanitize-with={ROOT / 'tests' / 'sanitize.cfg'}", "tried.ipynb"],
        cwd=folder, capture_output=True, encoding="utf-8", env=None)
    return done.stdout, done.returncode


def small_notebook():
    """One cell of each kind that the notebooks have: a print, a figure, a card."""
    path = next(path for path in PATHS if path.stem.startswith("02"))
    wanted = ("setup", "bank-vectors", "dot-run", "softmax-stub", "softmax-check")
    notebook = read(path)
    notebook.cells = [cell for cell in notebook.cells if cell.id in wanted]
    notebook.cells[0].source = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{notebook.cells[0].source}"
    for count, cell in enumerate(notebook.cells, 1):
        cell.execution_count = count
    for output in (output for cell in notebook.cells for output in cell.outputs):
        if output.output_type == "execute_result":
            output.execution_count = None
    return notebook


def test_nbval_sees_a_changed_number_a_changed_figure_and_a_changed_card(tmp_path):
    printed, code = nbval(tmp_path, small_notebook())
    assert code == 0, printed
    changed = small_notebook()
    figure, numbers, card = (next(c for c in changed.cells if c.id == id).outputs[0]
                             for id in ("bank-vectors", "dot-run", "softmax-check"))
    numbers.text = numbers.text.replace("2.", "3.", 1)
    figure.data["image/svg+xml"] = figure.data["image/svg+xml"].replace("#0b5fa5", "#0b5fa6", 1)
    card.data["text/html"] = card.data["text/html"].replace("not attempted", "attempted", 1)
    printed, code = nbval(tmp_path, changed)
    assert code == 1 and "3 failed" in printed, printed


@pytest.mark.parametrize("cell, table", [
    ("article-weights", "dropped_attn_weights"), ("article-context", "context_vecs")])
def test_the_article_s_dropped_tables_stand_in_the_notebook(cell, table):
    """Saved by the pinned version; nbval compares them, and no other test asks another version for the same zeros."""
    article = json.loads((ROOT / "tests" / "golden" / "causal_article.json").read_text(encoding="utf-8"))
    path = next(path for path in PATHS if path.stem.startswith("04"))
    printed = next(c for c in code_cells(path) if c.id == cell).outputs[0].text.split("row sums")[0]
    numbers = [float(number) for number in re.findall(r"-?\d+\.\d+", printed)]
    assert numbers == torch.tensor(article[table]["printed"], dtype=torch.float64).flatten().tolist()


def test_no_cell_is_marked_to_be_passed_over():
    marked = [f"{path.stem}/{cell.id}" for path in PATHS for cell in code_cells(path)
              if {"raises-exception", "nbval-skip", "nbval-ignore-output"} & set(tags(cell))]
    assert marked == []
