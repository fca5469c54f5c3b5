"""The tiles explorer: its `ROW` for test_every_explorer.py, and tests of what only this explorer does."""

import math
import re

import pytest
import torch

import explorers
from explorers.base import INVITATION
from explorers.tiles import running
from helpers.masks import masked_softmax
from helpers.tiled import tiles
from tests.explorers.browser import PHONE
from tests.explorers.view import KINDS, Row, View, drawn

INF = float("inf")


def test_without_arguments_the_largest_score_of_the_last_query_is_in_the_second_of_three_tiles():
    scores = torch.frombuffer(bytearray(explorers.tiles().scores), dtype=torch.float32)
    largest = scores.view(12, 3, 4)[-1].amax(dim=1)
    assert largest[1] > largest[0] > largest[2]


spoilt = drawn(3, 4)
spoilt[1, 2] = float("nan")
REFUSED = [
    (TypeError, "scores must be a tensor or nested lists of numbers, .* got str", ("scores",)),
    (ValueError, r"scores must have shape \(T, S\) or \(S,\), got \(\); pass one number for each", (3.0,)),
    (ValueError, r"scores\[0, 0\]", (drawn(1, 2, 5, 4),)),
    (ValueError, r"1 to 16 queries and as many keys, got \(3, 17\); pass a part", (drawn(3, 17),)),
    (ValueError, r"scores must be finite, or -inf where .* got nan at \[1, 2\]; find out", (spoilt,)),
    (ValueError, r"got inf at \[0, 1\]; find out", ([1.0, INF],)),
    (ValueError, r"values must have shape \(12, Dv\), .* got \(7, 2\); pass a part", (None, drawn(7, 2))),
    (ValueError, r"values must have shape \(4, Dv\), .* at most 3, got \(4, 5\)", (drawn(3, 4), drawn(4, 5))),
    (ValueError, r"values must be finite, got -inf at \[0, 0\]; find out", ([1.0], [[-INF]])),
    (ValueError, "tile must be 1 to 16, got 64; it is", (None, None, 64)),
    (TypeError, "causal must be True or False, got 1; the mask itself is not needed", (None, None, 4, 1)),
    (ValueError, "needs as many queries as keys, got T = 3 and S = 4; pass", (drawn(3, 4), None, 4, True)),
]


# ---------------------------------------------------------------- the numbers of the picture


@pytest.mark.parametrize("tile", [1, 5, 16])
def test_what_is_kept_leads_to_the_courses_own_attention(tile):
    for which in ("mixed", "large", "hidden at first"):
        scores, values = ROWS[which].double(), VALUES.double()
        kept = running(scores, values, tile)
        assert len(kept) == math.ceil(12 / tile)
        largest, total, read = kept[-1]
        assert largest + math.log(total) == pytest.approx(float(scores.logsumexp(dim=0)), rel=1e-12)
        out = torch.tensor(read, dtype=torch.float64) / total
        torch.testing.assert_close(out, scores.softmax(dim=0) @ values)


def test_a_query_that_sees_nothing_keeps_nothing():
    scores, values = torch.full((5,), -INF).double(), drawn(5, 2).double()
    assert running(scores, values, 2) == [(-INF, 0.0, [0.0, 0.0])] * 3
    said = explorers.tiles(scores, values, tile=5).still()["text/plain"]
    assert "At the end: lse -∞, output ÷ l 0.00, 0.00." in said


def test_the_picture_tells_every_step():
    scores = [0.0, 0.0, math.log(2), math.log(2), -INF]
    assert repr(explorers.tiles(scores, [[1.0], [3.0], [0.0], [-1.0], [5.0]], tile=2)) == (
        "Query 0 reads 5 keys, 2 at a time. After tile 0: maximum 0.00, factor 0.00, sum 2.00, output 4.00. "
        "After tile 1: maximum 0.69, factor 0.50, sum 3.00, output 1.00. "
        "After tile 2: maximum 0.69, factor 1.00, sum 3.00, output 1.00. "
        f"At the end: lse 1.79, output ÷ l 0.33. {INVITATION}"
    )


# ---------------------------------------------------------------- in a browser

VALUES = drawn(12, 2, seed=2)
MIXED = 2 * drawn(12)
MIXED[[3, 6]] = torch.tensor([-INF, 7.25])
LARGE = torch.tensor([1000.0, -1000, 999, 3, 1001, 0, 1000.5, -3e4, 1e6, 5, 5, 5])
ROWS = {
    "mixed": MIXED,
    "equal": torch.full((12,), 0.5),
    "large": LARGE,
    "hidden at first": torch.cat([torch.full((5,), -INF), drawn(7)]),
    "only hidden": torch.full((12,), -INF),
}
SQUARE = 2 * drawn(12, 12).round(decimals=1)
SCORES = {"square": SQUARE, **ROWS}


def written(number):
    """The number with four decimals, two if it is large, none if it is very large."""
    if number == -INF:
        return "-∞"
    if abs(number) >= 1e6:
        return f"{number:.0e}".replace("e+0", "e")
    text = f"{number:.{4 if abs(number) < 100 else 2 if abs(number) < 1e4 else 0}f}"
    return text.replace("-0.0000", "0.0000")


def as_score(score):
    if score == -INF or abs(score) >= 1e4:
        return written(score)
    return f"{score:.2f}".replace("-0.00", "0.00")


def state(scores, values=VALUES):
    """The running numbers after these keys, [m, l, *out], by one formula instead of tile by tile."""
    if not scores.isfinite().any():
        return [-INF, 0.0, *[0.0] * values.size(1)]
    powers = (scores - scores.max()).double().exp()
    return [float(scores.max()), float(powers.sum()), *(powers @ values[: len(scores)].double()).tolist()]


class TilesView(View):
    @property
    def score(self):
        return self.output.get_by_role("slider")

    def score_is(self, key, text):
        """Set the score of a key to the slider position with this text."""
        self.put({"key": str(key)})
        self.put({self.score.get_attribute("aria-label"): text})

    def numbers(self, name="Running numbers"):
        """A table on the right: {name of the row: the texts of its cells}."""
        rows = self.output.get_by_role("table", name=name).locator("tbody tr")
        found = rows.evaluate_all("rows => rows.map(row => [...row.cells].map(cell => cell.textContent))")
        return {row[0]: row[1:] for row in found}

    def squares_by_key(self, cells="td.abh-square"):
        """The table on the left, a row for each key."""
        return self.output.locator("table.abh-keys tbody tr").evaluate_all(
            "(rows, cells) => rows.map(row => [...row.querySelectorAll(cells)].map(cell => cell.textContent))", cells
        )

    def step(self):
        return self.output.get_by_text("step ").first.inner_text()

    def squares(self, kind):
        """How many squares of the picture are of this kind."""
        return self.output.locator(f"svg path.abh-{kind}").get_attribute("d").count("M")

    def disabled(self):
        buttons = self.output.get_by_role("group", name="step").get_by_role("button")
        return [button.inner_text() for button in buttons.all() if button.get_attribute("aria-disabled") == "true"]

    def given(self):
        """The query's scores as set by the reader and masked, its index, the tile size, and whether causal is on."""
        now = self.controls()
        query, key = int(now.get("query", 0)), int(now["key"])
        scores = SCORES[self.which].clone()
        scores = scores[query] if scores.dim() == 2 else scores
        text = now[f"score of query {query} for key {key}"].split(":")[0]
        if text not in (as_score(float(scores[key])), "hidden"):
            scores[key] = -INF if text == "-∞" else float(text)
        seen = torch.arange(12) <= query if now.get("causal") else torch.ones(12) > 0
        return scores.masked_fill(~seen, -INF), query, int(now["keys in a tile"]), now.get("causal", False)

    def assert_right(self):
        """Check every number of this step by one formula instead of tile by tile, and which tiles are read."""
        scores, query, tile, causal = self.given()
        final = masked_softmax(scores[None].double(), scores[None] > -INF)[0]
        ends = [min(start + tile, 12) for start in range(0, query + 1 if causal else 12, tile)]
        t, steps = (int(number) for number in re.findall(r"\d+", self.step()))
        assert steps == len(ends) + 1
        self._assert_keys(scores, final, tile, ends, t - 1)
        if t == steps:
            result = self.numbers(f"Query {query} at the end")
            expected = [float(scores.double().logsumexp(dim=0)), *(final @ VALUES.double()).tolist()]
            assert list(result) == ["m + log l", "output 0 ÷ l", "output 1 ÷ l"]
            for row, number in zip(result.values(), expected, strict=True):
                assert row[:2] == [written(number)] * 2 and float(row[2]) <= 1e-12 * max(1.0, abs(number))
        else:
            self._assert_running(scores, tile * (t - 1), ends[t - 1])
        if self.which == "square":
            self._assert_map(query, tile, causal, t - 1)
        queries = len(SCORES[self.which]) if self.which == "square" else 1
        high = min(tile, queries)
        exist = "1 score exists" if tile == 1 else f"{high * tile} scores exist"
        said = self.output.get_by_text("At most").inner_text()
        assert said.startswith(f"At most {high} × {tile} = {exist} at once, ")
        assert said.endswith(f" {queries} × 12 = {queries * 12} scores.")

    def _assert_keys(self, scores, final, tile, ends, t):
        end, start = ends[min(t, len(ends) - 1)], tile * t
        here = list(range(start, end)) if t < len(ends) else []
        m = max(0.0, state(scores[:end])[0]) if state(scores[:end])[0] == -INF else state(scores[:end])[0]
        powers, keys = (scores.double() - m).exp().tolist(), self.squares_by_key()
        assert self.output.locator("tr.abh-here th").all_text_contents() == list(map(str, here))
        assert [row[0] for row in keys] == [as_score(score) for score in scores.tolist()]
        assert [row[1] for row in keys] == [written(powers[j]) if j in here else "" for j in range(12)]
        so_far = masked_softmax(scores[None, :end].double(), scores[None, :end] > -INF)[0].tolist()
        assert [row[2] for row in keys] == [*map(written, so_far), *[""] * (12 - end)]
        assert [row[3] for row in keys] == [written(weight) for weight in final.tolist()]
        skipped = [j for j, (text,) in enumerate(self.squares_by_key("td.abh-after")) if text.endswith("skipped")]
        assert skipped == list(range(ends[-1], 12))

    def _assert_running(self, scores, start, end):
        before, after, part = state(scores[:start]), state(scores[:end]), scores[start:end]
        m = 0.0 if after[0] == -INF else after[0]
        factor = math.exp(before[0] - m) if before[0] > -INF else 0.0
        powers = (part.double() - m).exp()
        rows = list(self.numbers().values())
        assert rows[0] == [written(before[0]), "", f"or {written(float(part.max()))}", written(after[0])]
        assert [row[0] for row in rows] == [written(number) for number in before]
        assert [row[3] for row in rows] == [written(number) for number in after]
        assert {row[1] for row in rows[1:]} == {f"× {written(factor)}"}
        added = [powers.sum(), *(powers @ VALUES[start:end].double())]
        signed = [f"{'-' if number < 0 else '+'} {written(abs(float(number)))}" for number in added]
        assert [row[2] for row in rows[1:]] == signed

    def _assert_map(self, query, tile, causal, t):
        """Assert that tiles are read and skipped as in tiled_attention."""
        read, everything = tiles(12, 12, tile, causal=causal), math.ceil(12 / tile) ** 2
        rows, columns = read[query // tile]
        count = sum(len(parts) for _, parts in read)
        told = f"{count} of {everything} tiles are read" if count < everything else "a single tile"
        assert (told in self.charts()[0]) == (causal or everything == 1)
        assert self.charts()[0].endswith(f"; query {query} reads tile {t} now") == (t < len(columns))
        seen = torch.ones(12, 12).tril() if causal else torch.ones(12, 12)
        inside = torch.zeros(12, 12)
        inside[rows] = 1
        mine = [int((seen * inside)[:, part].sum()) for part in columns]
        assert [self.squares(kind) for kind in ("before", "now", "later", "elsewhere", "skipped")] == [
            sum(mine[:t]),
            sum(mine[t : t + 1]),
            sum(mine[t + 1 :]),
            int((seen * (1 - inside)).sum()),
            everything - count,
        ]


TILE, STEP = "keys in a tile", {"Next": None}
SCORE = "score of query 11 for key 0"
ROW = Row(
    explorers.tiles,
    TilesView,
    {which: (scores, VALUES) for which, scores in SCORES.items()},
    taken=[(drawn(1, 1), drawn(1, 1), 1), (3e38 * drawn(16, 16).sign(), drawn(16, 3), 1)],  # all is inside the picture
    kinds=KINDS,
    refused=REFUSED,
    opens={"square": {TILE: "4", "query": "11", "causal": False, "key": "0"}},
    stops={
        "square": ["4", "query", "causal", "key", SCORE, "Reset all scores", "First", "Back", "Next", "Last"]
        + ["Read as a table"],
    },
    settings=[
        ("square", {TILE: tile, "query": query, "causal": True, place: None})
        for tile, query in (("1", "11"), ("4", "0"), ("4", "5"), ("8", "11"), ("12", "5"))
        for place in ("First", "Last")
    ],
    says=[
        ("hidden at first", {}, "Tile 0, keys 0 to 3: hidden, and nothing changes", None),
        ("only hidden", {"Last": None}, "The end: every key is hidden, so the output is 0 and lse is -∞", None),
    ],
    first={"First": STEP, "Back": STEP, "Next": {"First": None}},
    roomy=[(which, {place: None}) for which in ("square", "large") for place in ("Next", "Last")]
    + [("square", {"causal": True})],
    steady=("svg.abh-chart", "square", [{"First": None}, STEP, STEP | {"Next": None}, {"Last": None}]),
    looks=[({"causal": True}, "path.abh-elsewhere, path.abh-now, path.abh-later, path.abh-skipped", 4)],
    marks=[
        (".abh-swatch.abh-token-line", ".abh-swatch.abh-token-mark"),
        (".abh-swatch.abh-crossed", ".abh-swatch.abh-open"),
        (".abh-here td.abh-square", "tr:not(.abh-here) td.abh-square"),
    ],
)


@pytest.mark.parametrize(
    "which, tile", [*((which, 4) for which in ROWS), ("mixed", 1), ("large", 8), ("hidden at first", 12)]
)
def test_every_step_shows_what_pytorch_computes(opened, which, tile):
    view = opened.view(which, {TILE: str(tile)})
    for _ in range(math.ceil(12 / tile)):
        view.assert_right()
        view.click("Next")
    view.assert_right()
    assert view.step() == "step {0} of {0}".format(math.ceil(12 / tile) + 1)


def test_the_maximum_can_be_moved_to_another_tile(opened):
    for key, told in [(1, ["is", "stays", "stays"]), (11, ["is", "rises", "rises"])]:
        view = opened.view("mixed")
        view.score_is(key, "20.00")
        for verb in told:
            assert f" {verb} " in view.said()
            view.assert_right()
            view.click("Next")


def test_a_key_can_be_hidden_and_shown_again_and_is_chosen_with_the_mouse(opened):
    view, table = opened.view("equal"), "Scores and weights of query 0"
    for key in range(4):
        view.score_is(key, "-∞: hidden")
    assert view.said() == "Tile 0, keys 0 to 3: hidden, and nothing changes"
    assert view.kinds(table, "abh-hidden") == [(j, c) for j in range(4) for c in range(4)]
    view.score_is(2, "1000.00")
    assert view.said() == "Tile 0, keys 0 to 3: the maximum m is 1000.00, and the sum l is 1.0000"
    view.click("Reset all scores")
    assert [row[0] for row in view.squares_by_key()] == ["0.50"] * 12
    view.output.locator("table.abh-keys tbody tr").nth(6).click()
    view.settle()
    assert view.controls()["key"] == "6" and view.kinds(table, "abh-chosen") == [(6, 0)]


def test_a_later_key_has_no_slider_and_each_query_keeps_its_own_scores(opened):
    view = opened.view("square")
    view.score_is(3, "10.00")
    view.put({"query": "2"})
    assert [row[0] for row in view.squares_by_key()] == [as_score(score) for score in SQUARE[2].tolist()]
    view.put({"causal": True})
    assert view.score.is_disabled()
    assert view.score.get_attribute("aria-valuetext") == "hidden: it comes later"
    view.put({"query": "11"})
    assert not view.score.is_disabled() and view.squares_by_key()[3][0] == "10.00"


def test_keys_lead_from_step_to_step(opened):
    view = opened.view("mixed")
    view.output.get_by_role("button", name="Next").focus()
    view.press("Enter")
    assert view.step() == "step 2 of 4" and view.focused()
    for key, place in (("ArrowRight", 3), ("End", 4), ("ArrowRight", 4), ("ArrowLeft", 3), ("Home", 1), ("ArrowUp", 1)):
        view.press(key)
        assert view.step() == f"step {place} of 4"
    view.press("ArrowDown", "Shift+Tab", "Shift+Tab", "Space")
    assert view.step() == "step 1 of 4" and view.focused()


def test_at_the_ends_there_is_no_further_step_and_fewer_steps_end_at_the_last(opened):
    view = opened.view("mixed")
    for end, further, step in (("First", ["First", "Back"], "step 1 of 4"), ("Last", ["Next", "Last"], "step 4 of 4")):
        view.click(end)
        assert view.disabled() == further
        for button in further:
            view.click(button)
        assert view.step() == step
    view.choose("12")
    assert view.step() == "step 2 of 2"


def test_all_steps_can_be_read_as_tables(opened):
    view = opened.view("mixed")
    view.unfold()
    steps, end = view.listings()
    assert steps[0] == "Query 0, after each tile" and end[0] == "At the end"
    for t, row in enumerate(steps[1]):
        m, *others = map(written, state(MIXED[: 4 * t + 4]))
        assert row[:3] == [str(t), f"keys {4 * t} to {4 * t + 3}", m] and row[4:] == others
    view.click("Last")
    assert end[1] == [[name, *cells] for name, cells in view.numbers("at the end").items()]


def test_as_many_keys_and_outputs_as_there_can_be_fit_a_phone(open_page):
    wide = explorers.tiles(torch.cat([SQUARE, drawn(12, 4)], dim=1), drawn(16, 3))
    phone = open_page({"wide": wide}, **PHONE)
    for width in (390, 320):
        phone.resize(width)
        view = TilesView(phone, "wide")
        for name in ("First", "Next", "Last"):
            view.click(name)
            view.assert_inside()
