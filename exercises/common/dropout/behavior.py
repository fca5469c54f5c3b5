"""Who decides where zeros fall: behavioral tests for exercises with dropout."""

import torch

from exercises.common.dropout.statistics import is_about
from exercises.common.experiments import largest_difference
from exercises.common.inputs import seeded
from feedback import BehavioralTest


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


def repeats_in_evaluation(call, hint):
    """Explains wrong numbers: weights in evaluation, call(attempt), are random."""

    def test(attempt):
        moved = largest_difference(call(attempt), call(attempt))
        if not moved > 1e-4:
            return None
        return (
            "In evaluation nothing is random. Called twice with the same numbers, your code gives two different "
            f"results: its weights differ by up to {moved:.4f}."
        )

    return BehavioralTest("not-repeatable", test, hint, early=True)


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


def decided_by_a_layer(build, x, zeros):
    """Of a module whose dropout is a layer: two tests that explain wrong numbers as above, one that draws again.

    build(attempt, p) makes the module, and zeros(result) says where zeros fell. nn.Dropout takes no generator.
    """

    def call(attempt, generator, p=0.4):
        return build(attempt, p).train()(x)

    def keeps_all_in_evaluation(attempt):
        return not zeros(build(attempt, 0.4).eval()(x)).any()

    def zeroes_the_same(attempt):
        module = build(attempt, 0.5).train()
        if torch.equal(zeros(module(x)), zeros(module(x))):
            return "Called twice in training, your module zeroed the same weights both times."
        return None

    which_p = "The probability comes from outside: which number is your dropout layer given?"
    return (
        decided_by_one_draw(call, zeros, "dropout", keeps_all_in_evaluation),
        decided_without_p(call, zeros, "dropout", which_p, keeps_all_in_evaluation),
        BehavioralTest(
            "same-zeros",
            zeroes_the_same,
            "Every call draws new numbers: make the draw in forward, and seed nothing.",
            required=True,
            while_doing="called twice in training,",
        ),
    )


def decided_by_the_generator(call, zeros):
    """Tests of right numbers: the generator decides, or torch's global one where none is given."""
    return tuple(
        test(call, zeros) for test in (draws_again, listens, leaves_the_global_seed, draws_without, not_counted_out)
    )


def draws_again(call, zeros):
    """A second call with the same generator goes on drawing."""

    def test(attempt):
        generator = seeded(1)
        first, second = (zeros(call(attempt, generator)) for _ in range(2))
        if torch.equal(first, second):
            return "Called twice with one and the same generator, your code zeroed the same positions both times."
        return None

    return BehavioralTest(
        "same-zeros",
        test,
        "Every call should draw new numbers: draw with the generator you are given, and seed nothing inside.",
        required=True,
        while_doing="called a second time,",
    )


def listens(call, zeros):
    """The generator alone decides."""

    def test(attempt):
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

    return BehavioralTest(
        "generator-ignored",
        test,
        "Pass the generator on: `torch.rand(shape, generator=generator)`. (`F.dropout`, `nn.Dropout` and NumPy "
        "cannot use it.)",
        required=True,
        while_doing="called with a generator,",
    )


def leaves_the_global_seed(call, zeros):
    """torch's global generator is left alone."""

    def test(attempt):
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

    return BehavioralTest(
        "seeds-everything",
        test,
        "Leave the seed alone: whoever calls your code chooses it, with the generator.",
        required=True,
        while_doing="called with a generator,",
    )


def draws_without(call, zeros):
    """torch's global generator decides where none is given."""

    def test(attempt):
        torch.default_generator.manual_seed(3)
        first, second = (zeros(call(attempt, None)) for _ in range(2))
        if torch.equal(first, second):
            return "Called twice without a generator, your code zeroed the same positions both times."
        torch.default_generator.manual_seed(3)
        if not torch.equal(first, zeros(call(attempt, None))):
            return "Without a generator, `torch.manual_seed(3)` before two calls gave zeros at different positions."
        return None

    return BehavioralTest(
        "not-repeatable",
        test,
        "With `generator=None`, `torch.rand` uses torch's global generator, so there is nothing more to do: no "
        "seed, and no generator of your own.",
        required=True,
        while_doing="called without a generator,",
    )


def not_counted_out(call, zeros):
    """The number of zeros varies from call to call."""

    def test(attempt):
        generator = seeded(5)
        counts = {int(zeros(call(attempt, generator)).sum()) for _ in range(12)}
        if len(counts) == 1:
            return (
                f"In 12 calls exactly {counts.pop():,} numbers became 0 each time: they were counted out, not "
                "drawn one by one."
            )
        return None

    return BehavioralTest(
        "counted-out",
        test,
        "Compare each random number with p: then each number becomes 0 or stays on its own, and the "
        "count varies around the share p.",
        required=True,
        while_doing="called twelve times,",
    )
