"""A paged cache: keys and values are stored in pages of a few tokens, and a table for each text lists its pages.

A text needs no contiguous memory, and texts with the same prefix can share its pages.
"""

import torch

from helpers import require


def read_pages(pages, table, length):
    """Gather the first `length` tokens in the order of the table, which serves as an index.

    Shapes: pages (N, P, G, D): N pages of P tokens, table (M,), numbers of pages, or a list -> (G, length, D)
    Errors: TypeError or ValueError if an entry is not a page, or the table is too short
    Source: Kwon et al. 2023, "PagedAttention", section 4; notebook 11
    """
    _require_tokens(pages, table, length)
    table = torch.as_tensor(table, dtype=torch.long, device=pages.device)  # an empty list would become floats
    return pages[table].flatten(0, 1)[:length].transpose(0, 1)  # (M, P, G, D) -> (M * P, G, D) -> (G, length, D)


def _require_tokens(pages, table, length):
    """Require the entries of the table to be pages, which together have room for `length` tokens."""
    N, P, *_ = require.shape(pages, "N P G D", "pages", "N pages hold P tokens each", floating=False).values()
    entries = table.tolist() if isinstance(table, torch.Tensor) else table
    if not isinstance(entries, (list, tuple)) or not all(type(entry) is int for entry in entries):
        raise TypeError(f"table must be a list or a tensor (M,) of whole numbers, the numbers of pages, got {table!r}")
    require.sizes(least=0, length=length)
    most = len(entries) * P
    require.that(length <= most, f"length must be at most {most}, what {len(entries)} pages of {P} tokens hold", length)
    for page in entries:
        require.that(0 <= page < N, f"a table must hold numbers of pages from 0 to {N - 1}", page)


class PagedCache:
    """The keys and values of many texts in one store of pages.

    Shapes: keys and values (N, P, G, D): N pages of P tokens
    Units:  each text has a number; `tables` lists its pages, `lengths` has its number of tokens, and `uses` counts for
            each page the texts that list it
    Errors: TypeError or ValueError if a size is invalid, or tokens do not fit; KeyError for a text that is unknown
            or freed; RuntimeError if too few pages are free; then nothing changes
    Source: Kwon et al. 2023, "PagedAttention", sections 4.2 to 4.4; notebook 11
    """

    def __init__(self, num_pages, page_size, groups, d_head, dtype=torch.float32, device=None):
        require.sizes(num_pages=num_pages, page_size=page_size, groups=groups, d_head=d_head)
        self.keys, self.values = torch.zeros(2, num_pages, page_size, groups, d_head, dtype=dtype, device=device)
        self.uses = [0] * num_pages
        self.tables, self.lengths, self._started = {}, {}, 0

    @property
    def free_pages(self):
        """The numbers of the pages that no text uses."""
        return [page for page, uses in enumerate(self.uses) if uses == 0]

    def start(self):
        """Add a text without tokens, and return its number."""
        return self._add([], 0)

    def fork(self, text):
        """Add a text that begins with all tokens of another: its table lists the same pages, and nothing is copied."""
        self._require(text)
        return self._add(list(self.tables[text]), self.lengths[text])

    def free(self, text):
        """Remove a text; a page that no other text uses is free again."""
        self._require(text)
        for page in self.tables.pop(text):
            self.uses[page] -= 1
        del self.lengths[text]

    def append(self, text, k, v):
        """Append keys and values to a text. If its last page is shared and has room, it is copied first.

        Shapes: k and v (G, T, D); no gradients flow into the store
        """
        self._require(text)
        require.shapes("pages N P G D, k G T? D, v G T? D", self.keys, k, v, one_dtype=True)
        table, length, P = self.tables[text], self.lengths[text], self.keys.size(1)
        T, room = k.size(1), len(table) * P - length  # room on the last page
        shared = T > 0 and room > 0 and self.uses[table[-1]] > 1
        needed, free = -(-max(T - room, 0) // P) + shared, self.free_pages
        fix = "free a text, or make a cache with more pages"
        rule = f"the number of free pages must be at least {needed} for this"
        require.that(needed <= len(free), rule, len(free), fix, RuntimeError)
        new = free[:needed]
        if shared:
            for store in (self.keys, self.values):
                store[new[0]] = store[table[-1]]
            self.uses[table[-1]] -= 1
            table.pop()
        table.extend(new)
        for page in new:
            self.uses[page] = 1
        places = torch.arange(length, length + T, device=k.device)  # in the text
        pages = torch.tensor(table, dtype=torch.long, device=k.device)[places // P]
        for store, x in ((self.keys, k), (self.values, v)):
            store[pages, places % P] = x.detach().transpose(0, 1)  # (G, T, D) -> (T, G, D)
        self.lengths[text] = length + T

    def read(self, text):
        """Return all keys and values of a text.

        Shapes: -> (G, length, D) each
        """
        self._require(text)
        return tuple(read_pages(x, self.tables[text], self.lengths[text]) for x in (self.keys, self.values))

    def _require(self, text):
        """Require the text to be one that was started and not freed."""
        rule = "text must be a number that start or fork returned and that is not freed"
        require.that(text in self.tables, rule, repr(text), error=KeyError)

    def _add(self, table, length):
        text, self._started = self._started, self._started + 1
        self.tables[text], self.lengths[text] = table, length
        for page in table:
            self.uses[page] += 1
        return text
