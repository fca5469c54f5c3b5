"""Dropout, and attention with dropout on its weights, in replaceable steps; tests of where zeros are."""

import torch

from exercises.common.attention import compare, give, masked_softmax_from, mix, scale, show, weights_from
from exercises.common.dropout_statistics import is_about
from exercises.common.experiments import largest_difference
from exercises.common.inputs import seeded
from feedback import BehavioralTest


def keep(x, p, generator=None):
    """Return which numbers are kept."""
    return torch.rand(x.shape, generator=generator) >= p


def dropout(x, p, generator=None):
    """Apply dropout: the right step."""
    return x * keep(x, p, generator) / (1 - p)


masked_softmax = masked_softmax_from()


# ---------------------------------------------------------------- attention with dropout on its weights


def in_training(training):
    """Return whether anything is dropped: the right step `active`."""
    return training


def dropped_attention_from(attend=None, mix=mix, show=show, give=give, **steps):
    """Build attention(q, k, v, drop, mask=None) -> (out, weights) from the steps of `weights_from` and mix, show, give.

    `attend` replaces all but `give`: attend(q, k, v, drop, mask).
    """
    weigh = weights_from(**steps)

    def on_the_weights(q, k, v, drop, mask):
        weights = drop(weigh(q, k, mask))
        return mix(weights, v, q, k), show(weights, q, k)

    def attention(q, k, v, drop, mask=None):
        return give(*(attend or on_the_weights)(q, k, v, drop, mask))

    return attention


def dropped_scores(q, k, drop, mask):
    return masked_softmax(drop(compare(q, k) * scale(q, k)), mask)


# ---------------------------------------------------------------- behavioral tests: where zeros are


def decided_by_one_draw(call, zeros, p_name="p", applies=None):
    """Return a test that explains wrong numbers: either all became 0 together, or none did.

    call(attempt, generator, p) makes one call, and zeros(result) returns where zeros are; with generator None, torch's
    global one decides. If applies(attempt) is false, zeros have another cause.
    """

    def test(attempt):
        if applies and not applies(attempt):
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
    """Return a test that explains wrong numbers: call(attempt), the weights in evaluation, are random."""

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


def decided_without_p(call, zeros, p_name="p", hint=COMPARE_WITH_P, applies=None):
    """Return a test that explains wrong numbers: the share of zeros does not depend on p. For arguments, see above."""

    def test(attempt):
        if applies and not applies(attempt):
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
    """Return three tests of a module whose dropout is a layer: two like those above, and one that draws twice.

    build(attempt, p) makes the module, and zeros(result) returns where zeros are. nn.Dropout takes no generator:
    its draws come from torch's global one, which is in the state of the generator that a test passes.
    """

    def call(attempt, generator, p=0.4):
        torch.default_generator.set_state(generator.get_state())
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
