"""Tables of numbers as colored squares: weights, masks, heads, positions, reshaped tensors."""

import torch
from matplotlib import rc_context
from matplotlib.colors import Normalize

from feedback.format import listed
from figures.panels import WORDS, Panels, number, square, table
from figures.style import COLORS, PAPER, SIGNED, STYLE, WEIGHTS, opening, rounded, short, text_width
from figures.svg import Picture, to_svg

SCALE = Normalize(0, 1)
ALIKE = 1e-4  # weights that differ by less are described as equal


def weights(values, rows, columns=None, title="weights", mask=None):
    """Attention weights as a heat map.

    Shapes: values (T, S), rows T words, columns S words (the rows if None), mask (T, S) bool
    Units:  colors run from 0 to 1; a hidden weight above 0 is red
    Errors: ValueError if the words do not fit the numbers
    Source: notebook 02
    """
    return weights_side_by_side({title: values}, rows, columns, mask)


def weights_side_by_side(panels, rows, columns=None, mask=None, least=None, caption=""):
    """Several heat maps of weights over the same words, e.g. {"route 1": a, "route 2": b}.

    Shapes: each panel (T, S); mask one (T, S) for all, or a dictionary with one for each title
    Units:  colors run from 0 to 1; a hidden weight above 0 is red; numbers below `least` are not written
    Errors: ValueError if the words do not fit the numbers
    Source: notebook 03
    """
    columns = rows if columns is None else columns
    panels = _fitting(panels, rows, columns)
    hidden = {title: ~_mask_of(mask, title, values) for title, values in panels.items()}
    leaks = {title: int((values[hidden[title]] > 0).sum()) for title, values in panels.items()}
    size = 0.5 if len(panels) == 1 and len(columns) <= 8 else 0.36
    level = max(text_width(word, WORDS) for word in columns) + 0.06  # wide enough for words side by side
    with rc_context(STYLE):
        sheet = Panels(
            dict.fromkeys(panels, len(columns)),
            rows,
            "queries (who reads)",
            bar=True,
            wanted=max(size, level) if level <= 0.5 else size,
        )
        sheet.draw(
            lambda axis, title: table(axis, panels[title], hidden[title], WEIGHTS, SCALE, sheet.cell, least=least),
            columns,
            "keys (read from)",
        )
        sheet.add_bar(WEIGHTS, SCALE, "weight")
        if any(where.any() for where in hidden.values()):
            sheet.add_legend("hidden by the mask", "hidden, yet above 0" if any(leaks.values()) else "")
        alt = "\n".join(
            _weights_words(title, values, hidden[title], rows, columns, leaks[title])
            for title, values in panels.items()
        )
        caption = caption or _weights_caption(panels, hidden, rows, columns, leaks)
        return Picture(to_svg(sheet.figure), alt, caption)


def _fitting(panels, rows, columns):
    panels = {title: rounded(values) for title, values in panels.items()}
    for title, values in panels.items():
        if values.shape != (len(rows), len(columns)):
            raise ValueError(
                f"{title}: {len(rows)} row words and {len(columns)} column words need values of "
                f"shape ({len(rows)}, {len(columns)}), got {tuple(values.shape)}"
            )
    return panels


def _mask_of(mask, title, values):
    mask = mask.get(title) if isinstance(mask, dict) else mask
    if mask is None:
        return torch.ones(values.shape, dtype=torch.bool)
    return mask.cpu().expand(values.shape)


def _weights_words(title, values, hidden, rows, columns, leaks):
    """Describe a heat map: for each query, the key it attends to most, or that it attends to several keys equally."""
    seen = values.masked_fill(hidden | values.isnan(), float("-inf"))
    parts = []
    for i, row in enumerate(rows):
        alike = [columns[j] for j in range(len(columns)) if seen[i, j] > seen[i].max() - ALIKE]
        keys = alike[0] if len(alike) == 1 else f"all {len(alike)} keys alike,"
        if 1 < len(alike) < int((~seen[i].isneginf()).sum()):
            keys = listed(alike) if len(alike) <= 3 else f"{len(alike)} keys alike,"
        largest = f"{keys} {short(float(seen[i].max()), 2)}"
        if seen[i].isneginf().all():
            largest = "NaN" if values[i].isnan().all() else "nothing"
        parts.append(f"{row}: {largest}")
    words = f"{title}, {len(rows)} queries x {len(columns)} keys. Largest weight in each row: {'; '.join(parts)}."
    if hidden.any():
        words += f" Hidden by the mask: {int(hidden.sum())}."
    return words + (f" Hidden, yet above 0: {leaks}." if leaks else "")


def _weights_caption(panels, hidden, rows, columns, leaks):
    """The caption: the largest visible weights, and an alarm if a hidden weight is above 0."""
    several = len(panels) > 1
    parts = []
    for title, values in panels.items():
        seen = values.masked_fill(hidden[title] | values.isnan(), -1)
        tied = (seen > seen.max() - ALIKE).nonzero().tolist()
        i, j = tied[0]
        reads = f"“{rows[i]}” reads “{columns[j]}”"
        if len(tied) > 1:
            reads = f"{len(tied)} pairs, such as “{rows[i]}” reading “{columns[j]}”"
        panel = f" in “{title}”" if several else ""
        parts.append(f"{short(float(values[i, j]), 2)}{panel} ({reads})")
    caption = f"The largest weight is {listed(parts)}"
    if any(leaks.values()):
        count = sum(leaks.values())
        caption += f"; red squares are a leak: {count} hidden weight{'s' * (count > 1)} above 0"
    return caption + "."


def masks(panels, rows, columns=None):
    """Masks as tables of 1 (may attend) and hatched 0.

    Shapes: panels {title: bool (T, S)}
    Errors: ValueError if the words do not fit the masks
    Source: notebook 03
    """
    columns = rows if columns is None else columns
    values = _fitting(panels, rows, columns)
    scale = Normalize(0, 2.2)
    with rc_context(STYLE):
        wanted = 0.42 if len(panels) == 1 else 0.38
        sheet = Panels(dict.fromkeys(panels, len(columns)), rows, "queries (who reads)", wanted=wanted)
        sheet.draw(
            lambda axis, title: table(axis, values[title], values[title] == 0, WEIGHTS, scale, sheet.cell, decimals=0),
            columns,
            "keys (read from)",
        )
        sheet.add_legend("0: hidden by the mask")
        seen = {title: f"{int(value.sum())} of {value.numel()} pairs" for title, value in values.items()}
        parts = [f"{pairs} in “{title}”" if len(seen) > 1 else pairs for title, pairs in seen.items()]
        caption = f"A 1 lets the row’s query attend to the column’s key: {listed(parts)}."
        return Picture(to_svg(sheet.figure), _mask_words(values, rows, columns), caption)


def _mask_words(panels, rows, columns):
    """Describe a mask: for each query, the keys it may attend to."""
    sentences = []
    for title, values in panels.items():
        parts = [
            f"{row} sees {' '.join(word for word, seen in zip(columns, line, strict=True) if seen) or 'nothing'}"
            for row, line in zip(rows, values.bool().tolist(), strict=True)
        ]
        sentences.append(f"{title}: " + "; ".join(parts) + ".")
    return "\n".join(sentences)


def heads(panels, top=1.0, decimals=2, measure="share"):
    """One number for each head of a model, e.g. {"the one before": (layers, heads)}: rows are layers.

    Only numbers in the upper half of the scale are written, and the largest.

    Shapes: each panel (L, H)
    Units:  colors run from 0 to `top`; `measure` names what is measured
    Source: notebook 07
    """
    panels = {title: rounded(values) for title, values in panels.items()}
    L, H = next(iter(panels.values())).shape
    scale, none = Normalize(0, top), torch.zeros(L, H, dtype=torch.bool)
    with rc_context(STYLE):
        sheet = Panels(dict.fromkeys(panels, H), list(map(str, range(L))), "layer", bar=True, least=0.25)

        def draw(axis, title):
            values = panels[title]
            least = min(top / 2, float(values.max()))
            table(axis, values, none, WEIGHTS, scale, sheet.cell, decimals, least=least)

        sheet.draw(draw, list(map(str, range(H))), "head")
        sheet.add_bar(WEIGHTS, scale, measure)
        words, largest = [], []
        for title, values in panels.items():
            place = _largest(values)
            words.append(
                f"{title}, {L} layers x {H} heads: mean {values.mean():.3f}, most in {place}: {values.max():.3f}."
            )
            panel = f" for “{title}”" if len(panels) > 1 else ""
            largest.append(f"{short(float(values.max()), decimals)}{panel} (in {place})")
        caption = f"Each square is one head, darker for a larger {measure}; the largest is {listed(largest)}."
        return Picture(to_svg(sheet.figure), "\n".join(words), caption)


def _largest(values):
    """Where the largest number is, e.g. "layer 1, heads 0 and 2"; several places only if they tie."""
    places = []
    for layer, row in enumerate(values == values.max()):
        tied = [str(head) for head in row.nonzero().flatten().tolist()]
        if tied:
            places.append(f"layer {layer}, head{'s' * (len(tied) > 1)} {listed(tied)}")
    return listed(places)


def one_hot(ids, words, vocabulary):
    """The row of a table that each word takes: a 1 in its column, 0 elsewhere.

    Shapes: ids (T,), words T words, vocabulary one word for each row of the table
    Errors: ValueError if there are not as many ids as words
    Source: notebook 01
    """
    if len(ids) != len(words):
        raise ValueError(f"{len(words)} words need as many ids, got {len(ids)}")
    values = rounded(torch.nn.functional.one_hot(ids.cpu(), len(vocabulary)))
    scale, none = Normalize(0, 1.4), torch.zeros_like(values).bool()
    with rc_context(STYLE):
        sheet = Panels({"one-hot": len(vocabulary)}, words, wanted=0.45)
        sheet.draw(
            lambda axis, title: table(axis, values, none, WEIGHTS, scale, sheet.cell, decimals=0),
            [f"{i} {word}" for i, word in enumerate(vocabulary)],
            "row of the table",
        )
        taken = [f"{word} takes row {id} ({vocabulary[id]})" for word, id in zip(words, ids.tolist(), strict=True)]
        return Picture(
            to_svg(sheet.figure),
            "One-hot table: " + "; ".join(taken) + ".",
            "Each word has a single 1, in the column that is its row of the table.",
        )


def waves(positions, title=""):
    """A table of positions: rows are positions, columns are features.

    Shapes: positions (T, C)
    Units:  colors run from -1 to 1
    Source: notebook 01
    """
    values = rounded(positions)
    T, C = values.shape
    scale = Normalize(-1, 1)
    with rc_context(STYLE):
        rows = [str(t) if t % 4 == 0 else "" for t in range(T)]
        sheet = Panels({title: C}, rows, "position", bar=True, wanted=0.24, least=0.05)

        def draw(axis, title):
            for t, row in enumerate(values.tolist()):
                for c, value in enumerate(row):
                    square(axis, t, c, SIGNED(scale(value)), linewidth=0.6)

        columns = [str(c) if c % 2 == 0 else "" for c in range(C)]
        sheet.draw(draw, columns, "feature (even: sin, odd: cos)")
        sheet.add_bar(SIGNED, scale, "value")
        swings = (values[1:] * values[:-1] < 0).sum(0).tolist()
        return Picture(
            to_svg(sheet.figure),
            opening(title, f"{T} positions x {C} features")
            + "Changes of sign down each column: "
            + " ".join(map(str, swings))
            + ".",
            f"From the first position to the last, feature 0 changes its sign {_times(swings[0])} "
            f"and feature {C - 1} {_times(swings[-1])}.",
        )


def _times(count):
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")


def origins(panels, rows, unit=10):
    """Where numbers end up when a tensor is reshaped; each has the color of the token that it comes from.

    Shapes: each panel (R, K) of whole numbers, unit * token + feature; rows R words for each panel
    Units:  `unit` is 10, so that tens = token and ones = feature, or 100 for more than 10 features
    Errors: ValueError if the words do not fit the numbers
    Source: notebook 05
    """
    panels = {title: torch.as_tensor(values) for title, values in panels.items()}
    for title, values in panels.items():
        if len(values) != len(rows):
            raise ValueError(f"{title}: {len(rows)} row words need as many rows, got {tuple(values.shape)}")
    with rc_context(STYLE):
        columns = {title: values.size(1) for title, values in panels.items()}
        sheet = Panels(columns, rows, wanted=0.42, least=0.32)  # a name has to fit in a square

        def draw(axis, title):
            for i, line in enumerate(panels[title].tolist()):
                for j, n in enumerate(line):
                    square(axis, i, j, COLORS[n // unit % len(COLORS)])
                    number(axis, i, j, _name(n, unit), 9.5 if sheet.cell > 0.36 else 8.5, PAPER)

        sheet.draw(draw)
        words = [
            f"{title}: "
            + "; ".join(
                f"{row}: {' '.join(_name(n, unit) for n in line)}"
                for row, line in zip(rows, values.tolist(), strict=True)
            )
            for title, values in panels.items()
        ]
        digits = "Tens digit = token, last digit" if unit == 10 else "First digit = token, last two"
        alt = f"{digits} = feature. " + ".\n".join(words) + "."
        return Picture(to_svg(sheet.figure), alt, _origins_caption(panels, unit))


def _name(n, unit):
    return f"{n:0{len(str(unit))}d}"


def _origins_caption(panels, unit):
    """The caption: whether every number is in its token's row, in each panel."""
    strayed = {title: int((v // unit != torch.arange(len(v))[:, None]).sum()) for title, v in panels.items()}
    digits = "first digit" if unit == 10 else "first of three digits"
    caption = f"The {digits} and the color name the token that a number comes from; "
    if not any(strayed.values()):
        return caption + "every number is in its token’s row."
    return caption + f"in another token’s row: {listed([f'{n} in “{title}”' for title, n in strayed.items()])}."
