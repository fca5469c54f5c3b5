"""The softmax of one query over tiles of keys, step by step, and which tiles all queries read."""

import math
from itertools import pairwise

import torch
import traitlets

import figures
from explorers import given
from explorers.base import Explorer

MOST = 16  # queries, keys, and keys in a tile
FEATURES = 3  # of a value
INF = float("inf")


def tiles(scores=None, values=None, tile=4, causal=False):
    """Step through the online softmax of a query: its running maximum, sum and output, tile by tile.

    Shapes: scores (T, S), or (S,) for one query; values (S, Dv); T and S at most 16, Dv at most 3; 12 x 12 scores and
            two features if not given
    Units:  scores are what goes into the softmax, already scaled; -inf is a hidden key. A tile has `tile` queries and
            as many keys, fewer at the ends. With causal=True later keys are hidden, and fully hidden tiles are skipped
    Errors: TypeError if scores or values are not of real numbers, tile not an int or causal not a bool; ValueError if
            they do not match, are too many, one is NaN or inf, or causal is True and T is not S
    Source: notebook 12
    """
    scores = _example(12, 12, scale=2.0) if scores is None else _scores(scores)
    T, S = scores.shape
    values = _example(S, 2, scale=1.0, seed=5) if values is None else _values(values, S)
    given.require_size("tile", tile, 1, MOST, "it is the number of keys that are read at a time")
    if not isinstance(causal, bool):
        raise TypeError(f"causal must be True or False, got {causal!r}; the mask itself is not needed")
    if causal and T != S:
        raise ValueError(
            f"causal=True needs as many queries as keys, got T = {T} and S = {S}; pass scores of shape (S, S), "
            "or causal=False"
        )
    return TilesExplorer(scores, values, tile, causal)


class TilesExplorer(Explorer):
    """The view of the scores of some queries, which have been checked."""

    script = "tiles.js"
    scores = traitlets.Bytes().tag(sync=True)  # float32, (T, S)
    values = traitlets.Bytes().tag(sync=True)  # float32, (S, Dv)
    axes = traitlets.List(traitlets.Int()).tag(sync=True)  # [T, S, Dv]
    tile = traitlets.Int().tag(sync=True)
    causal = traitlets.Bool().tag(sync=True)

    def __init__(self, scores, values, tile, causal):
        self._scores, self._values = scores, values
        super().__init__(
            scores=given.sent(scores),
            values=given.sent(values),
            axes=[*scores.shape, values.size(1)],
            tile=tile,
            causal=causal,
        )

    def picture(self):
        """The running numbers after each tile of the last query, which reads every key."""
        scores, values = self._scores[-1].double(), self._values.double()  # double: the same on every machine
        kept = running(scores, values, self.tile)
        keys = f"{len(scores)} key{'' if len(scores) == 1 else 's'}"
        title = f"Query {len(self._scores) - 1} reads {keys}, {self.tile} at a time"
        curves = {"maximum m": [m for m, _, _ in kept], "sum l": [total for _, total, _ in kept]}
        drawn = figures.lines(curves, list(map(str, range(len(kept)))), "tile", "kept after it", title)
        factors = [0.0, *(math.exp(a[0] - b[0]) if b[0] > -INF else 0.0 for a, b in pairwise(kept))]
        told = " ".join(
            f"After tile {t}: maximum {_two(m)}, factor {_two(factor)}, sum {_two(total)}, "
            f"output {', '.join(map(_two, out))}."
            for t, ((m, total, out), factor) in enumerate(zip(kept, factors, strict=True))
        )
        largest, total, read = kept[-1]
        lse = _two(largest + math.log(total)) if total else "-∞"
        result = ", ".join(_two(number / total if total else 0.0) for number in read)
        return figures.Picture(drawn.svg, f"{title}. {told} At the end: lse {lse}, output ÷ l {result}.")


def _two(number):
    """A number with two decimals, without a negative zero."""
    if number == -INF:
        return "-∞"
    return f"{number:.0e}" if abs(number) >= 1e6 else f"{number:.2f}".replace("-0.00", "0.00")


def running(scores, values, tile):
    """For each tile, the largest score so far, the sum of exp(score - largest), and the sum of that times the values.

    Shapes: scores (S,), values (S, Dv) -> a list of (number, number, list of Dv numbers), one for each tile
    """
    kept = []
    for start in range(0, len(scores), tile):
        read = scores[: start + tile]
        largest = float(read.max())
        powers = (read - (largest if largest > -INF else 0.0)).exp()
        kept.append((largest, float(powers.sum()), (powers @ values[: len(read)]).tolist()))
    return kept


def _example(rows, columns, scale, seed=4):
    """Random numbers with one decimal; the last query has its largest score in the second of three tiles."""
    numbers = scale * torch.randn(rows, columns, generator=torch.Generator().manual_seed(seed))
    return numbers.round(decimals=1) + 0.0  # no -0.0


def _scores(scores):
    scores = given.numbers("scores", scores)
    if scores.dim() == 1:
        scores = scores[None]
    if scores.dim() != 2:
        index = ", ".join("0" * (scores.dim() - 2))
        fix = f"choose one head, for instance scores[{index}]" if index else "pass one number for each key"
        raise ValueError(f"scores must have shape (T, S) or (S,), got {tuple(scores.shape)}; {fix}")
    if not all(1 <= size <= MOST for size in scores.shape):
        raise ValueError(
            f"scores must be of 1 to {MOST} queries and as many keys, got {tuple(scores.shape)}; pass a part, "
            f"for instance scores[:{MOST}, :{MOST}]"
        )
    wrong = scores.isnan() | (scores == INF)
    if wrong.any():
        i, j = wrong.nonzero()[0].tolist()
        raise ValueError(
            f"scores must be finite, or -inf where a key is hidden, got {scores[i, j]:.4g} at {[i, j]}; "
            "find out where this number comes from"
        )
    return scores


def _values(values, S):
    values = given.numbers("values", values)
    if values.dim() != 2 or len(values) != S or not 1 <= values.size(1) <= FEATURES:
        raise ValueError(
            f"values must have shape ({S}, Dv), one row for each key and Dv at most {FEATURES}, got "
            f"{tuple(values.shape)}; pass a part, for instance values[:, :2]"
        )
    given.require_finite("values", values, "find out where this number comes from")
    return values
