"""Two positions side by side: where they agree, and how their similarity depends on their distance."""

import torch
import traitlets

import figures
from explorers import given
from explorers.base import Explorer

FEWEST, MOST = 2, 512  # positions and features; MiniLM's 512 x 384 are 786 kB
APART = 8  # distance of the two positions when the view opens


def positions(table):
    """See how similar two positions are: move them, together or one by one, and watch every feature.

    Shapes: table (T, C), one row for each position, sinusoidal or learned
    Units:  similarity is the cosine; the length of a sinusoidal row is sqrt(C / 2), so for two such rows it is
            their dot product / (C / 2)
    Errors: TypeError if the table is not of floats; ValueError unless it has two axes, or if it is too small or too
            large, a number is NaN or infinite, or a row is all zeros
    Source: notebook 01
    """
    return PositionsExplorer(_table(table))


class PositionsExplorer(Explorer):
    """The view of one table of positions, which has been checked."""

    script = "positions.js"
    shape = traitlets.List(traitlets.Int()).tag(sync=True)  # [T, C]
    table = traitlets.Bytes().tag(sync=True)  # float32, (T, C)
    pair = traitlets.List(traitlets.Int()).tag(sync=True)  # the positions [i, j] when the view opens

    def __init__(self, table):
        T, C = table.shape
        first = (T - 1) // 2
        second = min(first + APART, T - 1)
        self._cosines = torch.cosine_similarity(table.double(), table[first].double()[None])  # of `first` with all
        super().__init__(shape=[T, C], table=given.sent(table), pair=[first, second])

    def picture(self):
        """How similar the first of the two positions is to all others, as the view opens."""
        first, second = self.pair
        title = f"Position {first} and all others: cosine {self._cosines[second]:.2f} with position {second}"
        curve = {f"cosine with position {first}": self._cosines}
        return figures.lines(curve, range(len(self._cosines)), "position", "cosine", title, named=(second,))


def _table(table):
    """The table as float32 on the CPU, after checks.

    Shapes: (T, C), unchanged
    """
    values = given.numbers("table", table)
    dtype = torch.as_tensor(table).dtype
    if not dtype.is_floating_point:
        raise TypeError(
            f"table must be floats, one row for each position, got {dtype}; pass the rows themselves, not ids"
        )
    shape = tuple(values.shape)
    if len(shape) != 2:
        raise ValueError(f"table must have shape (T, C), one row for each position, got {shape}; pass one whole table")
    if not all(FEWEST <= size <= MOST for size in shape):
        raise ValueError(
            f"table must have {FEWEST} to {MOST} positions and as many features, got {shape}; "
            f"pass a part, for instance table[:{MOST}, :{MOST}], or a longer table"
        )
    given.require_finite("table", values, "find out where this number comes from")
    empty = (values == 0).all(dim=1)
    if empty.any():
        raise ValueError(
            f"every row of table must have a number other than 0, got zeros at position "
            f"{int(empty.nonzero()[0])}; leave that row out: zeros have no direction, and so no cosine"
        )
    return values
