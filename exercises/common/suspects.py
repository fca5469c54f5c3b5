"""Exercises whose answer is a test: it is tried on suspects, some of them healthy and some of them broken.

    bank = Suspects()

    @bank.healthy("this one adds up one position after the other", "its loop has not seen later inputs yet")
    def loop(numbers):
        def attend(x):
            ...
        return attend

    @bank.broken("an output changes with the input right after it", shows=at(3, changed=4))
    def one_step_too_far(numbers):
        ...

Each function is given its own random `numbers` and makes one suspect: a function, or a module, which is handed over as
it is. A test case holds no more than how a suspect is made; whether it is broken, and what cards say of it, stays in
the bank.
"""

import random
import zlib
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from exercises.common.inputs import SHIFT
from feedback import ContractViolation, FunctionRunner, Property, TestCase
from feedback.format import describe, sentence
from feedback.sandbox import learner_line

NOTHING, A_BUG = "finds nothing", "finds a bug"
CLEAR = (NOTHING, A_BUG)
RUNS = 3  # of a test on each suspect


class Numbers:
    """The parameters of one suspect, drawn when they are first asked for: the same ones for a name and a shape."""

    def __init__(self, seed):
        self.seed, self.drawn = seed, {}

    def __call__(self, name, *shape):
        key = name, shape
        if key not in self.drawn:
            own = torch.Generator().manual_seed(self.seed + zlib.crc32(repr(key).encode()))
            self.drawn[key] = torch.randn(shape, generator=own)
        return self.drawn[key]

    def matrix(self, name, rows, columns):
        """A matrix that keeps the size of vectors, (rows, columns)."""
        key = "matrix", name, rows, columns
        if key not in self.drawn:
            self.drawn[key] = self(name, rows, columns) / rows**0.5
        return self.drawn[key]


class Model(nn.Module):
    """How a function looks to a test: they all look alike."""

    def __init__(self, function):
        super().__init__()
        self._function = (function,)

    def forward(self, *args, **options):
        return self._function[0](*args, **options)


class Suspect:
    """What a test case holds: a way to make the same suspect again, with other parameters."""

    def __init__(self, number, make):
        self.number, self.make = number, make

    def fresh(self, run):
        made = self.make(Numbers(1_000_000 * (self.number + 1) + 37 * run + SHIFT))
        return made if isinstance(made, nn.Module) else Model(made)

    def __repr__(self):
        return f"<suspect {self.number}>"

    def __deepcopy__(self, memo):
        return self


class Verdict(str):
    """What a test says of a suspect in all its runs, and the learner's line that accused it."""

    line = ""


def judged(attempt, suspect):
    """Run the test on a few fresh suspects, each time from another random state.

    Errors: ContractViolation where the test returns something else, or leaves parameters changed
    """
    found, line = [], ""
    for run in range(RUNS):
        model = suspect.fresh(run)
        before = [p.detach().clone() for p in model.parameters()]
        _seed(7919 * suspect.number + 104_729 * run + SHIFT)
        try:
            told = attempt(model)
        except AssertionError as error:
            told, line = False, line or learner_line(error)
        if not (told is None or isinstance(told, bool)):
            raise ContractViolation("returns-something-else", _told_something_else(told))
        if told is not False and not _as_before(model, before):
            raise ContractViolation("parameters-changed", CHANGED)
        found.append(told is False)
    verdict = Verdict(A_BUG if all(found) else f"{A_BUG} in {sum(found)} of {RUNS} runs" if any(found) else NOTHING)
    verdict.line = line
    return verdict


CHANGED = (
    "After your test, the parameters of its suspect are not what they were. A test may write into them if it puts them "
    "back: keep `weight.clone()`, and copy it into the weight again when you are done."
)


def _told_something_else(told):
    more = " `bool(...)` makes a Python bool of it." if hasattr(told, "item") else ""
    return (
        f"Your test returned {describe(told)}. A test returns None or True where it finds nothing; where it finds a "
        f"bug, it returns False or raises AssertionError.{more}"
    )


def _seed(seed):
    torch.default_generator.manual_seed(seed)
    random.seed(seed)
    np.random.seed(seed % 2**32)


def _as_before(model, before):
    now = list(model.parameters())
    return len(now) == len(before) and all(
        (a.shape, a.dtype) == (b.shape, b.dtype) and torch.allclose(a, b, rtol=0, atol=1e-5)
        for a, b in zip(now, before, strict=True)
    )


def described(args):
    return f"It was tried on suspect {args[0].number}. A test that finds a bug raises AssertionError, or returns False."


RUNNER = FunctionRunner(judged, ("suspect",), described)


@dataclass(frozen=True)
class Truth:
    """What is known of a suspect: what goes wrong, or what is healthy about it.

    told   a clause on what goes wrong, which does not say why; of a healthy one, on how it does it
    why    of a healthy one, why it is right
    shows  shows(model) is a sentence with an input and the two results that differ; None for a healthy one
    """

    make: object
    told: str
    why: str = ""
    shows: object = None

    @property
    def broken(self):
        return self.shows is not None


class Suspects:
    """The suspects of one exercise: first the healthy ones, then the broken ones, each in the order of the file."""

    def __init__(self):
        self._healthy, self._broken = [], []

    def healthy(self, told, why):
        return self._registering(self._healthy, told, why, None)

    def broken(self, told, shows):
        return self._registering(self._broken, told, "", shows)

    def _registering(self, kind, told, why, shows):
        def register(make):
            kind.append(Truth(make, told, why, shows))
            return make

        return register

    @property
    def truths(self):
        return (*self._healthy, *self._broken)

    def suspect(self, number):
        return Suspect(number, self.truths[number - 1].make)

    @property
    def cases(self):
        return tuple(TestCase(f"suspect {n}", (self.suspect(n),)) for n in range(1, 1 + len(self.truths)))

    def told(self, case):
        """What is wrong about a verdict, as a clause: for cards."""
        suspect = case.args[0]
        truth = self.truths[suspect.number - 1]
        if case.actual == case.expected:
            return "here your test is right"
        some = case.actual.removeprefix(A_BUG).strip() if case.actual not in (A_BUG, NOTHING) else ""
        if not truth.broken:
            line = getattr(case.actual, "line", "")
            how = f" It was accused at your {line}." if line else ""
            return (
                f"your test accuses healthy code{f' {some}' if some else ''}: {truth.told}. It is healthy, because "
                f"{truth.why}.{how}"
            )
        missed = f"your test found the bug only {some}" if some else "your test found nothing"
        but = ", each with a fresh suspect and another random state:" if some else ", but"
        return f"{missed}{but} {truth.told}. {truth.shows(suspect.fresh(0))}"

    def properties(self, accuses, passes):
        """What holds for all right verdicts; `accuses` and `passes` are what to think about where they are wrong."""

        def where(wrong):
            return lambda case: sentence(self.told(case)) if wrong(case.actual, self._is_broken(case)) else None

        sometimes = (
            "What does your test leave to chance? Try everything that a bug may depend on, or draw so much that "
            "nothing is left out."
        )
        return (
            Property("accuses-healthy-code", where(lambda said, broken: not broken and said != NOTHING), accuses),
            Property("right-only-sometimes", where(lambda said, broken: broken and said not in CLEAR), sometimes),
            Property("lets-a-bug-pass", where(lambda said, broken: broken and said == NOTHING), passes),
        )

    def _is_broken(self, case):
        return self.truths[case.args[0].number - 1].broken


# ---------------------------------------------------------------- mistakes that any test can make


def about_verdicts(known, bank, right):
    """Register what goes wrong in what a test says; right(suspect) is a right test that returns True or False."""

    @known(
        "always-none",
        means="Your test finds nothing in any suspect, whatever it computes.",
        hint="What becomes of the comparison: is there an `assert` before it, or a `return`? Is anything changed, and "
        "compared?",
        explain=bank.told,
    )
    def nothing_said(suspect):
        right(suspect)

    @known(
        "turned-around",
        means="Your verdicts are turned around: False is for a bug, and True or None for code in which nothing is "
        "found.",
        hint="Read `return` or `assert` aloud: what is so in healthy code?",
        explain=bank.told,
    )
    def true_for_a_bug(suspect):
        return not right(suspect)
