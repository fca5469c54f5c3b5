"""The scaling explorer: what it refuses, and every number it shows beside the same number from PyTorch."""

import inspect
import math
import re

import pytest
import torch

import explorers
from explorers.base import INVITATION
from tests.shown import Shown, in_both_themes

pytest_plugins = ["tests.browser"]
NONE, ROOT = "not divided", "divided by √d"


def drawn(rows, width):
    return torch.randn(rows, width, generator=torch.Generator().manual_seed(rows))


CELLS = [f"import torch\nimport explorers\n\n{inspect.getsource(drawn)}",
         "explorers.scaling(drawn(37, 1024), drawn(7, 1024))",
         "explorers.scaling(drawn(1, 100)[0], drawn(16, 100))",
         "explorers.scaling(1e30 * drawn(3, 11), 1e30 * drawn(2, 11))"]


# ---------------------------------------------------------------- Python

def sent(values, width):
    return torch.frombuffer(bytearray(values), dtype=torch.float32).view(-1, width)


@pytest.mark.parametrize("given", [
    drawn(5, 11).requires_grad_(), drawn(5, 11).double(), drawn(5, 11).half(), drawn(5, 11).tolist(),
    drawn(11, 5).mT, drawn(5, 11) > 0, drawn(5, 11)[0], drawn(5, 11)[0].tolist(),
], ids=["with gradients", "float64", "float16", "lists", "not contiguous", "bool", "one query", "one list"])
def test_queries_and_keys_of_every_kind_are_taken(given):
    view = explorers.scaling(given, drawn(3, 11))
    expected = torch.as_tensor(given).detach().float().view(-1, 11)
    torch.testing.assert_close(sent(view.q, 11), expected, atol=0, rtol=0)
    torch.testing.assert_close(sent(view.k, 11), drawn(3, 11), atol=0, rtol=0)
    assert view.axes == [len(expected), 3, 11]


def test_tensors_on_a_gpu_are_taken(gpu):
    assert explorers.scaling(drawn(5, 11).cuda(), drawn(3, 11).cuda()).axes == [5, 3, 11]


@pytest.mark.parametrize("N, S, D", [(1, 2, 2), (64, 16, 1024)])
def test_the_smallest_and_the_largest_are_taken(N, S, D):
    assert explorers.scaling(drawn(N, D), drawn(S, D)).axes == [N, S, D]


q, k = drawn(5, 11), drawn(3, 11)
spoilt = k.clone()
spoilt[2, 7] = float("nan")


@pytest.mark.parametrize("error, message, arguments", [
    (TypeError, "q must be a tensor or nested lists of numbers, .* got str", ("q", k)),
    (TypeError, "k must be a tensor or nested lists of numbers, .* got NoneType", (q, None)),
    (TypeError, "q must be one tensor, got a list of tensors", ([q, q], k)),
    (TypeError, "k must be real numbers, got torch.complex64", (q, k * 1j)),
    (ValueError, r"shape \(N, D\), got \(\); pass the queries of one head, each in a row", (3.0, k)),
    (ValueError, r"shape \(N, D\), got \(1, 2, 5, 11\); pass the queries of one head, .* q\[0, 0\]",
     (q.expand(1, 2, 5, 11), k)),
    (ValueError, r"shape \(S, D\), got \(1, 3, 11\); pass the keys of one head, .* k\[0\]$", (q, k[None])),
    (ValueError, r"shape \(S, D\), got \(11,\); pass the keys of one head, each in a row", (q, k[0])),
    (ValueError, r"the same width D, got shapes \(5, 11\) and \(3, 7\); take both from the same head", (q, k[:, :7])),
    (ValueError, r"got shapes \(5, 11\) and \(11, 3\); queries and keys are the rows: transpose k, .* k.mT", (q, k.mT)),
    (ValueError, r"got shapes \(11, 5\) and \(3, 11\); .* transpose q, for instance q.mT", (q.mT, k)),
    (ValueError, r"got shapes \(11, 5\) and \(11, 3\); .* transpose q and k, for instance q.mT", (q.mT, k.mT)),
    (ValueError, "D, the width of q and k, must be 2 to 1024, got 1; draw more", (q[:, :1], k[:, :1])),
    (ValueError, r"2 to 1024, got 1025; pass q\[:, :1024\] and the same of k", (drawn(5, 1025), drawn(3, 1025))),
    (ValueError, "N, the number of queries, must be 1 to 64, got 0; draw more", (q[:0], k)),
    (ValueError, r"1 to 64, got 65; pass q\[:64\], or q.mT and k.mT if here they are", (drawn(65, 11), k)),
    (ValueError, "S, the number of keys, must be 2 to 16, got 1; draw more", (q, k[:1])),
    (ValueError, r"2 to 16, got 17; pass k\[:16\]", (q, drawn(17, 11))),
    (ValueError, r"k must be finite, got nan at \[2, 7\]; look for the step", (q, spoilt)),
    (ValueError, r"q must be finite, got inf at \[0, 0\]; look for the step", (q.abs() / 0, k)),
])
def test_what_cannot_be_shown_is_refused_in_one_sentence(error, message, arguments):
    with pytest.raises(error, match=message) as caught:
        explorers.scaling(*arguments)
    said = str(caught.value)
    assert "\n" not in said and len(said) < 200 and said.count("; ") == 1


def test_the_picture_is_the_mean_of_the_largest_weight():
    q, k = drawn(37, 100), drawn(7, 100)
    words = explorers.scaling(q, k).still()["text/plain"]
    parts = {name: [f"d = {d} {largest(q, k, d, name).mean():.2f}" for d in (1, 4, 16, 64, 100)]
             for name in (NONE, ROOT)}
    assert words == (f"The largest of 7 weights (mean largest weight). {NONE}: {', '.join(parts[NONE])}; "
                     f"{ROOT}: {', '.join(parts[ROOT])}. {INVITATION}")
    assert "(largest weight)" in explorers.scaling(q[0], k).still()["text/plain"]


def test_the_picture_is_the_same_in_every_run_and_after_a_later_change():
    q, k = drawn(37, 100), drawn(7, 100)
    view = explorers.scaling(q, k)
    before = view.still()
    assert explorers.scaling(q.clone(), k.clone()).still() == before
    q.zero_()
    k.zero_()
    assert view.still() == before


# ---------------------------------------------------------------- what the numbers must be

def scores(q, k, d, method):
    return q[:, :d] @ k[:, :d].mT / (1 if method == NONE else math.sqrt(d))  # (N, S)


def weights(q, k, d, method):
    return scores(q, k, d, method).softmax(dim=-1)


def largest(q, k, d, method):
    return weights(q, k, d, method).amax(dim=-1)


def slope(q, k, d, method):
    return 1 - weights(q, k, d, method).square().sum(dim=-1)


NUMBER = re.compile(r"-?\d+\.\d{4}")


def assert_says(said, expected):
    """The same sentence; its numbers may differ by one in the last of four decimals, where float32 rounds."""
    assert NUMBER.sub("#", said) == NUMBER.sub("#", expected)
    for number, wanted in zip(NUMBER.findall(said), NUMBER.findall(expected), strict=True):
        assert float(number) == pytest.approx(float(wanted), abs=1.01e-4)


# ---------------------------------------------------------------- the browser

@pytest.fixture(scope="module")
def notebook(open_notebook):
    page = open_notebook(CELLS, name="scaling")
    page.run_all()
    return page


class ScalingShown(Shown):
    """The scaling explorer: the width is chosen by its number, not by its place on the slider."""

    def widths(self):
        """The width at every place of the slider."""
        shown = self.slider("width").evaluate("""slider => Array.from({ length: +slider.max + 1 }, (_, at) => {
            slider.value = at;
            slider.dispatchEvent(new InputEvent("input", { bubbles: true }));
            return slider.getAttribute("aria-valuetext");
        })""")
        self.settle()
        return [int(text.removeprefix("d = ")) for text in shown]

    def width(self, d):
        self.slide("width", self.widths().index(d))

    def assert_shows(self, q, k, d, method, query=0, measure="largest weight"):
        """Every number in sight is PyTorch's."""
        row = weights(q, k, d, method)[query]
        key = int(row.argmax())
        assert_says(self.said(), f"d = {d}, {method}: the largest of {len(k)} weights is {row[key]:.4f} (key {key}), "
                                 f"the slope is {slope(q, k, d, method)[query]:.4f}")
        spread = f"spread by {scores(q, k, d, method).std():.4f}"
        assert_says(self.explained().split(" (")[0],
                    f"The scores {spread}" if method == NONE else f"The divided scores {spread}")
        bars, curves = self.charts()
        keys = ", ".join(f"key {j} {weight:.4f}" for j, weight in enumerate(row.tolist()))
        assert_says(bars, f"weights of q[{query}]: {keys}")
        of = {"largest weight": largest, "slope": slope}[measure]
        means = ", ".join(f"{name} {of(q, k, d, name).mean():.4f}" for name in (NONE, ROOT))
        mean_of = f", mean of {len(q)} queries" if len(q) > 1 else ""
        assert_says(curves, f"{measure.capitalize()}{mean_of}, at d = {d}: {means}")


Q, K = drawn(37, 1024), drawn(7, 1024)


def opened(notebook):
    """The first explorer as it opens."""
    shown = ScalingShown(notebook, 1)
    shown.choose(NONE)
    shown.choose("largest weight")
    shown.slide("query", 0)
    shown.width(4)
    return shown


def test_it_appears_with_names_and_roles(notebook):
    shown = ScalingShown(notebook, 1)
    shown.assert_shows(Q, K, 4, NONE)
    for name in (NONE, "largest weight"):
        assert shown.output.get_by_role("radio", name=name, exact=True).is_checked()
    assert [group.get_attribute("class") for group in shown.output.get_by_role("group", name="scores").all()] == \
        ["abh-choice"]
    assert shown.output.get_by_role("group", name="curves").count() == 1
    assert shown.slider("width").get_attribute("aria-valuetext") == "d = 4"
    assert shown.slider("query").get_attribute("aria-valuetext") == "q[0]"
    assert shown.output.locator("svg.abh-chart[role=img]").count() == 2


def test_widths_are_even_on_a_log_scale_and_meet_every_power_of_two(notebook):
    found = ScalingShown(notebook, 1).widths()
    assert found == sorted(set(found)) and found[:9] == list(range(1, 10)) and found[-1] == 1024
    assert {2**power for power in range(11)} <= set(found)
    assert all(wide <= 1.13 * narrow + 0.5 for narrow, wide in zip(found[8:], found[9:], strict=False))
    assert ScalingShown(notebook, 2).widths()[-2:] == [99, 100]


@pytest.mark.parametrize("d", [1, 13, 64, 512, 1024])
def test_every_width_is_that_of_pytorch_divided_or_not(notebook, d):
    shown = opened(notebook)
    shown.width(d)
    for method in (NONE, ROOT):
        shown.choose(method)
        shown.assert_shows(Q, K, d, method)


def test_another_query_and_the_slope(notebook):
    shown = opened(notebook)
    shown.width(45)
    shown.slide("query", 36)
    shown.choose("slope")
    shown.assert_shows(Q, K, 45, NONE, query=36, measure="slope")
    shown.choose(ROOT)
    shown.assert_shows(Q, K, 45, ROOT, query=36, measure="slope")


def test_one_query_has_no_slider_and_no_mean(notebook):
    shown = ScalingShown(notebook, 2)
    assert shown.slider("query").count() == 0
    shown.width(100)
    shown.assert_shows(drawn(1, 100), drawn(16, 100), 100, NONE)


def test_the_bars_and_the_dot_stand_where_their_numbers_are(notebook):
    shown = opened(notebook)
    shown.width(64)
    shown.choose(ROOT)
    row = weights(Q, K, 64, ROOT)[0]
    bars = shown.output.locator("svg.abh-chart rect")
    heights = bars.evaluate_all("bars => bars.map(bar => +bar.getAttribute('height'))")
    full = heights[0] / row[0].item()
    assert heights == pytest.approx([full * weight for weight in row.tolist()], rel=1e-3)
    marked = bars.evaluate_all("bars => bars.map(bar => bar.classList.contains('abh-mark'))")
    assert marked == [j == int(row.argmax()) for j in range(7)]
    assert shown.output.locator("svg.abh-chart rect.abh-third").count() == 6  # the colour of the curve
    curves = shown.output.locator("svg.abh-chart").nth(1)
    rule = curves.locator("line.abh-mark")
    axis = curves.locator("line.abh-axis")
    share = (float(rule.get_attribute("x1")) - float(axis.get_attribute("x1"))) / (
        float(axis.get_attribute("x2")) - float(axis.get_attribute("x1")))
    assert share == pytest.approx(0.6)  # log 64 / log 1024
    dot = curves.locator("circle")
    assert float(dot.get_attribute("cx")) == float(rule.get_attribute("x1"))
    top, bottom = float(rule.get_attribute("y1")), float(rule.get_attribute("y2"))
    assert (bottom - float(dot.get_attribute("cy"))) / (bottom - top) == pytest.approx(
        largest(Q, K, 64, ROOT).mean().item(), abs=1e-4)


@pytest.mark.parametrize("method", [NONE, ROOT])
@pytest.mark.parametrize("measure, of", [("largest weight", largest), ("slope", slope)])
def test_the_curves_are_the_means_at_every_width(notebook, measure, of, method):
    shown = opened(notebook)
    widths = shown.widths()
    shown.choose(measure)
    path = shown.output.locator("svg.abh-chart path").nth([NONE, ROOT].index(method))
    points = [list(map(float, point.split())) for point in re.split("[ML]", path.get_attribute("d"))[1:]]
    axis = shown.output.locator("svg.abh-chart").nth(1).locator("line.abh-axis")
    zero, rule = float(axis.get_attribute("y1")), shown.output.locator("svg.abh-chart line.abh-mark")
    tall = zero - float(rule.first.get_attribute("y1"))
    means = [of(Q, K, d, method).mean().item() for d in widths]
    assert [(zero - y) / tall for _, y in points] == pytest.approx(means, abs=0.06 / tall)  # drawn to 0.1 pixel


@pytest.mark.parametrize("d, method, who, percent", [
    (1, NONE, "The keys share", "100"), (16, NONE, "One key takes most", "23"),
    (64, NONE, "One key takes nearly all", "17"), (512, NONE, "One key takes nearly all", "less than 1"),
    (64, ROOT, "The keys share", "96"), (512, ROOT, "One key takes most", "68"),
])
def test_it_says_what_the_numbers_mean(notebook, d, method, who, percent):
    shown = opened(notebook)
    shown.width(d)
    shown.choose(method)
    spread = scores(Q, K, d, method).std()
    meaning = f"The scores spread by {spread:.4f} (√{d} = {math.sqrt(d):.4f})."
    if method == ROOT:
        every = [scores(Q, K, width, ROOT).std() for width in shown.widths()]
        shown.width(d)
        meaning = f"The divided scores spread by {spread:.4f} (over all d: {min(every):.4f} to {max(every):.4f})."
    assert_says(shown.explained(), f"{meaning} {who}: the row can learn {percent}% of the most possible.")


def test_huge_numbers_break_nothing(notebook):
    shown = ScalingShown(notebook, 3)
    shown.width(11)
    assert "the largest of 2 weights is 1.0000" in shown.said() and "NaN" not in shown.explained()
    assert shown.explained().endswith("One key takes nearly all: the row can learn less than 1% of the most possible.")


def test_the_keyboard_alone_suffices(notebook):
    shown = opened(notebook)
    assert shown.tab_stops() == ["width", NONE, "query", "largest weight"]
    shown.slider("width").focus()
    shown.press("End")
    shown.assert_shows(Q, K, 1024, NONE)
    shown.press("Home", "ArrowRight")
    shown.assert_shows(Q, K, 2, NONE)
    assert shown.focused()
    shown.press("Tab", "ArrowRight")
    shown.assert_shows(Q, K, 2, ROOT)
    assert shown.focused()
    shown.press("Tab", "ArrowRight", "ArrowRight")
    shown.assert_shows(Q, K, 2, ROOT, query=2)
    assert shown.focused()
    shown.press("Tab", "ArrowRight")
    shown.assert_shows(Q, K, 2, ROOT, query=2, measure="slope")
    assert shown.focused()


def test_it_fits_a_narrow_window(notebook):
    shown = opened(notebook)
    wide = shown.output.locator("svg.abh-chart").first.bounding_box()["width"]
    notebook.page.set_viewport_size({"width": 760, "height": 900})
    for cell in (1, 2):
        shown = ScalingShown(notebook, cell)
        shown.settle()
        shown.assert_inside("svg, svg text, fieldset, label, output")
        first, second = (chart.bounding_box() for chart in shown.output.locator("svg.abh-chart").all())
        assert second["y"] >= first["y"] + first["height"] and first["width"] != wide  # below each other, drawn anew
        assert first["width"] > 0.9 * shown.root.bounding_box()["width"]
    notebook.page.set_viewport_size({"width": 1280, "height": 900})


def test_it_follows_the_theme(notebook, tmp_path):
    dark, light = in_both_themes(notebook, 1, tmp_path)
    assert dark[0] != light[0] and dark[1] != light[1]


def test_the_width_is_followed_at_once(notebook):
    shown = opened(notebook)
    shown.drag("width")
