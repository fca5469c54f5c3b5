"""Behavioral tests that random draws come from the given generator, or from torch's global one if there is none."""

import torch

from exercises.common.inputs import seeded
from feedback import BehavioralTest


def required(id, test, doing, hint):
    return BehavioralTest(id, test, hint, required=True, while_doing=doing)


def decided_by_the_generator(draw, alike, apart, pass_it_on, id):
    """Return three required behavioral tests.

    draw(attempt, generator)   returns what a call drew; the generator may be None
    alike, apart               words for what happened if two calls drew the same, and if they did not
    pass_it_on                 the hint if the generator is not used
    id                         the id of the first test, which calls twice with one generator
    """

    def draws_again(attempt):
        generator = seeded(1)
        if torch.equal(draw(attempt, generator), draw(attempt, generator)):
            return f"Called twice with one and the same generator, your code {alike} both times."
        return None

    def listens(attempt):
        found = []
        for seed in (1, 2):  # seeds of torch's global generator, which must not matter
            torch.default_generator.manual_seed(seed)
            found.append(draw(attempt, seeded(7)))
        if torch.equal(*found):
            return None
        return f"Two generators with the same seed {apart}: something other than the generator decides."

    def draws_without(attempt):
        torch.default_generator.manual_seed(3)
        first, second = draw(attempt, None), draw(attempt, None)
        if torch.equal(first, second):
            return f"Called twice without a generator, your code {alike} both times."
        torch.default_generator.manual_seed(3)
        if not torch.equal(first, draw(attempt, None)):
            return f"Without a generator, `torch.manual_seed(3)` before two calls {apart}."
        return None

    return (
        required(
            id,
            draws_again,
            "called a second time,",
            "Every call should draw new numbers: draw with the generator you are given, and seed nothing inside.",
        ),
        required("generator-ignored", listens, "called with a generator,", pass_it_on),
        required(
            "not-repeatable",
            draws_without,
            "called without a generator,",
            "With `generator=None`, torch's functions use its global generator, so there is nothing more to do: no "
            "seed, and no generator of your own.",
        ),
    )
