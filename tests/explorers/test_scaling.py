"""The scaling explorer: its `ROW` for test_every_explorer.py, and tests of what only this explorer does."""

import math
import re

import pytest
import torch

import explorers
from explorers.base import INVITATION
from tests.explorers.view import KINDS, Row, View

NONE, ROOT = "not divided", "divided by √d"


def drawn(rows, width):
    return torch.randn(rows, width, generator=torch.Generator().manual_seed(rows))


def scores(q, k, d, method):
    return q[:, :d] @ k[:, :d].mT / (1 if method == NONE else math.sqrt(d))  # (N, S)


def weights(q, k, d, method):
    return scores(q, k, d, method).softmax(dim=-1)


def largest(q, k, d, method):
    return weights(q, k, d, method).amax(dim=-1)


def slope(q, k, d, method):
    return 1 - weights(q, k, d, method).square().sum(dim=-1)


q, k = drawn(5, 11), drawn(3, 11)
spoilt = k.clone()
spoilt[2, 7] = float("nan")
REFUSED = [
    (TypeError, "q must be one tensor, got a list of tensors", ([q, q], k)),
    (ValueError, r"shape \(N, D\), got \(\); pass those of one head, each in a row", (3.0, k)),
    (ValueError, r"shape \(S, D\), got \(1, 3, 11\); pass those of one head", (q, k[None])),
    (ValueError, r"the same width D, got shapes \(5, 11\) and \(3, 7\); take both from the same head", (q, k[:, :7])),
    (ValueError, "D, the width of q and k, must be 2 to 1024, got 1; pass others", (q[:, :1], k[:, :1])),
    (ValueError, r"1 to 64, got 65; pass a part, such as q\[:64\]", (drawn(65, 11), k)),
    (ValueError, r"2 to 16, got 17; pass a part, such as k\[:16\]", (q, drawn(17, 11))),
    (ValueError, r"k must be finite, got nan at \[2, 7\]; look for the step", (q, spoilt)),
    (ValueError, r"q must be finite, got inf at \[0, 0\]; look for the step", (q.abs() / 0, k)),
]


@pytest.mark.slow
def test_the_picture_is_the_mean_of_the_largest_weight():
    q, k = drawn(37, 100), drawn(7, 100)
    words = explorers.scaling(q, k).still()["text/plain"]
    parts = {
        name: [f"{largest(q, k, d, name).mean():.2f} for d = {d}" for d in (1, 4, 16, 64, 100)] for name in (NONE, ROOT)
    }
    assert words == (
        f"The largest of 7 weights (mean largest weight). {NONE}: {', '.join(parts[NONE])}; "
        f"{ROOT}: {', '.join(parts[ROOT])}. {INVITATION}"
    )
    assert "(largest weight)" in explorers.scaling(q[0], k).still()["text/plain"]


# ---------------------------------------------------------------- in a browser

MANY, ONE = "many queries", "one query"
GIVEN = {
    MANY: (drawn(37, 1024), drawn(7, 1024)),
    ONE: (drawn(1, 100)[0], drawn(16, 100)),
}
Q, K = GIVEN[MANY]

NUMBER = re.compile(r"-?\d+\.\d{4}")


def assert_says(said, expected):
    """Assert equal sentences whose numbers may differ by one in the last of four decimals, by float32 rounding."""
    assert NUMBER.sub("#", said) == NUMBER.sub("#", expected)
    for number, wanted in zip(NUMBER.findall(said), NUMBER.findall(expected), strict=True):
        assert float(number) == pytest.approx(float(wanted), abs=1.01e-4)


class ScalingView(View):
    def widths(self):
        self.unfold()
        return [int(row[0]) for row in self.listings()[1][1]]

    def assert_right(self):
        """Assert that every visible number equals PyTorch's."""
        now, (q, k) = self.controls(), map(torch.atleast_2d, GIVEN[self.which])
        method, measure, d = now["scores"], now["curves"], int(now["width"].removeprefix("d = "))
        query = int(now.get("query", "q[0]")[2:-1])
        row = weights(q, k, d, method)[query]
        key = int(row.argmax())
        assert_says(
            self.said(),
            f"d = {d}, {method}: the largest of {len(k)} weights is {row[key]:.4f} (key {key}), "
            f"the slope is {slope(q, k, d, method)[query]:.4f}",
        )
        bars, curves = self.charts()
        keys = ", ".join(f"key {j} {weight:.4f}" for j, weight in enumerate(row.tolist()))
        assert_says(bars, f"weights of q[{query}]: {keys}")
        of = {"largest weight": largest, "slope": slope}[measure]
        means = ", ".join(f"{name} {of(q, k, d, name).mean():.4f}" for name in (NONE, ROOT))
        mean_of = f", mean of {len(q)} queries" if len(q) > 1 else ""
        assert_says(curves, f"{measure.capitalize()}{mean_of}, at d = {d}: {means}")
        which = "scores" if method == NONE else "divided scores"
        spread = f"The standard deviation of the {which} is {scores(q, k, d, method).std():.4f}"
        assert_says(self.explained().split(" (")[0], spread)


def at(d, method=NONE, **others):
    return {"width": f"d = {d}", "scores": method, **others}


ROW = Row(
    explorers.scaling,
    ScalingView,
    GIVEN,
    taken=[(drawn(1, 2), drawn(2, 2)), (drawn(64, 1024), drawn(16, 1024)), (drawn(5, 11)[0], drawn(3, 11))],
    kinds=KINDS,
    refused=REFUSED,
    opens={MANY: at(4, query="q[0]", curves="largest weight")},
    stops={MANY: ["width", NONE, "query", "largest weight", "Read as a table"]},
    settings=[(MANY, at(d, method)) for d in (1, 64, 1024) for method in (NONE, ROOT)]
    + [(MANY, at(45, ROOT, query=36, curves="slope")), (ONE, at(100))],
    steady=("svg.abh-chart", MANY, [at(d, method) for d in (1, 512) for method in (NONE, ROOT)]),
)


def test_the_bars_and_the_dot_stand_where_their_numbers_are(opened):
    view = opened.view(settings=at(64, ROOT))
    row = weights(Q, K, 64, ROOT)[0]
    bars = view.output.locator("svg.abh-chart rect")
    heights = bars.evaluate_all("bars => bars.map(bar => +bar.getAttribute('height'))")
    full = heights[0] / row[0].item()
    assert heights == pytest.approx([full * weight for weight in row.tolist()], rel=1e-3)
    marked = bars.evaluate_all("bars => bars.map(bar => bar.classList.contains('abh-mark'))")
    assert marked == [j == int(row.argmax()) for j in range(7)]
    [(_, dot)] = view.plotted("circle", 1)
    assert dot == pytest.approx(largest(Q, K, 64, ROOT).mean().item(), abs=1e-3)


def test_the_curves_are_the_means_at_every_width(opened):
    for measure, of in (("largest weight", largest), ("slope", slope)):
        view = opened.view(settings={"curves": measure})
        means = [of(Q, K, d, method).mean().item() for method in (NONE, ROOT) for d in view.widths()]
        assert [y for _, y in view.plotted("path", 1)] == pytest.approx(means, abs=1e-3)


def test_it_says_what_the_numbers_mean(opened):
    for d, method, who, percent in [
        (1, NONE, "The keys share the weight", "100"),
        (16, NONE, "One key takes most of the weight", "23"),
        (512, NONE, "One key takes nearly all the weight", "less than 1"),
        (512, ROOT, "One key takes most of the weight", "68"),
    ]:
        view = opened.view(settings=at(d, method))
        spread = scores(Q, K, d, method).std()
        meaning = f"The standard deviation of the scores is {spread:.4f} (√{d} = {math.sqrt(d):.4f})."
        if method == ROOT:
            every = [scores(Q, K, d, ROOT).std() for d in view.widths()]
            over = f"{min(every):.4f} to {max(every):.4f} over all d"
            meaning = f"The standard deviation of the divided scores is {spread:.4f} ({over})."
        assert_says(view.explained(), f"{meaning} {who}: the slope is {percent}% of the largest possible.")


def test_the_charts_can_be_read_as_tables(opened):
    view = opened.view()
    view.unfold()
    view.choose(ROOT)
    bars, curves = view.listings()
    assert bars == ["Weights of q[0] at d = 4, divided by √d", [[str(j), bars[1][j][1]] for j in range(7)]]
    assert_says(" ".join(row[1] for row in bars[1]), " ".join(f"{w:.4f}" for w in weights(Q, K, 4, ROOT)[0].tolist()))
    row = next(row for row in curves[1] if row[0] == "64")
    means = [largest(Q, K, 64, method).mean() for method in (NONE, ROOT)]
    assert_says(" ".join(row[1:]), f"{means[0]:.4f} {means[1]:.4f}")
