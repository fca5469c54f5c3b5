"""Every static figure of the course, as vector drawings that a test can compare.

Each function takes numbers and words and returns a `Picture`: an SVG, a caption of one sentence, and a description in
words for those who cannot see it. The conventions are the same everywhere: rows are queries, columns are keys, weights
are colored on a fixed scale from 0 to 1, what a mask hides is hatched (or red if its weight is above 0), and the
colors are safe for color-blind readers. Numbers are rounded before they are drawn, so that a figure is the same on
every machine, and no figure is wider than 800 pixels.

    style   colors, fonts, rounding             charts  bars, lines, arrows
    svg     Picture, and drawing as SVG         grids   weights, masks, heads, one_hot, waves, origins
    panels  squares and their layout
    diagrams  model_map, bert_block, decoder_block, multi_head_attention, fused_layouts
"""

from figures.charts import arrows, bars, lines
from figures.diagrams import bert_block, decoder_block, fused_layouts, model_map, multi_head_attention
from figures.grids import heads, masks, one_hot, origins, waves, weights, weights_side_by_side
from figures.style import COLORS, INK, PAPER, SIGNED, WEIGHTS, WIDEST
from figures.svg import Picture

__all__ = [
    "COLORS",
    "INK",
    "PAPER",
    "SIGNED",
    "WEIGHTS",
    "WIDEST",
    "Picture",
    "arrows",
    "bars",
    "bert_block",
    "decoder_block",
    "fused_layouts",
    "heads",
    "lines",
    "masks",
    "model_map",
    "multi_head_attention",
    "one_hot",
    "origins",
    "waves",
    "weights",
    "weights_side_by_side",
]
