"""The attention explorer: its `ROW` for test_every_explorer.py, and tests of what only this explorer does."""

import base64
import io
import xml.etree.ElementTree as ElementTree

import nbformat
import numpy
import pytest
import torch
from PIL import Image

import explorers
import figures
from explorers.base import INVITATION
from feedback.display import VIEW
from tests.explorers.browser import SETTLED, SIZE
from tests.explorers.view import KINDS, Row, View, as_written, drawn
from tools.save_notebooks import keep_pictures

words = ["Your", "journey", "starts", "with", "one", "step"]
many = [f"word{i}" for i in range(80)]


def weights(*shape):
    return drawn(*shape, seed=123).mul(2).softmax(dim=-1)


REFUSED = [
    (TypeError, "one string 'Your journey'; split", ("Your journey", weights(2, 2))),
    (TypeError, "list of words, got int", (3, weights(3, 3))),
    (TypeError, "queries must be strings, got NoneType at position 0; turn ids", (["a"], weights(1, 1), [None])),
    (ValueError, "tokens must be 1 to 512 words, got 0; pass a part", ([], weights(1, 1))),
    (ValueError, "got \\(5, 5\\); pass a row", (words, weights(5, 5))),
    (ValueError, "got \\(6,\\)", (words, weights(6))),
    (ValueError, "got \\(2, 2, 2, 6, 6\\); pass a row for each query of one text", (words, weights(2, 2, 2, 6, 6))),
    (ValueError, "20,000,000 numbers, got 26,214,400", (["a"] * 512, torch.zeros(1).expand(10, 10, 512, 512))),
    (ValueError, "at least 0, got -0.5 at \\[0, 1\\]; pass what comes after", (["a", "b"], [[1, -0.5], [0, 1]])),
    (ValueError, "finite .* got nan at \\[1, 0\\]", (["a", "b"], [[1, 0], [float("nan"), 1]])),
    (TypeError, "got a list of tensors; join", (words, [weights(1, 4, 6, 6), weights(1, 4, 6, 6)])),
    (TypeError, "rows of one length, got list", (words, [[1, 0], [1]])),
    (TypeError, "real numbers, got torch.complex64", (["a"], torch.ones(1, 1) * 1j)),
    (TypeError, "mask must be bool, .* got torch.int64; a mask of 0 and 1", (["a"], [[1]], None, [[1]])),
    (ValueError, r"mask for 6 .* got \(5, 6\); pass the", (words, weights(6, 6), None, torch.ones(5, 6) == 1)),
]


# ---------------------------------------------------------------- the picture that stays


def bundle(*arguments):
    return explorers.attention(*arguments).still()


@pytest.mark.slow
def test_saving_a_notebook_keeps_pictures_and_drops_views():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in ("attention", "slider")])
    view = {VIEW: {"model_id": "1"}}
    for cell, shown in zip(notebook.cells, [[bundle(words, weights(6, 6)), view], [view]], strict=True):
        cell.outputs = [nbformat.v4.new_output("display_data", data=data) for data in shown]
    kept = [[set(output.data) for output in cell.outputs] for cell in keep_pictures(notebook).cells]
    assert kept == [[{"text/html", "image/svg+xml", "text/plain"}], [{VIEW}]]  # the second cell has nothing else


@pytest.mark.slow
@pytest.mark.parametrize("given", [weights(6, 6), weights(80, 80)])
def test_the_picture_is_that_of_the_figures_with_an_invitation(given):
    view = explorers.attention(many[: len(given)], given)
    inviting, plain = map(ElementTree.fromstring, (view.still()["image/svg+xml"], view.picture().svg))
    assert inviting[-1].text == INVITATION
    inviting.remove(inviting[-1])
    height, was = (float(root.get("viewBox").split()[3]) for root in (inviting, plain))
    assert height == was + 22 and float(inviting.get("height").removesuffix("pt")) == height
    assert [ElementTree.tostring(part) for part in inviting] == [ElementTree.tostring(part) for part in plain]


@pytest.mark.slow
def test_the_picture_of_a_masked_map_shows_the_mask_and_its_words_name_the_head():
    causal = torch.ones(6, 6).tril() == 1
    said = bundle(words, weights(6, 6) * causal, None, causal)["text/plain"]
    assert said.startswith("weights, 6 queries") and "Hidden by the mask: 15." in said
    one_row = torch.tensor([[True] * 5 + [False]])  # expanded to all rows
    said = bundle(words, weights(2, 4, 6, 6), None, one_row)["text/plain"]
    assert said.startswith("layer 0, head 0 of 2 x 4, 6 queries") and "Hidden by the mask: 6." in said
    assert bundle(words, weights(4, 6, 6))["text/plain"].startswith("head 0 of 4, 6 queries")
    said = bundle(many, weights(80, 80), None, torch.ones(80, 80).tril() == 1)["text/plain"]
    assert said.startswith("weights, the first 8 words, 8 queries x 8 keys.")  # only the beginning of a long text


# ---------------------------------------------------------------- in a browser

CAUSAL = torch.ones(6, 6).tril() == 1
MASKED = weights(6, 6) * CAUSAL
MASKED[1, 4] = 0.25  # a leak
LEAK = torch.stack([MASKED, weights(6, 6)])
ALIKE = torch.full((6, 6), 1 / 6)
GIVEN = {  # name: (words, weights, queries, mask)
    "2 x 4 heads": (words, weights(2, 4, 6, 6)),
    "6 words": (words, weights(6, 6)),
    "80 words": (many, weights(3, 12, 80, 80)),
    "masked": (words, MASKED, None, CAUSAL),
    "masked head": (words, LEAK, None, CAUSAL),
    "two queries": (words[:5], weights(3, 2, 5), ["who", "reads"]),
    "alike": (words, ALIKE),
}
MAP = "rows are queries, columns are keys"
HATCHED, ALARM = 0xECEEF2, 0xA84A06

# The picture of the squares and, from drawing them once more, each number with its place: [text, x, y].
DRAWN = f"""async grid => {{
  const canvas = grid.querySelector("canvas"), pen = canvas.getContext("2d"), numbers = [];
  const picture = canvas.toDataURL();
  pen.fillText = (...number) => {{
    numbers.push(number);
    CanvasRenderingContext2D.prototype.fillText.apply(pen, number);
  }};
  grid.dispatchEvent(new Event("scroll"));
  await {SETTLED};
  delete pen.fillText;
  return [picture, numbers];
}}"""


def given(which):
    """Keys, weights, queries and mask of a case."""
    keys, matrix, queries, mask = (*GIVEN[which], None, None)[:4]
    return keys, matrix, queries or keys, torch.ones(matrix.shape[-2:]) > 0 if mask is None else mask


def as_number(colors):
    """Red, green and blue as one number, 0xRRGGBB."""
    return torch.from_numpy(colors[..., :3].astype(int)) @ torch.tensor([0x10000, 0x100, 1])


class AttentionView(View):
    """The attention explorer."""

    def __init__(self, page, which):
        super().__init__(page, which)
        self.stage = self.output.get_by_role("grid")
        self.page.wait_for_function("stage => stage.querySelector('canvas').width > 0", arg=self.stage.element_handle())

    def press(self, *keys):
        super().press(*keys)
        return self.said()

    def assert_right(self):
        """Assert that sentence, active cell and squares show PyTorch's numbers for the chosen head, and the mask."""
        keys, matrix, queries, mask = given(self.which)
        now = self.controls()
        heads = [int(now[name]) for name in ("Layer", "Head") if name in now]
        matrix = matrix[tuple(heads)]
        if len(heads) == 2:
            assert "layer {}, head {}:".format(*heads) in self.stage.get_attribute("aria-label")
        i, j = self.stage.evaluate("""grid => {
          const cell = document.getElementById(grid.getAttribute("aria-activedescendant"));
          return [cell.closest("[aria-rowindex]").getAttribute("aria-rowindex") - 1, cell.ariaColIndex - 1];
        }""")
        assert self.cell() == f"'{keys[j]}': {matrix[i, j]:.4f}{'' if mask[i, j] else ', hidden'}"
        said = sentence(matrix, i, j, keys, queries)
        if not mask[i, j]:
            nothing = f"'{queries[i]}' cannot read '{keys[j]}': the mask hides it"
            said = f"{said}, although the mask hides it" if matrix[i, j] > 0 else nothing
        assert self.said() == said
        expected = as_number(figures.WEIGHTS(matrix.numpy(), bytes=True)).masked_fill(~mask, HATCHED)
        expected.masked_fill_(~mask & (matrix > 0), ALARM)
        colors, numbers = self.squares(*matrix.shape)
        assert (colors != expected).nonzero().tolist() == []  # no square with another color
        assert numbers == (as_written(matrix) if len(keys) < 80 else [[""] * 80] * 80)  # small squares have no numbers

    def squares(self, T, S):
        """What is drawn inside the squares: the most frequent color of each, and its number."""
        url, numbers = self.stage.evaluate(DRAWN)
        picture = Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2])))
        opaque = picture.getchannel("A").point(lambda alpha: alpha // 255).getbbox()
        pixels = as_number(numpy.asarray(picture.crop(opaque)))
        squares = pixels.unflatten(1, (S, -1)).unflatten(0, (T, -1)).transpose(1, 2)  # (T, S, height, width)
        colors = squares[:, :, 1:-1, 1:-1].flatten(2).mode().values  # without the lines between them
        (left, top), (height, width) = opaque[:2], squares.shape[2:]
        texts = {((y - top) // height, (x - left) // width): text for text, x, y in numbers}
        return colors, [[texts.get((i, j), "") for j in range(S)] for i in range(T)]

    def cell(self):
        """The text of the active cell, for screen readers."""
        return self.stage.evaluate(
            "grid => document.getElementById(grid.getAttribute('aria-activedescendant')).textContent"
        )

    def pointed(self):
        """For pointer positions all over the stage, a few pixels apart: [(bold sentence, line below, x, y)]."""
        return self.stage.evaluate("""grid => {
          const box = grid.getBoundingClientRect(), [said, below] = grid.parentElement.querySelector("output").children;
          const found = [];
          for (let y = 2; y < box.height; y += 8) {
            for (let x = 2; x < box.width; x += 8) {
              const [clientX, clientY] = [box.left + x, box.top + y];
              grid.dispatchEvent(new PointerEvent("pointerleave"));
              grid.dispatchEvent(new PointerEvent("pointermove", { clientX, clientY, bubbles: true }));
              found.push([said.textContent, below.textContent, x, y]);
            }
          }
          grid.dispatchEvent(new PointerEvent("pointerleave"));
          return found;
        }""")

    def point(self):
        """All bold sentences while the pointer moves over the stage."""
        return {said for said, *_ in self.pointed()}

    def colors_above(self):
        """All opaque colors of what is drawn over the squares."""
        return set(
            self.stage.locator("canvas")
            .nth(1)
            .evaluate("""canvas => {
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            const found = new Set();
            for (let i = 0; i < data.length; i += 4) {
              if (data[i + 3] === 255) found.add(`${data[i]} ${data[i + 1]} ${data[i + 2]}`);
            }
            return [...found];
        }""")
        )


def sentence(matrix, row, column, keys=words, queries=words):
    weight = f"{matrix[row, column]:.4f}"
    return f"'{queries[row]}' reads '{keys[column]}': {'less than 0.0001' if weight == '0.0000' else weight}"


ROW = Row(
    explorers.attention,
    AttentionView,
    GIVEN,
    taken=[(many, weights(80, 80)), (many, weights(12, 80, 80))],
    kinds=KINDS,
    refused=REFUSED,
    legends=1,
    opens={"2 x 4 heads": {"Layer": "0", "Head": "0"}},
    stops={
        "6 words": [f"Attention weights: {MAP}", "Read as a table"],
        "2 x 4 heads": ["Layer", "Head", f"Attention weights, layer 0, head 0: {MAP}", "Read as a table"],
    },
    settings=[("2 x 4 heads", {"Layer": layer, "Head": head}) for layer, head in (("0", "3"), ("1", "3"), ("1", "0"))]
    + [("80 words", {"Layer": "2", "Head": "11"}), ("two queries", {"Head": "2"}), ("masked head", {"Head": "1"})],
    faces=("masked head",),
    fits=dict.fromkeys(GIVEN, SIZE[0]),  # the stage scrolls
)


def test_the_pointer_finds_every_square_and_every_word(opened):
    matrix = weights(6, 6)
    expected = {sentence(matrix, i, j) for i in range(6) for j in range(6)}
    for row, top in enumerate(matrix.topk(3).indices.tolist()):
        pairs = [f"'{words[j]}' {matrix[row, j]:.4f}" for j in top]
        expected.add(f"'{words[row]}' reads most: {', '.join(pairs)}")
    assert opened.view("6 words").point() == expected
    said = {said for said in opened.view("alike").point() if "alike" in said}
    assert said == {f"'{word}' reads 6 keys alike: 0.1667 each" for word in words}


def test_a_click_keeps_what_the_pointer_found(opened):
    view, wanted = opened.view("6 words"), sentence(weights(6, 6), 5, 0)
    place = next({"x": x, "y": y} for said, _, x, y in view.pointed() if said == wanted)
    view.stage.click(position=place)
    view.page.mouse.move(5, 5)
    assert view.said() == wanted and view.cell().startswith("'Your': ")
    assert view.explained() == "The row sums to 1.0000. Kept."
    previews = view.pointed()
    assert {said for said, *_ in previews} == {wanted}  # the sentence of the kept square stays
    below = {below for _, below, *_ in previews}
    assert f"Under the pointer: {sentence(weights(6, 6), 2, 3)}" in below
    view.stage.click(position=place)
    assert not view.explained().endswith("Kept.") and len(view.point()) > 36  # the pointer decides again


def test_escape_and_enter_let_go_and_keep(opened):
    view, matrix = opened.view("6 words"), weights(6, 6)
    view.page.mouse.move(5, 5)
    view.stage.focus()
    assert view.press("Control+Home", "Enter") == sentence(matrix, 0, 0)
    assert view.explained().endswith("Kept.")
    assert view.press("ArrowRight") == sentence(matrix, 0, 1) and view.explained().endswith("Kept.")
    view.press("Escape")
    assert view.said() == sentence(matrix, 0, 1) and view.explained() == "The row sums to 1.0000."


def test_hidden_weights_are_hatched_and_a_leak_is_an_alarm(opened):
    view = opened.view("masked")
    said = view.point()
    assert "'Your' cannot read 'journey': the mask hides it" in said
    assert "'journey' reads 'one': 0.2500, although the mask hides it" in said
    view.stage.focus()
    for key in ("Control+Home", "End", "ArrowDown", "ArrowLeft"):  # to a hidden square, and to the leak
        view.press(key)
        view.assert_right()
    assert view.output.get_by_text("hidden, but read all the same").is_visible()
    without = opened.view("6 words")
    without.assert_right()
    assert without.output.get_by_text("hidden").count() == 0


def test_the_map_can_be_read_as_a_table(opened):
    view = opened.view("masked")
    view.unfold()
    [[caption, rows]] = view.listings()
    assert caption == "Weights: rows are queries, columns are keys"
    assert rows[1] == ["journey"] + [
        f"{weight:.4f}" + (" (hidden)" if j > 1 else "") for j, weight in enumerate(MASKED[1].tolist())
    ]


def test_a_head_can_be_chosen_in_the_overview(opened):
    view = opened.view("2 x 4 heads")
    small = view.output.locator(".abh-overview canvas")
    names = small.evaluate("""canvas => {
      const box = canvas.getBoundingClientRect(), names = {};
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
    assert view.controls() == {"Layer": "1", "Head": "2"}


def test_keys_lead_from_weight_to_weight(opened):
    view, matrix = opened.view("2 x 4 heads", {"Head": "3"}), weights(2, 4, 6, 6)[0, 3]
    view.stage.focus()
    for keys, place in [
        (["Control+Home"], (0, 0)),
        (["ArrowDown", "ArrowDown", "ArrowRight"], (2, 1)),
        (["ArrowUp", "ArrowLeft", "ArrowLeft"], (1, 0)),
        (["End"], (1, 5)),
        (["Home"], (1, 0)),
        (["PageDown"], (5, 0)),
        (["Control+End"], (5, 5)),
    ]:
        assert view.press(*keys) == sentence(matrix, *place), keys
    assert view.cell() == f"'step': {matrix[5, 5]:.4f}"
    for which, last in (("two queries", (1, 4)), ("80 words", (79, 79))):
        view = opened.view(which)
        view.stage.focus()
        keys, matrix, queries, _ = given(which)
        assert view.press("Control+End") == sentence(matrix.flatten(0, -3)[0], *last, keys, queries)


def test_what_is_drawn_over_the_squares_follows_the_theme(opened):
    AttentionView(opened.page, "6 words")  # the other explorers are out of sight when the theme changes
    marks = {"Dark": "242 155 87", "Light": "192 84 10"}  # the color of the chosen words and square
    for theme in marks:
        opened.page.theme(theme)
        for which in ("6 words", "80 words"):
            drawn = AttentionView(opened.page, which).colors_above()
            assert (which, theme, drawn & set(marks.values())) == (which, theme, {marks[theme]})
