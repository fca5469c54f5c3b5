"""Bars, curves, arrows, and words in the plane."""

from math import isfinite

import torch
from matplotlib import rc_context

from feedback.format import listed
from figures.style import (
    ALARM,
    COLORS,
    FAINT,
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
    with rc_context(STYLE):
        each = max(0.9, 0.36 * len(groups))  # inches for a label, so that the numbers on its bars do not touch
        figure, axis = new_figure(max(5.0, each * len(labels) + 1.6), 3.1)
        width = 0.8 / len(groups)
        for n, (name, values) in enumerate(groups.items()):
            places = [i + (n - (len(groups) - 1) / 2) * width for i in range(len(labels))]
            axis.bar(places, values.tolist(), width * 0.94, color=COLORS[n], label=name)
            for place, value in zip(places, values.tolist(), strict=True):
                axis.text(place, value + top * 0.015, f"{value:.2f}", ha="center", fontsize=8.5)
        axis.set_xticks(range(len(labels)), labels)
        axis.set(ylim=(0, top * 1.08), ylabel=ylabel, xlabel=xlabel)
        axis.set_title(title, loc="left", pad=22 if len(groups) > 1 else 8)
        if len(groups) > 1:
            add_legend(axis)
        words = [
            f"{name}: "
            + ", ".join(f"{value:.2f} for {label}" for label, value in zip(labels, values.tolist(), strict=True))
            for name, values in groups.items()
        ]
        return Picture(to_svg(figure), opening(title, ylabel) + "; ".join(words) + ".")


def lines(curves, xs, xlabel, ylabel, title="", named=(), log=False):
    """Curves over the same numbers, each named at its end, e.g. {"RNN": [...], "attention": [...]}.

    Shapes: each curve as long as xs
    Units:  of the numbers given; `named` are those of xs whose points the description names as well; `log` draws both
            axes in powers
    Errors: ValueError if a curve has another length
    Source: notebook 02
    """
    curves = {name: rounded(values) for name, values in curves.items()}
    for name, values in curves.items():
        if len(values) != len(xs):
            raise ValueError(f"{name} has {len(values)} numbers for {len(xs)} places")
    with rc_context(STYLE):
        figure, axis = new_figure(6.4, 3.4)
        size = 5 if len(xs) <= 50 else 2.5  # of the marks: many must not run together
        for n, (name, values) in enumerate(curves.items()):
            look = {"color": COLORS[n % 4], "marker": MARKS[n % 4], "markersize": size}
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
    """In words, where a curve begins and ends, and in between the points that are named, the highest and the lowest."""
    first, *_, last = at = [f"{_plain(value)} at {x}" for value, x in zip(values, xs, strict=True)]
    words = ", ".join([f"from {first} to {last}", *(at[xs.index(x)] for x in named)])
    for name, n in (("highest", int(values.argmax())), ("lowest", int(values.argmin()))):
        if values[n] not in (values[0], values[-1]):
            words += f", {name} {at[n]}"
    return words


def differences(sizes, first, tolerance, title="Where the two models part"):
    """A bar for each module whose output differs by more than the tolerance, in the order in which they run.

    Shapes: sizes {name: largest difference, or None where there is none}; first: the name of the first that differs
    Units:  of the outputs, on an axis in powers of ten, with one digit; of many modules, those around the first
    Source: notebook 07
    """
    names = [name for name, size in sizes.items() if size is not None]
    at = names.index(first) if first in names else len(names) - 1
    names = names[max(0, at - 8) : at + 9]
    apart = {name: float(f"{sizes[name]:.0e}") for name in names if sizes[name] > tolerance}
    top = max([10 * tolerance, *(size for size in apart.values() if isfinite(size))])
    with rc_context(STYLE):
        figure, axis = new_figure(7.6, 0.26 * len(names) + 1.0)
        for row, name in enumerate(names):
            if name not in apart:
                axis.text(tolerance * 1.1, row, "agrees", va="center", fontsize=8.5, color=FAINT)
                continue
            size = min(apart[name], top)
            color = ALARM if name == first else LINE
            axis.barh(row, size - tolerance, left=tolerance, height=0.66, color=color)
            axis.text(size * 1.15, row, f"{apart[name]:g}", va="center", fontsize=8.5)
        axis.set_xscale("log")
        axis.set(xlim=(tolerance, top * 6), ylim=(len(names) - 0.4, -0.6), xlabel="largest difference")
        axis.set_yticks(range(len(names)), names, fontsize=8.5)
        axis.tick_params(axis="y", length=0)
        axis.minorticks_off()
        axis.set_title(title, loc="left")
        words = [f"{name} {apart[name]:g}" if name in apart else f"{name} agrees" for name in names]
        caption = f"The first output that differs by more than {tolerance:g} is that of {first}." if apart else ""
        caption = caption or f"No output differs by more than {tolerance:g}."
        return Picture(to_svg(figure), opening(title, "largest difference") + "; ".join(words) + ".", caption)


def _plain(number):
    """With at most four decimals, and none that is not needed: 7 instead of 7.0000."""
    text = short(float(number), 4)
    return text.rstrip("0").rstrip(".") if "." in text else text


def arrows(vectors, title="", axes=("", "")):
    """Vectors in the plane, drawn from the origin, e.g. {"journey": [0.55, 0.87]}.

    Shapes: each vector (2,)
    Units:  of the vectors
    Errors: ValueError if a vector is not of two numbers
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


def plane(families, places, title=""):
    """Words in the plane, each family in its own color and mark.

    Shapes: families {name: words}, places (N, 2), one row for each word in order
    Units:  rounded to 2 decimals
    Errors: ValueError if words and places are not as many
    Source: notebook 01
    """
    members = [(n, word) for n, words in enumerate(families.values()) for word in words]
    places = rounded(places).round(decimals=2)
    if places.shape != (len(members), 2):
        raise ValueError(f"{len(members)} words need places of shape ({len(members)}, 2), got {tuple(places.shape)}")
    with rc_context(STYLE):
        figure, axis = new_figure(7.2, 4.6)
        for n, name in enumerate(families):
            own = places[[i for i, (family, _) in enumerate(members) if family == n]]
            axis.scatter(own[:, 0], own[:, 1], color=COLORS[n % 4], marker=MARKS[n % 4], s=26, label=name)
        sides = _sides([word for _, word in members], places)
        for (n, word), (x, y), (dx, dy) in zip(members, places.tolist(), sides, strict=True):
            axis.annotate(
                word,
                (x, y),
                (7 * dx, 9 * dy),
                textcoords="offset points",
                fontsize=9.5,
                color=COLORS[n % 4],
                ha=("center", "left", "right")[dx],
                va="center",
            )
        axis.set(xlabel="direction of the largest difference", ylabel="the next largest")
        axis.set_axisbelow(True)
        axis.margins(0.12)
        axis.grid(color=GRID, linewidth=0.8)
        axis.set_title(title, loc="left", pad=22)
        add_legend(axis)
        words = [f"{word} ({x:.2f}, {y:.2f})" for (_, word), (x, y) in zip(members, places.tolist(), strict=True)]
        return Picture(
            to_svg(figure),
            opening(title, ", ".join(families)) + ", ".join(words) + ".",
            "Each family of words has a color and a mark of its own; words with similar rows lie close together.",
        )


def _sides(words, places):
    """Where each word is written, seen from its point: the first side on which it covers no point and no word."""
    points = (places - places.amin(0)) / (places.amax(0) - places.amin(0)) * torch.tensor([370.0, 210.0])
    taken = [(x - 4, x + 4, y - 4, y + 4) for x, y in points.tolist()]
    chosen = []
    for word, (x, y) in zip(words, points.tolist(), strict=True):
        boxes = {}
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            wide, middle = 6 * len(word), x + dx * (7 + 3 * len(word))
            boxes[dx, dy] = (middle - wide / 2, middle + wide / 2, y + 9 * dy - 5, y + 9 * dy + 5)
        side = next((side for side, box in boxes.items() if not any(_overlap(box, other) for other in taken)), (1, 0))
        taken.append(boxes[side])
        chosen.append(side)
    return chosen


def _overlap(a, b):
    return a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]
