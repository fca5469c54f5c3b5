"""The learner's own copy of notebook 00 in a real JupyterLab: it opens unmodified, and survives an update while open.

What the commands do to the files is tested in tests/setup/test_study.py.
"""

import contextlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.explorers.browser import SETTLED
from tests.explorers.jupyterlab import PATIENCE, READY, LabPage, running_lab
from tests.setup.copies import copy_study

pytestmark = pytest.mark.slow

PROJECT = Path(__file__).resolve().parents[2]
NAME = "00_start_here.ipynb"
IS_CLEAN = "!window.jupyterapp.shell.currentWidget.context.model.dirty"
COMPARED = f"""async () => {{  // the kernel has sent its language info, and JupyterLab has compared it
  await window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.info;
  await {SETTLED};
}}"""
ANSWER = "def row_means(x):\n    return x.mean(dim=-1)  # mine"
CONTENT = "window.jupyterapp.shell.currentWidget.content"
TYPE_IT = """source => [...window.jupyterapp.shell.currentWidget.content.model.cells]
    .find(cell => cell.id === "row-means").sharedModel.setSource(source)"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A JupyterLab that no other test has used, as a learner opens it for the first time."""
    with running_lab(tmp_path_factory.mktemp("lab")) as lab:
        yield lab


@pytest.fixture(scope="module")
def course(lab):
    """A course in the folder that JupyterLab shows; course("update") runs that command."""
    copy_study(lab.root)
    (lab.root / "notebooks").mkdir(exist_ok=True)
    shutil.copy(PROJECT / "notebooks" / NAME, lab.root / "notebooks")

    def command(*words):
        return subprocess.run(
            [sys.executable, "-m", "tools.study", *words],
            cwd=lab.root,
            env=lab.environment,
            capture_output=True,
            encoding="utf-8",
            timeout=600,
        )

    assert command("start").returncode == 0
    return command


@pytest.fixture(scope="module")
def page(lab, course, windows):
    page = LabPage(windows, lab, f"study/{NAME}", (1920, 900), reset=False)
    page.page.wait_for_function(READY, timeout=PATIENCE)
    yield page
    page.close()


def test_it_opens_with_the_contents_and_lines_of_a_readable_length(page):
    page.page.get_by_role("treeitem", name="How a notebook works").wait_for(timeout=PATIENCE)
    paragraph = page.page.locator(".jp-RenderedMarkdown > p").first
    letters = float(paragraph.evaluate("p => p.clientWidth / parseFloat(getComputedStyle(p).fontSize)"))
    assert 40 < letters <= 46


def test_a_double_click_on_a_text_opens_no_source_and_the_keys_go_on_working(page):
    for what in ("h1", "summary", "p"):
        page.page.locator(f".jp-MarkdownCell {what}").first.dblclick()
        assert page.page.locator(".jp-MarkdownCell .cm-editor:visible").count() == 0
        assert page.page.evaluate(f"{CONTENT}.node.contains(document.activeElement)")
        page.page.keyboard.press("Enter")
        before = page.page.evaluate(f"{CONTENT}.activeCellIndex")
        page.page.keyboard.press("Shift+Enter")
        page.page.wait_for_function(f"{CONTENT}.activeCellIndex === {before + 1}")
        assert page.page.evaluate(f"{CONTENT}.node.contains(document.activeElement)")
        assert page.page.locator(".jp-cell-toolbar:visible").count() == 0


def sources(path):
    return {cell["id"]: "".join(cell["source"]) for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]}


def test_a_copy_opens_unmodified(page):
    page.page.evaluate(COMPARED)
    assert page.page.evaluate(IS_CLEAN)
    assert page.page.locator(".jp-mod-dirty").count() == 0
    assert page.page.locator(".jp-OutputArea-output").count() == 0


def test_what_is_typed_is_saved_by_itself_soon(page, lab):
    page.page.evaluate(TYPE_IT, ANSWER)
    page.page.wait_for_function(IS_CLEAN, timeout=PATIENCE)  # 15 seconds on a quiet machine
    assert sources(lab.root / "study" / NAME)["row-means"] == ANSWER


def test_an_answer_is_updated_only_when_the_notebook_is_closed(page, course, lab):
    published, mine = lab.root / "notebooks" / NAME, lab.root / "study" / NAME
    text = published.read_text(encoding="utf-8")
    assert text.count("# 00 Start here") == 1
    published.write_text(text.replace("# 00 Start here", "# 00 Start again"), encoding="utf-8")
    page.page.evaluate(TYPE_IT, ANSWER)
    before = mine.read_bytes()
    refused = course("update")
    assert refused.returncode == 1 and f"study/{NAME} is open in JupyterLab: save it there" in refused.stderr
    assert mine.read_bytes() == before
    page.command("docmanager:save")
    page.page.wait_for_function(IS_CLEAN)
    page.command("notebook:close-and-shutdown")
    page.page.locator(".jp-Dialog-button.jp-mod-accept").click()
    page.page.wait_for_function("window.jupyterapp.shell.currentWidget?.content?.model?.cells === undefined")
    page.page.wait_for_function("![...window.jupyterapp.serviceManager.sessions.running()].length")
    updated = course("update")
    assert updated.returncode == 0 and "carried over: exercise 0.1" in updated.stdout
    cells = sources(mine)
    assert cells["row-means"] == ANSWER and "# 00 Start again" in cells["title"]
    [kept] = (lab.root / "study" / "old").glob("*.ipynb")
    assert sources(kept)["row-means"] == ANSWER and "# 00 Start here" in sources(kept)["title"]


def test_a_published_notebook_opens_folded_and_unmodified(lab, course, windows):
    """Another version of Python has saved it; JupyterLab by itself would mark it as modified, and rewrite it."""
    path = lab.root / "notebooks" / f"published_{NAME}"
    notebook = json.loads((PROJECT / "notebooks" / NAME).read_text(encoding="utf-8"))
    notebook["metadata"]["language_info"]["version"] = "3.0.0"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    before = path.read_bytes()
    with contextlib.closing(LabPage(windows, lab, f"notebooks/{path.name}", (1280, 900))) as page:
        page.page.wait_for_function(READY, timeout=PATIENCE)
        page.page.evaluate(COMPARED)
        assert page.page.evaluate(IS_CLEAN)
        first = page.page.locator(".jp-CodeCell").first
        assert "Run me first" in first.inner_text() and "sys.path" not in first.inner_text()
        codes = [cell["id"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
        answer = page.page.locator(".jp-CodeCell").nth(codes.index("trap-run"))
        answer.scroll_into_view_if_needed()
        assert answer.locator(".jp-OutputArea-output").count() == 0
    assert path.read_bytes() == before
