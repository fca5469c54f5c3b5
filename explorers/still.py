"""Small pictures of many numbers: colored squares without their numbers, the same on every machine.

The heat map repeats a part of figures.weights on purpose. That draws with Matplotlib, which writes each square and each
number as elements of their own: an SVG of 1.2 MB for 64 words, in every saved notebook. Here neighboring squares of one
color are a single stroke, and the picture stays below 40 kB.
"""

import math
from dataclasses import replace
from html import escape
from itertools import pairwise

import torch

import figures
from models.cache_sizes import readable

FEW = 16  # words for which figures.weights still has room to print each number
MOST_SQUARES = 64
LEVELS = 16  # steps of color; neighbors of one step are drawn as one stroke
HIDDEN = -1  # the step of a square that a mask hides
LONGEST = 14  # letters of a word
LINE = 22  # pixels from one line of words, or one bar, to the next
WIDE = 760  # pixels
STYLE = f'font-family="DejaVu Sans, Verdana, sans-serif" font-size="11" fill="{figures.INK}"'


def picture(width, height, title, parts, alt, caption):
    """The parts of a drawing below its title."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" {STYLE}>',
        f'<rect width="100%" height="100%" fill="{figures.PAPER}"/>',
        f'<text x="12" y="18" font-size="12.5" font-weight="bold">{escape(title)}</text>',
        *parts,
        "</svg>\n",
    ]
    return figures.Picture("\n".join(lines), alt, caption)


def weights(values, rows, columns, title, mask=None):
    """Attention weights of a long sentence as a heat map of at most 64 x 64 squares.

    Shapes: values (T, S), rows T words, columns S words, mask (T, S) bool or None
    Units:  colors run from 0 to 1; a square that covers several weights shows the largest of them, and is gray if
            the mask hides them all and all of them are 0
    Source: notebook 07
    """
    block = [-(-len(words) // MOST_SQUARES) for words in (rows, columns)]
    squares = _largest_of_blocks(values, *block)
    hidden = (squares == 0) & (_largest_of_blocks(mask.float(), *block) == 0) if mask is not None else None
    conventions = _conventions(block, mask)
    size = max(8, min(16, 448 // max(squares.shape)))
    left, top = 14 + 7 * _longest(rows), 62 + 5 * _longest(columns)
    width, height = _at_least(left + size * squares.shape[1] + 90, top + size * squares.shape[0] + 16, top)
    parts = [
        f'<text x="12" y="34" fill="#5b6575">{escape(conventions)}</text>',
        _squares(squares, hidden, left, top, size),
        _row_words(rows, left - 6, top, size / block[0]),
        _column_words(columns, left, top - 6, size / block[1]),
        _legend(width - 50, top),
    ]
    return picture(width, height, title, parts, _words(values, title, conventions), _caption(values, rows, columns))


def _at_least(width, height, top):
    """Room for the second line of the title, and for the legend."""
    return max(width, 560), max(height, top + 130)


def _largest_of_blocks(values, high, wide):
    """The largest weight of each block of high x wide; the last blocks may be smaller.

    Shapes: (T, S) -> (T / high, S / wide), rounded up
    """
    return torch.nn.functional.max_pool2d(values[None], (high, wide), ceil_mode=True)[0]


def _level(weight):
    """The step of color, 0 to LEVELS. The odd offset keeps common fractions such as 1/2 and 1/8 away from the edges,
    where the last bit of a number, which differs between machines, would decide."""
    return min(LEVELS, int(weight * LEVELS + 0.43))


def _color(level):
    return "#d9dde4" if level == HIDDEN else _hex(figures.WEIGHTS(level / LEVELS, bytes=True))


def _hex(color):
    red, green, blue, _ = color
    return f"#{red:02x}{green:02x}{blue:02x}"


def _squares(squares, hidden, left, top, size):
    """The squares as horizontal strokes on a background of the lightest color."""
    T, S = squares.shape
    levels = [[_level(weight) for weight in row] for row in squares.tolist()]
    if hidden is not None:
        for i, j in hidden.nonzero().tolist():
            levels[i][j] = HIDDEN
    return (
        f'<rect x="{left}" y="{top}" width="{S * size}" height="{T * size}" fill="{_color(0)}"/>\n'
        f'<g transform="translate({left} {top}) scale({size}) translate(0 .5)" fill="none">'
        + _strokes(levels, _color)
        + "</g>"
    )


def _strokes(levels, color):
    """One path for each step of color except 0, which is the color of the background."""
    strokes = {}
    for i, row in enumerate(levels):
        start = 0
        for j in range(1, len(row) + 1):
            if j == len(row) or row[j] != row[start]:
                strokes.setdefault(row[start], []).append(f"M{start} {i}h{j - start}")
                start = j
    strokes.pop(0, None)
    return "".join(f'<path stroke="{color(level)}" d="{"".join(strokes[level])}"/>' for level in sorted(strokes))


def _row_words(words, x, top, step):
    return "\n".join(
        f'<text x="{x}" y="{top + (i + 0.5) * step + 4:.1f}" text-anchor="end">{word}</text>'
        for i, word in _some(words, step)
    )


def _column_words(words, left, y, step):
    places = [(left + (j + 0.5) * step + 3, word) for j, word in _some(words, step)]
    return "\n".join(f'<text transform="translate({x:.1f} {y}) rotate(-45)">{word}</text>' for x, word in places)


def _some(words, step):
    """As many words as fit next to each other, with their indices."""
    apart = -(-13 // step)
    return [(i, escape(_shortened(word))) for i, word in enumerate(words) if i % apart == 0]


def _legend(x, top):
    steps = "".join(
        f'<rect x="{x}" y="{top + 96 - 6 * level}" width="12" height="6" fill="{_color(level)}"/>'
        for level in range(LEVELS + 1)
    )
    return (
        f'{steps}<text x="{x + 17}" y="{top + 9}">1</text><text x="{x + 17}" y="{top + 102}">0</text>'
        f'<text x="{x - 6}" y="{top + 118}">weight</text>'
    )


def _conventions(block, mask):
    gray = "" if mask is None else "; gray: hidden by the mask"
    several = "" if block == [1, 1] else f"; one square = the largest of {block[0]} x {block[1]} weights"
    return f"rows: queries (who reads), columns: keys (read from){several}{gray}"


def _words(values, title, conventions):
    T, S = values.shape
    return f"{title}, {T} queries x {S} keys, as a heat map ({conventions})."


def _caption(values, rows, columns):
    i, j = divmod(int(values.argmax()), len(columns))
    return f"The largest weight is {float(values[i, j]):.2f} (“{rows[i]}” reads “{columns[j]}”)."


def _longest(words):
    return max(len(_shortened(word)) for word in words)


def _shortened(word):
    return word if len(word) <= LONGEST else word[: LONGEST - 1] + "…"


# ---------------------------------------------------------------- rows of numbers below and above 0

STRIP = 28  # pixels from one row to the next


def strips(rows, title):
    """Named rows of numbers, one below the other: blue above 0, orange below 0.

    Shapes: rows {name: (C,)}
    Units:  the colors of a row reach to its own largest absolute number
    Source: notebook 01
    """
    C = len(next(iter(rows.values())))
    size = max(1, 560 // C)
    left, top = 14 + 7 * _longest(rows), 34
    width, height = left + max(C * size, 330) + 16, top + STRIP * len(rows) + 48
    levels = [[_signed_level(number) for number in (row / row.abs().max()).tolist()] for row in rows.values()]
    parts = [
        f'<g transform="translate({left} {top}) scale({size} {STRIP}) translate(0 .5)" fill="none" stroke-width=".9">'
        f"{_grounds(len(rows), C)}{_strokes(levels, _signed_color)}</g>",
        _row_words(rows, left - 6, top, STRIP),
        _feature_numbers(C, left, top + STRIP * len(rows) + 13, size),
        _signed_legend(left, height - 20),
    ]
    below = ", ".join(f"{name} {int((row < 0).sum())}" for name, row in rows.items())
    return picture(
        width,
        height,
        title,
        parts,
        f"{title} ({C} features). Numbers below 0: {below}.",
        "Each row is one vector, a stroke for each feature: blue above 0, orange below.",
    )


def _signed_level(number):
    """The step of color, -LEVELS / 2 to LEVELS / 2; with an odd offset as in _level."""
    return math.floor(number * LEVELS / 2 + 0.47)


def _signed_color(level):
    return _hex(figures.SIGNED(0.5 + level / LEVELS, bytes=True))


def _grounds(count, C):
    return f'<path stroke="{_signed_color(0)}" d="{"".join(f"M0 {i}h{C}" for i in range(count))}"/>'


def _feature_numbers(C, left, y, size):
    pace = next(pace for pace in (1, 2, 5, 10, 20, 50, 100) if C / pace <= 10)
    numbers = (
        f'<text x="{left + (c + 0.5) * size:.1f}" y="{y}" text-anchor="middle">{c}</text>' for c in range(0, C, pace)
    )
    return f'<text x="{left - 6}" y="{y}" text-anchor="end">feature</text>\n' + "\n".join(numbers)


def _signed_legend(x, y):
    half = LEVELS // 2
    steps = "".join(
        f'<rect x="{x + 103 + 6 * level}" y="{y}" width="6" height="11" fill="{_signed_color(level)}"/>'
        for level in range(-half, half + 1)
    )
    return f'<text x="{x}" y="{y + 10}">below 0</text>{steps}<text x="{x + 163}" y="{y + 10}">above 0</text>'


# ---------------------------------------------------------------- query heads that share keys and values

SQUARE, SHARED = "#0b5fa5", "#bd5305"  # the colors of a query head and of what is kept


def shared_cache(sizes, name, length, bytes_per_number):
    """Query heads above what they read, and a bar for the bytes of each way to share keys and values.

    Shapes: sizes are CacheSizes, and name is that of the model
    Source: notebook 10
    """
    H, G = sizes.num_heads, 1 if sizes.latent else sizes.groups
    ways = _ways(sizes)
    costs = {way: each.bytes(length, bytes_per_number) for way, each in ways.items()}
    kept = readable(sizes.bytes(length, bytes_per_number))
    title = f"{name}: {kept} for {_counted(length, 'token')}"
    read = f"a latent of {sizes.latent} numbers" if sizes.latent else _counted(G, "group")
    step = min(28, (WIDE - 24) / H)
    heads, groups = ([12 + (i + 0.5) * step * H / n for i in range(n)] for n in (H, G))
    apart, wide = step * H / G, min(0.8 * step * H / G, 120 if sizes.latent else 40)
    funnels = "".join(
        f"M{x - (apart - 0.2 * step) / 2:.1f} 64h{apart - 0.2 * step:.1f}L{x + wide / 2:.1f} 98h{-wide:.1f}z"
        for x in groups
    )
    height = 152 + LINE * len(costs)
    parts = [
        f'<text x="12" y="38">{_counted(H, "query head")}</text><path fill="#d9dde4" d="{funnels}"/>',
        *(_box(x, 44, 0.8 * step, SQUARE) for x in heads),
        *(_box(x, 98, wide, SHARED) for x in groups),
        f'<text x="12" y="134">what is kept: {read}</text>',
        *(
            _cost(way, costs[way], max(costs.values()), 142 + LINE * i, ways[way] == sizes)
            for i, way in enumerate(ways)
        ),
    ]
    words = "; ".join(f"{way}: {readable(count)}" for way, count in costs.items())
    return picture(
        WIDE,
        height,
        title,
        parts,
        f"{title}. {_counted(H, 'query head')} read {read}. {words[0].upper()}{words[1:]}.",
        "Each square above is a query head, and below it is what it reads. The bars compare ways to share.",
    )


def _ways(sizes):
    """The model with a key and a value for each head, with its groups, with one group, and with its latent."""
    H, G = sizes.num_heads, sizes.groups
    counts = {f"multi-head, {_counted(H, 'group')}": H}
    if 1 < G < H:
        counts[f"grouped-query, {_counted(G, 'group')}"] = G
    if H > 1:
        counts["multi-query, 1 group"] = 1
    ways = {way: replace(sizes, groups=groups, latent=None) for way, groups in counts.items()}
    return ways | ({f"latent, {sizes.latent} numbers": sizes} if sizes.latent else {})


def _counted(count, what):
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _box(middle, y, width, color):
    return f'<rect x="{middle - width / 2:.1f}" y="{y}" width="{width:.1f}" height="20" fill="{color}"/>'


def _cost(way, count, most, y, is_own):
    width = max(1, 420 * count / most)
    return (
        f'<text x="190" y="{y + 12}" text-anchor="end">{way}</text>'
        f'<rect x="198" y="{y + 1}" width="{width:.1f}" height="15" fill="{SHARED if is_own else "#8a94a6"}"/>'
        f'<text x="{206 + width:.1f}" y="{y + 12}">{readable(count)}</text>'
    )


# ---------------------------------------------------------------- a text, what is read of it, and what comes next

MOST_BARS = 5


def next_words(text, weights, head, probabilities):
    """A text shaded by what one head reads at its last word, and a bar for each of the most likely next words.

    Shapes: text T words, weights (T,), head its name, probabilities {word: its probability}
    Source: notebook 08
    """
    places = _lines_of(text)
    top = places[-1][1] + 52
    most = sorted(probabilities, key=lambda word: -probabilities[word])[:MOST_BARS]
    title = f"After “{text[-1]}”: what {head} reads (darker is more), and the next word"
    height = top + LINE * len(most) + 4
    parts = [
        *(_shaded(*each) for each in zip(text, weights.tolist(), places, strict=True)),
        _outlined(*places[-1]),
        f'<text x="12" y="{top - 8}" font-weight="bold">Probability of the next word</text>',
        *(_bar(word, probabilities[word], top + LINE * i) for i, word in enumerate(most)),
    ]
    j, guess = int(weights.argmax()), most[0]
    caption = (
        f"{head[0].upper()}{head[1:]} reads “{text[j]}” (position {j}) most: {float(weights[j]):.2f}. "
        f"The model expects “{guess}” with {probabilities[guess]:.2f}."
    )
    return picture(WIDE, height, title, parts, f"{title}. The text: {' '.join(text)}. {caption}", caption)


def _lines_of(text):
    """Where each word is, line by line: the x of its left edge, the y of its letters, and its width."""
    places, x, y = [], 12, 46
    for word in text:
        width = 10 + 7 * len(word)
        if x + width > WIDE - 12:
            x, y = 12, y + LINE
        places.append((x, y, width))
        x += width + 3
    return places


def _shaded(word, weight, place):
    x, y, width = place
    level = _level(weight)
    ink = figures.PAPER if level > LEVELS * 0.45 else figures.INK
    return (
        f'<rect x="{x}" y="{y - 13}" width="{width}" height="18" rx="2" fill="{_color(level)}"/>'
        f'<text x="{x + width / 2:g}" y="{y}" text-anchor="middle" fill="{ink}">{escape(word)}</text>'
    )


def _outlined(x, y, width):
    return (
        f'<rect x="{x}" y="{y - 13}" width="{width}" height="18" rx="2" fill="none" stroke="#bd5305" stroke-width="2"/>'
    )


def _bar(word, probability, y):
    return (
        f'<text x="96" y="{y + 12}" text-anchor="end">{escape(_shortened(word))}</text>'
        f'<rect x="102" y="{y + 1}" width="{380 * round(probability, 2):.1f}" height="15" fill="#0b5fa5"/>'
        f'<text x="490" y="{y + 12}">{probability:.2f}</text>'
    )


# ---------------------------------------------------------------- a query and a key, pair by pair

IN_A_ROW = 8  # circles
DIAL = 88  # pixels from one circle to the next
RADIUS, REACH, HEAD = 34, 31, 7  # pixels: of a circle, of the longest arrow, of its head
QUERY, KEY = "#1b7f5c", "#7a4fa3"


def arrows(query, key, title):
    """The arrows of a query and a key in a circle for each pair of features, with the dot product of the two.

    Shapes: query, key (D / 2, 2)
    Units:  the longest of all arrows reaches the circle
    Source: notebook 09
    """
    pairs = len(query)
    scores = [f"{score + 0.0:.2f}" for score in ((query * key).sum(dim=1) * 100).round().div(100).tolist()]
    title = f"{title}: score {float((query * key).sum()):.2f}"
    scale = REACH / float(torch.cat([query, key]).norm(dim=1).max())
    width = max(360, 24 + DIAL * min(pairs, IN_A_ROW))
    height = 64 + (DIAL + 30) * -(-pairs // IN_A_ROW)
    parts = [
        f'<g transform="translate(12 38)">{_arrow((REACH, 0), QUERY)}<text x="38" y="4">query</text></g>',
        f'<g transform="translate(100 38)">{_arrow((REACH, 0), KEY, "4 2")}<text x="38" y="4">key</text></g>',
        *(_dial(i, query[i] * scale, key[i] * scale, scores[i]) for i in range(pairs)),
    ]
    named = ", ".join(f"pair {i} {score}" for i, score in enumerate(scores))
    return picture(
        width,
        height,
        title,
        parts,
        f"{title}. What each of {pairs} pairs of features adds: {named}.",
        "Each circle is a pair of features, and the number below it the dot product of its two arrows.",
    )


def _dial(i, query, key, score):
    x, y = 12 + DIAL // 2 + DIAL * (i % IN_A_ROW), 112 + (DIAL + 30) * (i // IN_A_ROW)
    return (
        f'<g transform="translate({x} {y})" text-anchor="middle"><circle r="{RADIUS}" fill="none" stroke="#b6bcc6"/>'
        f"{_arrow(key.tolist(), KEY, '4 2')}{_arrow(query.tolist(), QUERY)}"
        f'<text y="{-RADIUS - 7}" fill="#5b6575">pair {i}</text><text y="{RADIUS + 16}">{score}</text></g>'
    )


def _arrow(tip, color, dashes="none"):
    """An arrow from the middle to its tip (x to the right, y up)."""
    length = math.hypot(*tip)
    head = min(HEAD, length)
    degrees = -math.degrees(math.atan2(tip[1], tip[0])) + 0.0
    return (
        f'<g transform="rotate({degrees:.1f})" stroke="{color}" fill="{color}">'
        f'<path d="M0 0h{length - head:.1f}" stroke-width="2" stroke-dasharray="{dashes}"/>'
        f'<path d="M{length:.1f} 0l{-head:.1f} {-head / 2:.1f}v{head:.1f}z" stroke="none"/></g>'
    )


# ---------------------------------------------------------------- an online softmax, tile by tile

KEPT = (448, 516, 584, 626)  # the right edges of m, factor and l, and the left edge of the output
HIGH = 26  # pixels from one tile to the next


def online_softmax(scores, kept, tile, query):
    """A line for each tile: its scores as squares, and the maximum, the sum and the output that are kept after it.

    Shapes: scores (S,), kept a list of (largest, sum, list of Dv numbers), one for each tile
    Units:  colors reach to the largest absolute score; the output is divided in the last line
    Source: notebook 12
    """
    S, finite = len(scores), scores[scores.isfinite()].abs().tolist()
    reach = max([2.0, *finite])
    title = f"Query {query} reads {_counted(S, 'key')}, {tile} at a time"
    factors = [0.0, *(math.exp(a[0] - b[0]) if b[0] > -math.inf else 0.0 for a, b in pairwise(kept))]
    height = 66 + HIGH * (len(kept) + 1)
    lines = [_tile_line(scores, kept[t], factors[t], tile, t, reach) for t in range(len(kept))]
    largest, total, read = kept[-1]
    result = ", ".join(_two(number / total if total else 0.0) for number in read)
    lse = _two(largest + math.log(total)) if total else "-∞"
    heads = zip(KEPT, ("maximum m", "factor", "sum l", "output"), ("end", "end", "end", "start"), strict=True)
    parts = [
        '<text x="64" y="42" fill="#5b6575">scores</text>',
        *(f'<text x="{x}" y="42" text-anchor="{anchor}" fill="#5b6575">{name}</text>' for x, name, anchor in heads),
        *lines,
        f'<text x="{KEPT[2]}" y="{height - 18}" text-anchor="end">lse = m + log l = {lse}, output ÷ l:</text>'
        f'<text x="{KEPT[3]}" y="{height - 18}" font-weight="bold">{result}</text>',
    ]
    told = " ".join(
        f"After tile {t}: maximum {_two(m)}, factor {_two(factor)}, sum {_two(s)}, output {', '.join(map(_two, out))}."
        for t, ((m, s, out), factor) in enumerate(zip(kept, factors, strict=True))
    )
    return picture(
        WIDE,
        height,
        title,
        parts,
        f"{title}. {told} At the end: lse {lse}, output ÷ l {result}.",
        "Each line is one tile: its scores, blue above 0 and orange below, and all that is kept when it has been read.",
    )


def _tile_line(scores, kept, factor, tile, t, reach):
    """The squares of one tile where its keys are, and the numbers after it."""
    S, y = len(scores), 50 + HIGH * t
    size = min(26, 310 / S)
    squares = "".join(
        f'<rect x="{64 + size * j:.1f}" y="{y}" width="{size - 2:.1f}" height="20" '
        f'fill="{_score_color(score, reach)}"/>'
        for j, score in enumerate(scores.tolist())
        if t * tile <= j < (t + 1) * tile
    )
    largest, total, read = kept
    numbers = zip(KEPT, (largest, factor, total), strict=False)
    return (
        f'<text x="12" y="{y + 14}">tile {t}</text>{squares}'
        + "".join(f'<text x="{x}" y="{y + 14}" text-anchor="end">{_two(number)}</text>' for x, number in numbers)
        + f'<text x="{KEPT[3]}" y="{y + 14}">{", ".join(map(_two, read))}</text>'
    )


def _score_color(score, reach):
    return _color(HIDDEN) if score == -math.inf else _signed_color(_signed_level(score / reach))


def _two(number):
    """A number with two decimals, without a negative zero."""
    if number == -math.inf:
        return "-∞"
    return f"{number:.0e}" if abs(number) >= 1e6 else f"{number:.2f}".replace("-0.00", "0.00")
