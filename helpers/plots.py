"""Every static figure of the course, as vector drawings that a test can compare.

Each function takes numbers and words and returns a `Picture`: an SVG, and the same in one or two
sentences. The conventions hold everywhere: rows are queries, columns are keys, weights are coloured
on a fixed scale from 0 to 1, what a mask hides is hatched, and the colours can be told apart by
everyone. What is drawn is rounded first, so that a figure is the same on every machine.
"""

import hashlib
import io
import re
from html import escape

import torch
from matplotlib import rc_context
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

INK, FAINT, PAPER = "#1b2a41", "#8a94a6", "#ffffff"
BLUE, ORANGE, GREEN, PURPLE = "#0b5fa5", "#c8590a", "#1b7f5c", "#7a4fa3"
WIDEST = 9.4  # inches: what a notebook's page shows without scrolling
COLOURS = (BLUE, ORANGE, GREEN, PURPLE)
WEIGHTS = LinearSegmentedColormap.from_list("weights", ["#f7fafd", "#b9d6ee", "#5c9fd2", "#0b5fa5", "#08305c"])
SIGNED = LinearSegmentedColormap.from_list("signed", ["#a84a06", "#eeb27a", "#fbfaf8", "#93bfe2", "#0b5fa5"])

STYLE = {
    "svg.hashsalt": "attention by hand", "svg.fonttype": "none", "font.size": 10.5,
    "font.family": "DejaVu Sans", "text.color": INK, "axes.labelcolor": INK,
    "axes.edgecolor": FAINT, "xtick.color": INK, "ytick.color": INK, "axes.titlesize": 11.5,
    "axes.titleweight": "bold", "axes.spines.top": False, "axes.spines.right": False,
    "hatch.color": "#b6bcc6", "hatch.linewidth": 0.8, "mathtext.default": "regular",
}


class Picture:
    """A figure for the eye, and the same in words for everyone and everything that cannot show it."""

    def __init__(self, svg, alt):
        label = escape(" ".join(alt.split()))  # for readers that are read to, where the SVG stands in a page
        self.svg, self.alt = svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1), alt

    def __repr__(self):
        return self.alt

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"image/svg+xml": self.svg, "text/plain": self.alt}


class Measured:
    """A figure of measured times, as pixels, with words that hold on every machine."""

    def __init__(self, png, alt):
        self.png, self.alt = png, alt

    def __repr__(self):
        return self.alt

    def _repr_mimebundle_(self, include=None, exclude=None):
        width, height = (int.from_bytes(self.png[at:at + 4], "big") // 2 for at in (16, 20))  # sharp on every screen
        return {"image/png": self.png, "text/plain": self.alt}, {"image/png": {"width": width, "height": height}}


# ---------------------------------------------------------------- grids of numbers

def weights(values, rows, columns=None, title="weights", mask=None):
    """Attention weights as a heat map.

    Shapes: values (T, S), rows T words, columns S words (the rows again if absent), mask (T, S) bool
    Units:  colours run from 0 to 1
    Errors: ValueError if the words do not fit the numbers
    Source: notebook 02
    """
    return weights_side_by_side({title: values}, rows, columns, mask)


def weights_side_by_side(panels, rows, columns=None, mask=None):
    """Several heat maps of weights over the same words, e.g. {"route 1": a, "route 2": b}.

    Shapes: each panel (T, S); mask one (T, S) for all, or a dictionary with one for each title
    Units:  colours run from 0 to 1
    Errors: ValueError if the words do not fit the numbers
    Source: notebook 03
    """
    return _grids(panels, rows, columns, mask, WEIGHTS, Normalize(0, 1), "weight")


def scores(values, rows, columns=None, title="scores", mask=None):
    """Scores before the softmax: blue above 0, orange below.

    Shapes: values (T, S), rows T words, columns S words (the rows again if absent), mask (T, S) bool
    Units:  dimensionless logits; the colours reach to the largest absolute score
    Errors: ValueError if the words do not fit the numbers
    Source: notebook 02
    """
    top = max(float(_numbers(values).abs().nan_to_num(0, 0, 0).max()), 1e-4)
    return _grids({title: values}, rows, columns, mask, SIGNED, Normalize(-top, top), "score")


def masks(panels, rows, columns=None):
    """Masks as tables of 1 (may attend) and hatched 0.

    Shapes: panels {title: bool (T, S)}
    Errors: ValueError if the words do not fit the masks
    Source: notebook 03
    """
    return _grids({title: mask.float() for title, mask in panels.items()}, rows, columns, panels, WEIGHTS,
                  Normalize(0, 2.2), "mask", bar=False)


def heads(panels, top=1.0, decimals=2):
    """One number for each head of a model, e.g. {"the one before": (layers, heads)}: rows are layers.

    Shapes: each panel (L, H)
    Units:  colours run from 0 to `top`
    Source: notebook 07
    """
    panels = {title: _numbers(values) for title, values in panels.items()}
    cell = min(0.5, (WIDEST - 1.6) / sum(values.size(1) for values in panels.values()))
    with rc_context(STYLE):
        L, H = next(iter(panels.values())).shape
        figure = Figure(figsize=(cell * H * len(panels) + 1.6, cell * L + 1.5), layout="compressed", facecolor=PAPER)
        axes = figure.subplots(1, len(panels), squeeze=False, sharey=True)[0]
        for axis, (title, values) in zip(axes, panels.items(), strict=True):
            places = 1 if cell < 0.4 else decimals
            _grid(axis, values, torch.zeros_like(values).bool(), WEIGHTS, Normalize(0, top), places)
            axis.set_title(title, pad=8)
            axis.set_xticks([i + 0.5 for i in range(H)], range(H))
            axis.set_xlabel("head")
        axes[0].set_yticks([i + 0.5 for i in range(L)], range(L))
        axes[0].set_ylabel("layer")
        _scale_bar(figure, axes, WEIGHTS, Normalize(0, top), "")
        words = []
        for title, values in panels.items():
            layer, head = divmod(int(values.argmax()), H)
            words.append(f"{title}, {L} layers x {H} heads: mean {values.mean():.3f}, "
                         f"most in layer {layer}, head {head}: {values.max():.3f}.")
        return Picture(_svg(figure), "\n".join(words))


def _grids(panels, rows, columns, mask, colours, scale, unit, bar=True):
    columns = rows if columns is None else columns
    panels = {title: _numbers(values) for title, values in panels.items()}
    for title, values in panels.items():
        if values.shape != (len(rows), len(columns)):
            raise ValueError(f"{title}: {len(rows)} row words and {len(columns)} column words need values of "
                             f"shape ({len(rows)}, {len(columns)}), got {tuple(values.shape)}")
    hidden = {title: ~_mask_of(mask, title, values) for title, values in panels.items()}
    around = 0.1 * max(len(word) for word in rows) + (0.9 if bar else 0.2)
    room = (WIDEST - around) / len(panels) - 0.4  # for the squares of one panel
    cell = min(0.62 if len(columns) <= 8 else 0.44, room / len(columns))
    width = (cell * len(columns) + 0.4) * len(panels) + around
    with rc_context(STYLE):
        figure = Figure(figsize=(width, cell * len(rows) + 1.6), layout="compressed", facecolor=PAPER)
        axes = figure.subplots(1, len(panels), squeeze=False, sharey=True)[0]
        for axis, (title, values) in zip(axes, panels.items(), strict=True):
            _grid(axis, values, hidden[title], colours, scale, 0 if unit == "mask" else 2 if cell > 0.36 else 1)
            axis.set_title(title, pad=10)
            axis.set_xticks([i + 0.5 for i in range(len(columns))], columns, rotation=40, ha="right",
                            rotation_mode="anchor")
            axis.set_xlabel("keys (read from)")
        axes[0].set_yticks([i + 0.5 for i in range(len(rows))], rows)
        axes[0].set_ylabel("queries (who reads)")
        if bar:
            _scale_bar(figure, axes, colours, scale, unit)
        return Picture(_svg(figure), _grid_words(panels, hidden, rows, columns, unit))


def _grid(axis, values, hidden, colours, scale, decimals):
    """Draw one table: a coloured square and its number for each pair, hatched where hidden."""
    T, S = values.shape
    for i in range(T):
        for j in range(S):
            value = float(values[i, j])
            shown = value == value and abs(value) != float("inf")
            fill = "#eceef2" if hidden[i, j] or not shown else colours(scale(value))
            axis.add_patch(Rectangle((j, i), 1, 1, facecolor=fill, edgecolor=PAPER, linewidth=1.5,
                                     hatch="///" if hidden[i, j] else None))
            label = _short(value, decimals)
            if decimals == 1:  # a small square: room for .5, and none for 0.0
                label = "" if label == "0.0" else label.removeprefix("0")
            axis.text(j + 0.5, i + 0.5, label, ha="center", va="center",
                      fontsize=9 if S <= 8 else 7.5, color=FAINT if hidden[i, j] else _readable(fill))
    axis.set(xlim=(0, S), ylim=(T, 0), aspect="equal")
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)


def _scale_bar(figure, axes, colours, scale, unit):
    steps = colours.resampled(24)
    bar = figure.colorbar(ScalarMappable(scale, steps), ax=list(axes), shrink=0.85, pad=0.03, aspect=18)
    bar.outline.set_visible(False)
    bar.solids.set_edgecolor("face")
    bar.set_label(unit)


def _grid_words(panels, hidden, rows, columns, unit):
    """What a heat map says, in words: for each query the key it reads most."""
    if unit == "mask":
        return _mask_words(panels, rows, columns)
    sentences = []
    for title, values in panels.items():
        seen = values.masked_fill(hidden[title] | values.isnan(), float("-inf"))
        parts = []
        for i, row in enumerate(rows):
            if seen[i].isneginf().all():
                parts.append(f"{row}: nothing")
            else:
                j = int(seen[i].argmax())
                parts.append(f"{row}: {columns[j]} {_short(float(values[i, j]), 2)}")
        head = f"{title}, {len(rows)} queries x {len(columns)} keys. Largest {unit} in each row: "
        number = int(hidden[title].sum())
        sentences.append(head + "; ".join(parts) + "." + (f" Hidden by the mask: {number}." if number else ""))
    return "\n".join(sentences)


def _mask_words(panels, rows, columns):
    """What a mask says, in words: for each query the keys it may attend to."""
    sentences = []
    for title, values in panels.items():
        parts = [f"{row} sees {' '.join(word for word, seen in zip(columns, line, strict=True) if seen) or 'nothing'}"
                 for row, line in zip(rows, values.bool().tolist(), strict=True)]
        sentences.append(f"{title}: " + "; ".join(parts) + ".")
    return "\n".join(sentences)


def one_hot(ids, words, vocabulary):
    """Which row of a table each word takes: a 1 in its column, 0 elsewhere.

    Shapes: ids (T,), words T words, vocabulary one word for each row of the table
    Errors: ValueError if words and ids are not as many
    Source: notebook 01
    """
    if len(ids) != len(words):
        raise ValueError(f"{len(words)} words need as many ids, got {len(ids)}")
    cell = 0.5
    with rc_context(STYLE):
        figure, axis = _figure(cell * len(vocabulary) + 0.12 * max(map(len, words)) + 1.0, cell * len(words) + 1.5)
        values = _numbers(torch.nn.functional.one_hot(ids.cpu(), len(vocabulary)))
        _grid(axis, values, torch.zeros_like(values).bool(), WEIGHTS, Normalize(0, 1.4), 0)
        axis.set_xticks([i + 0.5 for i in range(len(vocabulary))],
                        [f"{i} {word}" for i, word in enumerate(vocabulary)], rotation=40, ha="right",
                        rotation_mode="anchor")
        axis.set_yticks([i + 0.5 for i in range(len(words))], words)
        axis.set_xlabel("row of the table")
        axis.set_title("one-hot", pad=10)
        taken = [f"{word} takes row {id} ({vocabulary[id]})" for word, id in zip(words, ids.tolist(), strict=True)]
        return Picture(_svg(figure), "One-hot table: " + "; ".join(taken) + ".")


def waves(positions, title=""):
    """A table of positions: rows are positions, columns are features.

    Shapes: positions (T, C)
    Units:  colours run from -1 to 1
    Source: notebook 01
    """
    values = _numbers(positions)
    T, C = values.shape
    with rc_context(STYLE):
        figure, axis = _figure(0.3 * C + 1.9, 0.16 * T + 1.3)
        scale = Normalize(-1, 1)
        for t in range(T):
            for c in range(C):
                axis.add_patch(Rectangle((c, t), 1, 1, facecolor=SIGNED(scale(float(values[t, c]))), edgecolor=PAPER,
                                         linewidth=0.6))
        axis.set(xlim=(0, C), ylim=(T, 0), xlabel="feature (even: sin, odd: cos)", ylabel="position")
        axis.set_xticks([c + 0.5 for c in range(0, C, 2)], range(0, C, 2))
        axis.set_yticks([t + 0.5 for t in range(0, T, 4)], range(0, T, 4))
        axis.tick_params(length=0)
        axis.spines[:].set_visible(False)
        axis.set_title(title, loc="left")
        _scale_bar(figure, [axis], SIGNED, scale, "value")
        swings = (values[1:] * values[:-1] < 0).sum(0).tolist()
        return Picture(_svg(figure), _sentence(title, f"{T} positions x {C} features") +
                       "Changes of sign down each column: " + " ".join(map(str, swings)) + ".")


def plane(families, places, title=""):
    """Words in the plane, each family in its own colour and mark.

    Shapes: families {name: words}, places (N, 2), one row for each word in order
    Units:  rounded to 2 decimals
    Errors: ValueError if words and places are not as many
    Source: notebook 01
    """
    members = [(n, word) for n, words in enumerate(families.values()) for word in words]
    places = _numbers(places).round(decimals=2)
    if places.shape != (len(members), 2):
        raise ValueError(f"{len(members)} words need places of shape ({len(members)}, 2), got {tuple(places.shape)}")
    with rc_context(STYLE):
        figure, axis = _figure(7.2, 4.6)
        for n, name in enumerate(families):
            own = places[[i for i, (family, _) in enumerate(members) if family == n]]
            axis.scatter(own[:, 0], own[:, 1], color=COLOURS[n % 4], marker="os^D"[n % 4], s=26, label=name)
        sides = _sides([word for _, word in members], places)
        for (n, word), (x, y), (dx, dy) in zip(members, places.tolist(), sides, strict=True):
            axis.annotate(word, (x, y), (7 * dx, 9 * dy), textcoords="offset points", fontsize=9.5,
                          color=COLOURS[n % 4], ha=("center", "left", "right")[dx], va="center")
        axis.set(xlabel="direction of the largest difference", ylabel="the next largest")
        axis.set_axisbelow(True)
        axis.margins(0.12)
        axis.grid(color="#e5e8ee", linewidth=0.8)
        axis.set_title(title, loc="left", pad=22)
        _legend(axis)
        words = [f"{word} ({x:.2f}, {y:.2f})" for (_, word), (x, y) in zip(members, places.tolist(), strict=True)]
        return Picture(_svg(figure), _sentence(title, ", ".join(families)) + ", ".join(words) + ".")


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


def origins(panels, rows, unit=10):
    """Where numbers end up when a tensor is reshaped: each has the colour of the token that it came from.

    Shapes: each panel (R, K) of whole numbers, unit * token + feature; rows R words for each panel
    Units:  `unit` is 10, so that tens = token and ones = feature, or 100 for more than 10 features
    Errors: ValueError if the words do not fit the numbers
    Source: notebook 05
    """
    panels = {title: torch.as_tensor(values) for title, values in panels.items()}
    for title, values in panels.items():
        if len(values) != len(rows):
            raise ValueError(f"{title}: {len(rows)} row words need as many rows, got {tuple(values.shape)}")
    around = 0.35 * len(panels) + 0.1 * max(map(len, rows)) + 0.3
    columns = sum(values.size(1) for values in panels.values())
    cell = max(0.32, min(0.5, (WIDEST - around) / columns))  # a name has to fit in it
    wide = sum(values.size(1) * cell + 0.35 for values in panels.values()) + 0.1 * max(map(len, rows)) + 0.3
    with rc_context(STYLE):
        figure = Figure(figsize=(wide, cell * len(rows) + 0.9), layout="compressed", facecolor=PAPER)
        ratios = [values.size(1) for values in panels.values()]
        axes = figure.subplots(1, len(panels), squeeze=False, sharey=True, width_ratios=ratios)[0]
        for axis, (title, values) in zip(axes, panels.items(), strict=True):
            _coloured_by_token(axis, values, unit)
            axis.set_title(title, pad=8, fontsize=10)
        axes[0].set_yticks([i + 0.5 for i in range(len(rows))], rows)
        words = [f"{title}: " + "; ".join(f"{row}: {' '.join(_name(n, unit) for n in line)}"
                                          for row, line in zip(rows, values.tolist(), strict=True))
                 for title, values in panels.items()]
        digits = "Tens digit = token, last digit" if unit == 10 else "First digit = token, last two"
        return Picture(_svg(figure), f"{digits} = feature. " + ".\n".join(words) + ".")


def _name(n, unit):
    return f"{n:0{len(str(unit))}d}"


def _coloured_by_token(axis, values, unit):
    for i, line in enumerate(values.tolist()):
        for j, n in enumerate(line):
            fill = COLOURS[n // unit % len(COLOURS)]
            axis.add_patch(Rectangle((j, i), 1, 1, facecolor=fill, edgecolor=PAPER, linewidth=1.5))
            axis.text(j + 0.5, i + 0.5, _name(n, unit), ha="center", va="center", fontsize=10, color=PAPER)
    axis.set(xlim=(0, values.size(1)), ylim=(len(values), 0), aspect="equal", xticks=[])
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)


# ---------------------------------------------------------------- bars, lines, arrows

def bars(groups, labels, ylabel, title="", top=1.0):
    """Bars side by side for each label, e.g. {"scaled": [...], "not scaled": [...]}.

    Shapes: each group as long as labels
    Units:  of the numbers given; the axis runs from 0 to `top`
    Errors: ValueError if a group has another length
    Source: notebook 02
    """
    groups = {name: _numbers(values) for name, values in groups.items()}
    for name, values in groups.items():
        if len(values) != len(labels):
            raise ValueError(f"{name} has {len(values)} numbers for {len(labels)} labels")
    with rc_context(STYLE):
        figure, axis = _figure(max(5.0, 0.9 * len(labels) + 1.6), 3.1)
        width = 0.8 / len(groups)
        for n, (name, values) in enumerate(groups.items()):
            places = [i + (n - (len(groups) - 1) / 2) * width for i in range(len(labels))]
            axis.bar(places, values.tolist(), width * 0.94, color=COLOURS[n], label=name)
            for place, value in zip(places, values.tolist(), strict=True):
                axis.text(place, value + top * 0.015, f"{value:.2f}", ha="center", fontsize=8.5)
        axis.set_xticks(range(len(labels)), labels)
        axis.set(ylim=(0, top * 1.08), ylabel=ylabel)
        axis.set_title(title, loc="left", pad=22 if len(groups) > 1 else 8)
        if len(groups) > 1:
            _legend(axis)
        words = [f"{name}: " + ", ".join(f"{label} {value:.2f}" for label, value in
                                         zip(labels, values.tolist(), strict=True))
                 for name, values in groups.items()]
        return Picture(_svg(figure), _sentence(title, ylabel) + "; ".join(words) + ".")


def lines(curves, xs, xlabel, ylabel, title="", log=False):
    """Curves over the same numbers, each named at its end, e.g. {"RNN": [...], "attention": [...]}.

    Shapes: each curve as long as xs
    Units:  of the numbers given; `log` draws both axes in powers
    Errors: ValueError if a curve has another length
    Source: notebook 02
    """
    with rc_context(STYLE):
        figure, curves = _curves(curves, xs, xlabel, ylabel, title, log)
        words = [f"{name}: from {_short(float(values[0]), 4)} at {xs[0]} to {_short(float(values[-1]), 4)} at {xs[-1]}"
                 for name, values in curves.items()]
        return Picture(_svg(figure), _sentence(title, f"{ylabel} against {xlabel}") + "; ".join(words) + ".")


def timings(curves, xs, xlabel, ylabel, title=""):
    """Curves of times, which differ on every machine and in every run: pixels that no test compares.

    Shapes: each curve as long as xs
    Units:  of the numbers given, on axes in powers
    Errors: ValueError if a curve has another length
    Source: notebook 05
    """
    with rc_context(STYLE):
        figure, curves = _curves(curves, xs, xlabel, ylabel, title, log=True)
        out = io.BytesIO()
        figure.savefig(out, format="png", dpi=144)
    return Measured(out.getvalue(), _sentence(title, f"{ylabel} against {xlabel}") +
                    f"Curves measured on this machine: {', '.join(curves)}.")


def _curves(curves, xs, xlabel, ylabel, title, log):
    """A figure with one curve for each name, and the curves as they are drawn."""
    curves = {name: _numbers(values) for name, values in curves.items()}
    for name, values in curves.items():
        if len(values) != len(xs):
            raise ValueError(f"{name} has {len(values)} numbers for {len(xs)} places")
    figure, axis = _figure(6.4, 3.4)
    size = 5 if len(xs) <= 50 else 2.5  # of the marks: many must not run together
    for n, (name, values) in enumerate(curves.items()):
        marks = "os^D"[n % 4]
        axis.plot(list(xs), values.tolist(), color=COLOURS[n % 4], marker=marks, markersize=size, label=name)
    if log:
        axis.set_xscale("log", base=2)
        axis.set_yscale("log", base=10)
        axis.set_xticks(list(xs), [str(x) for x in xs])
    axis.set(xlabel=xlabel, ylabel=ylabel)
    axis.grid(color="#e5e8ee", linewidth=0.8)
    axis.set_title(title, loc="left", pad=22)
    _legend(axis)
    return figure, curves


def arrows(vectors, title="", axes=("", "")):
    """Vectors in the plane, drawn from the origin, e.g. {"journey": [0.55, 0.87]}.

    Shapes: each vector (2,)
    Units:  of the vectors
    Errors: ValueError if a vector is not of two numbers
    Source: notebook 02
    """
    vectors = {name: _numbers(vector) for name, vector in vectors.items()}
    for name, vector in vectors.items():
        if vector.shape != (2,):
            raise ValueError(f"{name} must be two numbers, got shape {tuple(vector.shape)}")
    every = torch.stack([*vectors.values(), torch.zeros(2)])
    low, high = (every.amin(0) - 0.35).tolist(), (every.amax(0) + 0.45).tolist()
    with rc_context(STYLE):
        figure, axis = _figure(4.8, 4.2)
        for n, (name, (x, y)) in enumerate(vectors.items()):
            colour = COLOURS[n % 4]
            axis.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 2.2})
            axis.annotate(name, (x, y), (6, 5), textcoords="offset points", color=colour, fontweight="bold")
        axis.axhline(0, color=FAINT, linewidth=0.8)
        axis.axvline(0, color=FAINT, linewidth=0.8)
        axis.set(xlim=(low[0], high[0] + 0.3), ylim=(low[1], high[1]), aspect="equal", xlabel=axes[0], ylabel=axes[1])
        axis.grid(color="#e5e8ee", linewidth=0.8)
        axis.spines[:].set_visible(False)
        axis.set_title(title, loc="left")
        words = [f"{name} ({vector[0]:.2f}, {vector[1]:.2f})" for name, vector in vectors.items()]
        return Picture(_svg(figure), _sentence(title, "arrows from the origin") + ", ".join(words) + ".")


# ---------------------------------------------------------------- the whole of attention

def attention_flow(x, q, k, v, scores, weights, out):
    """The matrices of self-attention in their true proportions, from x on the left to out on the right.

    Shapes: x (T, d_in), q, k (T, D), v (T, Dv), scores and weights (T, T), out (T, Dv)
    Units:  weights on a scale from 0 to 1, all others blue above 0 and orange below
    Errors: ValueError if a tensor has not two axes
    Source: notebook 02
    """
    apart = len(x) + 3.2  # from the middle of one row of matrices to the next
    places = {"x": (x, 0, 0), "q": (q, 8, -apart), "k": (k, 8, 0), "v": (v, 8, apart),
              "scores = q @ kᵀ / √D": (scores, 15.5, -apart / 2), "weights": (weights, 27, -apart / 2),
              "out = weights @ v": (out, 38.5, 0)}
    with rc_context(STYLE):
        figure, axis = _figure(9.4, 5.6)
        ends = {name: _matrix(axis, _numbers(values), left, middle, name) for name, (values, left, middle)
                in places.items()}
        for start, end, label in (("x", "q", "W_query"), ("x", "k", "W_key"), ("x", "v", "W_value"),
                                  ("q", "scores = q @ kᵀ / √D", ""), ("k", "scores = q @ kᵀ / √D", ""),
                                  ("scores = q @ kᵀ / √D", "weights", "softmax"), ("weights", "out = weights @ v", ""),
                                  ("v", "out = weights @ v", "")):
            _link(axis, ends[start][1], ends[end][0], label)
        axis.set(xlim=(-0.5, 41.5), ylim=(1.5 * len(x) + 5.4, -1.5 * len(x) - 5), aspect="equal")
        axis.set_axis_off()
        named = {"x": x, "q": q, "k": k, "v": v, "scores": scores, "weights": weights, "out": out}
        shapes = ", ".join(f"{name} {tuple(values.shape)}" for name, values in named.items())
        return Picture(_svg(figure), f"Self-attention from left to right. Shapes: {shapes}. "
                                     "q, k and v are projections of x; q and k give the scores; a softmax over "
                                     "each row gives the weights; weights @ v is out.")


def _link(axis, start, end, label):
    """An arrow from one matrix to the next, with the name of what happens on the way."""
    (x0, y0), (x1, y1) = start, end
    axis.annotate("", (x1 - 0.3, y1), (x0 + 0.3, y0), arrowprops={"arrowstyle": "-|>", "color": FAINT, "lw": 1.2})
    axis.text((x0 + x1) / 2, (y0 + y1) / 2 - 0.4, label, ha="center", va="bottom", fontsize=8.5, color=INK,
              bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1})


def _matrix(axis, values, left, middle, name):
    """One small coloured matrix, its name above, its shape below; returns the middles of its left and right side."""
    if values.dim() != 2:
        raise ValueError(f"{name} must have two axes, got shape {tuple(values.shape)}")
    rows, wide = values.shape
    top = middle - rows / 2
    scale, colours = (Normalize(0, 1), WEIGHTS) if name == "weights" else (Normalize(-1, 1), SIGNED)
    for i in range(rows):
        for j in range(wide):
            axis.add_patch(Rectangle((left + j, top + i), 1, 1, facecolor=colours(scale(float(values[i, j]))),
                                     edgecolor="#cfd5de", linewidth=0.6))
    axis.text(left + wide / 2, top - 0.35, name, ha="center", va="bottom", fontweight="bold", fontsize=9.5)
    axis.text(left + wide / 2, top + rows + 0.35, f"({rows}, {wide})", ha="center", va="top", fontsize=8, color=FAINT)
    return (left, middle), (left + wide, middle)


# ---------------------------------------------------------------- shared small things

def _numbers(values):
    """Rounded floats on the CPU: a figure must not change with the last bits of a number."""
    values = torch.as_tensor(values).detach().float().cpu()
    return (values * 1e4).round() / 1e4 + 0.0


def _mask_of(mask, title, values):
    mask = mask.get(title) if isinstance(mask, dict) else mask
    if mask is None:
        return torch.ones(values.shape, dtype=torch.bool)
    return mask.cpu().expand(values.shape)


def _short(value, decimals):
    if value != value:
        return "NaN"
    if abs(value) == float("inf"):
        return "-inf" if value < 0 else "inf"
    return f"{round(value, decimals) + 0.0:.{decimals}f}"  # + 0.0 makes 0.00 of -0.00


def _readable(fill):
    """White ink on dark squares, dark ink on light ones."""
    if isinstance(fill, str):
        return INK
    red, green, blue, _ = fill
    return PAPER if 0.3 * red + 0.59 * green + 0.11 * blue < 0.5 else INK


def _figure(width, height):
    figure = Figure(figsize=(width, height), layout="constrained", facecolor=PAPER)
    return figure, figure.subplots()


def _legend(axis):
    axis.legend(loc="lower left", bbox_to_anchor=(-0.01, 1.0), ncols=4, frameon=False, fontsize=9,
                borderpad=0, handlelength=1.4, columnspacing=1.4)


def _sentence(title, measure):
    return f"{title} ({measure}). " if title else f"{measure}. "


def _svg(figure):
    """The figure as SVG text that is the same whenever and wherever it is drawn."""
    figure.get_layout_engine().set(w_pad=0.14, h_pad=0.14)
    out = io.BytesIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    svg = out.getvalue().decode("utf-8")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    # A background with round corners in place of the square one: a quiet card, on light and on dark.
    svg = svg.replace(f'style="fill: {PAPER}"', 'style="fill: none"', 1)
    svg = svg.replace("</defs>", f'</defs>\n <rect width="100%" height="100%" rx="8" fill="{PAPER}"/>', 1)
    svg = svg.replace("'DejaVu Sans'", "'DejaVu Sans', Verdana, sans-serif")  # where DejaVu is not installed
    return _named_anew(svg[svg.index("<svg"):])


def _named_anew(svg):
    """The same with other names for what is used by name: Matplotlib's differ from one version to the next.

    They hold a digest of the figure, so that two figures in one page have none in common.
    """
    for n, name in enumerate(dict.fromkeys(re.findall(r'id="([a-z][0-9a-f]{10})"', svg))):
        svg = svg.replace(name, f"@{n}@")
    digest = hashlib.sha256(svg.encode()).hexdigest()[:8]
    return re.sub(r"@(\d+)@", rf"f{digest}-\1", svg)
