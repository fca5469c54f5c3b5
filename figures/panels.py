"""Panels of squares, side by side, and below each other where the page ends. All lengths are in inches."""

from math import ceil, radians, sin

from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from figures.style import ALARM, FAINT, HATCH, HIDDEN, PAPER, WIDEST, readable_ink, short, text_width

TALL = 20  # height of the sheet; to_svg crops it to what is drawn
GAP, BAR = 0.3, 0.9  # between two panels; for the color bar with its numbers and its name
WORDS, TITLE = 9.5, 11  # sizes of type, in points
HATCHED = {"facecolor": HIDDEN, "edgecolor": HATCH, "linewidth": 0, "hatch": "///"}
MANY = 40  # in a table of this many numbers, zeros are not written if most are zeros
SLANT = 40  # degrees, for column words that are too long to fit side by side


class Panels:
    """A sheet with one axis for each panel; all have the same rows. `columns` is {title: number of columns}."""

    def __init__(self, columns, rows, row_label="", bar=False, wanted=0.42, least=0.2):
        left = max(text_width(row, WORDS) for row in rows) + 0.15 + (0.25 if row_label else 0)
        room = WIDEST - 0.3 - left - (BAR if bar else 0)
        self.cell, self.lines = arranged(columns, room, wanted, least)
        self.columns, self.rows, self.row_label = columns, rows, row_label
        self.figure = Figure(figsize=(WIDEST, TALL), facecolor=PAPER)
        self.axes = {}

    def draw(self, draw, words=None, label=""):
        """Call draw(axis, title) for each panel, and write its title, column words and row words."""
        slanted = words is not None and max(text_width(word, WORDS) for word in words) > self.cell - 0.04
        below = _height_of(words, slanted) + (0.24 if label else 0) + 0.12
        high, top = self.cell * len(self.rows), 0.0
        for line in self.lines:
            titles = {title: _wrapped(title, self.cell * self.columns[title] + GAP / 2) for title in line}
            top += 0.19 * max(text.count("\n") + 1 for text in titles.values()) + 0.14
            left = 0.0
            for title in line:
                wide = self.cell * self.columns[title]
                axis = self.axes[title] = self.figure.add_axes(self._box(left, top, wide, high))
                _blank(axis, self.columns[title], len(self.rows))
                draw(axis, title)
                axis.set_title(titles[title], pad=7, fontsize=TITLE)
                if title == line[0]:
                    axis.set_yticks([i + 0.5 for i in range(len(self.rows))], self.rows, fontsize=WORDS)
                    axis.set_ylabel(self.row_label)
                if words is not None:
                    turned = {"rotation": SLANT, "ha": "right", "rotation_mode": "anchor"} if slanted else {}
                    axis.set_xticks([i + 0.5 for i in range(len(words))], words, fontsize=WORDS, **turned)
                axis.set_xlabel(label)
                left += wide + GAP
            top += high + below
        self.bottom = top

    def add_bar(self, colors, scale, name):
        """The color bar, on the right of the first line."""
        last = self.axes[self.lines[0][-1]].get_position()
        high = max(last.height, 1.3 / TALL)
        place = self.figure.add_axes((last.x1 + 0.18 / WIDEST, last.y1 - high, 0.14 / WIDEST, high))
        middle = (scale.vmin + scale.vmax) / 2
        bar = self.figure.colorbar(
            ScalarMappable(scale, colors.resampled(24)), cax=place, ticks=[scale.vmin, middle, scale.vmax]
        )
        bar.outline.set_visible(False)
        bar.solids.set_edgecolor("face")
        bar.ax.tick_params(labelsize=9)
        bar.set_label(name)

    def add_legend(self, hidden, alarm=""):
        """Explain the hatching, and the alarm color if one is used, below all panels."""
        patches = [Patch(**HATCHED, label=hidden)]
        if alarm:
            patches.append(Patch(facecolor=ALARM, label=alarm))
        self.figure.legend(
            handles=patches,
            loc="upper left",
            bbox_to_anchor=(0, 1 - self.bottom / TALL),
            ncols=2,
            frameon=False,
            fontsize=WORDS,
            borderpad=0,
            borderaxespad=0,
            handlelength=1.5,
            handleheight=1.2,
        )

    def _box(self, left, top, wide, high):
        return left / WIDEST, 1 - (top + high) / TALL, wide / WIDEST, high / TALL


def arranged(columns, room, wanted, least):
    """The side of a square, and the panels in each line: as few lines as leave the squares large enough.

    columns {title: number of columns} -> cell, [[title, ...], ...]
    """
    titles = list(columns)
    for count in range(1, len(titles) + 1):
        each = ceil(len(titles) / count)
        lines = [titles[i : i + each] for i in range(0, len(titles), each)]
        cell = min((room - GAP * (len(line) - 1)) / sum(columns[title] for title in line) for line in lines)
        if cell >= least:
            break
    return min(cell, wanted), lines


def _height_of(words, slanted):
    """The height of the column words."""
    if words is None:
        return 0.0
    longest = max(text_width(word, WORDS) for word in words)
    return 0.12 + (longest * sin(radians(SLANT)) + 0.08 if slanted else 0.12)


def _wrapped(title, room):
    """Break a title into as many lines as it needs above its panel."""
    lines = [""]
    for word in title.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, TITLE, "bold") > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines)


def _blank(axis, columns, rows):
    axis.set(xlim=(0, columns), ylim=(rows, 0), xticks=[], yticks=[])
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)


# ---------------------------------------------------------------- squares with numbers


def square(axis, i, j, facecolor, edgecolor=PAPER, linewidth=1.5, inset=0, **look):
    """Color the square in row i and column j."""
    corner, side = (j + inset, i + inset), 1 - 2 * inset
    patch = Rectangle(corner, side, side, facecolor=facecolor, edgecolor=edgecolor, linewidth=linewidth, **look)
    axis.add_artist(patch)  # not add_patch, which computes limits that are already set
    patch.set_clip_path(None)


def number(axis, i, j, text, size, color, **look):
    axis.text(j + 0.5, i + 0.5, text, ha="center", va="center_baseline", fontsize=size, color=color, **look)


def table(axis, values, hidden, colors, scale, cell, decimals=2, least=None):
    """A colored square and its number for each pair; hatched where hidden, and red where hidden but above 0.

    Numbers below `least` are not written.
    """
    write, size = _writer(values, cell, decimals)
    for i, row in enumerate(values.tolist()):
        for j, value in enumerate(row):
            finite = abs(value) < float("inf")  # False for NaN
            if hidden[i, j] and value > 0:
                square(axis, i, j, ALARM)
                number(axis, i, j, write(value) if value >= 0.005 else "<.01", size, PAPER, fontweight="bold")
            elif hidden[i, j]:
                square(axis, i, j, **HATCHED, inset=0.02)
                number(axis, i, j, write(value), size, FAINT, bbox={"facecolor": HIDDEN, "linewidth": 0, "pad": 1})
            else:
                fill = colors(scale(value)) if finite else HIDDEN
                square(axis, i, j, fill)
                if least is None or value >= least:
                    number(axis, i, j, write(value), size, readable_ink(fill))


def _writer(values, cell, decimals):
    """A function that formats numbers for squares of this size, as 0.15, .15 or .2, and the font size."""
    if decimals == 2 and values.isfinite().all() and (values == (values * 10).round() / 10).all():
        decimals = 1  # rounded already
    crowded = decimals == 1 and values.numel() >= MANY and (values == 0).sum() > values.numel() / 2
    shown = _without_zeros if crowded else str
    for size in (9, 8, 7.5):
        if text_width(short(0.0, decimals), size) < 0.86 * cell:
            return lambda value: shown(short(value, decimals)), size
    places = decimals if text_width("." + decimals * "0", 7.5) < 0.9 * cell else 1
    return lambda value: _without_zeros(short(value, places)), 7.5


def _without_zeros(text):
    if text.startswith("1."):
        return "1" if not text.strip("1.0") else text
    text = text.removeprefix("0")
    return text if text.strip(".0") else ""
