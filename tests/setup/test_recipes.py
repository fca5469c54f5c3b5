"""The recipes for contributors work exactly as printed, in a copy of the course."""

import contextlib
import json
import os
import re
import subprocess
import sys
import textwrap

import pytest

from models import pretrained
from tests.minilm import require_minilm
from tests.setup.copies import PROJECT, published_copy

PAGE = PROJECT / "docs" / "adding_an_exercise.md"
BLOCK = re.compile(r"^( *)(`{3,4})(\w*)\n(.*?)^\1\2$", re.MULTILINE | re.DOTALL)
pytestmark = pytest.mark.install


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the course, published in a repository of its own."""
    return published_copy(tmp_path_factory.mktemp("course"))


def run(copy, *command):
    """Run a module of the copy; return (exit code, output)."""
    where = os.environ | {"COURSE_MINILM": str(pretrained.folder())}
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=copy, capture_output=True, text=True, timeout=600, env=where
    )
    return done.returncode, done.stdout + done.stderr


def own_tests(copy, page):
    """Run the tests of an exercise."""
    return run(copy, "pytest", "-q", "-p", "no:cacheprovider", f"exercises/{page}")


def blocks(text, language="python"):
    """Return the code blocks in a page, without the indentation of a list."""
    return [textwrap.dedent(code) for _, _, kind, code in BLOCK.findall(text) if kind == language]


def test_adding_a_known_mistake(copy):
    text = (PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    [section] = blocks(text[text.index("## Add a known mistake") : text.index("## Add an exercise")], "markdown")
    page = copy / "exercises" / "n00_start_here" / "row_means.md"
    first, _, rest = page.read_text(encoding="utf-8").partition("\n## ")
    page.write_text(f"{first}\n{section}\n## {rest}", encoding="utf-8")
    code, printed = own_tests(copy, "n00_start_here/row_means.md")
    assert code == 0, printed


def test_adding_an_exercise(copy):
    require_minilm()
    text = PAGE.read_text(encoding="utf-8")
    module, stub = blocks(text)
    page, task = blocks(text, "markdown")
    new, *then = [line for block in blocks(text, "") for line in block.splitlines()]
    code, printed = run(copy, "tools.new_exercise", "4.5", re.search('"(.*)"', new)[1])
    assert code == 0 and all(command.split("course.py")[1] in printed for command in then), printed
    room, notebook = copy / "exercises" / "n04_dropout", copy / "notebooks" / "04_dropout.ipynb"
    with edited(notebook) as cells:
        last = [cell for cell in cells.values() if "min*" in cell["source"]][-1]
        last["metadata"]["tags"] = ["deeper-20"]
        last["source"] = re.sub(r"\d+ min", "20 min", last["source"])

    (room / "apply_draw.py").write_text(module, encoding="utf-8")
    code, printed = own_tests(copy, "n04_dropout/apply_draw.md")
    assert code == 1 and "page[4.5]" in printed and "leaves nothing to write[4.5]" in printed, printed
    (room / "apply_draw.md").write_text(page, encoding="utf-8")
    code, printed = run(copy, "tools.show_page", "4.5")
    assert code == 0 and printed.count("✓ apply_draw.md:") == 10, printed
    begun = "Write `apply_draw(weights, keep, p)`, ..."
    with edited(notebook) as cells:
        assert begun in cells["ex45"]["source"]
        cells["ex45"]["source"] = cells["ex45"]["source"].replace(begun, task.strip())
        cells["apply-draw"]["source"] = stub.strip()
    code, printed = own_tests(copy, "n04_dropout/apply_draw.md")
    assert code == 0, printed

    code, printed = run(copy, "tools.save_notebooks", "04")
    assert code == 0, printed
    code, printed = run(copy, "pytest", "-q", "tests/notebooks/test_saved.py", "-k", "04 or every")
    assert code == 0, printed


@contextlib.contextmanager
def edited(path):
    """Yield a notebook's cells by id, with "source" as one string, and write their changes to the file."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cells = {cell["id"]: cell for cell in notebook["cells"]}
    for cell in cells.values():
        cell["source"] = "".join(cell["source"])
    yield cells
    for cell in cells.values():
        cell["source"] = cell["source"].splitlines(keepends=True)
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
