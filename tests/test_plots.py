"""Figures: the same on every machine, true to their numbers, and with words of their own."""

import re
import xml.etree.ElementTree as ElementTree

import pytest
import torch

from helpers import plots
from helpers.masks import causal_mask

WORDS = ["Your", "journey", "starts"]
WEIGHTS = torch.tensor([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.25, 0.25, 0.5]])
MAKERS = {
    "weights": lambda w=WEIGHTS: plots.weights(w, WORDS),
    "side by side": lambda w=WEIGHTS: plots.weights_side_by_side({"a": w, "b": w}, WORDS, mask=causal_mask(3)),
    "scores": lambda w=WEIGHTS: plots.scores(w * 4 - 2, WORDS),
    "masks": lambda w=WEIGHTS: plots.masks({"causal": causal_mask(3)}, WORDS),
    "bars": lambda w=WEIGHTS: plots.bars({"one": w[0], "two": w[1]}, WORDS, "weight", "Bars"),
    "lines": lambda w=WEIGHTS: plots.lines({"one": w[0], "two": w[1]}, [1, 2, 4], "x", "y", "Lines", log=True),
    "arrows": lambda w=WEIGHTS: plots.arrows({"one": w[0, :2], "two": w[1, :2]}, "Arrows", ("x", "y")),
    "flow": lambda w=WEIGHTS: plots.attention_flow(w, w, w, w, w, w, w),
}
each_figure = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def words_in(picture):
    return [element.text for element in ElementTree.fromstring(picture.svg).iter("{http://www.w3.org/2000/svg}text")]


@each_figure
def test_a_figure_is_well_formed_has_words_and_is_the_same_every_time(make):
    picture = make()
    assert picture.svg == make().svg and picture.alt == make().alt
    assert words_in(picture) and len(picture.alt) > 40
    assert ElementTree.fromstring(picture.svg).get("aria-label") == " ".join(picture.alt.split())
    assert picture._repr_mimebundle_() == {"image/svg+xml": picture.svg, "text/plain": picture.alt}
    assert not re.search(r"<metadata|<image|https?://(?!www\.w3\.org)", picture.svg)


@each_figure
def test_the_last_bits_of_a_number_do_not_show(make):
    noise = WEIGHTS + 1e-6 * torch.randn(3, 3)
    assert make(noise).svg == make().svg


@each_figure
def test_gradients_and_float64_are_taken_as_they_are(make):
    assert make(WEIGHTS.double().requires_grad_()).svg == make().svg


def test_rows_are_queries_columns_are_keys_and_the_numbers_are_true():
    words = words_in(plots.weights(WEIGHTS, WORDS, ["a", "b", "c"]))
    assert [w for w in words if w in WORDS] == WORDS and [w for w in words if w in "abc"] == ["a", "b", "c"]
    numbers = [w for w in words if re.fullmatch(r"0\.\d\d", w)]
    assert numbers == [f"{v:.2f}" for v in WEIGHTS.flatten().tolist()]
    assert "queries (who reads)" in words and "keys (read from)" in words


def test_the_scale_of_weights_is_fixed():
    def fills(picture):
        return re.findall(r"fill: (#[0-9a-f]{6}); stroke: #ffffff", picture.svg)

    small, large = fills(plots.weights(WEIGHTS / 10, WORDS)), fills(plots.weights(WEIGHTS, WORDS))
    assert small[0] != large[0], "a small weight must look small"
    assert {"0.0", "1.0"} <= set(words_in(plots.weights(WEIGHTS / 10, WORDS)))


def test_hidden_keys_are_hatched_and_counted():
    assert plots.weights(WEIGHTS, WORDS, mask=causal_mask(3)).svg.count("url(#h") == 3
    assert "Hidden by the mask: 3." in plots.weights(WEIGHTS, WORDS, mask=causal_mask(3)).alt


def test_the_words_of_a_figure_come_from_its_numbers():
    assert "Your: Your 0.70; journey: journey 0.60; starts: starts 0.50." in plots.weights(WEIGHTS, WORDS).alt
    assert "journey sees Your journey;" in plots.masks({"causal": causal_mask(3)}, WORDS).alt
    assert "Your: nothing" in plots.weights(WEIGHTS, WORDS, mask=causal_mask(3).tril(-1)).alt


def test_nan_and_infinity_are_written_out():
    values = torch.tensor([[float("nan"), float("-inf")], [0.0, 1.0]])
    assert {"NaN", "-inf"} <= set(words_in(plots.scores(values, WORDS[:2])))


@pytest.mark.parametrize("call, words", [
    (lambda: plots.weights(WEIGHTS, WORDS[:2]), r"need values of shape \(2, 2\), got \(3, 3\)"),
    (lambda: plots.bars({"a": [1.0]}, WORDS, "y"), "a has 1 numbers for 3 labels"),
    (lambda: plots.lines({"a": [1.0]}, [1, 2], "x", "y"), "a has 1 numbers for 2 places"),
    (lambda: plots.arrows({"a": [1.0, 2.0, 3.0]}), r"a must be two numbers, got shape \(3,\)"),
    (lambda: plots.attention_flow(*[WEIGHTS] * 6, WEIGHTS[0]), r"must have two axes, got shape \(3,\)"),
])
def test_what_does_not_fit_is_said(call, words):
    with pytest.raises(ValueError, match=words):
        call()
