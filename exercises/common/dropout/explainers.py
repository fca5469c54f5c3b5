"""Sentences about the learner's zeros, and what PyTorch's errors mean where numbers are dropped."""

from exercises.common import explainers
from feedback import Property
from feedback.format import number, position, sentence

FEW = 30  # with fewer numbers, a count of zeros tells nothing


ERROR_MEANINGS = (
    (
        r"rand\w*\(\).*(got \(Tensor\b|must be tuple of ints, not Tensor)",
        "`torch.rand` takes a shape, and here it got the tensor itself: append `.shape` to the tensor.",
    ),
    (
        r"dropout\(\).*(keyword argument 'generator'|not torch._C.Generator)",
        "`F.dropout` takes no generator. Draw yourself, with `torch.rand`, and compare with p.",
    ),
    (
        r"Dropout\w*\.(__init__\(\).*'generator'|forward\(\) takes)",
        "`nn.Dropout` takes no generator. Draw yourself, with `torch.rand`, and compare with p.",
    ),
)


# ---------------------------------------------------------------- sentences


class DropoutExplainer:
    """Sentences with the learner's own numbers: `look(case)` gives a Dropped.

    noun       what may become 0
    draw       what makes one random number for each of them
    share      what to think about where the wrong share became 0
    p_name     what the probability is called
    """

    def __init__(self, look, noun, draw, share, p_name="p"):
        self.look, self.noun, self.draw, self.share, self.p_name = look, noun, draw, share, p_name

    def counted(self, case):
        """How many became 0, and how many should; '' where there are too few to tell."""
        return self._counted(case) if self.look(case).total >= FEW else ""

    def _counted(self, case):
        dropped = self.look(case)
        return (
            f"{dropped.count:,} of {dropped.total:,} {self.noun} became 0; with {self.p_name} = {dropped.p:g} it "
            f"should be about {round(dropped.total * dropped.p):,}"
        )

    def scaled(self, case):
        """What one kept number became, and what it should have become: the one that is furthest off."""
        dropped = self.look(case)
        before, after, p = dropped.before, dropped.after, dropped.p
        if not dropped.kept.any():
            return self.counted(case)
        if not after.isfinite().all():
            return first_infinity(after)
        off = (after - before / (1 - p)).abs() * dropped.kept
        at = explainers.largest(off)
        return (
            f"{dropped.count:,} of {dropped.total:,} {self.noun} became 0 ({self.p_name} = {p:g}); the one at "
            f"{position(at)} was kept, and {number(before[at])} became {number(after[at])}; {number(before[at])} / "
            f"(1 - {p:g}) = {number(round(float(before[at]), 4) / (1 - p))} is right"
        )

    def averaged(self, case):
        """The means before and after: dropout should leave them alike."""
        dropped = self.look(case)
        before, after = dropped.before[dropped.possible].mean(), dropped.after[dropped.possible].mean()
        return f"{self.scaled(case)}. The mean was {number(before)} before, and is {number(after)} now"

    def subtracted(self, case):
        """How many became -p, which should have become 0; or else a kept number from which p was subtracted."""
        dropped = self.look(case)
        count = int((((dropped.after + dropped.p).abs() < 1e-6) & dropped.possible).sum())
        if not count:
            return self.scaled(case)
        return f"{count:,} of {dropped.total:,} {self.noun} became {number(-dropped.p)}; they should be 0"

    def tied(self, case):
        """How often neighbors fall together, along the axis where it is oddest."""
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
        """The independence, the share and the scale, as properties of every right answer, where `applies(case)`."""

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
                _wrongly_scaled,
                self.scaled,
                "Compare that number with the right one: what else happened to it?",
            ),
        )


def _wrongly_scaled(dropped):
    return isinstance(dropped.scale, str) or not abs(float(dropped.scale) * (1 - dropped.p) - 1) < 1e-3


def first_infinity(after):
    bad = ~after.isfinite()
    at = tuple(int(i) for i in bad.nonzero()[0])
    return f"{int(bad.sum()):,} of your numbers are NaN or infinite, the first at {explainers.position(at)}"
