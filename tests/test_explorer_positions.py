"""The explorer of positions: what it refuses, and every number it shows beside the same number from PyTorch."""

import inspect
import re
import xml.etree.ElementTree as ElementTree

import pytest
import torch
import torch.nn.functional as F

import explorers
from helpers import embeddings, plots
from explorers import still
from explorers.base import INVITATION
from tests.shown import Shown, in_both_themes

pytest_plugins = ["tests.browser"]


def waves(T, C):
    return embeddings.sinusoidal_positions(T, C)


def learned(T, C):
    return torch.randn(T, C, generator=torch.Generator().manual_seed(123)).cumsum(dim=0)


CELLS = [f"import torch\nimport explorers\nfrom helpers import embeddings\n\n{inspect.getsource(waves)}\n\n"
         f"{inspect.getsource(learned)}",
         "explorers.positions(waves(101, 128))",
         "explorers.positions(learned(13, 7))",
         "explorers.positions(learned(512, 384))",
         "explorers.positions([[1.0, 2.0], [2.0, -1.0]])"]
TABLES = {1: waves(101, 128), 2: learned(13, 7), 3: learned(512, 384), 4: torch.tensor([[1.0, 2.0], [2.0, -1.0]])}
NAMES = {1: "101 waves", 2: "13 learned", 3: "512 learned", 4: "2 by hand"}
each_table = pytest.mark.parametrize("cell", TABLES, ids=NAMES.get)


# ---------------------------------------------------------------- Python: what is sent, and what is refused

@pytest.mark.parametrize("given", [
    waves(11, 6), waves(11, 6).requires_grad_(), waves(11, 6).double(), waves(11, 6).half(), waves(11, 6).tolist(),
    waves(11, 6).mT[1:],
], ids=["float32", "with gradients", "float64", "float16", "lists", "not contiguous"])
def test_tables_of_every_kind_are_sent_as_they_are(given):
    view, expected = explorers.positions(given), torch.as_tensor(given).detach().float()
    assert view.shape == list(expected.shape)
    sent = torch.frombuffer(bytearray(view.table), dtype=torch.float32).view(view.shape)
    torch.testing.assert_close(sent, expected, atol=0, rtol=0)


def test_a_table_on_a_gpu_is_taken(gpu):
    assert explorers.positions(waves(11, 6).cuda()).shape == [11, 6]


@pytest.mark.parametrize("T, pair", [(101, [50, 58]), (512, [255, 263]), (9, [4, 8]), (2, [0, 1])])
def test_it_opens_with_two_positions_in_the_middle(T, pair):
    assert explorers.positions(waves(T, 4)).pair == pair


@pytest.mark.parametrize("error, message, table", [
    (TypeError, "must be a tensor or nested lists of numbers, .* got str; look", "waves"),
    (TypeError, "got NoneType; look", None),
    (TypeError, "rows of one length, got list; look", [[1.0, 2.0], [1.0]]),
    (TypeError, "one tensor, got a list of tensors; join", [waves(5, 4)[0], waves(5, 4)[1]]),
    (TypeError, "must be floats, .* got torch.int64; pass the rows themselves, not ids", torch.arange(12).view(3, 4)),
    (TypeError, "must be floats, .* got torch.bool; pass", torch.ones(3, 4, dtype=torch.bool)),
    (TypeError, "real numbers, got torch.complex64", torch.ones(3, 4) * 1j),
    (ValueError, r"shape \(T, C\), .* got \(4,\); one row is no table", waves(5, 4)[0]),
    (ValueError, r"shape \(T, C\), .* got \(1, 5, 4\); choose one table", waves(5, 4)[None]),
    (ValueError, r"shape \(T, C\), .* got \(0,\); one row", []),
    (ValueError, r"2 to 512 positions and as many features, got \(1, 4\); pass", waves(1, 4)),
    (ValueError, r"2 to 512 positions and as many features, got \(5, 1\); pass", waves(5, 4)[:, :1]),
    (ValueError, r"got \(0, 4\); pass", torch.zeros(0, 4)),
    (ValueError, r"got \(513, 4\); pass a part", waves(513, 4)),
    (ValueError, r"got \(30522, 768\); pass a part", torch.zeros(1, 1).expand(30522, 768)),
    (ValueError, r"table must be finite, got nan at \[1, 0\]; look", [[1.0, 0.0], [float("nan"), 1.0]]),
    (ValueError, r"table must be finite, got inf at \[0, 1\]; look", [[1.0, float("inf")], [1.0, 1.0]]),
    (ValueError, "other than 0, got zeros at position 2; leave that row out", torch.tensor([1.0, 2, 0, 1])[:, None] *
     torch.ones(4, 3)),
])
def test_what_cannot_be_shown_is_refused_in_one_sentence(error, message, table):
    with pytest.raises(error, match=message) as caught:
        explorers.positions(table)
    said = str(caught.value)
    assert "\n" not in said and len(said) < 260 and "; " in said


# ---------------------------------------------------------------- Python: the picture that stays

def test_the_picture_is_that_of_the_opening_view():
    shown = explorers.positions(waves(101, 128)).still()
    below = [int((row < 0).sum()) for row in (TABLES[1][50], TABLES[1][58], TABLES[1][50] * TABLES[1][58])]
    cosine = F.cosine_similarity(TABLES[1][50], TABLES[1][58], dim=0)
    assert shown["text/plain"] == (
        f"Two positions, feature by feature: cosine {cosine:.2f} (128 features). Numbers below 0: "
        f"position 50 {below[0]}, position 58 {below[1]}, product {below[2]}. {INVITATION}")
    assert shown == explorers.positions(waves(101, 128)).still()


def test_the_picture_has_the_colours_of_the_numbers():
    picture = still.strips({"first": torch.tensor([-2.0, 0, 0, 2]), "second": torch.tensor([0.3, 0.3, -0.3, 0])}, "Two")
    for side, strokes in {0.0: "M0 0h1M2 1h1", 1.0: "M3 0h1M0 1h2"}.items():
        colour = "#{:02x}{:02x}{:02x}".format(*plots.SIGNED(side, bytes=True)[:3])
        assert f'<path stroke="{colour}" d="{strokes}"/>' in picture.svg
    assert picture.alt == "Two (4 features). Numbers below 0: first 1, second 1."
    words = [text.text for text in ElementTree.fromstring(picture.svg).iter("{http://www.w3.org/2000/svg}text")]
    assert words == ["Two", "first", "second", "feature", "0", "1", "2", "3", "below 0", "above 0"]


def test_the_picture_of_the_largest_table_is_small():
    assert len(explorers.positions(learned(512, 512)).picture().svg) < 20_000


def test_a_later_change_of_the_table_changes_nothing():
    given = waves(11, 6)
    view = explorers.positions(given)
    before = view.still(), view.table
    given.fill_(7)
    assert (view.still(), view.table) == before


# ---------------------------------------------------------------- what the numbers must be

def cosines(table):
    rows = F.normalize(table.double(), dim=-1)
    return rows @ rows.mT


def sentence(table, i, j):
    names = f"positions {i} and {j}, {abs(i - j)} apart" if i != j else f"position {i} with itself"
    dot = table[i].double() @ table[j].double()
    return f"{names}: cosine {cosines(table)[i, j]:.4f} (dot product {dot:.4f})".replace("-0.0000", "0.0000")


def signs(table, i, j):
    C = table.size(1)
    below = [c for c in range(C) if table[i, c] * table[j, c] < 0]
    if not below:
        return f"Opposite signs in none of {C} features."
    return f"Opposite signs in {len(below)} of {C} features, {sum(c < C / 2 for c in below)} of them in the left half."


def spread(table, apart):
    every = cosines(table).diagonal(apart)
    return f"The {len(every)} pairs {apart} apart: {every.min():.4f} to {every.max():.4f}, so the place counts too."


# ---------------------------------------------------------------- the browser

class PositionsShown(Shown):
    """The explorer of positions."""

    def __init__(self, notebook, cell):
        super().__init__(notebook, cell)
        self.canvas = self.output.locator("canvas")
        self.tick("move both together", False)

    def put(self, i, j):
        self.slide("position i", i)
        self.slide("position j", j)

    def pair(self):
        return tuple(int(self.slider(f"position {which}").input_value()) for which in "ij")

    def feature(self):
        """What is said of the chosen feature."""
        return self.slider("feature").get_attribute("aria-valuetext")

    def point(self, feature, C):
        box = self.canvas.bounding_box()
        self.page.mouse.move(box["x"] + (feature + 0.5) * box["width"] / C, box["y"] + 12)
        self.settle()

    def colours(self, C):
        """The colour in the middle of each square: three rows of C."""
        return self.canvas.evaluate("""(canvas, C) => {
            const pen = canvas.getContext("2d");
            const ratio = canvas.height / canvas.getBoundingClientRect().height;
            return [12, 39, 66].map((y) => Array.from({ length: C }, (_, c) =>
              [...pen.getImageData((c + 0.5) * canvas.width / C, y * ratio, 1, 1).data].slice(0, 3)));
        }""", C)

    def curve(self, kind):
        """A curve of the chart, read from its pixels: each row a distance and a cosine."""
        path = self.output.locator(f"path.abh-{kind}").get_attribute("d")
        return self.as_numbers([(float(x), float(y)) for x, y in re.findall(r"([\d.]+) ([\d.]+)", path)])

    def dot(self):
        dot = self.output.locator("svg.abh-chart circle")
        return self.as_numbers([(float(dot.get_attribute("cx")), float(dot.get_attribute("cy")))])

    def as_numbers(self, places):
        """Pixels back to numbers, by the outermost ticks of both axes: (N, 2)."""
        (x0, across0), *_, (x1, across1) = self.ticks("abh-middle", "x")
        (y0, up0), *_, (y1, up1) = self.ticks("abh-end", "y")
        return torch.tensor([(x0 + (x - across0) / (across1 - across0) * (x1 - x0),
                              y0 + (y - up0) / (up1 - up0) * (y1 - y0)) for x, y in places])

    def ticks(self, kind, axis):
        found = self.output.locator(f"svg.abh-chart text.{kind}:not(:empty)").evaluate_all(
            "(texts, axis) => texts.map(text => [Number(text.textContent), Number(text.getAttribute(axis))])", axis)
        shift = 4 if axis == "y" else 0  # the text stands a little lower than its line
        return [(number, place - shift) for number, place in found if number == number]


@pytest.fixture(scope="module")
def notebook(open_notebook):
    page = open_notebook(CELLS, name="positions")
    page.run_all()
    return page


def test_it_appears_with_names_and_roles(notebook):
    shown = PositionsShown(notebook, 1)
    assert shown.pair() == (50, 58) and shown.said() == sentence(TABLES[1], 50, 58)
    limits = [[shown.slider(name).get_attribute(end) for end in ("min", "max")]
              for name in ("position i", "position j", "feature")]
    assert limits == [["0", "100"], ["0", "100"], ["0", "127"]]
    for name in ("positions 50 and 58 and their product, feature by feature",
                 *(f"colours: a {unit} below 0 is orange, above 0 blue" for unit in ("value", "product"))):
        assert shown.output.get_by_role("img", name=name).is_visible()
    assert shown.charts() == ["cosine of every position with position 50, against the distance; "
                              "dot: position 58, 0.7144"]


@pytest.mark.parametrize("cell, ends", [(1, ["-1", "1", "-1", "1"]), (3, ["≤", "≥", "≤", "≥"])])
def test_the_legend_says_where_colours_stop(notebook, cell, ends):
    """In waves the largest value is as strong as the colours go; in a drawn table some values are beyond."""
    legends = PositionsShown(notebook, cell).root.locator(".abh-legend").all_inner_texts()
    found = [mark for text in legends for mark in re.findall(r"[≤≥]|(?<![\d.])-?\d[\d.]*", text)]
    assert [mark for mark in found if mark in {"≤", "≥", *ends}] == ends


@pytest.mark.parametrize("cell, i, j", [(1, 50, 51), (1, 3, 98), (1, 100, 0), (2, 12, 2), (2, 5, 6), (3, 0, 511),
                                        (3, 300, 42)])
def test_both_sliders_are_answered_with_the_numbers_of_pytorch(notebook, cell, i, j):
    shown, table = PositionsShown(notebook, cell), TABLES[cell]
    shown.put(i, j)
    assert shown.said() == sentence(table, i, j)
    assert shown.explained().startswith(signs(table, i, j))
    assert f"dot: position {j}, {cosines(table)[i, j]:.4f}" in shown.charts()[0]


def test_it_says_whether_only_the_distance_counts(notebook):
    shown = PositionsShown(notebook, 1)
    shown.put(20, 31)
    assert shown.explained().endswith(" All 90 pairs 11 apart have this cosine: only the distance counts.")
    shown.put(0, 100)
    assert shown.explained().endswith(" No other pair is 100 apart.")
    shown.put(7, 7)
    assert shown.said() == "position 7 with itself: cosine 1.0000 (dot product 64.0000)"
    assert shown.explained() == "Opposite signs in none of 128 features. Every row has cosine 1 with itself."
    shown = PositionsShown(notebook, 2)
    shown.put(9, 5)
    assert shown.explained().endswith(" " + spread(TABLES[2], 4))
    shown = PositionsShown(notebook, 3)
    shown.put(0, 77)
    assert shown.explained().endswith(" " + spread(TABLES[3], 77))


@each_table
def test_the_squares_have_the_colours_of_their_numbers(notebook, cell):
    shown, table = PositionsShown(notebook, cell), TABLES[cell]
    i, j = len(table) - 1, len(table) // 3
    shown.put(i, j)
    square = table.double().square()
    reaches = [min(square.max() ** 0.5, 3 * square.mean() ** 0.5)] * 2 + [min(square.max(), 3 * square.mean())]
    for row, reach, drawn in zip([table[i], table[j], table[i] * table[j]], reaches, shown.colours(table.size(1)),
                                 strict=True):
        for value, colour in zip((0.5 + row / (2 * reach)).clamp(0, 1).tolist(), drawn, strict=True):
            wanted = plots.SIGNED(value, bytes=True)[:3]
            assert max(abs(int(a) - b) for a, b in zip(wanted, colour, strict=True)) <= 3  # one step of 256 at an edge


@each_table
def test_the_curves_are_the_cosines(notebook, cell):
    shown, table = PositionsShown(notebook, cell), TABLES[cell]
    T, i, j = len(table), len(table) // 4, len(table) - 1
    shown.put(i, j)
    every = cosines(table)
    close = {"atol": 0.002, "rtol": 0}
    found, dot = shown.curve("line"), shown.dot()
    torch.testing.assert_close(found[:, 0], torch.arange(T) - float(i), atol=1.5 * T / 700, rtol=0)
    torch.testing.assert_close(found[:, 1], every[i].float(), **close)
    torch.testing.assert_close(dot[:, 1], every[i, j, None].float(), **close)
    assert abs(dot[0, 0] - (j - i)) < 0.01 * T
    mean = torch.stack([every.diagonal(k).mean() for k in range(1 - T, T)]).float()
    torch.testing.assert_close(shown.curve("third")[:, 1], mean, **close)


def test_moved_together_they_keep_their_distance_and_stop_at_the_ends(notebook):
    shown = PositionsShown(notebook, 1)
    shown.put(50, 58)
    dot = shown.dot()
    shown.tick("move both together", True)
    for name, value, pair in [("position i", 20, (20, 28)), ("position j", 40, (32, 40)), ("position i", 99, (92, 100)),
                              ("position j", 3, (0, 8))]:
        shown.slide(name, value)
        assert shown.pair() == pair and shown.said() == sentence(TABLES[1], *pair)
        assert "cosine 0.7144" in shown.said()
        torch.testing.assert_close(shown.dot(), dot)
        assert shown.slider(name).get_attribute("aria-valuetext") == str(pair[name.endswith("j")])
    shown.tick("move both together", False)
    shown.slide("position i", 4)
    assert shown.pair() == (4, 8)


def test_of_a_learned_table_the_cosine_changes_on_the_way(notebook):
    shown = PositionsShown(notebook, 2)
    shown.put(0, 3)
    shown.tick("move both together", True)
    said = set()
    for i in range(10):
        shown.slide("position i", i)
        assert shown.said() == sentence(TABLES[2], i, i + 3)
        said.add(shown.said().split("cosine ")[1])
    assert len(said) == 10


@each_table
def test_a_feature_is_read_by_pointing_and_by_its_slider(notebook, cell):
    shown, table = PositionsShown(notebook, cell), TABLES[cell]
    i, j, C = *shown.pair(), table.size(1)

    def wanted(c):
        first, second = table[i, c].double(), table[j, c].double()
        return f"{c}: {first:.4f} × {second:.4f} = {first * second:.4f}".replace("-0.0000", "0.0000")

    for c in (0, C // 3, C - 1):
        shown.point(c, C)
        assert shown.feature() == wanted(c)
    for c in (C - 1, C // 2, 0):
        shown.slide("feature", c)
        assert shown.feature() == wanted(c)
    assert shown.output.get_by_text(wanted(0), exact=True).is_visible()


def test_the_numbers_of_a_feature_follow_the_positions(notebook):
    shown, table = PositionsShown(notebook, 1), TABLES[1]
    shown.slide("feature", 6)
    shown.put(13, 90)
    assert shown.feature() == f"6: {table[13, 6]:.4f} × {table[90, 6]:.4f} = {table[13, 6] * table[90, 6]:.4f}"


def test_the_keyboard_alone_suffices(notebook):
    shown = PositionsShown(notebook, 1)
    shown.put(50, 58)
    assert shown.tab_stops() == ["position i", "position j", "move both together", "feature"]
    shown.slider("position i").focus()
    shown.press("ArrowRight", "ArrowRight", "ArrowUp")
    assert shown.pair() == (53, 58) and shown.said() == sentence(TABLES[1], 53, 58) and shown.focused()
    shown.press("Tab", "End")
    assert shown.pair() == (53, 100) and shown.focused()
    shown.press("Tab", "Space", "Shift+Tab", "ArrowLeft")
    assert shown.pair() == (52, 99) and shown.said() == sentence(TABLES[1], 52, 99)
    shown.press("Tab", "Space", "Tab", "Home", "ArrowRight")
    assert shown.feature().startswith("1: ") and shown.focused()
    assert not shown.output.get_by_role("checkbox").is_checked()


def test_it_fits_a_narrow_window(notebook):
    notebook.page.set_viewport_size({"width": 760, "height": 900})
    for cell in TABLES:
        shown = PositionsShown(notebook, cell)
        edge = shown.output.bounding_box()
        for part in shown.root.locator("label, input, output, canvas, svg, svg text, .abh-legend").all():
            box = part.bounding_box()
            assert box is None or box["x"] + box["width"] <= edge["x"] + edge["width"] + 1, part
    shown = PositionsShown(notebook, 1)
    shown.point(40, 128)
    assert shown.feature().startswith("40: ")
    notebook.page.set_viewport_size({"width": 1280, "height": 900})
    shown.settle()
    assert shown.output.locator("svg.abh-chart").bounding_box()["width"] > 600


def test_it_follows_the_theme(notebook, tmp_path):
    dark, light = in_both_themes(notebook, 1, tmp_path)
    assert dark[0] != light[0] and dark[1] != light[1]


@pytest.mark.parametrize("cell", [1, 3], ids=["101 x 128", "512 x 384"])
def test_a_move_is_followed_at_once(notebook, cell):
    shown = PositionsShown(notebook, cell)
    shown.put(50, 58)
    shown.tick("move both together", True)
    shown.drag("position i")
