"""Tables of numbers as colored squares: weights, scores, masks, positions, reshaped tensors."""

import torch
from matplotlib import rc_context
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from helpers.plots.style import (
    COLOURS,
    FAINT,
    PAPER,
    SIGNED,
    STYLE,
    WEIGHTS,
    WIDEST,
    new_figure,
    opening,
    readable_ink,
    rounded,
    short,
)
from helpers.plots.svg import Picture, to_svg


def weights(values, rows, columns=None, title="weights", mask=None):
    """Attention weights as a heat map.

    Shapes: values (T, S), rows T words, columns S words (the rows again if absent), mask (T, S) bool
    Units:  colors run from 0 to 1
    Errors: ValueError if the words do not fit the numbers
    Source: notebook 02
    """
    return weights_side_by_side({title: values}, rows, columns, mask)


def weights_side_by_side(panels, rows, columns=None, mask=None):
    """Several heat maps of weights over the same words, e.g. {"route 1": a, "route 2": b}.

    Shapes: each panel (T, S); mask one (T, S) for all, or a dictionary with one for each title
    Units:  colors run from 0 to 1
    Errors: ValueError if the words do not fit the numbers
    Source: notebook 03
    """
    return _grids(panels, rows, columns, mask, WEIGHTS, Normalize(0, 1), "weight")


def scores(values, rows, columns=None, title="scores", mask=None):
    """Scores before the softmax: blue above 0, orange below.

    Shapes: values (T, S), rows T words, columns S words (the rows again if absent), mask (T, S) bool
    Units:  dimensionless logits; the colors reach to the largest absolute score
    Errors: ValueError if the words do not fit the numbers
    Source: notebook 02
    """
    top = max(float(rounded(values).abs().nan_to_num(0, 0, 0).max()), 1e-4)
    return _grids({title: values}, rows, columns, mask, SIGNED, Normalize(-top, top), "score")


def masks(panels, rows, columns=None):
    """Masks as tables of 1 (may attend) and hatched 0.

    Shapes: panels {title: bool (T, S)}
    Errors: ValueError if the words do not fit the masks
    Source: notebook 03
    """
    return _grids(
        {title: mask.float() for title, mask in panels.items()},
        rows,
        columns,
        panels,
        WEIGHTS,
        Normalize(0, 2.2),
        "mask",
        bar=False,
    )


def heads(panels, top=1.0, decimals=2):
    """One number for each head of a model, e.g. {"the one before": (layers, heads)}: rows are layers.

    Shapes: each panel (L, H)
    Units:  colors run from 0 to `top`
    Source: notebook 07
    """
    panels = {title: rounded(values) for title, values in panels.items()}
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
        _add_scale_bar(figure, axes, WEIGHTS, Normalize(0, top), "")
        words = []
        for title, values in panels.items():
            layer, head = divmod(int(values.argmax()), H)
            words.append(
                f"{title}, {L} layers x {H} heads: mean {values.mean():.3f}, "
                f"most in layer {layer}, head {head}: {values.max():.3f}."
            )
        return Picture(to_svg(figure), "\n".join(words))


def _grids(panels, rows, columns, mask, colors, scale, unit, bar=True):
    columns = rows if columns is None else columns
    panels = {title: rounded(values) for title, values in panels.items()}
    for title, values in panels.items():
        if values.shape != (len(rows), len(columns)):
            raise ValueError(
                f"{title}: {len(rows)} row words and {len(columns)} column words need values of "
                f"shape ({len(rows)}, {len(columns)}), got {tuple(values.shape)}"
            )
    hidden = {title: ~_mask_of(mask, title, values) for title, values in panels.items()}
    around = 0.1 * max(len(word) for word in rows) + (0.9 if bar else 0.2)
    room = (WIDEST - around) / len(panels) - 0.4  # for the squares of one panel
    cell = min(0.62 if len(columns) <= 8 else 0.44, room / len(columns))
    width = (cell * len(columns) + 0.4) * len(panels) + around
    with rc_context(STYLE):
        figure = Figure(figsize=(width, cell * len(rows) + 1.6), layout="compressed", facecolor=PAPER)
        axes = figure.subplots(1, len(panels), squeeze=False, sharey=True)[0]
        for axis, (title, values) in zip(axes, panels.items(), strict=True):
            _grid(axis, values, hidden[title], colors, scale, 0 if unit == "mask" else 2 if cell > 0.36 else 1)
            axis.set_title(title, pad=10)
            axis.set_xticks(
                [i + 0.5 for i in range(len(columns))], columns, rotation=40, ha="right", rotation_mode="anchor"
            )
            axis.set_xlabel("keys (read from)")
        axes[0].set_yticks([i + 0.5 for i in range(len(rows))], rows)
        axes[0].set_ylabel("queries (who reads)")
        if bar:
            _add_scale_bar(figure, axes, colors, scale, unit)
        return Picture(to_svg(figure), _grid_words(panels, hidden, rows, columns, unit))


def _grid(axis, values, hidden, colors, scale, decimals):
    """Draw one table: a colored square and its number for each pair, hatched where hidden."""
    T, S = values.shape
    for i in range(T):
        for j in range(S):
            value = float(values[i, j])
            shown = value == value and abs(value) != float("inf")
            fill = "#eceef2" if hidden[i, j] or not shown else colors(scale(value))
            axis.add_patch(
                Rectangle(
                    (j, i), 1, 1, facecolor=fill, edgecolor=PAPER, linewidth=1.5, hatch="///" if hidden[i, j] else None
                )
            )
            label = short(value, decimals)
            if decimals == 1:  # a small square: room for .5, and none for 0.0
                label = "" if label == "0.0" else label.removeprefix("0")
            axis.text(
                j + 0.5,
                i + 0.5,
                label,
                ha="center",
                va="center",
                fontsize=9 if S <= 8 else 7.5,
                color=FAINT if hidden[i, j] else readable_ink(fill),
            )
    axis.set(xlim=(0, S), ylim=(T, 0), aspect="equal")
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)


def _add_scale_bar(figure, axes, colors, scale, unit):
    steps = colors.resampled(24)
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
                parts.append(f"{row}: {columns[j]} {short(float(values[i, j]), 2)}")
        head = f"{title}, {len(rows)} queries x {len(columns)} keys. Largest {unit} in each row: "
        number = int(hidden[title].sum())
        sentences.append(head + "; ".join(parts) + "." + (f" Hidden by the mask: {number}." if number else ""))
    return "\n".join(sentences)


def _mask_words(panels, rows, columns):
    """What a mask says, in words: for each query the keys it may attend to."""
    sentences = []
    for title, values in panels.items():
        parts = [
            f"{row} sees {' '.join(word for word, seen in zip(columns, line, strict=True) if seen) or 'nothing'}"
            for row, line in zip(rows, values.bool().tolist(), strict=True)
        ]
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
        figure, axis = new_figure(cell * len(vocabulary) + 0.12 * max(map(len, words)) + 1.0, cell * len(words) + 1.5)
        values = rounded(torch.nn.functional.one_hot(ids.cpu(), len(vocabulary)))
        _grid(axis, values, torch.zeros_like(values).bool(), WEIGHTS, Normalize(0, 1.4), 0)
        axis.set_xticks(
            [i + 0.5 for i in range(len(vocabulary))],
            [f"{i} {word}" for i, word in enumerate(vocabulary)],
            rotation=40,
            ha="right",
            rotation_mode="anchor",
        )
        axis.set_yticks([i + 0.5 for i in range(len(words))], words)
        axis.set_xlabel("row of the table")
        axis.set_title("one-hot", pad=10)
        taken = [f"{word} takes row {id} ({vocabulary[id]})" for word, id in zip(words, ids.tolist(), strict=True)]
        return Picture(to_svg(figure), "One-hot table: " + "; ".join(taken) + ".")


def waves(positions, title=""):
    """A table of positions: rows are positions, columns are features.

    Shapes: positions (T, C)
    Units:  colors run from -1 to 1
    Source: notebook 01
    """
    values = rounded(positions)
    T, C = values.shape
    with rc_context(STYLE):
        figure, axis = new_figure(0.3 * C + 1.9, 0.16 * T + 1.3)
        scale = Normalize(-1, 1)
        for t in range(T):
            for c in range(C):
                axis.add_patch(
                    Rectangle(
                        (c, t), 1, 1, facecolor=SIGNED(scale(float(values[t, c]))), edgecolor=PAPER, linewidth=0.6
                    )
                )
        axis.set(xlim=(0, C), ylim=(T, 0), xlabel="feature (even: sin, odd: cos)", ylabel="position")
        axis.set_xticks([c + 0.5 for c in range(0, C, 2)], range(0, C, 2))
        axis.set_yticks([t + 0.5 for t in range(0, T, 4)], range(0, T, 4))
        axis.tick_params(length=0)
        axis.spines[:].set_visible(False)
        axis.set_title(title, loc="left")
        _add_scale_bar(figure, [axis], SIGNED, scale, "value")
        swings = (values[1:] * values[:-1] < 0).sum(0).tolist()
        return Picture(
            to_svg(figure),
            opening(title, f"{T} positions x {C} features")
            + "Changes of sign down each column: "
            + " ".join(map(str, swings))
            + ".",
        )


def origins(panels, rows, unit=10):
    """Where numbers end up when a tensor is reshaped: each has the color of the token that it came from.

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
            _colored_by_token(axis, values, unit)
            axis.set_title(title, pad=8, fontsize=10)
        axes[0].set_yticks([i + 0.5 for i in range(len(rows))], rows)
        words = [
            f"{title}: "
            + "; ".join(
                f"{row}: {' '.join(_name(n, unit) for n in line)}"
                for row, line in zip(rows, values.tolist(), strict=True)
            )
            for title, values in panels.items()
        ]
        digits = "Tens digit = token, last digit" if unit == 10 else "First digit = token, last two"
        return Picture(to_svg(figure), f"{digits} = feature. " + ".\n".join(words) + ".")


def _name(n, unit):
    return f"{n:0{len(str(unit))}d}"


def _colored_by_token(axis, values, unit):
    for i, line in enumerate(values.tolist()):
        for j, n in enumerate(line):
            fill = COLOURS[n // unit % len(COLOURS)]
            axis.add_patch(Rectangle((j, i), 1, 1, facecolor=fill, edgecolor=PAPER, linewidth=1.5))
            axis.text(j + 0.5, i + 0.5, _name(n, unit), ha="center", va="center", fontsize=10, color=PAPER)
    axis.set(xlim=(0, values.size(1)), ylim=(len(values), 0), aspect="equal", xticks=[])
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)


def _mask_of(mask, title, values):
    mask = mask.get(title) if isinstance(mask, dict) else mask
    if mask is None:
        return torch.ones(values.shape, dtype=torch.bool)
    return mask.cpu().expand(values.shape)
