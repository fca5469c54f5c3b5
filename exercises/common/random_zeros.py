"""What can be said of numbers of which some became 0 by chance: how many, how the rest was scaled, which fell together.

Which numbers become 0 is free, so two right answers differ almost everywhere. What they share are the `traits`. The
bounds are at least six standard deviations wide: chance alone leaves them once in a thousand million tries.
"""

import math

import torch

from feedback import Property
from feedback.compare import same_shapes
from feedback.format import number, position


def traits(before, after, p):
    """What chance leaves open no longer: the same for every right dropout of `before` with probability p.

    Shapes: before, after (...); where before is 0, nothing can be dropped
    Units:  (how the kept were scaled, which share became 0, the axes along which zeros are tied, whether something
            became of a 0); of uneven scaling less is said
    Source: notebook 04
    """
    there = before != 0
    zero = (after == 0) & there
    leak = bool((after[~there].abs() > 1e-6).any())
    scale = _scale(before, after, there, p)
    if isinstance(scale, str) and scale.startswith("uneven"):  # no dropout of `before`: shares are an accident
        return scale, bool(zero.any()), leak
    ties = _ties(zero, there)  # with few draws the share is an accident too
    return scale, "tied" if ties else _share(int(zero.sum()), int(there.sum()), p), ties, leak


def fallen(before, after):
    """(how many became 0, of how many)."""
    return int(((after == 0) & (before != 0)).sum()), int((before != 0).sum())


def is_about(count, total, p):
    """Whether `count` of `total` is what drawing with probability p gives, within 7 standard deviations."""
    return abs(count - total * p) <= 7 * math.sqrt(total * p * (1 - p)) + 1e-6


def _share(count, total, p):
    """The name of the share that became 0."""
    normal = (1 + math.erf(p / math.sqrt(2))) / 2
    known = (("p", p), ("none", 0), ("all", 1), ("1 - p", 1 - p), ("dropped twice", 1 - (1 - p) ** 2), ("half", 0.5),
             ("randn below p", normal))
    return next((name for name, share in known if is_about(count, total, share)), "another")


def _scale(before, after, there, p):
    """What the kept numbers were multiplied by, or a word where that is not one number."""
    kept = there & (after != 0) & after.isfinite()
    if not kept.any():
        return "nothing kept"
    ratio = after[kept].double() / before[kept].double()
    low, high = ratio.aminmax()
    mean, share = ratio.mean(), kept.sum() / there.sum()
    if high - low > 1e-3 * high.abs():
        return _uneven(before, after, kept, p)
    if not after.isfinite().all():
        return "not finite"
    usual = (1 - p, p, 0.5, (1 - p) ** 2)
    if share < 1 and abs(mean * share - 1) < 1e-5 < min(abs(mean * known - 1) for known in usual):
        return "divided by the share that was counted"
    return mean


def _uneven(before, after, kept, p):
    lowered = (after + p).abs() < 1e-6
    if lowered.any() and (after - before + p)[kept & ~lowered].abs().max() < 1e-5:
        return "uneven: p subtracted"
    if after[kept].max() - after[kept].min() < 1e-6 and before[kept].max() - before[kept].min() > 1e-3:
        return "uneven: one number for all"
    sums = after.double().sum(-1)
    sums = sums[sums.isfinite() & (sums != 0)]
    return "uneven: rows made to sum to 1" if (abs(sums - 1) < 1e-4).all() else "uneven"


def _ties(zero, there):
    """The axes along which neighbours always share their fate; or else those along which they clearly tend to."""
    rate = float(zero.sum() / there.sum())
    if rate in (0, 1):
        return ()
    found = {axis: _agreement(zero, there, axis) for axis in range(-zero.dim(), 0) if zero.size(axis) > 1}
    right = _by_chance(rate)
    always = tuple(axis for axis, (same, pairs) in found.items() if same == 1 and pairs * (1 - right) > 30)
    return always or tuple(axis for axis, (same, pairs) in found.items() if abs(same - right) > _leeway(rate, pairs))


def _by_chance(rate):
    """How often two neighbours agree, if each is drawn for itself."""
    return rate ** 2 + (1 - rate) ** 2


def _leeway(rate, pairs):
    """How far from that the agreement of so many pairs may lie: 7 standard deviations, and a tenth at least.

    A number is in two pairs, so that two pairs next to each other are not independent: the second term.
    """
    both = rate * (1 - rate)
    variance = 2 * both * (1 - 2 * both) + 2 * both * (1 - 4 * both)
    return max(0.1, 7 * math.sqrt(variance / max(pairs, 1)))


def _agreement(zero, there, axis):
    """Of the pairs of neighbours along an axis, the share that is dropped or kept together, and their number."""
    last = zero.size(axis) - 1
    one, two = zero.narrow(axis, 0, last), zero.narrow(axis, 1, last)
    pairs = there.narrow(axis, 0, last) & there.narrow(axis, 1, last)
    return float((one == two)[pairs].double().mean()), int(pairs.sum())


# ---------------------------------------------------------------- sentences

class Told:
    """Sentences about dropped numbers: `look(case)` gives (before, after, p).

    noun and p_name are their names, and `draw` makes one random number for each.
    """

    def __init__(self, look, noun, draw, p_name="p"):
        self.look, self.noun, self.draw, self.p_name = look, noun, draw, p_name

    def counted(self, case):
        """How many became 0, and how many should; '' where both are none."""
        before, after, p = self.look(case)
        zeros, total = fallen(before, after)
        if not zeros and not p:
            return ""
        return (f"{zeros:,} of {total:,} {self.noun} became 0; with {self.p_name} = {p:g} it should be "
                f"about {round(total * p):,}")

    def scaled(self, case):
        """What one kept number became, and what it should have become: the one that is furthest off."""
        before, after, p = self.look(case)
        zeros, total = fallen(before, after)
        kept = (before != 0) & (after != 0)
        if not kept.any():
            return self.counted(case)
        off = ((after - before / (1 - p)).abs() * kept).nan_to_num(float("inf"))
        at = torch.unravel_index(off.argmax(), off.shape)
        return (f"{zeros:,} of {total:,} {self.noun} became 0 ({self.p_name} = {p:g}); the one at {position(at)} was "
                f"kept, and {number(before[at])} became {number(after[at])}; {number(before[at])} / (1 - {p:g}) = "
                f"{number(round(float(before[at]), 4) / (1 - p))} is right")

    def averaged(self, case):
        """The means before and after: dropout should leave them alike."""
        before, after, p = self.look(case)
        there = before != 0
        return (f"{self.scaled(case)}. The mean was {number(before[there].mean())} before, and is "
                f"{number(after[there].mean())} now")

    def lowered(self, case):
        """How many became -p, which should have become 0."""
        before, after, p = self.look(case)
        count = int((((after + p).abs() < 1e-6) & (before != 0)).sum())
        return f"{count:,} of {before.numel():,} {self.noun} became {number(-p)}; they should be 0"

    def tied(self, case):
        """How often neighbours fall together, along the axis where it is oddest."""
        before, after, _ = self.look(case)
        there = before != 0
        zero = (after == 0) & there
        rate = float(zero.sum() / there.sum())
        axes = _ties(zero, there)
        if not axes:
            return self.counted(case)
        same = {axis: _agreement(zero, there, axis)[0] for axis in axes}
        axis = max(axes, key=lambda axis: abs(same[axis] - _by_chance(rate)))
        where = {-1: "the last axis", -2: "the axis before the last"}.get(axis, f"axis {axis + zero.dim()}")
        return (f"along {where}, {100 * same[axis]:.0f} % of all neighbours are both 0 or both kept; if each were "
                f"drawn for itself, it would be about {100 * _by_chance(rate):.0f} %")

    def properties(self, drawn):
        """The independence, the share and the scale, as properties of every right answer, where drawn(case)."""
        return (
            self._property(drawn, "zeros-tied", _tied, self.tied,
                      f"Each number needs a draw of its own: {self.draw} gives as many."),
            self._property(drawn, "wrong-share", _miscounted, self.counted,
                      "Each number becomes 0 with probability p: torch.rand draws evenly from 0 to 1, so a share of p "
                      "of its numbers lies below p."),
            self._property(drawn, "wrong-scale", _wrongly_scaled, self.scaled,
                      "What is kept is divided by 1 - p, and nothing else happens to it."),
        )

    def _property(self, drawn, id, broken, sentence, think):
        def test(case):
            if not drawn(case) or not broken(*self.look(case)):
                return None
            text = sentence(case)
            return text[0].upper() + text[1:] + "."

        return Property(id, test, think)


def _miscounted(before, after, p):
    """Not where numbers fall together: with few draws the share is an accident."""
    return _share(*fallen(before, after), p) != "p" and not _tied(before, after, p)


def _tied(before, after, p):
    return p and _ties((after == 0) & (before != 0), before != 0)


def _wrongly_scaled(before, after, p):
    scale = traits(before, after, p)[0]
    return isinstance(scale, str) or not abs(float(scale) * (1 - p) - 1) < 1e-3


def comparable(value, right):
    """Whether a result has the right shapes, and numbers that can be looked at."""
    values = value if isinstance(value, tuple) else (value,)
    return same_shapes(value, right) and all(x.layout == torch.strided and x.is_floating_point() for x in values)


def outline(value):
    """What is compared where a result has not even the right shapes."""
    if isinstance(value, tuple):
        return tuple(outline(item) for item in value)
    return f"{type(value).__name__} {tuple(getattr(value, 'shape', ()))}"
