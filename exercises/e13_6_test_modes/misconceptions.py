"""What people get wrong in exercise 13.6, test_modes.

A test is a list of checks of what was observed: `still` and `again` are two calls in evaluation, and for each round
there are two calls in training, `one` and `other`, and two in evaluation after that, `back` and `later`.
"""

from dataclasses import dataclass

import torch

from exercises.common.suspects import about_verdicts
from exercises.e13_6_test_modes.suspects import bank
from feedback import Misconceptions

ITEMS = 4000


@dataclass
class Round:
    one: torch.Tensor
    other: torch.Tensor
    back: torch.Tensor
    later: torch.Tensor


@dataclass
class Seen:
    still: torch.Tensor
    again: torch.Tensor
    rounds: list


def many_items():
    return torch.randn(1, 1, 4).expand(ITEMS, 1, 4)


def observed(module, x, rounds=2):
    module.eval()
    seen = Seen(module(x), module(x), [])
    for _ in range(rounds):
        module.train()
        in_training = module(x), module(x)
        module.eval()
        seen.rounds.append(Round(*in_training, module(x), module(x)))
    return seen


def apart(a, b):
    return float((a - b).abs().max())


# ---------------------------------------------------------------- checks


def repeatable(seen):
    return apart(seen.still, seen.again) < 1e-4


def back_as_before(seen):
    return all(apart(each.back, seen.still) < 1e-4 and apart(each.later, seen.still) < 1e-4 for each in seen.rounds)


def drops(seen):
    return all(apart(each.one, seen.still) > 1e-2 for each in seen.rounds)


def drops_anew(seen):
    return all(apart(each.one, each.other) > 1e-2 for each in seen.rounds)


def keeps_the_mean(seen, tolerance=0.06):
    return all(apart((each.one + each.other).mean(0) / 2, seen.still[0]) < tolerance for each in seen.rounds)


def tested(*checks, rounds=2):
    """A test from these checks."""

    def test(module):
        seen = observed(module, many_items(), rounds)
        return all(check(seen) for check in checks)

    return test


ALL = (repeatable, back_as_before, drops_anew, keeps_the_mean)
known = Misconceptions()


def mistake(id, means, hint, *tests):
    """Register a mistake, with the tests that make it."""
    known(id, means=means, hint=hint, explain=bank.told)
    for test in tests:
        known.also(id)(test)


about_verdicts(known, bank, tested(*ALL))

# ---------------------------------------------------------------- modes


def as_it_comes(module):
    x = many_items()
    return apart(module(x), module(x)) < 1e-4


mistake(
    "never-switched",
    "Your test never sets a mode: a healthy module that comes in training drops, and is accused.",
    "`module.eval()` and `module.train()` set the mode.",
    as_it_comes,
)
mistake(
    "evaluation-only",
    "Your test looks at evaluation only: a module that never drops, or drops too much in training, gets past it.",
    "What should training do?",
    tested(repeatable, rounds=0),
    tested(repeatable, back_as_before, rounds=1),
)
mistake(
    "never-back",
    "Your test never comes back to a mode: what training leaves behind goes unseen.",
    "A module is evaluated in the middle of training, again and again.",
    tested(repeatable, drops_anew, keeps_the_mean, rounds=1),
    tested(repeatable, drops, keeps_the_mean, rounds=1),
    tested(repeatable, drops_anew, rounds=1),
    tested(repeatable, drops, rounds=1),
)

# ---------------------------------------------------------------- what is compared

mistake(
    "mean-not-compared",
    "Your test does not compare what training gives on average with what evaluation gives.",
    "What is lost by dropping is made up for by a factor. Which mean shows whether it is the right one?",
    tested(repeatable, back_as_before, drops_anew),
    tested(repeatable, back_as_before, drops),
)
mistake(
    "training-once",
    "Your test compares training with evaluation, and never two calls in training: a module that drops the same each "
    "time gets past it.",
    "When is a mask drawn?",
    tested(repeatable, back_as_before, drops, keeps_the_mean),
)
mistake(
    "total-mean",
    "Your test compares one mean over all numbers: what is too high in one place and too low in another has the same.",
    "Which mean should each single number have, over many calls?",
    tested(
        repeatable,
        back_as_before,
        drops_anew,
        lambda seen: all(
            abs(float((each.one + each.other).mean() / 2 - seen.still.mean())) < 0.03 for each in seen.rounds
        ),
    ),
)
mistake(
    "zeros-expected",
    "Your test expects zeros in the output of training: where something is added to what was dropped, or mixed with "
    "it, there are none.",
    "How does an output show that something was dropped, wherever in the module that is?",
    tested(
        repeatable,
        back_as_before,
        lambda seen: all(bool((each.one == 0).any()) for each in seen.rounds),
        drops_anew,
        keeps_the_mean,
    ),
)
mistake(
    "seed-expected",
    "Your test expects the same output in training after the same `torch.manual_seed`: a module may draw from a "
    "generator of its own.",
    "Which promise is there about training? None says that it can be repeated.",
    lambda module: repeats_with_a_seed(module),
)
mistake(
    "probability-assumed",
    "Your test counts on a certain probability of dropping.",
    "It is between 0.1 and 0.5, and you do not know it. Which mean is known?",
    tested(*ALL, lambda seen: all(0.45 < share_of_large(seen, each) < 0.55 for each in seen.rounds)),
)


def share_of_large(seen, each):
    """The share of outputs that dropping made larger."""
    return float((each.one / seen.still > 1).float().mean())


def repeats_with_a_seed(module):
    x, outs = many_items(), []
    for _ in range(2):
        torch.manual_seed(0)
        outs.append(module.train()(x))
    return tested(*ALL)(module) and apart(*outs) < 1e-4


# ---------------------------------------------------------------- how closely

mistake(
    "too-few-draws",
    "Your test takes chance for a bug: a mean of few draws is far from the right one in healthy modules, too.",
    "With n draws, a mean is off by about 1 / √n. How many draws make that small next to a tenth?",
    lambda module: mean_of(module, 10),
)
mistake(
    "rounding-accused",
    "Your test takes rounding for dropout: it asks for equal numbers in evaluation.",
    "Two calls in evaluation may differ by up to 1e-5.",
    tested(*ALL, lambda seen: torch.equal(seen.still, seen.again)),
)
mistake(
    "tolerance-too-large",
    "A wrong mean gets past your test: its tolerance is too large.",
    "A wrong mean is off by at least a tenth. How many draws make chance small next to that?",
    tested(repeatable, back_as_before, drops_anew, lambda seen: keeps_the_mean(seen, 0.22)),
)


def mean_of(module, draws):
    x = torch.randn(8, 2, 3)
    still = module.eval()(x)
    module.train()
    mean = torch.stack([module(x) for _ in range(draws)]).mean(0)
    module.eval()
    return apart(mean, still) < 0.06 and apart(module(x), still) < 1e-4
