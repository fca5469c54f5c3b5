"""Statistics of random zeros: how many numbers became 0, which fell together, and how the others were scaled.

Two right dropouts draw other zeros, so their results differ almost everywhere. What they share is the `summary`, which
is therefore what answers are compared by. The bounds are at least six standard deviations wide: chance alone leaves
them once in a billion tries.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import torch

from feedback.compare import same_shapes

DEVIATIONS = 7  # how many standard deviations from its expectation a count may lie


@dataclass(frozen=True, eq=False)
class Dropped:
    """Numbers before and after something that should be a dropout with probability p; a 0 before cannot be dropped."""

    before: torch.Tensor
    after: torch.Tensor
    p: float

    @cached_property
    def possible(self):
        return self.before != 0

    @cached_property
    def zeroed(self):
        return (self.after == 0) & self.possible

    @cached_property
    def kept(self):
        return self.possible & (self.after != 0)

    @cached_property
    def count(self):
        """How many became 0."""
        return int(self.zeroed.sum())

    @cached_property
    def total(self):
        """How many could have become 0."""
        return int(self.possible.sum())

    @cached_property
    def summary(self):
        """What chance does not decide, and what is therefore the same for every right dropout of `before`.

        (how the kept were scaled, which share became 0, the axes along which zeros are tied, whether a 0 became
        something else); less where the scaling is uneven, since the zeros may then have come about in another way.
        """
        filled = bool((self.after[~self.possible].abs() > 1e-6).any())
        if self.is_uneven:
            return self.scale, self.share if self.share in ("p", "none") else "some", filled
        # With few draws the share is an accident.
        return self.scale, "tied" if self.tied_axes else self.share, self.tied_axes, filled

    # ---------------------------------------------------------------- which share became 0

    @cached_property
    def share(self):
        """The name of the share that became 0.

        Where two shares are too close to tell apart, the first one gives its name; the scale tells of a rare one.
        """
        p, twice = self.p, 1 - (1 - self.p) / 2
        if self._is_scaled_by(2 / (1 - p)) and is_about(self.count, self.total, twice):
            return "half, and then p"
        of_randn = (1 + math.erf(p / math.sqrt(2))) / 2
        known = {
            "p": p,
            "none": 0,
            "all": 1,
            "1 - p": 1 - p,
            "dropped twice": 1 - (1 - p) ** 2,
            "half": 0.5,
            "randn below p": of_randn,
        }
        return next((name for name, share in known.items() if is_about(self.count, self.total, share)), "another")

    # ---------------------------------------------------------------- how the others were scaled

    @cached_property
    def scale(self):
        """What the kept numbers were multiplied by, or a word where that is not one number."""
        kept = self.kept & self.after.isfinite()
        if not kept.any():
            return "nothing kept"
        ratio = (self.after[kept].double() / self.before[kept].double()).detach()
        low, high = ratio.aminmax()
        if high - low > 1e-3 * high.abs():
            return self._how_uneven(kept)
        if not self.after.isfinite().all():
            return "not finite"
        return "divided by the share that was counted" if self._counts(ratio.mean(), kept) else ratio.mean()

    def _is_scaled_by(self, number):
        return not isinstance(self.scale, str) and abs(float(self.scale) / number - 1) < 1e-3

    @property
    def is_uneven(self):
        return isinstance(self.scale, str) and self.scale.startswith("uneven")

    def _counts(self, scale, kept):
        """Whether the scale is 1 over the share that happened to stay, and none of the usual numbers."""
        share, p = kept.sum() / self.total, self.p
        usual = (1 - p, p, 0.5, (1 - p) ** 2, (1 - p) / 2)
        return share < 1 and abs(scale * share - 1) < 1e-5 < min(abs(scale * known - 1) for known in usual)

    def _how_uneven(self, kept):
        before, after = self.before[kept], self.after[kept]
        to_minus_p = (after + self.p).abs() < 1e-6
        lowered = (after - before + self.p).abs() < 1e-5
        if (lowered | to_minus_p).all() and lowered.any():
            return "uneven: p subtracted"
        if after.max() - after.min() < 1e-6 and before.max() - before.min() > 1e-3:
            return "uneven: one number for all"
        if self._counts_in_each_row(kept):
            return "uneven: each row divided by its own share"
        rows = self.after.double()
        rows = rows[rows.sum(-1).isfinite() & (rows.sum(-1) != 0)]
        rounding = 1e-4 + 1e-6 * rows.abs().sum(-1)  # much, where large numbers of both signs cancel out
        return "uneven: rows made to sum to 1" if (abs(rows.sum(-1) - 1) < rounding).all() else "uneven"

    def _counts_in_each_row(self, kept):
        """Whether in each row, what was kept was divided by the share of the row that was kept."""
        right = self.before.double() * self.possible.sum(-1, keepdim=True) / kept.sum(-1, keepdim=True)
        return torch.allclose(self.after[kept].double(), right[kept], rtol=1e-3, atol=1e-7)

    # ---------------------------------------------------------------- which fell together

    @cached_property
    def tied_axes(self):
        """The axes along which neighbors always share their fate; or else those along which they clearly tend to."""
        if self.count in (0, self.total):
            return ()
        rate = self.count / self.total
        found = {axis: self.agreement(axis) for axis in range(-self.zeroed.dim(), 0) if self.zeroed.size(axis) > 1}
        always = tuple(
            axis for axis, (same, pairs) in found.items() if same == 1 and pairs * (1 - self.agreement_by_chance) > 30
        )
        return always or tuple(
            axis for axis, (same, pairs) in found.items() if abs(same - self.agreement_by_chance) > _leeway(rate, pairs)
        )

    @property
    def agreement_by_chance(self):
        """How often two neighbors agree if each is drawn for itself."""
        rate = self.count / self.total
        return rate**2 + (1 - rate) ** 2

    def agreement(self, axis):
        """Of the pairs of neighbors along an axis, the share that is dropped or kept together, and their number."""
        last = self.zeroed.size(axis) - 1
        one, two = self.zeroed.narrow(axis, 0, last), self.zeroed.narrow(axis, 1, last)
        pairs = self.possible.narrow(axis, 0, last) & self.possible.narrow(axis, 1, last)
        count = int(pairs.sum())
        return int(((one == two) & pairs).sum()) / count if count else math.nan, count


def is_about(count, total, p):
    """Whether `count` of `total` is what drawing with probability p gives."""
    return abs(count - total * p) <= DEVIATIONS * math.sqrt(total * p * (1 - p)) + 1e-6


def _leeway(rate, pairs):
    """How far from chance the agreement of so many pairs may lie: DEVIATIONS, and a tenth at least.

    A number is in two pairs, so two pairs next to each other are not independent: the second term.
    """
    both = rate * (1 - rate)
    variance = 2 * both * (1 - 2 * both) + 2 * both * (1 - 4 * both)
    return max(0.1, DEVIATIONS * math.sqrt(variance / max(pairs, 1)))


# ---------------------------------------------------------------- results without statistics


def comparable(value, right):
    """Whether a result has the right shapes, and numbers that can be looked at."""
    values = value if isinstance(value, tuple) else (value,)
    return same_shapes(value, right) and all(x.layout == torch.strided and x.is_floating_point() for x in values)


def outline(value):
    """What is compared where a result does not even have the right shapes."""
    if isinstance(value, tuple):
        return tuple(outline(item) for item in value)
    return f"{type(value).__name__} {tuple(getattr(value, 'shape', ()))}"
