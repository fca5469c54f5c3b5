"""Every static figure of the course, as vector drawings that a test can compare.

Each function takes numbers and words and returns a `Picture`: an SVG, and the same in one or two
sentences. The conventions are the same everywhere: rows are queries, columns are keys, weights are colored
on a fixed scale from 0 to 1, what a mask hides is hatched, and the colors are safe for color-blind
readers. Numbers are rounded before they are drawn, so that a figure is the same on every machine.

    style   colors, fonts, rounding             charts  bars, lines, timings, arrows, plane
    svg     Picture and Measured                flow    attention_flow
    grids   weights, scores, masks, heads, one_hot, waves, origins
"""

from helpers.plots.charts import arrows, bars, lines, plane, timings
from helpers.plots.flow import attention_flow
from helpers.plots.grids import heads, masks, one_hot, origins, scores, waves, weights, weights_side_by_side
from helpers.plots.style import COLOURS, FAINT, INK, PAPER, SIGNED, STYLE, WEIGHTS, WIDEST
from helpers.plots.svg import Measured, Picture

__all__ = [
    "COLOURS",
    "FAINT",
    "INK",
    "PAPER",
    "SIGNED",
    "STYLE",
    "WEIGHTS",
    "WIDEST",
    "Measured",
    "Picture",
    "arrows",
    "attention_flow",
    "bars",
    "heads",
    "lines",
    "masks",
    "one_hot",
    "origins",
    "plane",
    "scores",
    "timings",
    "waves",
    "weights",
    "weights_side_by_side",
]
