"""The scaling explorer in a browser: every number that it shows, compared with PyTorch's."""

import math
import re

import pytest

import explorers
from tests.explorers.browser import NARROW, SIZE
from tests.explorers.test_scaling import NONE, ROOT, drawn, largest, scores, slope, weights
from tests.explorers.view import View, in_both_themes

pytestmark = pytest.mark.browser
Q, K = drawn(37, 1024), drawn(7, 1024)


NUMBER = re.compile(r"-?\d+\.\d{4}")


def assert_says(said, expected):
    """The same sentence; its numbers may differ by one in the last of four decimals, where float32 rounds."""
    assert NUMBER.sub("#", said) == NUMBER.sub("#", expected)
    for number, wanted in zip(NUMBER.findall(said), NUMBER.findall(expected), strict=True):
        assert float(number) == pytest.approx(float(wanted), abs=1.01e-4)


# ---------------------------------------------------------------- the browser


@pytest.fixture(scope="module")
def page(open_page):
    return open_page(
        {
            "many queries": explorers.scaling(Q, K),
            "one query": explorers.scaling(drawn(1, 100)[0], drawn(16, 100)),
            "huge": explorers.scaling(1e30 * drawn(3, 11), 1e30 * drawn(2, 11)),
        }
    )


class ScalingView(View):
    """The scaling explorer: the width is chosen by its number, not by its place on the slider."""

    def widths(self):
        """The width at every place of the slider."""
        view = self.slider("width").evaluate("""slider => Array.from({ length: +slider.max + 1 }, (_, at) => {
            slider.value = at;
            slider.dispatchEvent(new InputEvent("input", { bubbles: true }));
            return slider.getAttribute("aria-valuetext");
        })""")
        self.settle()
        return [int(text.removeprefix("d = ")) for text in view]

    def width(self, d):
        self.slide("width", self.widths().index(d))

    def assert_shows(self, q, k, d, method, query=0, measure="largest weight"):
        """Every number in sight is PyTorch's."""
        row = weights(q, k, d, method)[query]
        key = int(row.argmax())
        assert_says(
            self.said(),
            f"d = {d}, {method}: the largest of {len(k)} weights is {row[key]:.4f} (key {key}), "
            f"the slope is {slope(q, k, d, method)[query]:.4f}",
        )
        which = "scores" if method == NONE else "divided scores"
        assert_says(
            self.explained().split(" (")[0],
            f"The standard deviation of the {which} is {scores(q, k, d, method).std():.4f}",
        )
        bars, curves = self.charts()
        keys = ", ".join(f"key {j} {weight:.4f}" for j, weight in enumerate(row.tolist()))
        assert_says(bars, f"weights of q[{query}]: {keys}")
        of = {"largest weight": largest, "slope": slope}[measure]
        means = ", ".join(f"{name} {of(q, k, d, name).mean():.4f}" for name in (NONE, ROOT))
        mean_of = f", mean of {len(q)} queries" if len(q) > 1 else ""
        assert_says(curves, f"{measure.capitalize()}{mean_of}, at d = {d}: {means}")


def opened(page):
    """The first explorer as it opens."""
    view = ScalingView(page, "many queries")
    view.choose(NONE)
    view.choose("largest weight")
    view.slide("query", 0)
    view.width(4)
    return view


def test_controls_and_tables_have_names_and_roles(page):
    view = ScalingView(page, "many queries")
    view.assert_shows(Q, K, 4, NONE)
    for name in (NONE, "largest weight"):
        assert view.output.get_by_role("radio", name=name, exact=True).is_checked()
    assert [group.get_attribute("class") for group in view.output.get_by_role("group", name="scores").all()] == [
        "abh-choice"
    ]
    assert view.output.get_by_role("group", name="curves").count() == 1
    assert view.slider("width").get_attribute("aria-valuetext") == "d = 4"
    assert view.slider("query").get_attribute("aria-valuetext") == "q[0]"
    assert view.output.locator("svg.abh-chart[role=img]").count() == 2


def test_widths_are_even_on_a_log_scale_and_include_every_power_of_two(page):
    found = ScalingView(page, "many queries").widths()
    assert found == sorted(set(found)) and found[:9] == list(range(1, 10)) and found[-1] == 1024
    assert {2**power for power in range(11)} <= set(found)
    assert all(wide <= 1.13 * narrow + 0.5 for narrow, wide in zip(found[8:], found[9:], strict=False))
    assert ScalingView(page, "one query").widths()[-2:] == [99, 100]


@pytest.mark.parametrize("d", [1, 13, 64, 512, 1024])
def test_every_width_is_that_of_pytorch_divided_or_not(page, d):
    view = opened(page)
    view.width(d)
    for method in (NONE, ROOT):
        view.choose(method)
        view.assert_shows(Q, K, d, method)


def test_another_query_and_the_slope(page):
    view = opened(page)
    view.width(45)
    view.slide("query", 36)
    view.choose("slope")
    view.assert_shows(Q, K, 45, NONE, query=36, measure="slope")
    view.choose(ROOT)
    view.assert_shows(Q, K, 45, ROOT, query=36, measure="slope")


def test_one_query_has_no_slider_and_no_mean(page):
    view = ScalingView(page, "one query")
    assert view.slider("query").count() == 0
    view.width(100)
    view.assert_shows(drawn(1, 100), drawn(16, 100), 100, NONE)


def test_the_bars_and_the_dot_stand_where_their_numbers_are(page):
    view = opened(page)
    view.width(64)
    view.choose(ROOT)
    row = weights(Q, K, 64, ROOT)[0]
    bars = view.output.locator("svg.abh-chart rect")
    heights = bars.evaluate_all("bars => bars.map(bar => +bar.getAttribute('height'))")
    full = heights[0] / row[0].item()
    assert heights == pytest.approx([full * weight for weight in row.tolist()], rel=1e-3)
    marked = bars.evaluate_all("bars => bars.map(bar => bar.classList.contains('abh-mark'))")
    assert marked == [j == int(row.argmax()) for j in range(7)]
    assert view.output.locator("svg.abh-chart rect.abh-third").count() == 6  # the color of the curve
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


@pytest.mark.parametrize("method", [NONE, ROOT])
@pytest.mark.parametrize("measure, of", [("largest weight", largest), ("slope", slope)])
def test_the_curves_are_the_means_at_every_width(page, measure, of, method):
    view = opened(page)
    widths = view.widths()
    view.choose(measure)
    path = view.output.locator("svg.abh-chart path").nth([NONE, ROOT].index(method))
    points = [list(map(float, point.split())) for point in re.split("[ML]", path.get_attribute("d"))[1:]]
    axis = view.output.locator("svg.abh-chart").nth(1).locator("line.abh-axis")
    zero, rule = float(axis.get_attribute("y1")), view.output.locator("svg.abh-chart line.abh-mark")
    tall = zero - float(rule.first.get_attribute("y1"))
    means = [of(Q, K, d, method).mean().item() for d in widths]
    assert [(zero - y) / tall for _, y in points] == pytest.approx(means, abs=0.06 / tall)  # drawn to 0.1 pixel


@pytest.mark.parametrize(
    "d, method, who, percent",
    [
        (1, NONE, "The keys share the weight", "100"),
        (16, NONE, "One key takes most of the weight", "23"),
        (64, NONE, "One key takes nearly all the weight", "17"),
        (512, NONE, "One key takes nearly all the weight", "less than 1"),
        (64, ROOT, "The keys share the weight", "96"),
        (512, ROOT, "One key takes most of the weight", "68"),
    ],
)
def test_it_says_what_the_numbers_mean(page, d, method, who, percent):
    view = opened(page)
    view.width(d)
    view.choose(method)
    spread = scores(Q, K, d, method).std()
    meaning = f"The standard deviation of the scores is {spread:.4f} (√{d} = {math.sqrt(d):.4f})."
    if method == ROOT:
        every = [scores(Q, K, width, ROOT).std() for width in view.widths()]
        view.width(d)
        low, high = min(every), max(every)
        meaning = f"The standard deviation of the divided scores is {spread:.4f} ({low:.4f} to {high:.4f} over all d)."
    assert_says(view.explained(), f"{meaning} {who}: the slope is {percent}% of the largest possible.")


def test_huge_numbers_break_nothing(page):
    view = ScalingView(page, "huge")
    view.width(11)
    assert "the largest of 2 weights is 1.0000" in view.said() and "NaN" not in view.explained()
    assert view.explained().endswith(
        "One key takes nearly all the weight: the slope is less than 1% of the largest possible."
    )


def test_the_keyboard_alone_suffices(page):
    view = opened(page)
    assert view.tab_stops() == ["width", NONE, "query", "largest weight", "Read as a table"]
    view.slider("width").focus()
    view.press("End")
    view.assert_shows(Q, K, 1024, NONE)
    view.press("Home", "ArrowRight")
    view.assert_shows(Q, K, 2, NONE)
    assert view.focused()
    view.press("Tab", "ArrowRight")
    view.assert_shows(Q, K, 2, ROOT)
    assert view.focused()
    view.press("Tab", "ArrowRight", "ArrowRight")
    view.assert_shows(Q, K, 2, ROOT, query=2)
    assert view.focused()
    view.press("Tab", "ArrowRight")
    view.assert_shows(Q, K, 2, ROOT, query=2, measure="slope")
    assert view.focused()


@pytest.mark.parametrize("width", [600, 760, 848, 1100])
def test_the_charts_stay_where_they_are(page, width):
    page.resize(width)
    view = opened(page)
    tops = set()
    for d in (1, 64, 512, 1024):
        view.width(d)
        for method in (NONE, ROOT):
            view.choose(method)
            tops.add(view.output.locator("svg.abh-chart").first.bounding_box()["y"])
    page.resize(*SIZE)
    assert len(tops) == 1


def test_the_charts_can_be_read_as_tables(page):
    view = opened(page)
    view.read_as_a_table()
    view.choose(ROOT)
    bars, curves = view.listings()
    assert bars == ["Weights of q[0] at d = 4, divided by √d", [[str(j), bars[1][j][1]] for j in range(7)]]
    assert_says(" ".join(row[1] for row in bars[1]), " ".join(f"{w:.4f}" for w in weights(Q, K, 4, ROOT)[0].tolist()))
    row = next(row for row in curves[1] if row[0] == "64")
    means = [largest(Q, K, 64, method).mean() for method in (NONE, ROOT)]
    assert_says(" ".join(row[1:]), f"{means[0]:.4f} {means[1]:.4f}")
    view.read_as_a_table()


def test_it_fits_a_narrow_window(page):
    view = opened(page)
    wide = view.output.locator("svg.abh-chart").first.bounding_box()["width"]
    page.resize(NARROW)
    for which in ("many queries", "one query"):
        view = ScalingView(page, which)
        view.settle()
        view.assert_inside("svg, svg text, fieldset, label, output")
        first, second = (chart.bounding_box() for chart in view.output.locator("svg.abh-chart").all())
        assert second["y"] >= first["y"] + first["height"] and first["width"] != wide  # below each other, drawn again
        assert first["width"] > 0.9 * view.root.bounding_box()["width"]
    page.resize(*SIZE)


def test_it_follows_the_theme(page, tmp_path):
    dark, light = in_both_themes(page, "many queries", tmp_path)
    assert dark[0] != light[0] and dark[1] != light[1]


def test_a_repaint_is_little_work(page):
    view = opened(page)
    view.drag("width")
