"""The tiles explorer in a browser: what test_every_view.py has to know of it, and what it alone promises."""

import math
import re

import pytest
import torch

import explorers
from helpers.masks import masked_softmax
from helpers.tiled import tiles
from tests.explorers.browser import PHONE
from tests.explorers.test_tiles import drawn
from tests.explorers.view import Row, View

pytestmark = pytest.mark.browser

INF = float("inf")
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


SCORES = {**ROWS, "square": SQUARE}


def written(number):
    """Four decimals, two where the number is large, none where it is very large."""
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
    """What is kept when these keys have been read: [m, l, *out], by one formula and not tile by tile."""
    if not scores.isfinite().any():
        return [-INF, 0.0, *[0.0] * values.size(1)]
    powers = (scores - scores.max()).double().exp()
    return [float(scores.max()), float(powers.sum()), *(powers @ values[: len(scores)].double()).tolist()]


class TilesView(View):
    @property
    def score(self):
        return self.output.get_by_role("slider")

    def score_is(self, key, text):
        """Give a key a score, which the slider must be able to write like this."""
        self.put({"key": str(key)})
        self.put({self.score.get_attribute("aria-label"): text})

    def numbers(self, name="Running numbers"):
        """A table on the right: {name of the row: the texts of its cells}."""
        rows = self.output.get_by_role("table", name=name).locator("tbody tr")
        found = rows.evaluate_all("rows => rows.map(row => [...row.cells].map(cell => cell.textContent))")
        return {row[0]: row[1:] for row in found}

    def squares_by_key(self):
        """The table on the left, a row for each key."""
        return self._read_rows("td.abh-square")

    def states(self):
        return [text for (text,) in self._read_rows("td.abh-after")]

    def _read_rows(self, cells):
        return self.output.locator("table.abh-keys tbody tr").evaluate_all(
            "(rows, cells) => rows.map(row => [...row.querySelectorAll(cells)].map(cell => cell.textContent))", cells
        )

    def here(self):
        """The keys of the tile that is marked."""
        rows = self.output.locator("table.abh-keys tbody tr")
        found = rows.evaluate_all("rows => rows.map(row => row.classList.contains('abh-here'))")
        return [j for j, marked in enumerate(found) if marked]

    def step(self):
        return self.output.get_by_text("step ").first.inner_text()

    def squares(self, kind):
        """How many squares of the picture are of this kind."""
        path = self.output.locator(f"svg path.abh-{kind}").get_attribute("d")
        return path.count("M")

    def disabled(self):
        buttons = self.output.get_by_role("group", name="step").get_by_role("button")
        return [button.inner_text() for button in buttons.all() if button.get_attribute("aria-disabled") == "true"]

    def given(self):
        """The scores of the query with that of the chosen key, what it may see, its number, and the tile."""
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
        """Every number of this step, by one formula and not tile by tile, and which tiles are read."""
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

    def _assert_keys(self, scores, final, tile, ends, t):
        end, start = ends[min(t, len(ends) - 1)], tile * t
        here = list(range(start, end)) if t < len(ends) else []
        m = max(0.0, state(scores[:end])[0]) if state(scores[:end])[0] == -INF else state(scores[:end])[0]
        powers, keys = (scores.double() - m).exp().tolist(), self.squares_by_key()
        assert self.here() == here
        assert [row[0] for row in keys] == [as_score(score) for score in scores.tolist()]
        assert [row[1] for row in keys] == [written(powers[j]) if j in here else "" for j in range(12)]
        so_far = masked_softmax(scores[None, :end].double(), scores[None, :end] > -INF)[0].tolist()
        assert [row[2] for row in keys] == [*map(written, so_far), *[""] * (12 - end)]
        assert [row[3] for row in keys] == [written(weight) for weight in final.tolist()]
        skipped = [j for j, text in enumerate(self.states()) if text.endswith("skipped")]
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
        """Tiles are read and skipped as in tiled_attention."""
        read, everything = tiles(12, 12, tile, causal=causal), math.ceil(12 / tile) ** 2
        rows, columns = read[query // tile]
        count = sum(len(parts) for _, parts in read)
        told = f"{count} of {everything} tiles are read" if count < everything else "a single tile"
        assert (told in self.charts()[0]) == (causal or everything == 1)
        assert self.charts()[0].startswith("12 queries × 12 keys: ")
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
    TilesView,
    {"square": lambda: explorers.tiles(SQUARE, VALUES)}
    | {name: lambda row=row: explorers.tiles(row, VALUES) for name, row in ROWS.items()},
    stops={
        "square": ["4", "query", "causal", "key", SCORE, "Reset all scores", "First", "Back", "Next", "Last"]
        + ["Read as a table"],
        "mixed": ["4", "key", "score of query 0 for key 0", "Reset all scores", "First", "Back", "Next", "Last"]
        + ["Read as a table"],
    },
    settings=[
        ("square", {TILE: tile, "query": query, "causal": True, place: None})
        for tile in ("1", "4", "8", "12")
        for query in ("0", "5", "11")
        for place in ("First", "Last")
    ],
    says=[
        ("hidden at first", {}, "Tile 0, keys 0 to 3: hidden, and nothing changes", None),
        ("only hidden", {"Last": None}, "The end: every key is hidden, so the output is 0 and lse is -∞", None),
    ],
    first={"First": STEP, "Back": STEP, "Next": {"First": None}},
    roomy=[(which, {place: None}) for which in ("square", "large") for place in ("Next", "Last")],
    steady=("svg.abh-chart", "square", [{"First": None}, STEP, STEP | {"Next": None}, {"Last": None}]),
    looks=[
        (
            {"causal": True},
            ", ".join(f"path.abh-{kind}" for kind in ("elsewhere", "before", "now", "later", "skipped")),
            5,
        )
    ],
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


def test_it_says_what_a_step_does(opened):
    view = opened.view("hidden at first")
    m = ROWS["hidden at first"].tolist()
    kept = [state(ROWS["hidden at first"][:end]) for end in (4, 8, 12)]
    said = [(view.said(), view.explained())]
    for _ in range(3):
        view.click("Next")
        said.append((view.said(), view.explained()))
    assert said[0][0] == "Tile 0, keys 0 to 3: hidden, and nothing changes"
    assert said[1][0] == (
        f"Tile 1, keys 4 to 7: the maximum m is {written(max(m[:8]))}, and the sum l is {written(kept[1][1])}"
    )
    assert "the factor is exp(-∞) = 0" in said[1][1]
    moves = "rises to" if kept[2][0] > kept[1][0] else "stays"
    assert said[2][0].startswith(f"Tile 2, keys 8 to 11: the maximum {moves} {written(kept[2][0])}")
    assert said[3][0].startswith(f"The end: the output is divided by l = {written(kept[2][1])}, and lse = ")
    assert "the largest difference is" in said[3][1]


def test_the_maximum_can_be_moved_to_another_tile(opened):
    for key, told in [(1, ["is", "stays", "stays"]), (11, ["is", "rises", "rises"])]:
        view = opened.view("mixed")
        view.score_is(key, "20.00")
        for verb in told:
            assert f" {verb} " in view.said()
            view.assert_right()
            view.click("Next")


def test_a_key_can_be_hidden_and_shown_again(opened):
    view = opened.view("equal")
    for key in range(4):
        view.score_is(key, "-∞: hidden")
    assert view.said() == "Tile 0, keys 0 to 3: hidden, and nothing changes"
    assert view.kinds("Scores and weights of query 0", "abh-hidden") == [(j, c) for j in range(4) for c in range(4)]
    view.score_is(2, "1000.00")
    assert view.said() == "Tile 0, keys 0 to 3: the maximum m is 1000.00, and the sum l is 1.0000"
    view.click("Reset all scores")
    assert [row[0] for row in view.squares_by_key()] == ["0.50"] * 12


def test_a_row_is_chosen_with_the_mouse(opened):
    view = opened.view("mixed")
    view.output.locator("table.abh-keys tbody tr").nth(6).click()
    view.settle()
    assert view.slider("score of query 0 for key 6").get_attribute("aria-valuetext") == "7.25"
    assert view.kinds("Scores and weights of query 0", "abh-chosen") == [(6, 0)]


def test_a_later_key_has_no_slider(opened):
    view = opened.view("square", {"query": "5", "key": "6"})
    assert not view.score.is_disabled()
    view.put({"causal": True})
    assert view.score.is_disabled()
    assert view.score.get_attribute("aria-valuetext") == "hidden: it comes later"
    view.put({"key": "5"})
    assert not view.score.is_disabled()


def test_each_query_keeps_its_own_scores(opened):
    view = opened.view("square")
    view.score_is(3, "10.00")
    view.put({"query": "4"})
    assert [row[0] for row in view.squares_by_key()] == [as_score(score) for score in SQUARE[4].tolist()]
    view.put({"query": "11"})
    assert view.squares_by_key()[3][0] == "10.00"


def test_it_says_how_many_scores_exist_at_once(opened):
    for which, tile, told, all_of_them in (
        ("square", 4, "At most 4 × 4 = 16 scores exist at once", "12 × 12 = 144 scores."),
        ("square", 1, "At most 1 × 1 = 1 score exists at once", "12 × 12 = 144 scores."),
        ("mixed", 8, "At most 1 × 8 = 8 scores exist at once", "1 × 12 = 12 scores."),
    ):
        said = opened.view(which, {TILE: str(tile)}).output.get_by_text("At most").inner_text()
        assert said.startswith(told) and said.endswith(all_of_them), said


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
    assert view.disabled() == ["First", "Back"]
    view.click("Back")
    assert view.step() == "step 1 of 4"
    view.click("Last")
    assert view.disabled() == ["Next", "Last"]
    view.click("Next")
    assert view.step() == "step 4 of 4"
    view.choose("12")
    assert view.step() == "step 2 of 2"


def test_all_steps_can_be_read_as_tables(opened):
    view = opened.view("mixed")
    view.read_as_a_table()
    steps, end = view.listings()
    assert steps[0] == "Query 0, after each tile" and end[0] == "At the end"
    for t, row in enumerate(steps[1]):
        m, *others = map(written, state(MIXED[: 4 * t + 4]))
        assert row[:3] == [str(t), f"keys {4 * t} to {4 * t + 3}", m] and row[4:] == others
    view.click("Last")
    assert end[1] == [[name, *cells] for name, cells in view.numbers("at the end").items()]


def test_as_many_keys_and_outputs_as_there_can_be_fit_a_phone(open_page):
    wide = explorers.tiles(torch.cat([SQUARE, drawn(12, 4)], dim=1), drawn(16, 3))
    phone = open_page({"wide": wide, "causal": explorers.tiles(SQUARE, causal=True)}, **PHONE)
    for width in (390, 320):
        phone.resize(width)
        for which in ("wide", "causal"):
            view = TilesView(phone, which)
            for name in ("First", "Next", "Last"):
                view.click(name)
                view.assert_inside()
