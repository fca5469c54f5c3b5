"""Figures: the same on every machine, true to their numbers, and described in words."""

import re
import xml.etree.ElementTree as ElementTree

import pytest
import torch

from helpers import plots
from helpers.masks import causal_mask
from helpers.plots.charts import _sides
from helpers.plots.style import short

pytestmark = pytest.mark.slow

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
    "heads": lambda w=WEIGHTS: plots.heads({"before": w, "after": w}),
    "one-hot": lambda w=WEIGHTS: plots.one_hot(w.argmax(-1), WORDS, ["a", "b", "c"]),
    "waves": lambda w=WEIGHTS: plots.waves(w * 2 - 1, "Waves"),
    "plane": lambda w=WEIGHTS: plots.plane({"few": WORDS[:2], "one": WORDS[2:]}, w[:, :2], "Words"),
    "origins": lambda w=WEIGHTS: plots.origins({"x": (10 * w.detach() + 0.4).floor().int()}, WORDS),
    "flow": lambda w=WEIGHTS: plots.attention_flow(w, w, w, w, w, w, w),
}
each_figure = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def words_in(picture):
    return [element.text for element in ElementTree.fromstring(picture.svg).iter("{http://www.w3.org/2000/svg}text")]


@each_figure
def test_a_figure_is_well_formed_described_and_deterministic(make):
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
def test_tensors_may_require_gradients_and_be_float64(make):
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
    assert plots.weights(WEIGHTS, WORDS, mask=causal_mask(3)).svg.count("fill: url(#") == 3
    assert "Hidden by the mask: 3." in plots.weights(WEIGHTS, WORDS, mask=causal_mask(3)).alt


def test_the_description_of_a_figure_comes_from_its_numbers():
    assert "Your: Your 0.70; journey: journey 0.60; starts: starts 0.50." in plots.weights(WEIGHTS, WORDS).alt
    assert "journey sees Your journey;" in plots.masks({"causal": causal_mask(3)}, WORDS).alt
    assert "Your: nothing" in plots.weights(WEIGHTS, WORDS, mask=causal_mask(3).tril(-1)).alt


def test_nan_and_infinity_are_written_out():
    values = torch.tensor([[float("nan"), float("-inf")], [0.0, 1.0]])
    assert {"NaN", "-inf"} <= set(words_in(plots.scores(values, WORDS[:2])))


def test_origins_are_colored_by_their_token():
    named = 10 * torch.arange(3)[:, None] + torch.arange(2)
    colors = re.findall(r"fill: (#[0-9a-f]{6}); stroke: #ffffff", plots.origins({"x": named}, WORDS).svg)
    assert colors == [color for color in plots.COLORS[:3] for _ in range(2)]


def test_more_than_ten_features_get_names_of_three_digits():
    named = 100 * torch.arange(3)[:, None] + torch.arange(12)
    picture = plots.origins({"x": named, "merged": named}, WORDS, unit=100)
    colors = re.findall(r"fill: (#[0-9a-f]{6}); stroke: #ffffff", picture.svg)
    assert colors == [color for color in plots.COLORS[:3] for _ in range(12)] * 2
    assert {"000", "011", "200"} <= set(words_in(picture)) and "First digit = token" in picture.alt
    assert float(ElementTree.fromstring(picture.svg).get("width").removesuffix("pt")) <= 72 * plots.WIDEST + 1


def test_small_squares_write_one_decimal_and_leave_zeros_empty():
    words = words_in(plots.weights_side_by_side({str(i): torch.eye(8) / 2 for i in range(3)}, list("abcdefgh")))
    assert words.count(".5") == 24 and words.count("0.0") == 1  # the one is on the color bar


def test_words_in_the_plane_cover_neither_points_nor_each_other():
    places = torch.tensor([[0.0, 0.0], [0.05, 0.0], [0.1, 0.0], [1.0, 1.0]])
    sides = _sides(["alpha", "beta", "gamma", "delta"], places)
    assert sides[0] == (-1, 0) and sides[2] == (1, 0) and sides[1] in {(0, 1), (0, -1)}


def test_the_description_of_heads_names_the_largest():
    table = torch.zeros(2, 12)
    table[1, 7] = 0.5
    picture = plots.heads({"one": table, "two": table}, top=0.5)
    assert "one, 2 layers x 12 heads: mean 0.021, most in layer 1, head 7: 0.500." in picture.alt
    assert words_in(picture).count(".5") == 2 and words_in(picture).count("head") == 2


def test_small_negative_numbers_keep_their_sign_and_zero_has_none():
    assert short(-0.0074, 4) == "-0.0074" and short(-0.0004, 2) == "0.00"


def test_measured_times_are_pixels_with_a_description_without_numbers():
    figure = plots.timings({"slow": [1.0, 4.0], "fast": [1.0, 2.0]}, [1, 2], "length", "ms", "Time")
    data, sizes = figure._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG") and sizes["image/png"]["width"] == 460
    assert data["text/plain"] == "Time (ms against length). Curves measured on this machine: slow, fast."


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: plots.one_hot(torch.tensor([1]), WORDS, WORDS), "3 words need as many ids, got 1"),
        (lambda: plots.plane({"a": WORDS}, WEIGHTS), r"3 words need places of shape \(3, 2\), got \(3, 3\)"),
        (
            lambda: plots.origins({"x": torch.zeros(2, 2).int()}, WORDS),
            r"x: 3 row words need as many rows, got \(2, 2\)",
        ),
        (lambda: plots.weights(WEIGHTS, WORDS[:2]), r"need values of shape \(2, 2\), got \(3, 3\)"),
        (lambda: plots.bars({"a": [1.0]}, WORDS, "y"), "a has 1 numbers for 3 labels"),
        (lambda: plots.lines({"a": [1.0]}, [1, 2], "x", "y"), "a has 1 numbers for 2 places"),
        (lambda: plots.arrows({"a": [1.0, 2.0, 3.0]}), r"a must be two numbers, got shape \(3,\)"),
        (lambda: plots.attention_flow(*[WEIGHTS] * 6, WEIGHTS[0]), r"must have two axes, got shape \(3,\)"),
    ],
)
def test_errors_say_what_does_not_fit(call, words):
    with pytest.raises(ValueError, match=words):
        call()
