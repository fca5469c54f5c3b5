"""The tiles explorer in a browser: every number that it shows, compared with PyTorch's softmax and logsumexp."""

import math

import pytest
import torch

import explorers
from helpers.masks import masked_softmax
from helpers.tiled import tiles
from tests.explorers.browser import NARROW, PHONE, SIZE
from tests.explorers.test_tiles import drawn
from tests.explorers.view import View, in_both_themes

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
    """The tiles explorer: scores are chosen by their numbers, not by their places on the slider."""

    def pick(self, name, number):
        self.output.get_by_role("combobox", name=name).select_option(str(number))
        self.settle()

    @property
    def score(self):
        return self.output.get_by_role("slider")

    def put(self, key, text):
        """Give a key a score, which the slider must be able to write like this."""
        self.pick("key", key)
        for place in range(int(self.score.get_attribute("max")) + 1):
            self.score.fill(str(place))
            if self.score.get_attribute("aria-valuetext") == text:
                return self.settle()
        raise AssertionError(f"the slider has no stop {text}")

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


@pytest.fixture(scope="module")
def page(open_page):
    made = {name: explorers.tiles(row, VALUES) for name, row in ROWS.items()}
    return open_page({**made, "square": explorers.tiles(SQUARE, VALUES)})


def opened(page, which="mixed", tile=4):
    """An explorer as it opens."""
    view = TilesView(page, which)
    view.click("Reset all scores")
    if which == "square":
        view.pick("query", 11)
        view.tick("causal", False)
    view.pick("key", 0)
    view.choose(str(tile))
    view.click("First")
    return view


@pytest.mark.parametrize("tile", [1, 4, 8, 12])
@pytest.mark.parametrize("which", ROWS)
def test_every_step_shows_what_pytorch_computes(page, which, tile):
    view, scores = opened(page, which, tile), ROWS[which]
    ends = [min(start + tile, 12) for start in range(0, 12, tile)]
    final = masked_softmax(scores[None].double(), scores[None] > -INF)[0]
    before = state(scores[:0])
    for t, end in enumerate(ends):
        part, after = scores[t * tile : end], state(scores[:end])
        m, larger = after[0], max(0.0, after[0]) if after[0] == -INF else after[0]
        factor = math.exp(before[0] - larger) if before[0] > -INF else 0.0
        powers = (part.double() - larger).exp()
        rows = list(view.numbers().values())
        assert rows[0] == [written(before[0]), "", f"or {written(float(part.max()))}", written(m)]
        assert [row[0] for row in rows] == [written(number) for number in before]
        assert [row[3] for row in rows] == [written(number) for number in after]
        assert {row[1] for row in rows[1:]} == {f"× {written(factor)}"}
        added = [powers.sum(), *(powers @ VALUES[t * tile : end].double())]
        signed = [f"{'-' if number < 0 else '+'} {written(abs(float(number)))}" for number in added]
        assert [row[2] for row in rows[1:]] == signed
        keys = view.squares_by_key()
        assert [row[0] for row in keys] == [as_score(score) for score in scores.tolist()]
        here = list(range(t * tile, end))
        assert view.here() == here
        assert [row[1] for row in keys] == [written(float(powers[j - here[0]])) if j in here else "" for j in range(12)]
        so_far = masked_softmax(scores[None, :end].double(), scores[None, :end] > -INF)[0].tolist()
        assert [row[2] for row in keys] == [*map(written, so_far), *[""] * (12 - end)]
        assert [row[3] for row in keys] == [written(weight) for weight in final.tolist()]
        assert view.step() == f"step {t + 1} of {len(ends) + 1}"
        view.click("Next")
        before = after
    result = view.numbers("Query 0 at the end")
    expected = [float(scores.double().logsumexp(dim=0)), *(final @ VALUES.double()).tolist()]
    assert list(result) == ["m + log l", "output 0 ÷ l", "output 1 ÷ l"]
    for row, number in zip(result.values(), expected, strict=True):
        assert row[:2] == [written(number)] * 2 and float(row[2]) <= 1e-12 * max(1.0, abs(number))


def test_controls_and_tables_have_names_and_roles(page):
    view = opened(page, "square")
    stops = ["4", "query", "causal", "key", "score of query 11 for key 0", "Reset all scores"]
    assert view.tab_stops() == [*stops, "First", "Back", "Next", "Last", "Read as a table"]
    assert "query" not in opened(page).tab_stops() and opened(page).output.get_by_role("checkbox").count() == 0
    table = opened(page).output.get_by_role("table", name="Scores and weights of query 0")
    assert table.get_by_role("rowheader").count() == 12
    heads = [head.replace("\xa0", " ") for head in table.get_by_role("columnheader").all_inner_texts()]
    assert heads == ["score", "exp of score - m", "weight so far", "weight at the end", "tile"]
    assert view.output.locator("svg.abh-chart[role=img]").count() == 1


def test_it_says_what_a_step_does(page):
    view = opened(page, "hidden at first")
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


def test_where_every_key_is_hidden_the_output_is_0(page):
    view = opened(page, "only hidden")
    view.click("Last")
    assert view.said() == "The end: every key is hidden, so the output is 0 and lse is -∞"
    assert [row[:2] for row in view.numbers("at the end").values()] == [["-∞", "-∞"], ["0.0000"] * 2, ["0.0000"] * 2]


@pytest.mark.parametrize(
    "key, told", [(1, ["is", "stays", "stays"]), (5, ["is", "rises", "stays"]), (11, ["is", "rises", "rises"])]
)
def test_the_maximum_can_be_moved_to_another_tile(page, key, told):
    view = opened(page)
    view.put(key, "20.00")
    scores = MIXED.clone()
    scores[key] = 20
    for t, verb in enumerate(told):
        if t == 2 and key == 11:  # tile 1 has 7.25, and the last tile is larger still
            assert view.numbers()["maximum m"][0] == "7.2500"
        assert f" {verb} " in view.said()
        assert [row[3] for row in view.numbers().values()] == [*map(written, state(scores[: 4 * t + 4]))]
        view.click("Next")


def test_a_key_can_be_hidden_and_shown_again(page):
    view = opened(page, "equal")
    for key in range(4):
        view.put(key, "-∞: hidden")
    assert view.said() == "Tile 0, keys 0 to 3: hidden, and nothing changes"
    assert view.kinds("Scores and weights of query 0", "abh-hidden") == [(j, c) for j in range(4) for c in range(4)]
    view.put(2, "1000.00")
    assert view.said() == "Tile 0, keys 0 to 3: the maximum m is 1000.00, and the sum l is 1.0000"
    view.click("Reset all scores")
    assert [row[0] for row in view.squares_by_key()] == ["0.50"] * 12


def test_a_row_is_chosen_with_the_mouse(page):
    view = opened(page)
    view.output.locator("table.abh-keys tbody tr").nth(6).click()
    view.settle()
    assert view.slider("score of query 0 for key 6").get_attribute("aria-valuetext") == "7.25"
    assert view.kinds("Scores and weights of query 0", "abh-chosen") == [(6, 0)]


def test_a_smaller_number_of_steps_ends_at_the_last(page):
    view = opened(page, tile=1)
    view.click("Last")
    assert view.step() == "step 13 of 13"
    view.choose("12")
    assert view.step() == "step 2 of 2"


# ---------------------------------------------------------------- all queries


@pytest.mark.parametrize("tile", [1, 4, 8, 12])
@pytest.mark.parametrize("query", [0, 5, 11])
def test_causal_tiles_are_read_and_skipped_as_in_tiled_attention(page, tile, query):
    view = opened(page, "square", tile)
    view.tick("causal", True)
    view.pick("query", query)
    view.click("First")
    read = tiles(12, 12, tile, causal=True)
    rows, columns = read[query // tile]
    everything = math.ceil(12 / tile) ** 2
    count = sum(len(parts) for _, parts in read)
    assert view.step() == f"step 1 of {len(columns) + 1}"
    told = f"{count} of {everything} tiles are read" if count < everything else "a single tile"
    assert view.charts() == [f"12 queries × 12 keys: {told}; query {query} reads tile 0 now"]
    seen = torch.ones(12, 12).tril()
    inside = torch.zeros(12, 12)
    inside[rows] = 1
    assert view.squares("now") == int((seen * inside)[:, columns[0]].sum())
    assert view.squares("later") == int((seen * inside)[:, columns[0].stop :].sum())
    assert view.squares("elsewhere") == int((seen * (1 - inside)).sum())
    assert view.squares("skipped") == everything - count
    view.click("Last")
    assert view.squares("before") == int((seen * inside).sum()) and view.squares("now") == 0
    scores = SQUARE[query].masked_fill(seen[query] == 0, -INF)
    final = masked_softmax(scores[None].double(), scores[None] > -INF)[0]
    assert [row[3] for row in view.squares_by_key()] == [written(weight) for weight in final.tolist()]
    skipped = [j for j, text in enumerate(view.states()) if text.endswith("skipped")]
    assert skipped == list(range(columns[-1].stop, 12))


def test_a_later_key_has_no_slider(page):
    view = opened(page, "square")
    view.pick("query", 5)
    view.pick("key", 6)
    assert not view.score.is_disabled()
    view.tick("causal", True)
    assert view.score.is_disabled()
    assert view.score.get_attribute("aria-valuetext") == "hidden: it comes later"
    view.pick("key", 5)
    assert not view.score.is_disabled()


def test_each_query_keeps_its_own_scores(page):
    view = opened(page, "square")
    view.put(3, "10.00")
    view.pick("query", 4)
    assert [row[0] for row in view.squares_by_key()] == [as_score(score) for score in SQUARE[4].tolist()]
    view.pick("query", 11)
    assert view.squares_by_key()[3][0] == "10.00"


@pytest.mark.parametrize(
    "which, tile, told",
    [
        ("square", 4, "At most 4 × 4 = 16 scores exist at once, those of one tile. Without tiles, they would be a "),
        ("square", 1, "At most 1 × 1 = 1 score exist"),
        ("mixed", 8, "At most 1 × 8 = 8 scores exist at once"),
    ],
)
def test_it_says_how_many_scores_exist_at_once(page, which, tile, told):
    view = opened(page, which, tile)
    said = view.output.get_by_text("At most").inner_text()
    assert said.startswith(told.replace("score exist", "score exists")), said
    assert said.endswith("12 × 12 = 144 scores." if which == "square" else "1 × 12 = 12 scores.")


# ---------------------------------------------------------------- how it is used


def test_the_keyboard_alone_suffices(page):
    view = opened(page)
    view.output.get_by_role("button", name="Next").focus()
    view.press("Enter")
    assert view.step() == "step 2 of 4" and view.focused()
    for key, place in (("ArrowRight", 3), ("End", 4), ("ArrowRight", 4), ("ArrowLeft", 3), ("Home", 1), ("ArrowUp", 1)):
        view.press(key)
        assert view.step() == f"step {place} of 4"
    view.press("ArrowDown", "Shift+Tab", "Shift+Tab", "Space")
    assert view.step() == "step 1 of 4" and view.focused()
    view.score.focus()
    before = view.said()
    view.press("End")
    assert view.said() != before and view.squares_by_key()[0][0] == "1000.00" and view.focused()
    view.press("Home", "ArrowRight")
    assert view.squares_by_key()[0][0] == "-1000.00"


def test_at_the_ends_there_is_no_further_step(page):
    view = opened(page)
    assert view.disabled() == ["First", "Back"]
    view.click("Back")
    assert view.step() == "step 1 of 4"
    view.click("Last")
    assert view.disabled() == ["Next", "Last"]
    view.click("Next")
    assert view.step() == "step 4 of 4"


def test_all_steps_can_be_read_as_tables(page):
    view = opened(page)
    view.read_as_a_table()
    steps, end = view.listings()
    assert steps[0] == "Query 0, after each tile" and end[0] == "At the end"
    for t, row in enumerate(steps[1]):
        m, *others = map(written, state(MIXED[: 4 * t + 4]))
        assert row[:3] == [str(t), f"keys {4 * t} to {4 * t + 3}", m] and row[4:] == others
    assert end[1] == [[name, *cells] for name, cells in _ending(view).items()]
    view.choose("12")
    assert len(view.listings()[0][1]) == 1
    view.read_as_a_table()


def _ending(view):
    view.click("Last")
    return view.numbers("at the end")


@pytest.mark.parametrize("width", [390, 600, 760, 1100])
def test_nothing_jumps_from_step_to_step(page, width):
    page.resize(width)
    tops = set()
    for which in ("mixed", "hidden at first"):
        view = opened(page, which)
        mine = set()
        for _ in range(4):
            box = view.output.locator("svg.abh-chart").bounding_box()
            mine.add(round(box["y"] - view.output.bounding_box()["y"], 1))
            view.click("Next")
        tops.add(len(mine))
    page.resize(*SIZE)
    assert tops == {1}


def test_it_fits_a_narrow_window_and_a_phone(page, open_page):
    parts = "svg, svg text, fieldset, label, output, table, p, button"
    page.resize(NARROW)
    for which in (*ROWS, "square"):
        opened(page, which).assert_inside(parts)
    page.resize(*SIZE)
    wide = explorers.tiles(torch.cat([SQUARE, drawn(12, 4)], dim=1), drawn(16, 3))
    made = {"square": explorers.tiles(SQUARE, causal=True), "large": explorers.tiles(LARGE, VALUES), "wide": wide}
    phone = open_page(made, **PHONE)
    for width in (390, 320):
        phone.resize(width)
        for which in made:
            view = TilesView(phone, which)
            for name in ("First", "Next", "Last"):
                view.click(name)
                view.assert_inside(parts)


def test_it_follows_the_theme(page, tmp_path):
    dark, light = in_both_themes(page, "square", tmp_path)
    assert dark[0] != light[0] and dark[1] != light[1]


@pytest.mark.parametrize("tile", [1, 4])
def test_a_repaint_is_little_work(page, tile):
    opened(page, "square", tile).drag("score of query 11 for key 0")


def test_a_step_is_little_work(page):
    view = opened(page, "square")
    names = ["Next", "Back"]
    view.follow(view.root, "click", lambda i: view.click(names[i % 2]))
