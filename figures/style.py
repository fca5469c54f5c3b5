"""Shared by all figures: colors, fonts, rounding, and the beginning of a description."""

from functools import cache

import torch
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font

WIDEST = 600 / 72  # inches: the 800 pixels that fit next to JupyterLab's side panel in a window of 1280
FONT = "DejaVu Sans"

INK, FAINT, LINE, PAPER = "#1b2a41", "#485061", "#8a94a6", "#ffffff"  # FAINT is for text, LINE for anything else
GRID = "#e5e8ee"
HIDDEN, HATCH, ALARM = "#eceef2", "#c3c9d3", "#b3141b"
BLUE, ORANGE, GREEN, PURPLE = "#0b5fa5", "#bd5305", "#1b7f5c", "#7a4fa3"
COLORS = (BLUE, ORANGE, GREEN, PURPLE)
MARKS = "os^D"
WEIGHTS = LinearSegmentedColormap.from_list("weights", ["#f7fafd", "#b9d6ee", "#5c9fd2", "#0b5fa5", "#08305c"])
SIGNED = LinearSegmentedColormap.from_list("signed", ["#a84a06", "#eeb27a", "#fbfaf8", "#93bfe2", "#0b5fa5"])

STYLE = {
    "svg.hashsalt": "attention by hand",
    "svg.fonttype": "none",
    "font.size": 10.5,
    "font.family": FONT,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": LINE,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.titlesize": 11.5,
    "axes.titleweight": "bold",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "hatch.linewidth": 1.0,
    "mathtext.default": "regular",
}


def rounded(values):
    """Round values to floats on the CPU, since a figure must not change with the last bits of a number."""
    values = torch.as_tensor(values).detach().float().cpu()
    return (values * 1e4).round() / 1e4 + 0.0


def short(value, decimals):
    """Format a number for a figure."""
    if value != value:
        return "NaN"
    if abs(value) == float("inf"):
        return "-inf" if value < 0 else "inf"
    return f"{round(value, decimals) + 0.0:.{decimals}f}"  # + 0.0 makes 0.00 of -0.00


@cache
def text_width(text, size, weight="normal"):
    """The width of a line of text, in inches."""
    font = get_font(findfont(FontProperties(family=FONT, weight=weight)))
    font.set_size(100, 72)  # large, for exact proportions; then a pixel is a point
    font.set_text(text)
    return font.get_width_height()[0] / 64 * size / 100 / 72


def readable_ink(fill):
    """White ink on dark squares, dark ink on light ones."""
    if isinstance(fill, str):
        return INK
    red, green, blue, _ = fill
    return PAPER if 0.3 * red + 0.59 * green + 0.11 * blue < 0.5 else INK


def new_figure(width, height):
    figure = Figure(figsize=(min(width, WIDEST - 0.3), height), layout="constrained", facecolor=PAPER)
    return figure, figure.subplots()


def add_legend(axis):
    axis.legend(
        loc="lower left",
        bbox_to_anchor=(-0.01, 1.0),
        ncols=4,
        frameon=False,
        fontsize=9,
        borderpad=0,
        handlelength=1.4,
        columnspacing=1.4,
    )


def opening(title, measure):
    return f"{title} ({measure}). " if title else f"{measure}. "
