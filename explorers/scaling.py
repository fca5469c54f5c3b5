"""Scores at growing widths, with and without division by the square root of the width, and the resulting weights."""

import math

import traitlets

import figures
from explorers import given
from explorers.base import Explorer

MOST_QUERIES, MOST_KEYS, MOST_WIDE = 64, 16, 1024


def scaling(q, k):
    """See why scores are divided by √D: change the width, with and without the division.

    At width d only the first d numbers of each query and key count.

    Shapes: q (N, D) queries, or (D,) for one; k (S, D) keys; N to 64, S 2 to 16, D 2 to 1024
    Units:  scores are sums of D products, as they are before any division
    Errors: TypeError if q or k is not of real numbers; ValueError if they do not match, are too
            few or too many, or a number is NaN or infinite
    Source: notebook 02
    """
    q, k = given.numbers("q", q), given.numbers("k", k)
    if q.dim() == 1:
        q = q[None]
    for name, values, rows in (("q", q, "N"), ("k", k, "S")):
        if values.dim() != 2:
            raise ValueError(
                f"{name} must have shape ({rows}, D), got {tuple(values.shape)}; pass those of one head, each in a row"
            )
    if q.size(1) != k.size(1):
        raise ValueError(
            f"q and k must have the same width D, got shapes {tuple(q.shape)} and {tuple(k.shape)}; take both from the "
            "same head, queries and keys as rows"
        )
    (N, D), S = q.shape, len(k)
    given.require_size("D, the width of q and k,", D, 2, MOST_WIDE, "pass others, such as q[:, :64] and k[:, :64]")
    given.require_size("N, the number of queries,", N, 1, MOST_QUERIES, f"pass a part, such as q[:{MOST_QUERIES}]")
    given.require_size("S, the number of keys,", S, 2, MOST_KEYS, f"pass a part, such as k[:{MOST_KEYS}]")
    given.require_finite("q", q, "look for the step that made it, or draw q with torch.randn")
    given.require_finite("k", k, "look for the step that made it, or draw k with torch.randn")
    return ScalingExplorer(q, k)


class ScalingExplorer(Explorer):
    """The view of some queries and keys, which have been checked."""

    script = "scaling.js"
    axes = traitlets.List(traitlets.Int()).tag(sync=True)  # [N, S, D]
    q = traitlets.Bytes().tag(sync=True)  # float32, (N, D)
    k = traitlets.Bytes().tag(sync=True)  # float32, (S, D)

    def __init__(self, q, k):
        self._q, self._k = q, k
        super().__init__(axes=[len(q), *k.shape], q=given.sent(q), k=given.sent(k))

    def picture(self):
        """The mean of the largest weight at some widths, with and without division by √d."""
        N, S, D = self.axes
        widths = sorted({4**power for power in range(6) if 4**power <= D} | {D})
        groups = {
            "not divided": [self._mean_largest(d, 1) for d in widths],
            "divided by √d": [self._mean_largest(d, math.sqrt(d)) for d in widths],
        }
        return figures.bars(
            groups,
            [f"d = {d}" for d in widths],
            "largest weight" if N == 1 else "mean largest weight",
            f"The largest of {S} weights",
        )

    def _mean_largest(self, d, divisor):
        q, k = self._q[:, :d].double(), self._k[:, :d].double()  # double: the picture is the same on every machine
        return (q @ k.mT / divisor).softmax(dim=-1).amax(dim=-1).mean()
