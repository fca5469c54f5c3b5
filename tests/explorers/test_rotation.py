"""The rotation explorer: its `ROW` for test_every_explorer.py, and tests of what only this explorer does."""

import math
import re

import torch

import explorers
from explorers.base import INVITATION
from helpers.relative_positions import rotate_pairs
from tests.explorers.view import KINDS, Row, View, drawn


def turned(x, position, base=10000.0):
    """The arrows of a query or key at a position, by the course's own function: (D,) -> (D / 2, 2)."""
    return rotate_pairs(x.double()[None], torch.tensor([position]), base)[0].unflatten(-1, (-1, 2))


def pair_scores(q, k, position, distance, base=10000.0):
    return (turned(q, position + distance, base) * turned(k, position, base)).sum(dim=-1)  # (D / 2,)


q, k = drawn(14), drawn(14, seed=2)
spoilt = k.clone()
spoilt[7] = float("nan")
REFUSED = [
    (TypeError, "k must be a tensor or nested lists of numbers, .* got NoneType", (q, None)),
    (ValueError, r"q must have shape \(D,\), .* got \(\); pass all its features", (3.0, k)),
    (ValueError, r"k must .* got \(1, 2, 14\); choose one, for instance k\[0, 0\]", (q, k.expand(1, 2, 14))),
    (ValueError, r"D, the width of q, must be even, .* 4 to 128, got 13; .* q\[:12\]", (q[:13], k)),
    (ValueError, r"got 2; pass all its features", (q[:2], k[:2])),
    (ValueError, r"4 to 128, got 130; pass a part, for instance q\[:128\]", (drawn(130), drawn(130))),
    (ValueError, "q and k must have the same width D, got 14 and 12 features; take both", (q, k[:12])),
    (ValueError, r"k must be finite, got nan at \[7\]; find out", (q, spoilt)),
    (ValueError, "q must have a number other than 0, got zeros alone; zeros make no arrow", (0 * q, k)),
    (TypeError, "base must be a number, got '10,000'; pass a float such as 10000.0", (q, k, "10,000")),
    (ValueError, "base must be finite and at least 1, got 0.5; pass a float", (q, k, 0.5)),
    (ValueError, "base must be finite and at least 1, got nan; pass a float", (q, k, math.nan)),
]


def test_the_picture_is_that_of_the_opening_view():
    view = explorers.rotation(q, k, base=500.0)
    scores = pair_scores(q, k, 4, 3, base=500.0)
    named = ", ".join(f"pair {i} {score:.2f}" for i, score in enumerate(scores.tolist()))
    assert view.still()["text/plain"] == (
        f"Query at position 7, key at position 4: score {scores.sum():.2f}. "
        f"What each of 7 pairs of features adds: {named}. {INVITATION}"
    )


# ---------------------------------------------------------------- in a browser

KEY, DISTANCE = "position of the key", "distance to the query"
CASES = {  # name: (q, k, base)
    "16 features": (drawn(16), drawn(16, seed=2), 10_000.0),
    "128 features": (drawn(128), drawn(128, seed=2), 500_000.0),
    "4 features": (torch.tensor([1.0, 0.3, 0.0, 0.0]), torch.tensor([0.4, 1.0, 2.0, 0.0]), 10_000.0),
    "only zeros": (torch.tensor([1.0, 0.0, 0.0, 0.0]), torch.tensor([0.0, 0.0, 1.0, 0.0]), 10_000.0),
}
Q, K, BASE = CASES["16 features"]


def written(number):
    return f"{number:.4f}".replace("-0.0000", "0.0000")


class RotationView(View):
    def angles(self, which):
        """The directions of the arrows of the query or the key, in radians."""
        turns = self.output.locator(f".abh-dial .abh-{which}").evaluate_all(
            "arrows => arrows.map(arrow => arrow.transform.baseVal.consolidate().matrix)"
            ".map(({ a, b }) => Math.atan2(-b, a))"  # y points down on a page
        )
        return torch.tensor(turns, dtype=torch.float64)

    def places(self):
        """The position and the distance; asserts that slider and field agree."""
        now = self.controls()
        assert all(now[name] == now[f"{name} (field)"] for name in (KEY, DISTANCE))
        return int(now[KEY]), int(now[DISTANCE])

    def assert_right(self):
        """Assert that arrows and scores match rotate_pairs."""
        (q, k, base), (position, distance) = CASES[self.which], self.places()
        scores = pair_scores(q, k, position, distance, base)
        whole, n = written(scores.sum()), len(scores)
        assert self.said() == f"query at {position + distance}, key at {position}: score {whole}, the sum of {n} pairs"
        below = self.output.locator(".abh-dial .abh-number").all_inner_texts()
        assert below == [written(score) for score in scores.tolist()]
        pair = int(re.match(r"pair (\d+?)(?=-?\d+\.\d{4})", self.controls()["pair"])[1])
        assert self.explained().startswith(f"Pair {pair} turns by ")
        assert self.explained().endswith(f"; the pair adds {written(scores[pair])} to the score.")
        told = f"score at each distance; at {distance}: all pairs {whole}, pair {pair} {written(scores[pair])}"
        assert self.charts() == [told]
        for name, arrows in (("query", turned(q, position + distance, base)), ("key", turned(k, position, base))):
            seen = arrows.norm(dim=-1) > 0  # an arrow without length has no direction
            found = self.angles(name)[seen]
            off = torch.stack([found.cos(), found.sin()], dim=-1) - torch.nn.functional.normalize(arrows[seen], dim=-1)
            assert off.abs().max() < 2e-4  # a hundredth of a degree


ROW = Row(
    explorers.rotation,
    RotationView,
    CASES,
    taken=[(drawn(4), drawn(4, seed=2), 1), (drawn(128), drawn(128, seed=2), 5e5)],
    kinds=KINDS,
    refused=REFUSED,
    opens={"16 features": {KEY: "4", DISTANCE: "3"}},
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
)


def test_it_says_how_fast_the_pair_turns_whose_circle_is_chosen_with_the_mouse(opened):
    for pair, speed, query, key in [
        (0, "1 radian per position, full circle in 6.3", "104", "100"),
        (2, "0.1 radians per position, full circle in 63", "10.4", "10"),
    ]:
        view = opened.view(settings={KEY: 100, DISTANCE: 4})
        view.output.locator(".abh-dial").nth(pair).locator("svg").click(force=True)
        view.settle()
        assert view.explained().startswith(
            f"Pair {pair} turns by {speed}. Here the query has turned by {query} radians and the key by {key}; "
        )


def test_the_curves_and_the_marks_stand_where_their_numbers_are(opened):
    view = opened.view(settings={KEY: 0, DISTANCE: 23, "pair": "pair 3"})
    scores = torch.stack([pair_scores(Q, K, 0, d) for d in range(65)])  # (distances, pairs)
    close = {"atol": 0.001 * float(scores.sum(dim=1).max() - scores.sum(dim=1).min()), "rtol": 0, "check_dtype": False}
    dots = torch.tensor(view.plotted("circle"))
    for dot, kind, values in zip(dots, ("line", "mark"), (scores.sum(dim=1), scores[:, 3]), strict=True):
        found = torch.tensor(view.plotted(f"path.abh-{kind}"))
        torch.testing.assert_close(found[:, 0], torch.arange(65), atol=0.01, rtol=0, check_dtype=False)
        torch.testing.assert_close(found[:, 1], values, **close)
        torch.testing.assert_close(dot, torch.tensor([23, values[23]]), **close)


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
    view = opened.view(settings={"pair": "pair 1"})
    view.unfold()
    circles, curves = view.listings()
    scores = [written(score) for score in pair_scores(Q, K, 4, 3).tolist()]
    assert circles[0] == "Query at 7, key at 4, pair by pair (radians)"
    assert circles[1][1] == ["1", "0.316", "2.2136", "1.2649", scores[1]]
    assert curves[0] == "Score at each distance" and len(curves[1]) == 65
    far = pair_scores(Q, K, 0, 64)
    assert curves[1][64] == ["64", written(far.sum()), written(far[1])]
