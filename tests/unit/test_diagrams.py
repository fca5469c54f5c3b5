"""Diagrams name what is connected, and mark the parts of a notebook."""

import re

import pytest
import torch

from figures import bert_block, decoder_block, fused_layouts, model_map, multi_head_attention
from figures.style import BLUE, COLORS
from models import published


def strong_boxes(picture):
    return len(re.findall(f"fill: {BLUE}; stroke: {BLUE}", picture.svg))


def test_the_map_marks_the_parts_of_a_notebook_and_says_in_words_where_one_is():
    for here, marked in [("", 0), ("01", 2), ("06", 3), ("07", 7)]:
        picture = model_map(here)
        assert strong_boxes(picture) == marked and ("You are here" in picture.alt) == (here != "")
    assert model_map("06").caption.startswith("You are here, in notebook 06: add & norm, feed-forward.")
    with pytest.raises(ValueError, match="such as \"02\"; got '12'"):
        model_map("12")


@pytest.mark.slow
def test_every_head_is_drawn():
    picture = multi_head_attention(4)
    assert strong_boxes(picture) == 4 + 4  # the heads, and four projections
    assert "4 heads" in picture.alt
    with pytest.raises(ValueError, match="num_heads must be 2, 3 or 4"):
        multi_head_attention(5)


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
