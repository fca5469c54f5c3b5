"""The positions explorer: its `ROW` for test_every_explorer.py, and tests of what only this explorer does."""

import io
import re

import pytest
import torch
import torch.nn.functional as F
from PIL import Image

import explorers
import figures
from helpers.embeddings import sinusoidal_positions as waves
from tests.explorers.browser import NARROW, SIZE
from tests.explorers.view import KINDS, Row, View, drawn


def learned(T, C):
    return drawn(T, C, seed=123).cumsum(dim=0)


REFUSED_TABLES = [
    (TypeError, "got NoneType; look", None),
    (TypeError, "must be floats, .* got torch.int64; pass the rows themselves, not ids", torch.arange(12).view(3, 4)),
    (ValueError, r"shape \(T, C\), .* got \(4,\); pass one whole table", waves(5, 4)[0]),
    (ValueError, r"2 to 512 positions and as many features, got \(5, 1\); pass", waves(5, 4)[:, :1]),
    (ValueError, r"got \(30522, 768\); pass a part", torch.zeros(1, 1).expand(30522, 768)),
    (ValueError, r"table must be finite, got nan at \[1, 0\]; find", [[1.0, 0.0], [float("nan"), 1.0]]),
    (ValueError, "other than 0, got zeros at position 2; leave", torch.tensor([1.0, 2, 0, 1])[:, None].expand(4, 3)),
]


# ---------------------------------------------------------------- Python: the picture that stays


def test_the_picture_is_that_of_the_opening_view():
    first, second = waves(101, 128)[[50, 58]]
    cosine = F.cosine_similarity(first, second, dim=0)
    said = explorers.positions(waves(101, 128)).picture().alt
    assert said.startswith(
        f"Position 50 and all others: cosine {cosine:.2f} with position 58 (cosine against position). "
    )
    assert f", {cosine:.4f} at 58, " in said and "highest 1 at 50" in said


# ---------------------------------------------------------------- in a browser

TABLES = {
    "101 waves": waves(101, 128),
    "13 learned": learned(13, 7),
    "512 learned": learned(512, 384),
    "50 drawn": drawn(50, 32),  # some values beyond the range of colors
    "2 by hand": torch.tensor([[1.0, 2.0], [2.0, -1.0]]),
}
FIRST, SECOND, TOGETHER, FEATURE = "position i", "position j", "move both together", "feature"


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


class PositionsView(View):
    """The explorer of positions."""

    def pair(self):
        return tuple(int(self.slider(name).input_value()) for name in (FIRST, SECOND))

    def assert_right(self):
        """Assert that words, squares and curves show PyTorch's numbers."""
        table, (i, j) = TABLES[self.which], self.pair()
        every, c = cosines(table), int(self.slider(FEATURE).input_value())
        assert self.said() == sentence(table, i, j)
        assert self.explained().startswith(signs(table, i, j))
        first, second = table[i, c].double(), table[j, c].double()
        feature = f"{c}: {first:.4f} × {second:.4f} = {first * second:.4f}".replace("-0.0000", "0.0000")
        assert self.controls()[FEATURE] == feature
        assert self.output.get_by_text(feature, exact=True).is_visible()
        assert self.charts() == [
            f"cosine of every position with position {i}, against the distance; dot: position {j}, {every[i, j]:.4f}"
        ]
        self._assert_colors(table, i, j)
        self._assert_curves(every, i, j)

    def _assert_colors(self, table, i, j):
        square = table.double().square()
        one, product = min(square.max() ** 0.5, 3 * square.mean() ** 0.5), min(square.max(), 3 * square.mean())
        rows = torch.stack([table[i] / one, table[j] / one, table[i] * table[j] / product])
        wanted = figures.SIGNED((0.5 + rows / 2).clamp(0, 1).numpy(), bytes=True)[..., :3]
        off = torch.tensor(self.colors(table.size(1))) - torch.from_numpy(wanted).int()
        assert off.abs().max() <= 3  # one step of 256

    def _assert_curves(self, every, i, j):
        T, close = len(every), {"atol": 0.002, "rtol": 0}
        found, [dot] = self.plotted("path.abh-line"), self.plotted("circle")
        torch.testing.assert_close(found[:, 0], torch.arange(T) - float(i), atol=1.5 * T / 700, rtol=0)
        torch.testing.assert_close(found[:, 1], every[i].float(), **close)
        torch.testing.assert_close(dot[1], every[i, j].float(), **close)
        assert abs(dot[0] - (j - i)) < 0.01 * T
        mean = torch.stack([every.diagonal(k).mean() for k in range(1 - T, T)]).float()
        torch.testing.assert_close(self.plotted("path.abh-third")[:, 1], mean, **close)

    def point(self, feature, C):
        box = self.output.locator("canvas").bounding_box()
        self.page.mouse.move(box["x"] + (feature + 0.5) * box["width"] / C, box["y"] + 12)
        self.settle()

    def colors(self, C):
        """The color in the middle of each square: three rows of C."""
        return self.output.locator("canvas").evaluate(
            """(canvas, C) => {
            const pen = canvas.getContext("2d");
            const ratio = canvas.height / canvas.getBoundingClientRect().height;
            return [12, 39, 66].map((y) => Array.from({ length: C }, (_, c) =>
              [...pen.getImageData((c + 0.5) * canvas.width / C, y * ratio, 1, 1).data].slice(0, 3)));
        }""",
            C,
        )

    def plotted(self, parts):
        return torch.tensor(super().plotted(parts), dtype=torch.float32)


WAVES, FEW, LONG, _, TWO = TABLES
ROW = Row(
    explorers.positions,
    PositionsView,
    {name: (table,) for name, table in TABLES.items()},
    taken=[(waves(2, 2),), (learned(512, 512),)],
    kinds=[kind for kind in KINDS if kind != "whole numbers"],  # they look like ids, and are refused
    refused=[(error, message, [table]) for error, message, table in REFUSED_TABLES],
    legends=2,
    opens={WAVES: {FIRST: "50", SECOND: "58", TOGETHER: False}, FEW: {FIRST: "6", SECOND: "12"},
           TWO: {FIRST: "0", SECOND: "1"}},
    stops={WAVES: [FIRST, SECOND, TOGETHER, FEATURE, "Read as a table"]},
    settings=[(WAVES, {FIRST: i, SECOND: j}) for i, j in ((3, 98), (100, 0))]
    + [(FEW, {FIRST: i, SECOND: j, FEATURE: c}) for i, j, c in ((12, 2, 0), (5, 6, 3))]
    + [(LONG, {FIRST: i, SECOND: j, FEATURE: 383}) for i, j in ((0, 511), (300, 42))]
    + [(TWO, {FIRST: 1, SECOND: 0, FEATURE: 1})],
    says=[
        (WAVES, {FIRST: 7, SECOND: 7}, "position 7 with itself: cosine 1.0000 (dot product 64.0000)",
         "Opposite signs in none of 128 features. The cosine of every row with itself is 1."),
    ],
)  # fmt: skip


def test_the_legend_says_where_colors_stop(opened):
    """Colors reach the largest value of a table of waves; in the learned table, some values are beyond them."""
    for which, ends in (("101 waves", ["-1", "1", "-1", "1"]), ("512 learned", ["≤", "≥", "≤", "≥"])):
        legends = opened.view(which).root.locator(".abh-legend").all_inner_texts()
        found = [mark for text in legends for mark in re.findall(r"[≤≥]|(?<![\d.])-?\d[\d.]*", text)]
        assert [mark for mark in found if mark in {"≤", "≥", *ends}] == ends


def test_it_says_whether_only_the_distance_counts(opened):
    for i, j, said in (
        (20, 31, "All 90 pairs 11 apart have this cosine: only the distance matters."),
        (0, 100, "No other pair is 100 apart."),
    ):
        assert opened.view(settings={FIRST: i, SECOND: j}).explained().endswith(f" {said}")
    every = cosines(TABLES[FEW]).diagonal(4)
    least, most = (f"{cosine:.4f}" for cosine in every.aminmax())
    said = opened.view(FEW, {FIRST: 9, SECOND: 5}).explained()
    assert said.endswith(f" of the 9 pairs 4 apart run from {least} to {most}: the position matters too.")


def test_moved_together_they_keep_their_distance_and_stop_at_the_ends(opened):
    view = opened.view(settings={FIRST: 50, SECOND: 58})
    dot = view.plotted("circle")
    view.put({TOGETHER: True})
    for name, value, pair in [(FIRST, 20, (20, 28)), (FIRST, 99, (92, 100)), (SECOND, 3, (0, 8))]:
        view.put({name: value})
        assert view.pair() == pair and "cosine 0.7144" in view.said()
        torch.testing.assert_close(view.plotted("circle"), dot)
        assert view.slider(name).get_attribute("aria-valuetext") == str(pair[name == SECOND])
    view.put({TOGETHER: False, FIRST: 4})
    assert view.pair() == (4, 8)


def test_a_feature_is_read_by_pointing_also_in_a_narrow_window(opened):
    for width, c in ((NARROW, 128), (SIZE[0], 383)):
        opened.page.resize(width)
        view = opened.view(LONG)
        view.point(c, 384)
        assert view.controls()[FEATURE].startswith(f"{c}: ")
        view.assert_right()


def test_the_thumb_is_below_the_mark_of_its_feature(opened):
    view = opened.view("50 drawn")
    slider = view.slider(FEATURE)
    for feature in (0, 13, 31):
        view.put({FEATURE: feature})
        strip, track = view.output.locator(".abh-strips canvas").bounding_box(), slider.bounding_box()
        thumb = track["x"] + 8 + feature / 31 * (track["width"] - 16)
        assert thumb == pytest.approx(strip["x"] + (feature + 0.5) * strip["width"] / 32, abs=0.6)
    assert view.output.get_by_text("The colors end at 3 times the root mean square").is_visible()


def test_in_high_contrast_the_slider_below_the_strips_is_seen(open_page):
    page = open_page({WAVES: explorers.positions(TABLES[WAVES])}, page="<!doctype html><body></body>")
    for scheme in ("light", "dark"):
        page.page.emulate_media(forced_colors="active", color_scheme=scheme)
        picture = PositionsView(page, WAVES).slider(FEATURE).screenshot()
        colors = Image.open(io.BytesIO(picture)).convert("RGB").getcolors(10_000)
        assert len([count for count, _ in colors if count > 20]) >= 3, scheme  # ground, track and thumb
