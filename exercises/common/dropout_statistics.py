"""Statistics of random zeros: how many numbers became 0, which became 0 together, and how the others were scaled.

Two right dropouts draw different zeros, so their results differ almost everywhere. What they have in common is the
`summary`, so answers are compared by it. The bounds are at least six standard deviations wide: by chance, they are
exceeded once in a billion tries.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache, cached_property

import torch

from exercises.common import explainers, properties
from feedback import Property
from feedback.compare import same_shapes
from feedback.format import number, position, sentence

DEVIATIONS = 7  # how many standard deviations a count may be away from its expectation


class Dropped:
    """Numbers before and after what should be dropout with probability p; a number that was 0 before does not count."""

    def __init__(self, before, after, p):
        self.before, self.after, self.p = before, after, p
        self.possible = before != 0
        self.zeroed, self.kept = self.possible & (after == 0), self.possible & (after != 0)
        self.count, self.total = int(self.zeroed.sum()), int(self.possible.sum())

    @cached_property
    def summary(self):
        """The features that do not depend on chance, and are therefore the same for every right dropout of `before`.

        (how kept numbers were scaled, which share became 0, the axes along which zeros are tied, whether a 0 became
        something else); fewer of them if the scaling is uneven, since zeros may then have another cause.
        """
        filled = bool((self.after[~self.possible].abs() > 1e-6).any())
        if self.is_uneven:
            return self.scale, self.share if self.share in ("p", "none") else "some", filled
        # With few independent draws, the share depends on chance.
        return self.scale, "tied" if self.tied_axes else self.share, self.tied_axes, filled

    # ---------------------------------------------------------------- which share became 0

    @cached_property
    def share(self):
        """The name of the share that became 0.

        If two shares are too close to tell apart, the first name counts; the scale identifies a rare mistake.
        """
        p, twice = self.p, 1 - (1 - self.p) / 2
        if self.is_scaled_by(2 / (1 - p)) and is_about(self.count, self.total, twice):
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
        """The factor of the kept numbers, or a description if there is no single factor."""
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

    def is_scaled_by(self, number):
        return not isinstance(self.scale, str) and abs(float(self.scale) / number - 1) < 1e-3

    @property
    def is_uneven(self):
        return isinstance(self.scale, str) and self.scale.startswith("uneven")

    def _counts(self, scale, kept):
        """Return whether the scale is 1 over the share that happened to be kept, and none of the usual numbers."""
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
        rounding = 1e-4 + 1e-6 * rows.abs().sum(-1)  # larger where large numbers of both signs cancel
        return "uneven: rows made to sum to 1" if (abs(rows.sum(-1) - 1) < rounding).all() else "uneven"

    def _counts_in_each_row(self, kept):
        """Return whether the kept numbers of each row were divided by the share of the row that was kept."""
        right = self.before.double() * self.possible.sum(-1, keepdim=True) / kept.sum(-1, keepdim=True)
        return torch.allclose(self.after[kept].double(), right[kept], rtol=1e-3, atol=1e-7)

    # ---------------------------------------------------------------- which became 0 together

    @cached_property
    def tied_axes(self):
        """The axes along which neighbors are always dropped or kept together, or else those where they tend to be."""
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
        """How often two neighbors agree if their draws are independent."""
        rate = self.count / self.total
        return rate**2 + (1 - rate) ** 2

    def agreement(self, axis):
        """Return the share of neighbors along an axis that are dropped or kept together, and the number of pairs."""
        last = self.zeroed.size(axis) - 1
        one, two = self.zeroed.narrow(axis, 0, last), self.zeroed.narrow(axis, 1, last)
        pairs = self.possible.narrow(axis, 0, last) & self.possible.narrow(axis, 1, last)
        count = int(pairs.sum())
        return int(((one == two) & pairs).sum()) / count if count else math.nan, count


def is_about(count, total, p):
    """Return whether `count` of `total` is plausible for draws with probability p."""
    return abs(count - total * p) <= DEVIATIONS * math.sqrt(total * p * (1 - p)) + 1e-6


def _leeway(rate, pairs):
    """Return how far the agreement of so many pairs may be from chance: DEVIATIONS, and at least a tenth.

    The second term of the variance is there because each number is in two pairs, so adjacent pairs are not independent.
    """
    both = rate * (1 - rate)
    variance = 2 * both * (1 - 2 * both) + 2 * both * (1 - 4 * both)
    return max(0.1, DEVIATIONS * math.sqrt(variance / max(pairs, 1)))


# ---------------------------------------------------------------- results without statistics


def comparable(value, right):
    """Return whether a result has the right shapes and consists of dense floating-point tensors."""
    values = value if isinstance(value, tuple) else (value,)
    return same_shapes(value, right) and all(x.layout == torch.strided and x.is_floating_point() for x in values)


def outline(value):
    """Return what is compared if a result does not even have the right shapes."""
    if isinstance(value, tuple):
        return tuple(outline(item) for item in value)
    return f"{type(value).__name__} {tuple(getattr(value, 'shape', ()))}"


# ---------------------------------------------------------------- sentences about the zeros

FEW = 30  # with fewer numbers, a count of zeros is not informative


class DropoutExplainer:
    """Sentences with the learner's own numbers; `look(case)` returns a Dropped.

    noun       what may become 0
    draw       what draws one random number for each of them
    share      the hint for a wrong share of zeros
    p_name     the name of the probability
    """

    def __init__(self, look, noun, draw, share, p_name="p"):
        self.look, self.noun, self.draw, self.share, self.p_name = look, noun, draw, share, p_name

    def counted(self, case):
        """Say how many became 0 and how many should, or '' if there are too few to tell."""
        return self._counted(case) if self.look(case).total >= FEW else ""

    def _counted(self, case):
        dropped = self.look(case)
        return (
            f"{dropped.count:,} of {dropped.total:,} {self.noun} became 0; with {self.p_name} = {dropped.p:g} it "
            f"should be about {round(dropped.total * dropped.p):,}"
        )

    def scaled(self, case):
        """Say what a kept number became and what is right, for the one that is furthest off."""
        dropped = self.look(case)
        before, after, p = dropped.before, dropped.after, dropped.p
        if not dropped.kept.any():
            return self.counted(case)
        if not after.isfinite().all():
            bad = ~after.isfinite()
            return f"{int(bad.sum()):,} of your numbers are NaN or infinite, the first at {position(bad.nonzero()[0])}"
        off = (after - before / (1 - p)).abs() * dropped.kept
        at = explainers.largest(off)
        return (
            f"{dropped.count:,} of {dropped.total:,} {self.noun} became 0 ({self.p_name} = {p:g}); the one at "
            f"{position(at)} was kept, and {number(before[at])} became {number(after[at])}; {number(before[at])} / "
            f"(1 - {p:g}) = {number(round(float(before[at]), 4) / (1 - p))} is right"
        )

    def averaged(self, case):
        """Say what the means are before and after, which dropout should leave about the same."""
        dropped = self.look(case)
        before, after = dropped.before[dropped.possible].mean(), dropped.after[dropped.possible].mean()
        return f"{self.scaled(case)}. The mean was {number(before)} before, and is {number(after)} now"

    def subtracted(self, case):
        """Say how many became -p instead of 0, or else show a kept number from which p was subtracted."""
        dropped = self.look(case)
        count = int((((dropped.after + dropped.p).abs() < 1e-6) & dropped.possible).sum())
        if not count:
            return self.scaled(case)
        return f"{count:,} of {dropped.total:,} {self.noun} became {number(-dropped.p)}; they should be 0"

    def tied(self, case):
        """Say how often neighbors become 0 together, along the axis that differs most from chance."""
        dropped = self.look(case)
        if not dropped.tied_axes:
            return self.counted(case)
        chance = dropped.agreement_by_chance
        same = {axis: dropped.agreement(axis)[0] for axis in dropped.tied_axes}
        axis = max(same, key=lambda axis: abs(same[axis] - chance))
        where = {-1: "the last axis", -2: "the second-to-last axis"}.get(axis, f"axis {axis + dropped.after.dim()}")
        return (
            f"along {where}, {100 * same[axis]:.0f} % of all neighbors are both 0 or both kept; with as many zeros, "
            f"each drawn for itself, it would be about {100 * chance:.0f} %"
        )

    def properties(self, applies):
        """Return the properties of every right answer where applies(case): independence, share and scale."""

        def property_of(id, broken, explain, hint):
            return Property(
                id, lambda case: (sentence(explain(case)) if applies(case) and broken(self.look(case)) else None), hint
            )

        return (
            property_of(
                "zeros-tied",
                lambda dropped: dropped.p and dropped.tied_axes,
                self.tied,
                f"Each number needs a draw of its own: {self.draw} gives as many.",
            ),
            property_of(
                "wrong-share",
                lambda dropped: dropped.share != "p" and not (dropped.p and dropped.tied_axes),
                self._counted,
                self.share,
            ),
            property_of(
                "wrong-scale",
                lambda dropped: not dropped.is_scaled_by(1 / (1 - dropped.p)),
                self.scaled,
                "Compare that number with the right one: what else happened to it?",
            ),
        )


# ---------------------------------------------------------------- attention with dropout on its weights

WORDS_OF_A_LAYER = {
    "noun": "visible weights",
    "draw": "nn.Dropout",
    "p_name": "dropout",
    "share": "`nn.Dropout(dropout)` zeroes each weight with probability dropout. Is it given this very number, and "
    "applied once?",
}


class DroppedWeights(DropoutExplainer):
    """Answers that give (out, weights), with dropout on the weights in training.

    weights(args)    the right weights, before dropout
    values(args)     what they mix; if p is not 0, the first columns of the values are the identity, so that the
                     first columns of out show the weights that mixed them
    mode(args)       (p, training)
    """

    first_columns, of_out = "the first columns of the values", "the first columns of out"

    def __init__(self, weights, values, mode, **words):
        self.weights, self.values, self.mode = cache(weights), cache(values), mode
        super().__init__(lambda case: Dropped(self.weights(case.args), case.last, mode(case.args)[0]), **words)

    def stage_of(self, args):
        """Judge evaluation before training, and training with p = 0 last."""
        p, training = self.mode(args)
        if training:
            return 2 if p else 3
        return 1 if p else 0

    def summary(self, args, value):
        """Return the numbers if nothing was dropped, else the summaries of the returned and of the mixing weights."""
        right, values, (p, training) = self.weights(args), self.values(args), self.mode(args)
        if not comparable(value, (self.out_of(args, right), right)):
            return outline(value)
        out, weights = self.by_heads(args, value[0]), value[1]
        shown, returned = out[..., : right.size(-1)], Dropped(right, weights, p)
        if not p:
            return "dropped with p = 0" if training and returned.count else value
        same = shown.dtype == weights.dtype and torch.equal(shown, weights)
        used = returned if same else Dropped(right, shown, p)
        if not training:
            dropped = returned.count > 0, used.count > 0
            return ("dropped in evaluation", *dropped) if any(dropped) else value
        mixed = "uneven" if used.is_uneven else used.summary
        return (
            returned.summary,
            mixed,
            used is returned or same_rows(shown, weights, shown + weights),
            same_rows(out, used.after.to(out.dtype) @ values.to(out.dtype), used.after),
        )

    def by_heads(self, args, out):
        """Return out as it was right after the weights mixed the values; this needs a p that is not 0."""
        return out

    def shown(self, case):
        """Return what out shows of these weights."""
        return self.by_heads(case.args, case.first)[..., : self.weights(case.args).size(-1)]

    def out_of(self, args, weights):
        """Return out for these weights."""
        return weights @ self.values(args)

    # ---------------------------------------------------------------- sentences

    def in_evaluation(self, case):
        """Say what was dropped in evaluation."""
        (p, training), right = self.mode(case.args), self.weights(case.args)
        if not p or training:
            return explainers.entry(case)
        for noun, got in (("weights", case.last), ("numbers that mix the values", self.shown(case))):
            if got.shape == right.shape and (dropped := Dropped(right, got, p)).count:
                return (
                    f"in evaluation, with {self.p_name} = {p:g}, {dropped.count:,} of your {dropped.total:,} "
                    f"{noun} became 0"
                )
        return explainers.entry(case)

    def where(self, case):
        """Say how many zeros are in the returned weights, and how many in those that out shows."""
        right, (p, _) = self.weights(case.args), self.mode(case.args)
        returned, used = self.look(case), Dropped(right, self.shown(case), p)
        return (
            f"with {self.p_name} = {p:g}, {returned.count:,} of the {returned.total:,} weights you returned are 0. "
            f"In this test {self.first_columns} are an identity matrix, so {self.of_out} should be these very weights: "
            f"{used.count:,} of the numbers there are 0"
        )

    # ---------------------------------------------------------------- properties of all right answers

    def pair_properties(self, *of_the_weights):
        """Return the properties of (out, weights), including `of_the_weights`."""

        def trains(case):
            return self.mode(case.args)[1]

        return (
            properties.FINITE,
            properties.POSITIVE,
            replace(properties.ROWS, test=lambda case: None if trains(case) else properties.ROWS.test(case)),
            *of_the_weights,
            self.out_property(),
            *self.properties(lambda case: trains(case) and (self.look(case).p or self.look(case).count)),
        )

    def out_property(self):
        """Return the property that out is made from the returned weights, in training, too."""

        def mixes(case):
            right = self.weights(case.args)
            if case.last.shape != right.shape or case.last.dtype != self.values(case.args).dtype:
                return None
            expected = self.out_of(case.args, case.last)
            if same_rows(case.first, expected, expected):
                return None
            at = explainers.worst(case.first, expected)
            return (
                f"out must be made from the weights that you return: at {position(at)} out is "
                f"{number(case.first[at])}, and these weights give {number(expected[at])}."
            )

        return Property(
            "out-not-from-weights",
            mixes,
            "One draw, one tensor of weights: it multiplies v, and it is returned. Does anything else happen to v, to "
            "what v is made of, or to out?",
        )


def same_rows(a, b, where):
    """Return whether a and b agree in the rows that are finite in `where`; the summaries cover rows with NaN."""
    rows = where.isfinite().all(-1)
    return a.dtype == b.dtype and torch.allclose(a[rows], b[rows], rtol=1e-3, atol=1e-4)
