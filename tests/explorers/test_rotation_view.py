"""The rotation explorer in a browser: what test_every_view.py has to know of it, and what it alone promises."""

import re

import pytest
import torch

import explorers
from tests.explorers.test_rotation import drawn, pair_scores, turned
from tests.explorers.view import Row, View

pytestmark = pytest.mark.browser

KEY, DISTANCE = "position of the key", "distance to the query"
CASES = {  # name: (q, k, base)
    "16 features": (drawn(16), drawn(16, 2), 10_000.0),
    "128 features": (drawn(128), drawn(128, 2), 500_000.0),
    "4 features": (torch.tensor([1.0, 0.3, 0.0, 0.0]), torch.tensor([0.4, 1.0, 2.0, 0.0]), 10_000.0),
    "only zeros": (torch.tensor([1.0, 0.0, 0.0, 0.0]), torch.tensor([0.0, 0.0, 1.0, 0.0]), 10_000.0),
}
Q, K, BASE = CASES["16 features"]


def written(number):
    return f"{number:.4f}".replace("-0.0000", "0.0000")


class RotationView(View):
    def pair(self, i):
        return self.output.get_by_role("radio", name=re.compile(rf"^pair {i}\b"))

    def choose_pair(self, i):
        self._press(self.pair(i))

    def scores(self):
        """What is written below each circle."""
        return self.output.locator(".abh-dial .abh-number").all_inner_texts()

    def angles(self, which):
        """Where the arrows of the queries or of the keys point, in radians."""
        turns = self.output.locator(f".abh-dial .abh-{which}").evaluate_all(
            "arrows => arrows.map(arrow => arrow.transform.baseVal.consolidate().matrix)"
            ".map(({ a, b }) => Math.atan2(-b, a))"  # y points down on a page
        )
        return torch.tensor(turns, dtype=torch.float64)

    def places(self):
        """The position and the distance, which slider and field must both show."""
        now = self.controls()
        assert all(now[name] == now[f"{name} (field)"] for name in (KEY, DISTANCE))
        return int(now[KEY]), int(now[DISTANCE])

    def assert_right(self):
        """Arrows and scores are those of rotate_pairs."""
        (q, k, base), (position, distance) = CASES[self.which], self.places()
        scores = pair_scores(q, k, position, distance, base)
        whole, n = written(scores.sum()), len(scores)
        assert self.said() == f"query at {position + distance}, key at {position}: score {whole}, the sum of {n} pairs"
        assert self.scores() == [written(score) for score in scores.tolist()]
        pair = int(re.match(r"pair (\d+?)(?=-?\d+\.\d{4})", self.controls()["pair"])[1])
        assert self.explained().startswith(f"Pair {pair} turns by ")
        assert self.explained().endswith(f"; the pair adds {written(scores[pair])} to the score.")
        told = f"score at each distance; at {distance}: all pairs {whole}, pair {pair} {written(scores[pair])}"
        assert self.charts() == [told]
        for name, arrows in (("query", turned(q, position + distance, base)), ("key", turned(k, position, base))):
            seen = arrows.norm(dim=-1) > 0  # what has no length points nowhere
            found = self.angles(name)[seen]
            off = torch.stack([found.cos(), found.sin()], dim=-1) - torch.nn.functional.normalize(arrows[seen], dim=-1)
            assert off.abs().max() < 2e-4  # a hundredth of a degree


ROW = Row(
    RotationView,
    {name: lambda case=case: explorers.rotation(*case) for name, case in CASES.items()},
    stops={
        "16 features": [KEY, KEY, DISTANCE, DISTANCE]
        + [f"pair 0{written(pair_scores(Q, K, 4, 3)[0])}", "Read as a table"]
    },
    settings=[
        (which, {KEY: position, DISTANCE: distance}) for which in CASES for position, distance in ((0, 0), (997, 64))
    ],
    steady=(
        "svg.abh-chart",
        "16 features",
        [{KEY: 0, DISTANCE: 0}, {KEY: 4, DISTANCE: 3}, {KEY: 1000, DISTANCE: 64}]
        + [{KEY: 997, DISTANCE: 61, "pair": "pair 7"}],
    ),
    looks=[({}, ".abh-dials label > span", 2), ({}, ".abh-dial .abh-query line, .abh-dial .abh-key line", 2)],
    fits=dict.fromkeys(CASES, 390),
    parts="svg, svg text, fieldset, label, input, output",
)


@pytest.mark.parametrize(
    "pair, speed",
    [
        (0, "1 radian per position, full circle in 6.3. Here the query has turned by 104 radians and the key by 100"),
        (2, "0.1 radians per position, full circle in 63. Here the query has turned by 10.4 radians and the key by 10"),
    ],
)
def test_it_says_how_fast_the_pair_turns_whose_circle_is_chosen_with_the_mouse(opened, pair, speed):
    view = opened.view(settings={KEY: 100, DISTANCE: 4})
    view.output.locator(".abh-dial").nth(pair).locator("svg").click(force=True)
    view.settle()
    score = written(pair_scores(Q, K, 100, 4)[pair])
    assert view.explained() == f"Pair {pair} turns by {speed}; the pair adds {score} to the score."


def test_the_curves_and_the_marks_stand_where_their_numbers_are(opened):
    view = opened.view(settings={KEY: 0, DISTANCE: 23})
    view.choose_pair(3)
    scores = torch.stack([pair_scores(Q, K, 0, d) for d in range(65)])  # (distances, pairs)
    chart = view.output.locator("svg.abh-chart")
    levels = chart.locator("text.abh-end").evaluate_all(
        "texts => texts.map(text => [+text.textContent, text.getAttribute('y') - 4])"
    )
    (low, bottom), (high, top) = levels[0], levels[-1]
    rule = chart.locator("line.abh-mark.abh-thin")
    dots = chart.locator("circle")
    for n, (kind, values) in enumerate((("line", scores.sum(dim=1)), ("mark", scores[:, 3]))):
        path = chart.locator(f"path.abh-{kind}").get_attribute("d")
        ys = [float(y) for y in re.findall(r" ([\d.]+)", path)]
        found = torch.tensor([low + (bottom - y) / (bottom - top) * (high - low) for y in ys], dtype=torch.float64)
        one_pixel = (high - low) / (bottom - top)
        torch.testing.assert_close(found, values, atol=0.06 * one_pixel, rtol=0)  # drawn to 0.1 pixel
        assert float(dots.nth(n).get_attribute("cy")) == pytest.approx(ys[23], abs=0.06)
        assert dots.nth(n).get_attribute("cx") == rule.get_attribute("x1")
    axis = chart.locator("line.abh-axis")
    ends = [float(axis.get_attribute(end)) for end in ("x1", "x2")]
    assert (float(rule.get_attribute("x1")) - ends[0]) / (ends[1] - ends[0]) == pytest.approx(23 / 64)


def test_what_is_typed_is_taken_and_what_cannot_be_is_replaced_when_the_field_is_left(opened):
    for typed, taken in (("997", 997), ("5000", 1000), ("-3", 0), ("2.6", 3), ("", 4)):
        view = opened.view()
        said = view.said()
        view.output.get_by_role("spinbutton", name=KEY).fill(typed)
        view.settle()
        assert (view.said() == said) == (typed != "997")
        view.press("Tab")
        assert view.places() == (taken, 3), typed
        view.assert_right()


def test_the_circles_and_the_chart_can_be_read_as_tables(opened):
    view = opened.view()
    view.choose_pair(1)
    view.read_as_a_table()
    circles, curves = view.listings()
    scores = [written(score) for score in pair_scores(Q, K, 4, 3).tolist()]
    assert circles[0] == "Query at 7, key at 4, pair by pair (radians)"
    assert circles[1][:3] == [
        ["0", "1", "7", "4", scores[0]],
        ["1", "0.316", "2.2136", "1.2649", scores[1]],
        ["2", "0.1", "0.7", "0.4", scores[2]],
    ]
    assert curves[0] == "Score at each distance" and len(curves[1]) == 65
    far = pair_scores(Q, K, 0, 64)
    assert curves[1][64] == ["64", written(far.sum()), written(far[1])]
    view.slide(DISTANCE, 5)
    assert view.listings()[0][0] == "Query at 9, key at 4, pair by pair (radians)"
