"""Pictures of what a long text leaves in the cache, for places where nothing can run; as in `still`."""

from itertools import pairwise

import torch

from explorers.still import WIDE, picture
from helpers.pages import PagedCache
from helpers.windows import window_mask
from models.cache_sizes import readable

FIRST, LATEST, PREFIX = "#c0540a", "#0b5fa5", "#1b7f5c"  # the first tokens, the window; what two texts share
GONE, FAINT = "#d9dde4", "#5b6575"

# ---------------------------------------------------------------- a window, and the first tokens


def windowed(tokens, window, sinks, token_bytes, model):
    """Which keys each query reads, and what the last one finds in a cache that forgets and in one that does not.

    Source: notebook 11
    """
    seen = reads(tokens, window, sinks)
    kept = int(seen[-1].sum())
    size = max(5, min(12, 384 // tokens))
    left, top = 40, 62
    height = top + size * tokens + 14
    right = left + size * tokens + 36
    first = "" if not sinks else " and the first token" if sinks == 1 else f" and the first {sinks} tokens"
    title = f"A window of {window}{first}"
    shades = f"{'orange: the first tokens, ' if sinks else ''}blue: the window, gray: no longer read"
    costs = {"full cache": (tokens, GONE), "rolling cache": (kept, LATEST)}
    parts = [
        f'<text x="12" y="36" fill="{FAINT}">rows: queries, columns: keys; {shades}</text>',
        *(
            f'<text x="{left + (n + 0.5) * size:g}" y="{top - 5}" text-anchor="middle" fill="{FAINT}">{n}</text>'
            f'<text x="{left - 6}" y="{top + (n + 0.5) * size + 4:g}" text-anchor="end" fill="{FAINT}">{n}</text>'
            for n in range(0, tokens, 8)
        ),
        f'<g transform="translate({left} {top}) scale({size}) translate(0 .5)" stroke-width=".86" '
        f'stroke-dasharray=".86 .14">{_squares(seen, sinks)}</g>',
        f'<text x="{right}" y="{top + 4}">In the cache for the last query</text>',
        *(
            _bar(name, readable(n * token_bytes), right, top + 18 + 44 * i, 190 * n / tokens, color)
            for i, (name, (n, color)) in enumerate(costs.items())
        ),
    ]
    last = tokens - 1
    told = f"The query at position {last} reads {kept} of {tokens} keys: {spans(seen[-1].nonzero()[:, 0].tolist())}."
    saved = f" in place of {readable(tokens * token_bytes)}" if kept < tokens else ", as much as without a window"
    price = f"{readable(token_bytes)} a token ({model}, float16)"
    prices = f"At {price}, its cache keeps {readable(kept * token_bytes)}{saved}."
    return picture(WIDE, height, title, parts, f"{title}, in a text of {tokens} tokens. {told} {prices}", told)


def reads(tokens, window, sinks):
    """Let each query see the latest positions and the first ones.

    Shapes: -> (T, T), bool
    """
    seen = window_mask(tokens, tokens, window)
    seen[:, :sinks] |= window_mask(tokens, tokens, tokens)[:, :sinks]
    return seen


def spans(positions):
    """Positions in words, in order: [0, 1, 2, 5] is "0 to 2 and 5"."""
    starts = [p for p in positions if p - 1 not in positions]
    ends = [p for p in positions if p + 1 not in positions]
    return " and ".join(f"{a}" if a == b else f"{a} to {b}" for a, b in zip(starts, ends, strict=True))


def _squares(seen, sinks):
    """A stroke for each run of squares: gray where a query reads no longer, orange and blue where it does."""
    gone, first, latest = [], [], []
    for i, row in enumerate(seen.tolist()):  # up to the query's own position
        edges = [j for j in range(i + 2) if j in (0, i + 1, min(sinks, i + 1)) or row[j] != row[j - 1]]
        for a, b in pairwise(edges):
            (gone if not row[a] else first if a < sinks else latest).append(f"M{a} {i}h{b - a}")
    shades = ((GONE, gone), (FIRST, first), (LATEST, latest))
    return "".join(f'<path stroke="{color}" d="{"".join(runs)}"/>' for color, runs in shades if runs)


# ---------------------------------------------------------------- the pages of two texts

SQUARE, GAP = 16, 12  # pixels, of a token, and from one page to the next
ROW = 66  # pixels from one row of pages to the next


def pages(page_size, prefix, written, token_bytes, model):
    """The pages of two texts with a common prefix, after each has written on.

    Source: notebook 11
    """
    tables = page_tables(page_size, prefix, written)
    count, alone = len(set(tables[0] + tables[1])), len(tables[0]) + len(tables[1])
    wide = max(page_size * SQUARE, 44) + GAP  # from one page to the next
    in_a_row = (WIDE - 24) // wide
    left = 12 + (wide - GAP - page_size * SQUARE) / 2  # of the squares: names may be wider than a page of one token
    title = f"Two texts with {prefix} tokens in common, in pages of {page_size}"
    height = 58 + ROW * -(-count // in_a_row)
    listed = [", ".join(map(str, table)) for table in tables]
    parts = [
        *(_key(color, name, 12 + 190 * i) for i, (color, name) in enumerate(_OWNERS)),
        *(
            _page(
                number,
                tables,
                (page_size, prefix, prefix + written),
                left + wide * (n % in_a_row),
                68 + ROW * (n // in_a_row),
            )
            for n, number in enumerate(sorted({*tables[0], *tables[1]}))
        ),
    ]
    told = f"A’s table lists pages {listed[0]}, and B’s lists {listed[1]}."
    prices = (
        f"Together {count} pages, {readable(count * page_size * token_bytes)} with the sizes of {model} in float16; "
        f"without sharing {alone} pages, {readable(alone * page_size * token_bytes)}."
    )
    return picture(WIDE, height, title, parts, f"{title}. Each adds {written}. {told} {prices}", told)


_OWNERS = ((PREFIX, "the common prefix"), (LATEST, "what A adds"), (FIRST, "what B adds"))


def page_tables(page_size, prefix, written):
    """The pages of a text A and of its fork B, which writes on before A does, by PagedCache."""
    cache = PagedCache(2 * -(-(prefix + written) // page_size), page_size, groups=1, d_head=1)
    first = cache.start()
    cache.append(first, *torch.zeros(2, 1, prefix, 1))
    second = cache.fork(first)
    for text in (second, first):
        cache.append(text, *torch.zeros(2, 1, written, 1))
    return cache.tables[first], cache.tables[second]


def _page(number, tables, sizes, x, y):
    """A square for each token of a page, in the color of the text that it belongs to, and the texts that list it."""
    page_size, prefix, length = sizes
    users = [text for text, table in enumerate(tables) if number in table]
    start = tables[users[0]].index(number) * page_size  # the position of the page's first token
    own = _OWNERS[1 + users[0]][0]
    colors = [PREFIX if p < prefix else own if p < length else "none" for p in range(start, start + page_size)]
    is_copy = len(users) == 1 and users[0] == 1 and start < prefix
    names = "A and B" if len(users) == 2 else "B, copy" if is_copy else "AB"[users[0]]
    middle = x + page_size * SQUARE / 2
    squares = "".join(
        f'<rect x="{x + i * SQUARE + 1:g}" y="{y}" width="{SQUARE - 2}" height="20" fill="{color}" stroke="#8a94a6"/>'
        for i, color in enumerate(colors)
    )
    return (
        f'<text x="{middle:g}" y="{y - 6}" text-anchor="middle" fill="{FAINT}">page {number}</text>{squares}'
        f'<text x="{middle:g}" y="{y + 34}" text-anchor="middle">{names}</text>'
    )


# ---------------------------------------------------------------- parts of both


def _key(color, name, x):
    return f'<rect x="{x}" y="28" width="12" height="12" fill="{color}"/><text x="{x + 18}" y="38">{name}</text>'


def _bar(name, text, x, y, width, color):
    return (
        f'<text x="{x}" y="{y + 12}" fill="{FAINT}">{name}</text>'
        f'<rect x="{x}" y="{y + 18}" width="{width:.1f}" height="15" fill="{color}"/>'
        f'<text x="{x + width + 8:.1f}" y="{y + 30}">{text}</text>'
    )
