"""The scaling explorer in a browser: what test_every_view.py has to know of it, and what it alone promises."""

import math
import re

import pytest

import explorers
from tests.explorers.test_scaling import NONE, ROOT, drawn, largest, scores, slope, weights
from tests.explorers.view import Row, View

pytestmark = pytest.mark.browser
MANY, ONE = "many queries", "one query"
GIVEN = {
    MANY: (drawn(37, 1024), drawn(7, 1024)),
    ONE: (drawn(1, 100), drawn(16, 100)),
}
Q, K = GIVEN[MANY]

NUMBER = re.compile(r"-?\d+\.\d{4}")


def assert_says(said, expected):
    """The same sentence; its numbers may differ by one in the last of four decimals, where float32 rounds."""
    assert NUMBER.sub("#", said) == NUMBER.sub("#", expected)
    for number, wanted in zip(NUMBER.findall(said), NUMBER.findall(expected), strict=True):
        assert float(number) == pytest.approx(float(wanted), abs=1.01e-4)


class ScalingView(View):
    def assert_right(self):
        """Every number in sight is PyTorch's."""
        now, (q, k) = self.controls(), GIVEN[self.which]
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
    ScalingView,
    {
        MANY: lambda: explorers.scaling(Q, K),
        ONE: lambda: explorers.scaling(GIVEN[ONE][0][0], GIVEN[ONE][1]),
    },
    stops={MANY: ["width", NONE, "query", "largest weight", "Read as a table"]},
    settings=[(MANY, at(d, method)) for d in (1, 13, 64, 512, 1024) for method in (NONE, ROOT)]
    + [(MANY, at(45, method, query=36, curves="slope")) for method in (NONE, ROOT)]
    + [(ONE, at(100))],
    steady=("svg.abh-chart", MANY, [at(d, method) for d in (1, 64, 512, 1024) for method in (NONE, ROOT)]),
    parts="svg, svg text, fieldset, label, output",
)


HUGE = (1e30 * drawn(3, 11), 1e30 * drawn(2, 11))
OTHERS = {"huge": lambda: explorers.scaling(*HUGE)}


def widths(view):
    return [int(text.removeprefix("d = ")) for text in view.stops_of("width")]


def test_the_bars_and_the_dot_stand_where_their_numbers_are(opened):
    view = opened.view(settings=at(64, ROOT))
    row = weights(Q, K, 64, ROOT)[0]
    bars = view.output.locator("svg.abh-chart rect")
    heights = bars.evaluate_all("bars => bars.map(bar => +bar.getAttribute('height'))")
    full = heights[0] / row[0].item()
    assert heights == pytest.approx([full * weight for weight in row.tolist()], rel=1e-3)
    marked = bars.evaluate_all("bars => bars.map(bar => bar.classList.contains('abh-mark'))")
    assert marked == [j == int(row.argmax()) for j in range(7)]
    curves = view.output.locator("svg.abh-chart").nth(1)
    rule = curves.locator("line.abh-mark")
    axis = curves.locator("line.abh-axis")
    share = (float(rule.get_attribute("x1")) - float(axis.get_attribute("x1"))) / (
        float(axis.get_attribute("x2")) - float(axis.get_attribute("x1"))
    )
    assert share == pytest.approx(0.6)  # log 64 / log 1024
    dot = curves.locator("circle")
    assert float(dot.get_attribute("cx")) == float(rule.get_attribute("x1"))
    top, bottom = float(rule.get_attribute("y1")), float(rule.get_attribute("y2"))
    assert (bottom - float(dot.get_attribute("cy"))) / (bottom - top) == pytest.approx(
        largest(Q, K, 64, ROOT).mean().item(), abs=1e-4
    )


@pytest.mark.parametrize("measure, of", [("largest weight", largest), ("slope", slope)])
def test_the_curves_are_the_means_at_every_width(opened, measure, of):
    view = opened.view(settings={"curves": measure})
    curves = view.output.locator("svg.abh-chart").nth(1)
    zero = float(curves.locator("line.abh-axis").get_attribute("y1"))
    tall = zero - float(curves.locator("line.abh-mark").get_attribute("y1"))
    for n, method in enumerate((NONE, ROOT)):
        path = curves.locator("path").nth(n).get_attribute("d")
        points = [list(map(float, point.split())) for point in re.split("[ML]", path)[1:]]
        means = [of(Q, K, d, method).mean().item() for d in widths(view)]
        assert [(zero - y) / tall for _, y in points] == pytest.approx(means, abs=0.06 / tall)  # drawn to 0.1 pixel


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
            every = [scores(Q, K, width, ROOT).std() for width in widths(view)]
            over = f"{min(every):.4f} to {max(every):.4f} over all d"
            meaning = f"The standard deviation of the divided scores is {spread:.4f} ({over})."
        assert_says(view.explained(), f"{meaning} {who}: the slope is {percent}% of the largest possible.")


def test_huge_numbers_break_nothing(opened):
    view = opened.view("huge", at(11))
    assert "the largest of 2 weights is 1.0000" in view.said() and "NaN" not in view.explained()
    assert view.explained().endswith(
        "One key takes nearly all the weight: the slope is less than 1% of the largest possible."
    )


def test_the_charts_can_be_read_as_tables(opened):
    view = opened.view()
    view.read_as_a_table()
    view.choose(ROOT)
    bars, curves = view.listings()
    assert bars == ["Weights of q[0] at d = 4, divided by √d", [[str(j), bars[1][j][1]] for j in range(7)]]
    assert_says(" ".join(row[1] for row in bars[1]), " ".join(f"{w:.4f}" for w in weights(Q, K, 4, ROOT)[0].tolist()))
    row = next(row for row in curves[1] if row[0] == "64")
    means = [largest(Q, K, 64, method).mean() for method in (NONE, ROOT)]
    assert_says(" ".join(row[1:]), f"{means[0]:.4f} {means[1]:.4f}")
