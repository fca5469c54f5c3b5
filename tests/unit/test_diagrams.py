"""Diagrams name what is connected, and mark the parts of a notebook."""

import re

import pytest
import torch

from figures import bert_block, decoder_block, fused_layouts, model_map, multi_head_attention
from figures.style import BLUE, COLORS
from models import published


def strong_boxes(picture):
    return len(re.findall(f"fill: {BLUE}; stroke: {BLUE}", picture.svg))


@pytest.mark.parametrize("here, marked", [("", 0), ("01", 2), ("02", 1), ("05", 1), ("06", 3), ("07", 7), ("08", 1)])
def test_the_map_marks_the_parts_of_a_notebook(here, marked):
    assert strong_boxes(model_map(here)) == marked


def test_the_map_says_in_words_where_one_is():
    assert model_map("06").caption.startswith("You are here, in notebook 06: add & norm, feed-forward.")
    assert "You are here" not in model_map().alt


def test_the_map_refuses_a_notebook_without_a_part_of_the_model():
    with pytest.raises(ValueError, match="such as \"02\"; got '12'"):
        model_map("12")


@pytest.mark.slow
@pytest.mark.parametrize("num_heads", [2, 3, 4])
def test_every_head_is_drawn(num_heads):
    picture = multi_head_attention(num_heads)
    assert strong_boxes(picture) == num_heads + 4  # the heads, and four projections
    assert f"{num_heads} heads" in picture.alt


@pytest.mark.parametrize("num_heads", [0, 1, 5, "3"])
def test_another_number_of_heads_is_refused(num_heads):
    with pytest.raises(ValueError, match="num_heads must be 2, 3 or 4"):
        multi_head_attention(num_heads)


def test_the_block_has_two_residual_connections():
    svg = bert_block().svg
    assert svg.count(">+<") == 2 and svg.count(">dropout<") == 2


def test_the_block_of_a_decoder_has_its_norms_first_and_no_dropout():
    svg = decoder_block().svg
    assert svg.count(">+<") == 2 and "dropout" not in svg
    assert svg.index(">norm<") < svg.index(">head attention<") and svg.count(">norm<") == 2


@pytest.mark.parametrize("layout", published.LAYOUTS)
def test_the_pieces_of_a_fused_weight_lie_as_fused_lays_them(layout):
    picture = fused_layouts()
    weights = [torch.full((4, 4), 10.0 * part) + torch.arange(2).repeat_interleave(2)[:, None] for part in range(3)]
    fused = published.fused(weights, 2, layout)
    rows = fused.T if layout == "transposed" else fused
    pieces = [f"{'qkv'[int(n) // 10]} {int(n) % 10}" for n in rows[::2, 0]]
    labels = re.findall(r">([qkv] \d)<", picture.svg)
    start = 6 * published.LAYOUTS.index(layout)
    assert labels[start : start + 6] == pieces and f"{layout.capitalize()}, from" in picture.alt
    assert f": {', '.join(pieces)}." in picture.alt
    colors = re.findall("fill: (#[0-9a-f]{6}); stroke: #ffffff", picture.svg)
    assert colors[start : start + 6] == [COLORS["qkv".index(piece[0])] for piece in pieces]
