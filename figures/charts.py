"""Bars, curves and arrows."""

import torch
from matplotlib import rc_context

from feedback.format import listed
from figures.style import (
    COLORS,
    GRID,
    LINE,
    MARKS,
    STYLE,
    add_legend,
    new_figure,
    opening,
    rounded,
    short,
)
from figures.svg import Picture, to_svg

MOST_MARKS = 150


def bars(groups, labels, ylabel, title="", top=1.0, xlabel=""):
    """Bars side by side for each label, e.g. {"scaled": [...], "not scaled": [...]}.

    Shapes: each group as long as labels
    Units:  of the numbers given; the axis runs from 0 to `top`
    Errors: ValueError if a group has another length
    Source: notebook 02
    """
    groups = {name: rounded(values) for name, values in groups.items()}
    for name, values in groups.items():
        if len(values) != len(labels):
            raise ValueError(f"{name} has {len(values)} numbers for {len(labels)} labels")
    whole = all(value == int(value) for values in groups.values() for value in values.tolist())
    digits = 0 if whole else 2
    with rc_context(STYLE):
        each = max(0.9, 0.36 * len(groups))  # inches for a label, so that the numbers on its bars do not touch
        figure, axis = new_figure(max(5.0, each * len(labels) + 1.6), 3.1)
        width = 0.8 / len(groups)
        for n, (name, values) in enumerate(groups.items()):
            places = [i + (n - (len(groups) - 1) / 2) * width for i in range(len(labels))]
            axis.bar(places, values.tolist(), width * 0.94, color=COLORS[n], label=name)
            for place, value in zip(places, values.tolist(), strict=True):
                axis.text(place, value + top * 0.015, f"{value:.{digits}f}", ha="center", fontsize=8.5)
        axis.set_xticks(range(len(labels)), labels)
        axis.set(ylim=(0, top * 1.08), ylabel=ylabel, xlabel=xlabel)
        axis.set_title(title, loc="left", pad=22 if len(groups) > 1 else 8)
        if len(groups) > 1:
            add_legend(axis)
        words = [
            f"{name}: "
            + ", ".join(f"{value:.{digits}f} for {label}" for label, value in zip(labels, values.tolist(), strict=True))
            for name, values in groups.items()
        ]
        return Picture(to_svg(figure), opening(title, ylabel) + "; ".join(words) + ".")


def lines(curves, xs, xlabel, ylabel, title="", named=(), log=False):
    """Curves over the same numbers, each named at its end, e.g. {"RNN": [...], "attention": [...]}.

    Shapes: each curve as long as xs
    Units:  of the numbers given; `named` are those of xs whose points the description also names; `log` makes both
            axes logarithmic
    Errors: ValueError if a curve has another length
    Source: notebook 02
    """
    curves = {name: rounded(values) for name, values in curves.items()}
    for name, values in curves.items():
        if len(values) != len(xs):
            raise ValueError(f"{name} has {len(values)} numbers for {len(xs)} places")
    with rc_context(STYLE):
        figure, axis = new_figure(6.4, 3.4)
        size = 5 if len(xs) <= 50 else 2.5 if len(xs) <= MOST_MARKS else 0  # of the markers, which must not overlap
        for n, (name, values) in enumerate(curves.items()):
            look = {"color": COLORS[n % 4], "marker": MARKS[n % 4] if size else None, "markersize": size}
            axis.plot(list(xs), values.tolist(), label=name, **look)
        axis.set(xlabel=xlabel, ylabel=ylabel)
        if log:
            axis.set_xscale("log", base=2)
            axis.set_yscale("log", base=10)
        axis.grid(color=GRID, linewidth=0.8)
        axis.set_title(title, loc="left", pad=22)
        add_legend(axis)
        words = [f"{name}: {_points(values, xs, named)}" for name, values in curves.items()]
        return Picture(to_svg(figure), opening(title, f"{ylabel} against {xlabel}") + "; ".join(words) + ".")


def _points(values, xs, named):
    """Describe where a curve begins and ends, and between them the named, the highest and the lowest points."""
    at = [f"{_plain(value)} at {x}" for value, x in zip(values, xs, strict=True)]
    words = ", ".join([f"from {at[0]} to {at[-1]}", *(at[xs.index(x)] for x in named)])
    for name, n in (("highest", int(values.argmax())), ("lowest", int(values.argmin()))):
        if values[n] not in (values[0], values[-1]):
            words += f", {name} {at[n]}"
    return words


def _plain(number):
    """Format a number with at most four decimals and no trailing zeros: 7 instead of 7.0000."""
    text = short(float(number), 4)
    return text.rstrip("0").rstrip(".") if "." in text else text


def arrows(vectors, title="", axes=("", "")):
    """Vectors in the plane, drawn from the origin, e.g. {"journey": [0.55, 0.87]}.

    Shapes: each vector (2,)
    Units:  of the vectors
    Errors: ValueError if a vector does not have two numbers
    Source: notebook 02
    """
    vectors = {name: rounded(vector) for name, vector in vectors.items()}
    for name, vector in vectors.items():
        if vector.shape != (2,):
            raise ValueError(f"{name} must be two numbers, got shape {tuple(vector.shape)}")
    every = torch.stack([*vectors.values(), torch.zeros(2)])
    low, high = (every.amin(0) - 0.35).tolist(), (every.amax(0) + 0.45).tolist()
    with rc_context(STYLE):
        figure, axis = new_figure(4.8, 4.2)
        for n, (name, (x, y)) in enumerate(vectors.items()):
            color = COLORS[n % 4]
            axis.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "-|>", "color": color, "lw": 2.2})
            axis.annotate(name, (x, y), (6, 5), textcoords="offset points", color=color, fontweight="bold")
        axis.axhline(0, color=LINE, linewidth=0.8)
        axis.axvline(0, color=LINE, linewidth=0.8)
        axis.set(xlim=(low[0], high[0] + 0.3), ylim=(low[1], high[1]), aspect="equal", xlabel=axes[0], ylabel=axes[1])
        axis.grid(color=GRID, linewidth=0.8)
        axis.spines[:].set_visible(False)
        axis.set_title(title, loc="left")
        words = [f"{name} ({vector[0]:.2f}, {vector[1]:.2f})" for name, vector in vectors.items()]
        caption = f"From the origin, the arrows reach {listed(words)}."
        return Picture(to_svg(figure), opening(title, "arrows from the origin") + ", ".join(words) + ".", caption)
