"""Windows that keep the first tokens: what a query reads and a cache keeps; and pages that two texts share."""

import torch
import traitlets

import figures
from explorers import given
from explorers.base import Explorer
from helpers.pages import PagedCache
from models.cache_sizes import PUBLISHED, readable

SHORTEST, LONGEST = 8, 64  # tokens
MOST_SINKS = 8
LARGEST_PAGE = 16  # tokens
PARTS = ("window", "pages")
TEXTS = (10, 5)  # tokens of the common prefix, and those that each text adds, when the view opens


def long_texts(*, tokens=32, window=8, sinks=4, page_size=4, model="Llama 3 8B", show="window"):
    """See which keys a query still reads with a window, what the cache keeps, and which pages two texts share.

    Options: window counts the query's own position; sinks is how many of the first tokens are never forgotten;
             page_size is in tokens; model is one of the names in cache_sizes.PUBLISHED, and decides how many bytes a
             token costs in float16; show is the part that is shown first, "window" or "pages"
    Units:   tokens 8 to 64, window 1 to tokens, sinks 0 to 8, page_size 1 to 16
    Errors:  TypeError if a size is not a whole number; ValueError if one is too small or too large, or there is no
             such model or part
    Source:  notebook 11
    """
    given.require_size("tokens", tokens, SHORTEST, LONGEST, "each query of the text is a row of the picture")
    given.require_size("window", window, 1, tokens, "it counts the query's own position, and the text has no more")
    given.require_size("sinks", sinks, 0, MOST_SINKS, "pass how many of the first tokens are kept")
    given.require_size("page_size", page_size, 1, LARGEST_PAGE, "pass the tokens of a page")
    given.require_one_of("model", model, PUBLISHED, "pass its name as a string")
    given.require_one_of("show", show, PARTS, "pass its name as a string")
    return LongTextsExplorer(
        tokens=tokens,
        window=window,
        sinks=sinks,
        page_size=page_size,
        texts=list(TEXTS),
        model=model,
        source=PUBLISHED[model].source,
        token_bytes=PUBLISHED[model].bytes(),
        show=show,
    )


class LongTextsExplorer(Explorer):
    """The view of some sizes, which have been checked."""

    script = "long_texts.js"
    tokens = traitlets.Int().tag(sync=True)
    window = traitlets.Int().tag(sync=True)
    sinks = traitlets.Int().tag(sync=True)
    page_size = traitlets.Int().tag(sync=True)
    texts = traitlets.List(traitlets.Int()).tag(sync=True)  # [tokens of the common prefix, tokens that each text adds]
    model = traitlets.Unicode().tag(sync=True)
    source = traitlets.Unicode().tag(sync=True)  # where the model's sizes are published
    token_bytes = traitlets.Int().tag(sync=True)  # the size of a token in its cache, in float16
    show = traitlets.Unicode().tag(sync=True)  # the part that is shown first

    def picture(self):
        """The part that is shown first, as it opens."""
        return self._pages() if self.show == "pages" else self._windowed()

    def _windowed(self):
        """How many keys each query reads, with a rolling cache and with a full one."""
        full = list(range(1, self.tokens + 1))
        kept = [len(read_by(t, self.window, self.sinks)) for t in range(self.tokens)]
        first = {0: "", 1: " and the first token"}.get(self.sinks, f" and the first {self.sinks} tokens")
        title = f"A window of {self.window}{first}"
        curves = {"full cache": full, "rolling cache": kept}
        drawn = figures.lines(curves, range(self.tokens), "position of the query", "keys in the cache", title)
        last = self.tokens - 1
        positions = spans(read_by(last, self.window, self.sinks))
        told = f"The query at position {last} reads {kept[-1]} of {self.tokens} keys: {positions}."
        whole = readable(self.tokens * self.token_bytes)
        saved = f" in place of {whole}" if kept[-1] < self.tokens else ", as much as without a window"
        price = f"{readable(self.token_bytes)} a token ({self.model}, float16)"
        prices = f"At {price}, its cache keeps {readable(kept[-1] * self.token_bytes)}{saved}."
        return figures.Picture(drawn.svg, f"{title}, in a text of {self.tokens} tokens. {told} {prices}", told)

    def _pages(self):
        """How many pages two texts with a common prefix take, after each has added its tokens."""
        prefix, written = self.texts
        tables = page_tables(self.page_size, prefix, written)
        count, alone = len({*tables[0], *tables[1]}), len(tables[0]) + len(tables[1])
        title = f"Two texts with {prefix} tokens in common, in pages of {self.page_size}"
        drawn = figures.bars({"": [alone, count]}, ["without sharing", "with sharing"], "pages", title, alone)
        listed = [", ".join(map(str, table)) for table in tables]
        told = f"A’s table lists pages {listed[0]}, and B’s lists {listed[1]}."
        costs = [readable(pages * self.page_size * self.token_bytes) for pages in (count, alone)]
        prices = (
            f"Together {count} pages, {costs[0]} with the sizes of {self.model} in float16; without sharing {alone} "
            f"pages, {costs[1]}."
        )
        return figures.Picture(drawn.svg, f"{title}. Each adds {written}. {told} {prices}", told)


def read_by(position, window, sinks):
    """The positions that a query reads: the latest ones and the first ones."""
    return [p for p in range(position + 1) if p > position - window or p < sinks]


def spans(positions):
    """Ordered positions in words: [0, 1, 2, 5] is "0 to 2 and 5"."""
    starts = [p for p in positions if p - 1 not in positions]
    ends = [p for p in positions if p + 1 not in positions]
    return " and ".join(f"{a}" if a == b else f"{a} to {b}" for a, b in zip(starts, ends, strict=True))


def page_tables(page_size, prefix, written):
    """The page tables of a text A and of its fork B in a PagedCache; B adds its tokens before A does."""
    cache = PagedCache(2 * -(-(prefix + written) // page_size), page_size, groups=1, d_head=1)
    first = cache.start()
    cache.append(first, *torch.zeros(2, 1, prefix, 1))
    second = cache.fork(first)
    for text in (second, first):
        cache.append(text, *torch.zeros(2, 1, written, 1))
    return cache.tables[first], cache.tables[second]
