"""Exercises with dropout: sentences about the learner's zeros, and tests of who decides where they fall."""

import torch

from exercises.common import explainers
from exercises.common.random_zeros import is_about
from feedback import BehavioralTest, Property
from feedback.format import number, position, sentence

FEW = 30  # with fewer numbers, a count of zeros tells nothing


# ---------------------------------------------------------------- how answers are called


def seeded(seed):
    return torch.Generator().manual_seed(seed)


def with_generator(attempt, *args):
    """Call the code with a generator of the seed that is the last of args, or without one where that is None."""
    *args, seed = args
    if seed is not None:
        return attempt(*args, seeded(seed))
    return attempt(*args)


ERRORS = (
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


# ---------------------------------------------------------------- who decides where zeros fall


def always(attempt):
    return True


def decided_by_one_draw(call, zeros, p_name="p", applies=always):
    """Explains wrong numbers: all became 0 together, or none did.

    call(attempt, generator, p) is one call, and zeros(result) says where zeros fell; generator may be None: then
    torch's global one decides. Where not applies(attempt), zeros have another cause.
    """

    def test(attempt):
        if not applies(attempt):
            return None
        all_of_them = 0
        for seed in range(24):
            share = float(zeros(call(attempt, seeded(seed))).double().mean())
            if 0 < share < 1:
                return None
            all_of_them += share == 1
        if all_of_them in (0, 24):
            return None
        return (
            f"In {all_of_them} of 24 calls with {p_name} = 0.4 all numbers became 0, and in the other "
            f"{24 - all_of_them} none did: one draw decided for all of them together."
        )

    return BehavioralTest(
        "one-draw-for-all",
        test,
        "Each number needs a draw of its own. How many random numbers does your code draw?",
        early=True,
    )


COMPARE_WITH_P = "The draw is to be compared with the argument p: `torch.rand(...)` >= p is True for a share of 1 - p."


def decided_without_p(call, zeros, p_name="p", hint=COMPARE_WITH_P, applies=always):
    """Explains wrong numbers: the share of zeros is the same for every p; the arguments are those above."""

    def test(attempt):
        if not applies(attempt):
            return None
        few, many = (zeros(call(attempt, seeded(11), p)) for p in (0.2, 0.6))
        share = float(few.double().mean())
        if not 0 < share < 1 or not is_about(int(many.sum()), many.numel(), share):
            return None
        return (
            f"With {p_name} = 0.2 and with {p_name} = 0.6 the same share became 0, about {100 * share:.0f} %: "
            f"{p_name} makes no difference there."
        )

    return BehavioralTest("p-not-used", test, hint, early=True)


def decided_by_the_generator(call, zeros):
    """Tests of right numbers: the generator decides, or torch's global one where none is given."""

    def draws_again(attempt):
        generator = seeded(1)
        first, second = (zeros(call(attempt, generator)) for _ in range(2))
        if torch.equal(first, second):
            return "Called twice with one and the same generator, your code zeroed the same positions both times."
        return None

    def listens(attempt):
        found = []
        for seed in (1, 2):  # of torch's global generator, which must not matter
            torch.default_generator.manual_seed(seed)
            found.append(zeros(call(attempt, seeded(7))))
        if not torch.equal(*found):
            return (
                "Two generators with the same seed gave zeros at different positions: something other than the "
                "generator decides."
            )
        return None

    def leaves_the_global_seed(attempt):
        found = []
        for seed in (1, 2):
            torch.default_generator.manual_seed(seed)
            call(attempt, seeded(7))
            found.append(torch.rand(4))
        if torch.equal(*found):
            return (
                "After your code has run, torch's global generator is always in the same state: your code seeds "
                "it, and everybody else draws from it too."
            )
        return None

    def draws_without(attempt):
        torch.default_generator.manual_seed(3)
        first, second = (zeros(call(attempt, None)) for _ in range(2))
        if torch.equal(first, second):
            return "Called twice without a generator, your code zeroed the same positions both times."
        torch.default_generator.manual_seed(3)
        if not torch.equal(first, zeros(call(attempt, None))):
            return "Without a generator, `torch.manual_seed(3)` before two calls gave zeros at different positions."
        return None

    def not_counted_out(attempt):
        generator = seeded(5)
        counts = {int(zeros(call(attempt, generator)).sum()) for _ in range(12)}
        if len(counts) == 1:
            return (
                f"In 12 calls exactly {counts.pop():,} numbers became 0 each time: they were counted out, not "
                "drawn one by one."
            )
        return None

    return (
        BehavioralTest(
            "same-zeros",
            draws_again,
            "Every call should draw new numbers: draw with the generator you are given, and seed nothing inside.",
            required=True,
            while_doing="called a second time,",
        ),
        BehavioralTest(
            "generator-ignored",
            listens,
            "Pass the generator on: `torch.rand(shape, generator=generator)`. (`F.dropout`, `nn.Dropout` and NumPy "
            "cannot use it.)",
            required=True,
            while_doing="called with a generator,",
        ),
        BehavioralTest(
            "seeds-everything",
            leaves_the_global_seed,
            "Leave the seed alone: whoever calls your code chooses it, with the generator.",
            required=True,
            while_doing="called with a generator,",
        ),
        BehavioralTest(
            "not-repeatable",
            draws_without,
            "With `generator=None`, `torch.rand` uses torch's global generator, so there is nothing more to do: no "
            "seed, and no generator of your own.",
            required=True,
            while_doing="called without a generator,",
        ),
        BehavioralTest(
            "counted-out",
            not_counted_out,
            "Compare each random number with p: then each number becomes 0 or stays on its own, and the "
            "count varies around the share p.",
            required=True,
            while_doing="called twelve times,",
        ),
    )
