"""Figures: the same on every machine, described in words, and with an alarm where a hidden weight is above 0.

Figures of correct numbers are compared with each notebook's saved figures.
"""

import re
import xml.etree.ElementTree as ElementTree
from base64 import b64decode
from functools import cache

import pytest
import torch

import figures
from figures.style import ALARM, FAINT, HATCH, HIDDEN, short
from helpers.masks import causal_mask
from tests.unit.refusals import require_refused
from tools.save_notebooks import sanitize

pytestmark = pytest.mark.slow

WORDS = ["Your", "journey", "starts"]
WEIGHTS = torch.tensor([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.25, 0.25, 0.5]])
MAKERS = {
    "weights": lambda w=WEIGHTS: figures.weights(w, WORDS),
    "side by side": lambda w=WEIGHTS: figures.weights_side_by_side({"a": w, "b": w}, WORDS, mask=causal_mask(3)),
    "one that leaks": lambda w=WEIGHTS: figures.weights(w, WORDS, mask=causal_mask(3)),
    "masks": lambda w=WEIGHTS: figures.masks({"causal": causal_mask(3)}, WORDS),
    "bars": lambda w=WEIGHTS: figures.bars({"one": w[0], "two": w[1]}, WORDS, "weight", "Bars"),
    "lines": lambda w=WEIGHTS: figures.lines({"one": w[0], "two": w[1]}, [1, 2, 4], "x", "y", "Lines"),
    "arrows": lambda w=WEIGHTS: figures.arrows({"one": w[0, :2], "two": w[1, :2]}, "Arrows", ("x", "y")),
    "heads": lambda w=WEIGHTS: figures.heads({"before": w, "after": w}),
    "one-hot": lambda w=WEIGHTS: figures.one_hot(w.argmax(-1), WORDS, ["a", "b", "c"]),
    "waves": lambda w=WEIGHTS: figures.waves(w * 2 - 1, "Waves"),
    "origins": lambda w=WEIGHTS: figures.origins({"x": (10 * w.detach() + 0.4).floor().int()}, WORDS),
}
each_figure = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


@cache
def drawn(make):
    """A figure, drawn once for all tests that only look at it."""
    return make()


def words_in(picture):
    return [element.text for element in ElementTree.fromstring(picture.svg).iter("{http://www.w3.org/2000/svg}text")]


@each_figure
def test_a_figure_is_well_formed_described_and_the_same_whatever_the_last_bits_and_the_dtype(make):
    picture, again = drawn(make), make((WEIGHTS + 1e-6 * torch.randn(3, 3)).double().requires_grad_())
    assert picture.svg == again.svg
    assert words_in(picture) and len(picture.alt) > 40
    assert re.fullmatch(r"([A-Z][^.!?]*(\.\d[^.!?]*)*\.)?", picture.caption), "a caption is one sentence"
    assert not re.search(r"<metadata|<image|https?://(?!www\.w3\.org)", picture.svg)


def page_of(picture):
    """The attributes of the image in a figure's HTML, and its caption."""
    figure = ElementTree.fromstring(re.sub(r"(<img [^>]*)>", r"\1/>", picture._repr_mimebundle_()["text/html"]))
    return figure.find("img").attrib, figure.findtext("figcaption")


def test_where_html_is_shown_a_figure_has_a_text_alternative_and_a_caption():
    picture = drawn(MAKERS["weights"])
    image, caption = page_of(picture)
    assert image["alt"] == " ".join(picture.alt.split()) and caption == picture.caption
    kind, data = image["src"].split(",")
    assert kind == "data:image/svg+xml;base64" and b64decode(data).decode() == picture.svg
    shown = picture._repr_mimebundle_()
    assert shown.items() >= {"image/svg+xml": picture.svg, "text/plain": picture.alt}.items()
    assert all(sanitize(text) == text for text in shown.values()), "figures are compared whole"


def test_quotes_and_angle_brackets_are_escaped():
    image, caption = page_of(figures.weights(WEIGHTS, ['<a "', "&", "c"]))
    assert '<a ": <a " 0.70' in image["alt"] and '“<a "”' in caption


def width_of(picture):
    """The width in points; 3 points are 4 pixels."""
    return float(ElementTree.fromstring(picture.svg).get("width").removesuffix("pt"))


LONG = ["extraordinarily", "unquestionable", "circumstances", *"abcdefghi"]
WIDE = {
    "four of twelve words": lambda: figures.weights_side_by_side(dict.fromkeys("abcd", torch.eye(12)), LONG),
    "three of sixteen heads": lambda: figures.heads(dict.fromkeys("abc", torch.rand(4, 16))),
    "eight bars": lambda: figures.bars({"a": torch.ones(12)}, LONG, "y"),
    "a table of positions": lambda: figures.waves(torch.rand(8, 64) * 2 - 1),
    "twelve features": lambda: figures.origins(
        dict.fromkeys(("x", "h", "merged"), 100 * torch.arange(3)[:, None] + torch.arange(12)), WORDS, unit=100
    ),
}


@pytest.mark.parametrize("make", WIDE.values(), ids=WIDE)
def test_no_figure_is_wider_than_the_page_nor_its_type_too_small(make):
    picture = drawn(make)
    assert width_of(picture) <= 72 * figures.WIDEST == 600
    sizes = [float(size) for size in re.findall(r"font-size: ([\d.]+)px", picture.svg)]
    assert sizes and min(sizes) >= 9 * 3 / 4, "points, which the SVG calls px"


def test_a_hidden_weight_above_0_is_an_alarm():
    leaky = WEIGHTS.tril()
    leaky[0, 2] = 0.001  # too small to be seen in the number
    picture = figures.weights(leaky, WORDS, mask=causal_mask(3))
    assert picture.svg.count(f"fill: {ALARM}") == 1 + 1  # and one in the legend
    assert "hidden, yet above 0" in words_in(picture)
    assert "Hidden, yet above 0: 1." in picture.alt
    assert "red squares are a leak: 1 hidden weight above 0" in picture.caption
    assert ALARM not in figures.masks({"causal": causal_mask(3)}, WORDS).svg


def contrast(one, other):
    """How much two colors differ in brightness, by the definition of WCAG 2."""

    def luminance(color):
        parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(part * share for part, share in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_faint_text_can_be_read_on_white_and_on_hatching():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert min(contrast(FAINT, ground) for ground in (figures.PAPER, HIDDEN, HATCH)) >= 4.5
    assert min(contrast(figures.PAPER, color) for color in (ALARM, *figures.COLORS)) >= 4.5, "white numbers"


def test_one_of_the_largest_weights_is_named_ties_are_counted_and_all_heads_are_named():
    words = f"“{WORDS[0]}” reading “{WORDS[0]}”"
    assert figures.weights(torch.eye(3), WORDS).caption == f"The largest weight is 1.00 (3 pairs, such as {words})."
    picture = figures.heads({"one": torch.tensor([[0.1, 0.3, 0.3], [0.3, 0.1, 0.2]])}, decimals=1)
    assert "most in layer 0, heads 1 and 2 and layer 1, head 0: 0.300." in picture.alt
    assert picture.caption.endswith("the largest is 0.3 (in layer 0, heads 1 and 2 and layer 1, head 0).")


def test_numbers_are_written_as_they_are():
    assert [short(x, 2) for x in (-0.0004, float("nan"), float("-inf"))] == ["0.00", "NaN", "-inf"]
    assert short(-0.0074, 4) == "-0.0074"


def test_errors_say_what_does_not_fit():
    require_refused(
        ("ValueError: 3 words need as many ids, got 1", lambda: figures.one_hot(torch.tensor([1]), WORDS, WORDS)),
        ("ValueError: x: 3 row words need as many rows", lambda: figures.origins({"x": WEIGHTS[:2]}, WORDS)),
        ("ValueError: need values of shape (2, 2), got (3, 3)", lambda: figures.weights(WEIGHTS, WORDS[:2])),
        ("ValueError: a has 1 numbers for 3 labels", lambda: figures.bars({"a": [1.0]}, WORDS, "y")),
        ("ValueError: a has 1 numbers for 2 places", lambda: figures.lines({"a": [1.0]}, [1, 2], "x", "y")),
        ("ValueError: a must be two numbers, got shape (3,)", lambda: figures.arrows({"a": [1.0, 2.0, 3.0]})),
    )
