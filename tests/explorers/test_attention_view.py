"""The attention explorer in a browser: what test_every_view.py has to know of it, and what it alone promises."""

import pytest
import torch

import explorers
import figures
from tests.explorers.test_attention import many, weights, words
from tests.explorers.view import Row, View

pytestmark = pytest.mark.browser
CAUSAL = torch.ones(6, 6).tril() == 1
MASKED = weights(6, 6) * CAUSAL
MASKED[1, 4] = 0.25  # a leak
LEAK = torch.stack([MASKED, weights(6, 6)])
GIVEN = {  # name: (weights, mask, keys, queries)
    "2 x 4 heads": (weights(2, 4, 6, 6), None, words, words),
    "6 words": (weights(6, 6), None, words, words),
    "128 words": (weights(6, 12, 128, 128), None, many, many),
    "masked": (MASKED, CAUSAL, words, words),
    "masked head": (LEAK, CAUSAL, words, words),
    "two queries": (weights(3, 2, 5), None, words[:5], ["who", "reads"]),
}
ALIKE = torch.full((6, 6), 1 / 6)
MAP = "rows are queries, columns are keys"


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
        """The sentence and the active cell, of the head that is chosen, are PyTorch's."""
        matrix, mask, keys, queries = GIVEN[self.which]
        now = self.controls()
        heads = [int(now[name]) for name in ("Layer", "Head") if name in now]
        matrix = matrix[tuple(heads)]
        if len(heads) == 2:
            assert "layer {}, head {}:".format(*heads) in self.stage.get_attribute("aria-label")
        i, j = self.stage.evaluate("""grid => {
          const cell = document.getElementById(grid.getAttribute("aria-activedescendant"));
          return [cell.closest("[aria-rowindex]").getAttribute("aria-rowindex") - 1, cell.ariaColIndex - 1];
        }""")
        hidden = mask is not None and not mask[i, j]
        assert self.cell() == f"'{keys[j]}': {matrix[i, j]:.4f}{', hidden' if hidden else ''}"
        if not hidden:
            assert self.said() == sentence(matrix, i, j, keys, queries)

    def cell(self):
        """What a screen reader finds as the active cell."""
        return self.stage.evaluate(
            "grid => document.getElementById(grid.getAttribute('aria-activedescendant')).textContent"
        )

    def pointed(self, step=8):
        """The pointer all over the stage, a few pixels apart: [x, y, what is said]; `places` have the line below it."""
        found, self.places = self.stage.evaluate(
            """(grid, step) => {
            const box = grid.getBoundingClientRect();
            const readout = grid.parentElement.querySelector("output");
            const found = [];
            const places = [];
            for (let y = 2; y < box.height; y += step) {
              for (let x = 2; x < box.width; x += step) {
                const [clientX, clientY] = [box.left + x, box.top + y];
                grid.dispatchEvent(new PointerEvent("pointerleave"));
                grid.dispatchEvent(new PointerEvent("pointermove", { clientX, clientY, bubbles: true }));
                found.push([x, y, readout.firstChild.textContent]);
                places.push([x, y, readout.lastChild.textContent]);
              }
            }
            grid.dispatchEvent(new PointerEvent("pointerleave"));
            return [found, places];
        }""",
            step,
        )
        return found

    def colors(self, canvas):
        """All opaque colors of the stage's n-th canvas: 0 the squares, 1 what is drawn over them."""
        return set(
            self.stage.locator("canvas")
            .nth(canvas)
            .evaluate("""canvas => {
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            const found = new Set();
            for (let i = 0; i < data.length; i += 4) {
              if (data[i + 3] === 255) found.add(`${data[i]} ${data[i + 1]} ${data[i + 2]}`);
            }
            return [...found];
        }""")
        )


OTHERS = {"alike": lambda: explorers.attention(words, ALIKE)}


def sentence(matrix, row, column, keys=words, queries=words):
    weight = f"{matrix[row, column]:.4f}"
    return f"'{queries[row]}' reads '{keys[column]}': {'less than 0.0001' if weight == '0.0000' else weight}"


ROW = Row(
    AttentionView,
    {
        name: lambda given=given: explorers.attention(given[2], given[0], given[3], mask=given[1])
        for name, given in GIVEN.items()
    },
    legends=1,
    stops={
        "6 words": [f"Attention weights: {MAP}", "Read as a table"],
        "2 x 4 heads": ["Layer", "Head", f"Attention weights, layer 0, head 0: {MAP}", "Read as a table"],
    },
    settings=[("2 x 4 heads", {"Layer": layer, "Head": head}) for layer, head in (("0", "3"), ("1", "3"), ("1", "0"))]
    + [("128 words", {"Layer": "5", "Head": "11"}), ("two queries", {"Head": "2"})],
    faces=("masked head",),
    parts="[role=grid], label, select, output, .abh-legend, summary",
)


def test_squares_have_the_colors_of_the_figures(opened):
    drawn = opened.view("6 words").colors(0)
    for weight in weights(6, 6).flatten().tolist():
        assert "{} {} {}".format(*figures.WEIGHTS(weight, bytes=True)[:3]) in drawn


def test_the_pointer_finds_every_square_and_every_word(opened):
    view, matrix = opened.view("6 words"), weights(6, 6)
    points, untouched = view.pointed(), view.said()
    rows = [point for point in points if "reads most" in point[2]]
    right, top = max(x for x, _, _ in rows), min(y for _, y, _ in rows)
    squares = [said for x, y, said in points if x > right and y >= top and said != untouched]
    expected = [sentence(matrix, i, j) for i in range(6) for j in range(6)]
    expected.remove(untouched)
    assert list(dict.fromkeys(squares)) == expected  # row after row, in the order in which they are met
    most = []
    for row, top in enumerate(matrix.topk(3).indices.tolist()):
        pairs = [f"'{words[j]}' {matrix[row, j]:.4f}" for j in top]
        most.append(f"'{words[row]}' reads most: {', '.join(pairs)}")
    assert list(dict.fromkeys(said for _, _, said in rows)) == most


def test_equal_weights_have_no_largest(opened):
    said = {said for _, _, said in opened.view("alike").pointed() if "alike" in said}
    assert said == {f"'{word}' reads 6 keys alike: 0.1667 each" for word in words}


def test_a_click_keeps_what_the_pointer_found(opened):
    view, matrix = opened.view("6 words"), weights(6, 6)
    wanted = sentence(matrix, 5, 0)
    x, y = next((x, y) for x, y, said in reversed(view.pointed()) if said == wanted)
    view.stage.click(position={"x": x, "y": y})
    view.page.mouse.move(5, 5)
    assert view.said() == wanted and view.cell() == f"'Your': {matrix[5, 0]:.4f}"
    assert view.explained() == "The row sums to 1.0000. Kept."
    previews = {said for _, _, said in view.pointed()}
    assert previews == {wanted}  # the kept sentence stays
    found = [place for place in view.places if place[2].startswith("Under the pointer")]
    elsewhere = found[len(found) // 2]  # the first ones are at the edge of a word
    view.stage.hover(position={"x": elsewhere[0], "y": elsewhere[1]})
    assert view.explained() == elsewhere[2]
    view.stage.click(position={"x": x, "y": y})
    assert not view.explained().endswith("Kept.")
    view.stage.hover(position={"x": elsewhere[0], "y": elsewhere[1]})
    assert f"Under the pointer: {view.said()}" == elsewhere[2]  # free again: the pointer decides


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
    said = {said for _, _, said in view.pointed()}
    assert "'Your' cannot read 'journey': the mask hides it" in said
    assert "'journey' reads 'one': 0.2500, although the mask hides it" in said
    assert {"236 238 242", "168 74 6"} <= view.colors(0)
    assert view.output.get_by_text("hidden, but read all the same").is_visible()
    without = opened.view("6 words")
    assert not {"236 238 242", "168 74 6"} & without.colors(0)
    assert without.output.get_by_text("hidden").count() == 0
    view.stage.focus()
    view.press("Control+Home", "ArrowRight")
    assert view.cell() == "'journey': 0.0000, hidden"


def test_the_map_can_be_read_as_a_table(opened):
    view = opened.view("masked")
    view.read_as_a_table()
    [[caption, rows]] = view.listings()
    assert caption == "Weights: rows are queries, columns are keys"
    assert rows[1] == ["journey"] + [
        f"{weight:.4f}" + (" (hidden)" if j > 1 else "") for j, weight in enumerate(MASKED[1].tolist())
    ]


def test_a_head_can_be_chosen_in_the_overview(opened):
    view = opened.view("2 x 4 heads")
    small = view.output.locator(".abh-overview canvas")
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
    assert view.output.get_by_role("combobox", name="Layer", exact=True).input_value() == "1"
    assert view.output.get_by_role("combobox", name="Head", exact=True).input_value() == "2"


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
    for which, last in (("two queries", (1, 4)), ("128 words", (127, 127))):
        view = opened.view(which)
        view.stage.focus()
        matrix, _, keys, queries = GIVEN[which]
        assert view.press("Control+End") == sentence(matrix.flatten(0, -3)[0], *last, keys, queries)


def test_what_is_drawn_over_the_squares_follows_the_theme(opened):
    AttentionView(opened.page, "6 words")  # the others are out of sight when the theme changes
    marks = {"Dark": "242 155 87", "Light": "192 84 10"}  # of the words and the square in question
    for theme in marks:
        opened.page.theme(theme)
        for which in ("6 words", "128 words"):
            drawn = AttentionView(opened.page, which).colors(1)
            assert (which, theme, drawn & set(marks.values())) == (which, theme, {marks[theme]})
