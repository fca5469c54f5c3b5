"""Diagrams: what they refuse, and pieces of a weight that lie where the code puts them."""

import re

import pytest
import torch

from figures import fused_layouts, model_map, multi_head_attention
from figures.style import COLORS
from models import published
from tests.unit.refusals import require_refused


def test_another_notebook_or_number_of_heads_is_refused():
    require_refused(
        ("ValueError: such as \"02\"; got '12'", lambda: model_map("12")),
        ("ValueError: num_heads must be 2, 3 or 4", lambda: multi_head_attention(5)),
    )


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
