"""What an exercise is made of. All of it is data: `checker` is the one place that acts on it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import torch

from feedback import tree


@dataclass(frozen=True, eq=False)
class TestCase:
    """Inputs to try an answer on.

    `limitation` marks a case that a right answer may fail: it is then "limited", and the learner reads the sentence.
    """

    __test__ = False  # nothing for pytest to collect

    name: str
    args: tuple
    rtol: float = 1e-4
    atol: float = 3e-5
    limitation: str = ""


@dataclass(frozen=True, eq=False)
class Misconception:
    """A mistake that people really make, with the wrong code itself.

    means     what the learner's code does, in one or two sentences
    hint      what to think about next
    variants  functions (or classes) that make this mistake, each in a way that gives other results or errors
    explain   turns a Comparison into a sentence about the learner's own numbers
    raised_in a pattern of the lines in which this mistake raises: other mistakes may raise the same exception
    shared    how many variants, the first ones, come from a catalog that several exercises share: here some of them
              may do the same
    places    where each variant stands, as "mask_by_filling.md:42"
    """

    id: str
    means: str
    hint: str
    variants: tuple[Callable, ...]
    explain: Callable[[Comparison], str] | None = None
    raised_in: str = ""
    shared: int = 0
    places: tuple[str, ...] = ()

    def place(self, number: int) -> str:
        return self.places[number] if self.places else f"variant {number}"


@dataclass(frozen=True)
class Property:
    """Something that the numbers of every right answer have: `test(comparison)` is a sentence where they do not."""

    id: str
    test: Callable[[Comparison], str | None]
    hint: str

    @classmethod
    def named(cls, id: str, hint: str) -> Callable[[Callable], Property]:
        """A decorator that makes one of a test."""
        return lambda test: cls(id, test, hint)


@dataclass(frozen=True)
class BehavioralTest:
    """Something to try with the code itself: `test(attempt)` is a sentence where it fails.

    A `required` test is made with right numbers too; the others only explain wrong ones, those that are `early` before
    the properties are looked at. `while_doing` says what went on, should the code raise in it.
    """

    id: str
    test: Callable[[Any], str | None]
    hint: str
    required: bool = False
    early: bool = False
    while_doing: str = ""

    @classmethod
    def named(cls, id: str, hint: str, **others: Any) -> Callable[[Callable], BehavioralTest]:
        """A decorator that makes one of a test."""
        return lambda test: cls(id, test, hint, **others)


@dataclass(frozen=True)
class FunctionRunner:
    """How the answer to an exercise that asks for a function is run.

    call         call(attempt, *args): apply the function to the arguments of a test case
    input_names  what these arguments are called, where not as in the signature
    describe     describe(args): a sentence on what the code was given, in place of the usual one
    """

    call: Callable = lambda attempt, *args: attempt(*args)
    input_names: tuple[str, ...] = ()
    describe: Callable[[tuple], str] | None = None
    kind = "function"


@dataclass(frozen=True)
class ModuleRunner(FunctionRunner):
    """The same for a class: `call(attempt, *args)` builds a module, fills its layers with numbers and applies it."""

    kind = "class"


@dataclass(frozen=True)
class ExactComparison:
    """Right answers are equal, number for number."""

    def summarize(self, args: tuple, value: Any) -> Any:
        return value


@dataclass(frozen=True)
class SummaryComparison:
    """Right answers are random: they are equal in `summary(args, value)`, such as the share of zeros."""

    summary: Callable[[tuple, Any], Any]

    def summarize(self, args: tuple, value: Any) -> Any:
        return self.summary(args, value)


@dataclass(frozen=True, eq=False, kw_only=True)
class Exercise:
    """One exercise: what is asked, a right answer, and all that is known about wrong ones.

    `name`, `signature` and `arguments` follow from the reference itself. What is said in words stands on the page of
    the exercise, from which `page_exercise.exercise` makes the fields `id` to `when_correct`.

    minutes, difficulty     what a learner needs; 1 to 3
    reference               a right answer
    returns                 the names of what it returns, as a tuple: ("weights",), or nested as the result is:
                            ("out", ("keys", "values"))
    cases                   what every answer is tried on; sizes differ along every axis where they can
    square                  arguments whose axes have one size by their meaning, such as ("mask",)
    minimal_inputs          tuples of tiny arguments, the smallest first, to show a mistake by hand
    misconceptions, hints   the mistakes that are known; the hints, from a nudge to the answer
    when_correct            what the learner reads after a right answer
    page                    its page, as feedback.page_exercise.CompiledPage: the answers that the checker is held to
    given                   where one line is to be repaired: the code in the notebook's cell, which is no answer yet
    runner, comparison      how an answer is run, and compared with the reference
    stage_of                stage_of(args) is a number: cases of a lower stage are judged first, and as long as they
                            fail nothing is said of the later ones (causes before consequences)
    judge_first             the parts of a result that are judged before the others, such as ("weights",)
    properties              what the numbers of every right answer have
    behavioral_tests        what is tried with the code itself
    axis_names              names of sizes in messages, {7: "C"}
    error_meanings          what certain exceptions mean here: (pattern, sentence), tried before the general ones
    none_hints              what to think about where this part of a result is None
    dtype_hints             what a part holds that should be bool and is not: {"mask": "A mask holds True and False"}
    judge                   judge(seen) is the report on wrong results, where the exercise itself says what they mean:
                            its mistakes need no code, and cases of a later stage are run only if the earlier ones pass
    """

    id: str
    minutes: int
    difficulty: int
    reference: Callable
    returns: tuple
    cases: tuple[TestCase, ...]
    minimal_inputs: tuple[tuple, ...]
    misconceptions: tuple[Misconception, ...]
    hints: tuple[str, ...]
    when_correct: str
    runner: FunctionRunner = FunctionRunner()
    comparison: ExactComparison | SummaryComparison = ExactComparison()
    stage_of: Callable[[tuple], int] = lambda args: 0
    judge_first: tuple[str, ...] = ()
    properties: tuple[Property, ...] = ()
    behavioral_tests: tuple[BehavioralTest, ...] = ()
    axis_names: dict[int, str] = field(default_factory=dict)
    error_meanings: tuple[tuple[str, str], ...] = ()
    none_hints: dict[str, str] = field(default_factory=dict)
    square: tuple[str, ...] = ()
    dtype_hints: dict[str, str] = field(default_factory=dict)
    judge: Callable[[Any], Any] | None = None
    given: Callable | None = None
    page: Any = None

    def __post_init__(self) -> None:
        """Refuse a missing pair of parentheses.

        Errors: TypeError
        """
        for name, what, kinds in (
            ("returns", "names", (str, tuple)),
            ("cases", "TestCases", (TestCase,)),
            ("minimal_inputs", "tuples of arguments", (tuple,)),
        ):
            value = getattr(self, name)
            if not (isinstance(value, tuple) and all(isinstance(each, kinds) for each in value)):
                raise TypeError(f"{name} is a tuple of {what}; one of a single part is written (part,)")
        for case in self.cases:
            if not isinstance(case.args, tuple):
                raise TypeError(f"the arguments of TestCase({case.name!r}, ...) are a tuple; of one, it is (argument,)")

    def banks(self) -> Any:
        """The answers that the checker is held to, feedback.page_exercise.Banks, made when this is called."""
        return self.page.banks()

    @cached_property
    def name(self) -> str:
        """What a learner's function or class is called: "softmax"."""
        return self.reference.__name__

    @cached_property
    def signature(self) -> str:
        """How it is called: "softmax(scores)"."""
        return f"{self.name}{inspect.signature(self.reference)}"

    @cached_property
    def arguments(self) -> tuple[str, ...]:
        """The names of its arguments: ("scores",)."""
        return tuple(inspect.signature(self.reference).parameters)

    @property
    def input_names(self) -> tuple[str, ...]:
        """The names of a test case's arguments: those of the signature, unless the runner says otherwise."""
        return self.runner.input_names or self.arguments

    @cached_property
    def stages(self) -> tuple[int, ...]:
        return tuple(self.stage_of(case.args) for case in self.cases)

    @property
    def title(self) -> str:
        return f"{self.id} {self.name}"

    @property
    def stars(self) -> str:
        return "●" * self.difficulty + "○" * (3 - self.difficulty)


@dataclass(frozen=True)
class Comparison:
    """What was expected of one input and what the learner's code gave: explainers and properties look at this."""

    args: tuple
    expected: Any
    actual: Any
    names: tuple

    @property
    def leaves(self) -> list[tuple]:
        """(name, actual, expected) for each part of a result, also of a pair within a pair."""
        return tree.named(self.names if isinstance(self.expected, tuple) else "result", self.actual, self.expected)

    @property
    def parts(self) -> list[tuple]:
        """The same for the tensors of a result."""
        return [leaf for leaf in self.leaves if isinstance(leaf[2], torch.Tensor)]

    @property
    def first(self) -> Any:
        """The first thing returned, or the result itself."""
        return self.actual[0] if isinstance(self.actual, tuple) else self.actual

    @property
    def expected_first(self) -> Any:
        return self.expected[0] if isinstance(self.expected, tuple) else self.expected

    @property
    def last(self) -> Any:
        """The last thing returned, such as the weights of a pair, or the result itself."""
        return self.actual[-1] if isinstance(self.actual, tuple) else self.actual

    @property
    def expected_last(self) -> Any:
        return self.expected[-1] if isinstance(self.expected, tuple) else self.expected
