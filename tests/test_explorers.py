"""The explorers: what they refuse, what they send, and what they show in a real JupyterLab."""

import inspect
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import pytest
import torch
from nbclient import NotebookClient

import explorers
from helpers import plots
from explorers import base, still
from explorers.base import INVITATION
from tests.save_notebooks import VIEW, keep_pictures
from tests.shown import Shown

pytest_plugins = ["tests.browser"]
ROOT = Path(__file__).resolve().parent.parent

words = ["Your", "journey", "starts", "with", "one", "step"]
many = [f"word{i}" for i in range(128)]


def weights(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(123)).mul(2).softmax(dim=-1)


# The kernel makes its numbers with the same function, so that what is shown can be compared.
CELLS = [f"import torch\nimport explorers\n\n{inspect.getsource(weights)}\n\n{words = }\n{many = }",
         "explorers.attention(words, weights(6, 6))",
         "explorers.attention(words, weights(2, 4, 6, 6))",
         "explorers.attention(many, weights(6, 12, 128, 128))",
         "explorers.attention(words[:5], weights(3, 2, 5), ['who', 'reads'])"]


def notebook_of(cells):
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in cells])


# ---------------------------------------------------------------- Python: what is sent

def test_weights_and_words_are_sent_as_they_are():
    given = weights(2, 3, 5, 7)
    view = explorers.attention([f"key{i}" for i in range(7)], given, [f"query{i}" for i in range(5)])
    assert view.axes == [2, 3, 5, 7]
    assert (view.tokens[6], view.queries[4]) == ("key6", "query4")
    sent = torch.frombuffer(bytearray(view.weights), dtype=torch.float32)
    torch.testing.assert_close(sent, given.flatten(), atol=0, rtol=0)


def test_queries_are_the_tokens_unless_others_are_given():
    assert explorers.attention(words, weights(6, 6)).queries == words


def test_colours_are_those_of_the_figures():
    palette = explorers.attention(words, weights(6, 6)).palette
    assert list(palette) == plots.WEIGHTS(range(256), bytes=True)[:, :3].flatten().tolist()


@pytest.mark.parametrize("given", [
    weights(6, 6).requires_grad_(), weights(6, 6).double(), weights(6, 6).half(), weights(6, 6).tolist(),
    weights(6, 6).mT, weights(6, 6) * 2, torch.eye(6).bool(), torch.zeros(6, 6),
], ids=["with gradients", "float64", "float16", "lists", "not contiguous", "above 1", "bool", "zeros"])
def test_weights_of_every_kind_are_taken(given):
    sent = torch.frombuffer(bytearray(explorers.attention(words, given).weights), dtype=torch.float32)
    torch.testing.assert_close(sent.view(6, 6), torch.as_tensor(given).detach().float())


def test_weights_on_a_gpu_are_taken(gpu):
    assert explorers.attention(words, weights(6, 6).cuda()).axes == [6, 6]


# ---------------------------------------------------------------- Python: what is refused

@pytest.mark.parametrize("error, message, arguments", [
    (TypeError, "one string 'Your journey'; split", ("Your journey", weights(2, 2))),
    (TypeError, "list of words, got int", (3, weights(3, 3))),
    (TypeError, "strings, got int at place 1; turn ids", (["a", 2], weights(2, 2))),
    (TypeError, "queries must be strings, got NoneType", (["a"], weights(1, 1), [None])),
    (ValueError, "tokens must be 1 to 512 words, got 0", ([], weights(1, 1))),
    (ValueError, "1 to 512 words, got 5000; pass a part", (["a"] * 5000, weights(1, 1))),
    (ValueError, "got \\(5, 5\\); every word needs", (words, weights(5, 5))),
    (ValueError, "got \\(6, 2\\); queries are the rows", (words, weights(6, 2), ["a", "b"])),
    (ValueError, "got \\(6,\\)", (words, weights(6))),
    (ValueError, "got \\(2, 2, 2, 6, 6\\); choose one item", (words, weights(2, 2, 2, 6, 6))),
    (ValueError, "1 to 20,000,000 numbers, got 0 in shape \\(0, 6, 6\\)", (words, torch.zeros(0, 6, 6))),
    (ValueError, "20,000,000 numbers, got 26,214,400 in shape", (["a"] * 512, torch.zeros(1).expand(10, 10, 512, 512))),
    (ValueError, "at least 0, got -0.5 at \\[0, 1\\]; pass what comes after", (["a", "b"], [[1, -0.5], [0, 1]])),
    (ValueError, "finite .* got nan at \\[1, 0\\]", (["a", "b"], [[1, 0], [float("nan"), 1]])),
    (ValueError, "finite .* got inf at", (["a"], [[float("inf")]])),
    (TypeError, "got a list of tensors; join", (words, [weights(1, 4, 6, 6), weights(1, 4, 6, 6)])),
    (TypeError, "rows of one length, got list", (words, [[1, 0], [1]])),
    (TypeError, "rows of one length, got str", (words, "weights")),
    (TypeError, "real numbers, got torch.complex64", (["a"], torch.ones(1, 1) * 1j)),
])
def test_what_cannot_be_shown_is_refused_in_one_sentence(error, message, arguments):
    with pytest.raises(error, match=message) as caught:
        explorers.attention(*arguments)
    said = str(caught.value)
    assert "\n" not in said and len(said) < 260 and "; " in said


# ---------------------------------------------------------------- Python: the picture that stays

def bundle(*arguments):
    return explorers.attention(*arguments).still()


@pytest.fixture
def outputs(monkeypatch):
    """What a cell shows: one dictionary of data for each output."""
    shown = []
    monkeypatch.setattr(base, "display", lambda data, **_: shown.append(data))
    return shown


def test_a_cell_shows_the_picture_and_then_the_view(outputs):
    explorers.attention(words, weights(6, 6))._ipython_display_()
    assert [set(data) for data in outputs] == [{"image/svg+xml", "text/plain"}, {VIEW}]


def test_in_colab_both_are_one_output(outputs, monkeypatch):
    monkeypatch.setitem(sys.modules, "google.colab", None)
    explorers.attention(words, weights(6, 6))._ipython_display_()
    assert [set(data) for data in outputs] == [{VIEW, "image/svg+xml", "text/plain"}]


@pytest.mark.parametrize("given", [weights(6, 6), weights(128, 128)])
def test_the_picture_is_that_of_the_figures_with_an_invitation(given):
    data = bundle(many[:len(given)], given)
    assert data["text/plain"].endswith(INVITATION) and data["image/svg+xml"].count(INVITATION) == 1
    inviting, plain = (ElementTree.fromstring(svg) for svg in (
        data["image/svg+xml"], explorers.attention(many[:len(given)], given).picture().svg))
    assert inviting[-1].text == INVITATION
    inviting.remove(inviting[-1])
    height, was = (float(root.get("viewBox").split()[3]) for root in (inviting, plain))
    assert height == was + 22 and float(inviting.get("height").removesuffix("pt")) == height
    assert [ElementTree.tostring(part) for part in inviting] == [ElementTree.tostring(part) for part in plain]


@pytest.mark.parametrize("shape", [(6, 6), (4, 6, 6), (2, 4, 6, 6)])
def test_picture_and_words_are_the_same_in_every_run(shape):
    first, second = bundle(words, weights(*shape)), bundle(words, weights(*shape))
    assert first == second
    assert "0x" not in repr(explorers.attention(words, weights(*shape)))


def test_the_words_name_the_head_that_is_shown():
    assert bundle(words, weights(6, 6))["text/plain"].startswith("weights, 6 queries")
    assert bundle(words, weights(4, 6, 6))["text/plain"].startswith("head 0 of 4, 6 queries")
    assert bundle(words, weights(2, 4, 6, 6))["text/plain"].startswith("layer 0, head 0 of 2 x 4, 6 queries")


def test_the_picture_of_a_long_sentence_is_small():
    data = bundle(many, weights(128, 128))
    assert len(data["image/svg+xml"]) < 40_000
    assert "largest of 2 x 2 weights" in data["text/plain"]


def test_the_squares_of_a_long_sentence_are_the_largest_of_their_block():
    values = torch.zeros(130, 70)
    values[129, 69] = 1.0
    picture = still.weights(values, ["<q>"] * 130, ["k"] * 70, "weights")
    dark = "#{:02x}{:02x}{:02x}".format(*plots.WEIGHTS(1.0, bytes=True)[:3])
    assert f'<path stroke="{dark}" d="M34 43h1"/>' in picture.svg  # blocks of 3 rows and 2 columns
    assert "&lt;q&gt;" in picture.svg and "<q>" not in picture.svg


def test_pictures_are_kept_and_views_are_not():
    notebook = notebook_of(["explorers.attention(...)", "slider"])
    view = {VIEW: {"model_id": "1"}}
    for cell, data_of in zip(notebook.cells, [[bundle(words, weights(6, 6)), view], [view]], strict=True):
        cell.outputs = [nbformat.v4.new_output("display_data", data=data) for data in data_of]
    notebook.metadata["widgets"] = {}
    kept = keep_pictures(notebook)
    assert [set(output.data) for output in kept.cells[0].outputs] == [{"image/svg+xml", "text/plain"}]
    assert [set(output.data) for output in kept.cells[1].outputs] == [{VIEW}]  # nothing else would be left
    assert "widgets" not in kept.metadata


def test_a_saved_explorer_passes_nbval(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])))
    notebook = notebook_of(CELLS[:3])
    with ThreadPoolExecutor() as elsewhere:  # Playwright, once started, keeps an event loop in this thread
        elsewhere.submit(NotebookClient(notebook, store_widget_state=False).execute).result()
    nbformat.write(notebook, tmp_path / "with_views.ipynb")
    nbformat.write(keep_pictures(notebook), tmp_path / "pictures_alone.ipynb")
    run = subprocess.run([sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env", "-p", "no:cacheprovider",
                          "--rootdir", tmp_path, tmp_path], capture_output=True, text=True, encoding="utf-8")
    assert "6 passed" in run.stdout, run.stdout


# ---------------------------------------------------------------- the browser

@pytest.fixture(scope="module")
def notebook(open_notebook):
    page = open_notebook(CELLS, name="explorers")
    page.run_all()
    return page


class AttentionShown(Shown):
    """The attention explorer."""

    def __init__(self, notebook, cell):
        super().__init__(notebook, cell)
        self.stage = self.output.get_by_role("grid")
        self.page.wait_for_function("stage => stage.querySelector('canvas').width > 0", arg=self.stage.element_handle())

    def press(self, *keys):
        super().press(*keys)
        return self.said()

    def cell(self):
        """What a screen reader finds as the active cell."""
        return self.stage.evaluate("grid => document.getElementById(grid.getAttribute('aria-activedescendant'))"
                                   ".textContent")

    def pointed(self, step=6):
        """The pointer on every place of the stage, a few pixels apart: [x, y, what is said]."""
        return self.stage.evaluate("""(grid, step) => {
            const box = grid.getBoundingClientRect();
            const readout = grid.parentElement.querySelector("output");
            const found = [];
            for (let y = 2; y < box.height; y += step) {
              for (let x = 2; x < box.width; x += step) {
                const [clientX, clientY] = [box.left + x, box.top + y];
                grid.dispatchEvent(new PointerEvent("pointerleave"));
                grid.dispatchEvent(new PointerEvent("pointermove", { clientX, clientY, bubbles: true }));
                found.push([x, y, readout.firstChild.textContent]);
              }
            }
            grid.dispatchEvent(new PointerEvent("pointerleave"));
            return found;
        }""", step)

    def colours(self, canvas):
        """All opaque colours of the stage's n-th canvas: 0 the squares, 1 what is drawn over them."""
        return set(self.stage.locator("canvas").nth(canvas).evaluate("""canvas => {
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            const found = new Set();
            for (let i = 0; i < data.length; i += 4) {
              if (data[i + 3] === 255) found.add(`${data[i]} ${data[i + 1]} ${data[i + 2]}`);
            }
            return [...found];
        }"""))


def sentence(matrix, row, column, keys=words, queries=words):
    weight = f"{matrix[row, column]:.4f}"
    return f"'{queries[row]}' reads '{keys[column]}': {'less than 0.0001' if weight == '0.0000' else weight}"


def test_it_appears_with_names_and_roles(notebook):
    shown = AttentionShown(notebook, 1)
    assert shown.stage.get_attribute("aria-label") == "Attention weights: rows are queries, columns are keys"
    assert (shown.stage.get_attribute("aria-rowcount"), shown.stage.get_attribute("aria-colcount")) == ("6", "6")
    assert shown.output.get_by_role("img", name="colours: weight 0 is light, 1 is dark").is_visible()
    assert shown.output.locator("select").count() == 0  # one head: nothing to choose
    matrix = weights(6, 6)
    assert shown.said() == sentence(matrix, 3, int(matrix[3].argmax()))


def test_squares_have_the_colours_of_the_figures(notebook):
    drawn = AttentionShown(notebook, 1).colours(0)
    for weight in weights(6, 6).flatten().tolist():
        assert "{} {} {}".format(*plots.WEIGHTS(weight, bytes=True)[:3]) in drawn


def test_the_pointer_finds_every_square_in_its_place(notebook):
    shown, matrix = AttentionShown(notebook, 1), weights(6, 6)
    places = shown.pointed()
    rows = [place for place in places if "reads most" in place[2]]
    right, top = max(x for x, _, _ in rows), min(y for _, y, _ in rows)
    untouched = shown.said()
    squares = [said for x, y, said in places if x > right and y >= top and said != untouched]
    expected = [sentence(matrix, i, j) for i in range(6) for j in range(6)]
    expected.remove(untouched)
    assert list(dict.fromkeys(squares)) == expected  # row after row, in the order in which they are met


def test_the_pointer_on_a_query_word_tells_what_it_reads_most(notebook):
    shown, matrix = AttentionShown(notebook, 1), weights(6, 6)
    told = list(dict.fromkeys(said for _, _, said in shown.pointed() if "reads most" in said))
    for row, said in enumerate(told):
        top = matrix[row].topk(3)
        pairs = [f"'{words[j]}' {w:.4f}" for w, j in zip(top.values.tolist(), top.indices.tolist(), strict=True)]
        assert said == f"'{words[row]}' reads most: {', '.join(pairs)}"
    assert len(told) == 6


def test_a_click_keeps_what_the_pointer_found(notebook):
    shown, matrix = AttentionShown(notebook, 1), weights(6, 6)
    wanted = sentence(matrix, 5, 0)
    x, y = next((x, y) for x, y, said in reversed(shown.pointed()) if said == wanted)
    shown.stage.click(position={"x": x, "y": y})
    shown.page.mouse.move(5, 5)
    assert shown.said() == wanted and shown.cell() == f"'Your': {matrix[5, 0]:.4f}"


def test_layer_and_head_are_chosen_by_name(notebook):
    shown, matrices = AttentionShown(notebook, 2), weights(2, 4, 6, 6)
    shown.stage.focus()
    shown.press("Control+Home")
    for layer, head in [(0, 3), (1, 3), (1, 0)]:
        shown.output.get_by_role("combobox", name="Layer", exact=True).select_option(str(layer))
        shown.output.get_by_role("combobox", name="Head", exact=True).select_option(str(head))
        assert shown.said() == sentence(matrices[layer, head], 0, 0)
        assert f"layer {layer}, head {head}:" in shown.stage.get_attribute("aria-label")


def test_a_head_is_chosen_among_the_small_ones(notebook):
    shown = AttentionShown(notebook, 2)
    small = shown.output.locator(".abh-overview canvas")
    names = small.evaluate("""canvas => {
        const box = canvas.getBoundingClientRect();
        const names = {};
        for (let x = 4; x < box.width; x += 8) {
          for (let y = 4; y < box.height; y += 8) {
            canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + x, clientY: box.top + y }));
            names[canvas.title] = { x, y };
          }
        }
        return names;
    }""")
    assert set(names) - {""} == {f"layer {layer}, head {head}" for layer in range(2) for head in range(4)}
    small.click(position=names["layer 1, head 2"])
    assert shown.output.get_by_role("combobox", name="Layer", exact=True).input_value() == "1"
    assert shown.output.get_by_role("combobox", name="Head", exact=True).input_value() == "2"


def test_the_keyboard_alone_suffices(notebook):
    shown, matrices = AttentionShown(notebook, 2), weights(2, 4, 6, 6)
    notebook.page.locator(".jp-CodeCell").nth(2).locator(".jp-InputPrompt").click()  # the cell, not its editor
    shown.output.get_by_role("combobox", name="Layer", exact=True).select_option("0")
    assert shown.tab_stops() == ["Layer", "Head", shown.stage.get_attribute("aria-label")]
    if sys.platform == "darwin":  # there the arrow keys open the system's own menu
        shown.output.get_by_role("combobox", name="Head", exact=True).select_option("3")
        shown.press("Tab")
    else:
        shown.output.get_by_role("combobox", name="Layer", exact=True).focus()
        shown.press("ArrowDown")
        assert shown.output.get_by_role("combobox", name="Layer", exact=True).input_value() == "1"
        shown.press("Home", "Tab", "End", "Tab")  # layer 0, head 3, then the grid
    assert notebook.page.evaluate("document.activeElement.getAttribute('role')") == "grid"
    matrix = matrices[0, 3]
    assert shown.press("Control+Home") == sentence(matrix, 0, 0)
    assert shown.press("ArrowDown", "ArrowDown", "ArrowRight") == sentence(matrix, 2, 1)
    assert shown.press("ArrowUp", "ArrowLeft", "ArrowLeft") == sentence(matrix, 1, 0)
    assert shown.press("End") == sentence(matrix, 1, 5)
    assert shown.press("Home") == sentence(matrix, 1, 0)
    assert shown.press("PageDown") == sentence(matrix, 5, 0)
    assert shown.press("Control+End") == sentence(matrix, 5, 5)
    assert shown.cell() == f"'step': {matrix[5, 5]:.4f}"
    assert shown.stage.evaluate("grid => getComputedStyle(grid).outlineStyle") == "solid"
    assert notebook.page.locator(".jp-CodeCell").nth(2).evaluate("cell => cell.classList.contains('jp-mod-active')")


def test_other_queries_than_keys(notebook):
    shown, matrix = AttentionShown(notebook, 4), weights(3, 2, 5)[0]
    shown.stage.focus()
    assert shown.press("Control+End") == sentence(matrix, 1, 4, words, ["who", "reads"])


def test_a_long_sentence_can_be_walked_through(notebook):
    shown, matrices = AttentionShown(notebook, 3), weights(6, 12, 128, 128)
    shown.stage.focus()
    assert shown.press("Control+End") == sentence(matrices[0, 0], 127, 127, many, many)
    shown.output.get_by_role("combobox", name="Head", exact=True).select_option("11")
    shown.output.get_by_role("combobox", name="Layer", exact=True).select_option("5")
    assert shown.said() == sentence(matrices[5, 11], 127, 127, many, many)


def test_it_fits_a_narrow_window(notebook):
    page = notebook.page
    page.set_viewport_size({"width": 760, "height": 900})
    for cell in (1, 2, 3):
        shown = AttentionShown(notebook, cell)
        page.wait_for_function("stage => stage.querySelector('canvas').getBoundingClientRect().width"
                               " <= stage.getBoundingClientRect().width", arg=shown.stage.element_handle())
        assert shown.stage.bounding_box()["width"] <= shown.output.bounding_box()["width"]
    page.set_viewport_size({"width": 1280, "height": 900})


def test_it_follows_the_theme(notebook, tmp_path):
    AttentionShown(notebook, 1)  # the others are out of sight when the theme changes
    marks = {"Dark": "242 155 87", "Light": "200 89 10"}  # of the words and the square in question
    for theme in marks:
        notebook.theme(f"JupyterLab {theme}")
        for cell in (1, 2, 3):
            shown = AttentionShown(notebook, cell)
            shown.output.screenshot(path=tmp_path / f"{theme}{cell}.png")
            drawn = shown.colours(1)
            assert (cell, theme, drawn & set(marks.values())) == (cell, theme, {marks[theme]})
    print(f"\nscreenshots: {tmp_path}")


@pytest.mark.parametrize("cell", [1, 2, 3], ids=["6 words", "2 x 4 heads", "128 words, 6 x 12 heads"])
def test_the_pointer_is_followed_at_once(notebook, cell):
    shown = AttentionShown(notebook, cell)
    box = shown.stage.bounding_box()
    shown.follow(shown.stage, "pointermove",
                lambda i: shown.page.mouse.move(box["x"] + 320 + 13 * i, box["y"] + 110 + 9 * i))


def test_the_picture_is_hidden_while_the_view_lives_and_back_when_it_is_gone(open_notebook):
    """A learner runs a notebook, saves it, and opens it again on the next day."""
    page = open_notebook(CELLS[:2], name="saved")
    page.run_all()
    AttentionShown(page, 1)
    picture = page.output(1).locator("img[src^='data:image/svg+xml']")
    assert picture.count() == 1 and not picture.is_visible()
    page.command("docmanager:save")
    page.page.wait_for_function("!window.jupyterapp.shell.currentWidget.context.model.dirty")
    page.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    page.open()
    picture = page.output(1).locator("img[src^='data:image/svg+xml']")
    picture.wait_for()
    assert picture.is_visible() and picture.evaluate("image => image.naturalWidth") > 300
    page.output(1).get_by_text("model not found").wait_for()
    assert all("widget model not found" in problem for problem in page.take_problems())
