"""What an exercise is made of. All of it is data; `judge` is the one place that acts on it."""

from collections.abc import Callable
from dataclasses import dataclass, field

import torch


@dataclass(frozen=True)
class Probe:
    """Inputs to try an answer on.

    `advice` marks a probe that a right answer may fail: it then hears the advice, and stays right.
    """

    name: str
    args: tuple
    rtol: float = 1e-4
    atol: float = 3e-5
    advice: str = ""


@dataclass(frozen=True)
class Misconception:
    """A mistake that people really make, with the wrong code itself.

    `code` is one implementation or several that betray the same thought; `evidence(case)` turns the
    learner's own numbers into a sentence.
    """

    id: str
    means: str
    think: str
    code: Callable | tuple
    evidence: Callable = None

    @property
    def codes(self):
        return self.code if isinstance(self.code, tuple) else (self.code,)


@dataclass(frozen=True)
class Law:
    """Something that the numbers of every right answer obey: `test(case)` is a sentence where they do not."""

    id: str
    test: Callable
    think: str


@dataclass(frozen=True)
class Experiment:
    """Something to try with the code itself: `test(attempt)` is a sentence where it fails.

    A `required` experiment is made with right numbers too; the others only explain wrong ones, those that are
    `early` before the laws are looked at.
    `while_doing` says what went on, should the code raise in it.
    """

    id: str
    test: Callable
    think: str
    required: bool = False
    early: bool = False
    while_doing: str = ""


def _call(attempt, *args):
    return attempt(*args)


def _itself(args, value):
    return value


@dataclass(frozen=True, eq=False)
class Exercise:
    """One exercise: what is asked, a right answer, and all that is known about wrong ones.

    id, name, signature     "2.2", "softmax", "softmax(scores)"
    gives                   completes the sentence "softmax(scores) should give ..."
    minutes, difficulty     what a learner needs; 1 to 3
    solution                a right answer: a function or class of `helpers`, or of `checks.solutions`
    arguments, returns      their names, as tuples: ("scores",), ("weights",), or within one another as the result is:
                            ("out", ("keys", "values"))
    probes                  what every answer is tried on; sizes differ along every axis where they can
    small                   tuples of tiny arguments, the smallest first, to show a mistake by hand
    misconceptions, hints   the mistakes that are known; the hints, from a nudge to the answer
    after                   what a right answer hears

    Where needed: `sizes` names the axes of a size in messages, {7: "C"}; `laws` and `experiments` explain wrong
    numbers; for a class, `is_class`, `call(attempt, *args)` which builds and applies it, `inputs`, the names of
    these args, and `told(args)`, a sentence on what it was given. Where chance has a part, two right answers differ:
    they are compared by their `essence(args, value)`, what all right answers share (`chance` says what that is).
    """

    id: str
    name: str
    signature: str
    gives: str
    minutes: int
    difficulty: int
    solution: Callable
    arguments: tuple
    returns: tuple
    probes: tuple
    small: tuple
    misconceptions: tuple
    hints: tuple
    after: str
    inputs: tuple = ()
    sizes: dict = field(default_factory=dict)
    laws: tuple = ()
    experiments: tuple = ()
    call: Callable = _call
    essence: Callable = _itself
    told: Callable = None
    is_class: bool = False

    @property
    def named_inputs(self):
        """The names of a probe's arguments: those of the signature, unless `inputs` says otherwise."""
        return self.inputs or self.arguments

    @property
    def by_chance(self):
        """Whether right answers differ from call to call."""
        return self.essence is not _itself

    @property
    def stars(self):
        return "●" * self.difficulty + "○" * (3 - self.difficulty)


def parts(names, *values):
    """What a result is made of, in order: (name, its value in each of `values`), where tuples are opened."""
    if not isinstance(names, tuple):
        return [(names, *values)]
    return [part for inner in zip(names, *values, strict=True) for part in parts(*inner)]


@dataclass(frozen=True)
class Case:
    """One probe together with what was expected and what the learner's code gave."""

    args: tuple
    expected: object
    got: object
    names: tuple = ("out", "weights")

    @property
    def parts(self):
        """(name, got, expected) for each tensor of a result, also of a pair within a pair."""
        names = self.names if isinstance(self.expected, tuple) else "result"
        return [part for part in parts(names, self.got, self.expected) if isinstance(part[2], torch.Tensor)]

    @property
    def weights(self):
        """The last tensor returned: the weights of a pair, or the result itself."""
        return self.got[-1] if isinstance(self.got, tuple) else self.got

    @property
    def expected_weights(self):
        return self.expected[-1] if isinstance(self.expected, tuple) else self.expected

    @property
    def out(self):
        return self.got[0] if isinstance(self.got, tuple) else self.got

    @property
    def expected_out(self):
        return self.expected[0] if isinstance(self.expected, tuple) else self.expected
