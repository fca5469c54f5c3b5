"""The explorer of positions in a browser: every number that it shows, compared with PyTorch's."""

import re

import pytest
import torch
import torch.nn.functional as F

import explorers
import figures
from tests.explorers.browser import NARROW, SIZE
from tests.explorers.test_positions import learned, waves
from tests.explorers.view import View, in_both_themes

pytestmark = pytest.mark.browser
TABLES = {
    "101 waves": waves(101, 128),
    "13 learned": learned(13, 7),
    "512 learned": learned(512, 384),
    "2 by hand": torch.tensor([[1.0, 2.0], [2.0, -1.0]]),
}
each_table = pytest.mark.parametrize("which", TABLES)


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
    return (
        f"The cosines of the {len(every)} pairs {apart} apart run from {every.min():.4f} to {every.max():.4f}: "
        "the position matters too."
    )


# ---------------------------------------------------------------- the browser


class PositionsView(View):
    """The explorer of positions."""

    def __init__(self, page, which):
        super().__init__(page, which)
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

    def colors(self, C):
        """The color in the middle of each square: three rows of C."""
        return self.canvas.evaluate(
            """(canvas, C) => {
            const pen = canvas.getContext("2d");
            const ratio = canvas.height / canvas.getBoundingClientRect().height;
            return [12, 39, 66].map((y) => Array.from({ length: C }, (_, c) =>
              [...pen.getImageData((c + 0.5) * canvas.width / C, y * ratio, 1, 1).data].slice(0, 3)));
        }""",
            C,
        )

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
        return torch.tensor(
            [
                (x0 + (x - across0) / (across1 - across0) * (x1 - x0), y0 + (y - up0) / (up1 - up0) * (y1 - y0))
                for x, y in places
            ]
        )

    def ticks(self, kind, axis):
        found = self.output.locator(f"svg.abh-chart text.{kind}:not(:empty)").evaluate_all(
            "(texts, axis) => texts.map(text => [Number(text.textContent), Number(text.getAttribute(axis))])", axis
        )
        shift = 4 if axis == "y" else 0  # the text stands a little lower than its line
        return [(number, place - shift) for number, place in found if number == number]


@pytest.fixture(scope="module")
def page(open_page):
    return open_page({name: explorers.positions(table) for name, table in TABLES.items()})


def test_controls_and_tables_have_names_and_roles(page):
    view = PositionsView(page, "101 waves")
    assert view.pair() == (50, 58) and view.said() == sentence(TABLES["101 waves"], 50, 58)
    limits = [
        [view.slider(name).get_attribute(end) for end in ("min", "max")]
        for name in ("position i", "position j", "feature")
    ]
    assert limits == [["0", "100"], ["0", "100"], ["0", "127"]]
    for name in (
        "positions 50 and 58 and their product, feature by feature",
        *(f"colors: a {unit} below 0 is orange, above 0 blue" for unit in ("value", "product")),
    ):
        assert view.output.get_by_role("img", name=name).is_visible()
    assert view.charts() == [
        "cosine of every position with position 50, against the distance; dot: position 58, 0.7144"
    ]


@pytest.mark.parametrize("which, ends", [("101 waves", ["-1", "1", "-1", "1"]), ("512 learned", ["≤", "≥", "≤", "≥"])])
def test_the_legend_says_where_colors_stop(page, which, ends):
    """In waves the largest value is as strong as the colors go; in a drawn table some values are beyond."""
    legends = PositionsView(page, which).root.locator(".abh-legend").all_inner_texts()
    found = [mark for text in legends for mark in re.findall(r"[≤≥]|(?<![\d.])-?\d[\d.]*", text)]
    assert [mark for mark in found if mark in {"≤", "≥", *ends}] == ends


@pytest.mark.parametrize(
    "which, i, j",
    [
        ("101 waves", 50, 51),
        ("101 waves", 3, 98),
        ("101 waves", 100, 0),
        ("13 learned", 12, 2),
        ("13 learned", 5, 6),
        ("512 learned", 0, 511),
        ("512 learned", 300, 42),
    ],
)
def test_both_sliders_show_the_numbers_of_pytorch(page, which, i, j):
    view, table = PositionsView(page, which), TABLES[which]
    view.put(i, j)
    assert view.said() == sentence(table, i, j)
    assert view.explained().startswith(signs(table, i, j))
    assert f"dot: position {j}, {cosines(table)[i, j]:.4f}" in view.charts()[0]


def test_it_says_whether_only_the_distance_counts(page):
    view = PositionsView(page, "101 waves")
    view.put(20, 31)
    assert view.explained().endswith(" All 90 pairs 11 apart have this cosine: only the distance matters.")
    view.put(0, 100)
    assert view.explained().endswith(" No other pair is 100 apart.")
    view.put(7, 7)
    assert view.said() == "position 7 with itself: cosine 1.0000 (dot product 64.0000)"
    assert view.explained() == "Opposite signs in none of 128 features. The cosine of every row with itself is 1."
    view = PositionsView(page, "13 learned")
    view.put(9, 5)
    assert view.explained().endswith(" " + spread(TABLES["13 learned"], 4))
    view = PositionsView(page, "512 learned")
    view.put(0, 77)
    assert view.explained().endswith(" " + spread(TABLES["512 learned"], 77))


@each_table
def test_the_squares_have_the_colors_of_their_numbers(page, which):
    view, table = PositionsView(page, which), TABLES[which]
    i, j = len(table) - 1, len(table) // 3
    view.put(i, j)
    square = table.double().square()
    reaches = [min(square.max() ** 0.5, 3 * square.mean() ** 0.5)] * 2 + [min(square.max(), 3 * square.mean())]
    for row, reach, drawn in zip(
        [table[i], table[j], table[i] * table[j]], reaches, view.colors(table.size(1)), strict=True
    ):
        for value, color in zip((0.5 + row / (2 * reach)).clamp(0, 1).tolist(), drawn, strict=True):
            wanted = figures.SIGNED(value, bytes=True)[:3]
            assert max(abs(int(a) - b) for a, b in zip(wanted, color, strict=True)) <= 3  # one step of 256 at an edge


@each_table
def test_the_curves_are_the_cosines(page, which):
    view, table = PositionsView(page, which), TABLES[which]
    T, i, j = len(table), len(table) // 4, len(table) - 1
    view.put(i, j)
    every = cosines(table)
    close = {"atol": 0.002, "rtol": 0}
    found, dot = view.curve("line"), view.dot()
    torch.testing.assert_close(found[:, 0], torch.arange(T) - float(i), atol=1.5 * T / 700, rtol=0)
    torch.testing.assert_close(found[:, 1], every[i].float(), **close)
    torch.testing.assert_close(dot[:, 1], every[i, j, None].float(), **close)
    assert abs(dot[0, 0] - (j - i)) < 0.01 * T
    mean = torch.stack([every.diagonal(k).mean() for k in range(1 - T, T)]).float()
    torch.testing.assert_close(view.curve("third")[:, 1], mean, **close)


def test_moved_together_they_keep_their_distance_and_stop_at_the_ends(page):
    view = PositionsView(page, "101 waves")
    view.put(50, 58)
    dot = view.dot()
    view.tick("move both together", True)
    for name, value, pair in [
        ("position i", 20, (20, 28)),
        ("position j", 40, (32, 40)),
        ("position i", 99, (92, 100)),
        ("position j", 3, (0, 8)),
    ]:
        view.slide(name, value)
        assert view.pair() == pair and view.said() == sentence(TABLES["101 waves"], *pair)
        assert "cosine 0.7144" in view.said()
        torch.testing.assert_close(view.dot(), dot)
        assert view.slider(name).get_attribute("aria-valuetext") == str(pair[name.endswith("j")])
    view.tick("move both together", False)
    view.slide("position i", 4)
    assert view.pair() == (4, 8)


def test_in_a_learned_table_the_cosine_changes_with_the_position(page):
    view = PositionsView(page, "13 learned")
    view.put(0, 3)
    view.tick("move both together", True)
    said = set()
    for i in range(10):
        view.slide("position i", i)
        assert view.said() == sentence(TABLES["13 learned"], i, i + 3)
        said.add(view.said().split("cosine ")[1])
    assert len(said) == 10


@each_table
def test_a_feature_is_read_by_pointing_and_by_its_slider(page, which):
    view, table = PositionsView(page, which), TABLES[which]
    i, j, C = *view.pair(), table.size(1)

    def wanted(c):
        first, second = table[i, c].double(), table[j, c].double()
        return f"{c}: {first:.4f} × {second:.4f} = {first * second:.4f}".replace("-0.0000", "0.0000")

    for c in (0, C // 3, C - 1):
        view.point(c, C)
        assert view.feature() == wanted(c)
    for c in (C - 1, C // 2, 0):
        view.slide("feature", c)
        assert view.feature() == wanted(c)
    assert view.output.get_by_text(wanted(0), exact=True).is_visible()


def test_the_numbers_of_a_feature_follow_the_positions(page):
    view, table = PositionsView(page, "101 waves"), TABLES["101 waves"]
    view.slide("feature", 6)
    view.put(13, 90)
    assert view.feature() == f"6: {table[13, 6]:.4f} × {table[90, 6]:.4f} = {table[13, 6] * table[90, 6]:.4f}"


def test_the_keyboard_alone_suffices(page):
    view = PositionsView(page, "101 waves")
    view.put(50, 58)
    assert view.tab_stops() == ["position i", "position j", "move both together", "feature", "Read as a table"]
    view.slider("position i").focus()
    view.press("ArrowRight", "ArrowRight", "ArrowUp")
    assert view.pair() == (53, 58) and view.said() == sentence(TABLES["101 waves"], 53, 58) and view.focused()
    view.press("Tab", "End")
    assert view.pair() == (53, 100) and view.focused()
    view.press("Tab", "Space", "Shift+Tab", "ArrowLeft")
    assert view.pair() == (52, 99) and view.said() == sentence(TABLES["101 waves"], 52, 99)
    view.press("Tab", "Space", "Tab", "Home", "ArrowRight")
    assert view.feature().startswith("1: ") and view.focused()
    assert not view.output.get_by_role("checkbox").is_checked()


def test_it_fits_a_narrow_window(page):
    page.resize(NARROW)
    for which in TABLES:
        view = PositionsView(page, which)
        view.assert_inside("label, input, output, canvas, svg, svg text, .abh-legend")
    view = PositionsView(page, "101 waves")
    view.point(40, 128)
    assert view.feature().startswith("40: ")
    page.resize(*SIZE)
    view.settle()
    assert view.output.locator("svg.abh-chart").bounding_box()["width"] > 600


def test_it_follows_the_theme(page, tmp_path):
    dark, light = in_both_themes(page, "101 waves", tmp_path)
    assert dark[0] != light[0] and dark[1] != light[1]


@pytest.mark.parametrize("which", ["101 waves", "512 learned"])
def test_a_repaint_is_little_work(page, which):
    view = PositionsView(page, which)
    view.put(50, 58)
    view.tick("move both together", True)
    view.drag("position i")
