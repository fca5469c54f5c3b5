"""The parts of an exercise, which are plain data: `checker` decides what is done with them."""

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

    `limitation` marks a case that a right answer may fail: it is then "limited", and its card shows this sentence.
    """

    __test__ = False  # nothing for pytest to collect

    name: str
    args: tuple
    rtol: float = 1e-4
    atol: float = 3e-5
    limitation: str = ""


@dataclass(frozen=True, eq=False)
class Misconception:
    """A mistake that people really make, with code that makes it.

    means     what the learner's code does, in one or two sentences
    hint      what to think about next
    variants  functions (or classes) that make this mistake, each with other results or errors
    explain   turns a Comparison into a sentence about the learner's own numbers
    raised_in a pattern for the lines in which this mistake raises, since others may raise the same exception
    shared    how many of the first variants come from a catalog for several exercises: some of them may behave alike
              in this one
    places    where each variant is written, as "mask_by_filling.md:42"
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
    """A property that all right numbers have: `test(comparison)` returns a sentence if they lack it, else None."""

    id: str
    test: Callable[[Comparison], str | None]
    hint: str

    @classmethod
    def named(cls, id: str, hint: str) -> Callable[[Callable], Property]:
        """A decorator that turns a test into a Property."""
        return lambda test: cls(id, test, hint)


@dataclass(frozen=True)
class BehavioralTest:
    """A test of the code itself: `test(attempt)` returns a sentence if the code fails, else None.

    A `required` test follows right numbers; the others only explain wrong numbers, the `early` ones before the
    properties are tested. `while_doing` tells what was being done, for the card of code that raises in the test.
    """

    id: str
    test: Callable[[Any], str | None]
    hint: str
    required: bool = False
    early: bool = False
    while_doing: str = ""

    @classmethod
    def named(cls, id: str, hint: str, **others: Any) -> Callable[[Callable], BehavioralTest]:
        """A decorator that turns a test into a BehavioralTest."""
        return lambda test: cls(id, test, hint, **others)


@dataclass(frozen=True)
class FunctionRunner:
    """How to run the answer to an exercise that asks for a function.

    call         call(attempt, *args): apply the function to the arguments of a test case
    input_names  the names of these arguments, if they differ from those in the signature
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
    """Right answers are random, and agree only in `summary(args, value)`, such as the share of zeros."""

    summary: Callable[[tuple, Any], Any]

    def summarize(self, args: tuple, value: Any) -> Any:
        return self.summary(args, value)


@dataclass(frozen=True, eq=False, kw_only=True)
class Exercise:
    """One exercise: what is asked, a right answer, and all that is known about wrong ones.

    `name`, `signature` and `arguments` are those of the reference. The texts are on the page of the exercise, from
    which `page_exercise.exercise` takes the fields id, minutes, difficulty, misconceptions, hints and when_correct.

    minutes, difficulty     the time that a learner needs; 1 to 3
    reference               a right answer
    returns                 the names of what it returns, as a tuple: ("weights",), or nested like the result:
                            ("out", ("keys", "values"))
    cases                   the test cases of every answer, in which all axes differ in size where they can
    square                  arguments whose axes always have the same size, such as ("mask",)
    minimal_inputs          tuples of tiny arguments, the smallest first, on which a mistake can be followed by hand
    misconceptions, hints   the known mistakes; the hints, from a nudge to the answer
    when_correct            what the learner reads after a right answer
    page                    its feedback.page_exercise.CompiledPage, with the answers on which the checker is tested
    given                   if one line is to be repaired: the code in the notebook's cell, which is no answer yet
    runner, comparison      how an answer is run, and compared with the reference
    stage_of                stage_of(args) is a number: cases of a lower stage are judged first, and as long as one
                            fails, nothing is said about later stages (causes before consequences)
    judge_first             the parts of a result that are judged before the others, such as ("weights",)
    properties              tests of the numbers, which every right answer passes
    behavioral_tests        tests of the code itself
    axis_names              names of sizes in messages, {7: "C"}
    error_meanings          what certain exceptions mean here: (pattern, sentence), tried before the general ones
    none_hints              what to think about if a part of a result is None, by its name
    dtype_hints             what a part holds that should be bool and is not: {"mask": "A mask holds True and False"}
    judge                   judge(seen) returns the report on wrong results, if the exercise itself explains them: its
                            mistakes need no code, and cases of a later stage are run only if the earlier ones pass
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
        """Refuse a field that is not a tuple, as when its parentheses are missing.

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
        """Compile the answers on which the checker is tested, as feedback.page_exercise.Banks."""
        return self.page.banks()

    @cached_property
    def name(self) -> str:
        """The name of the learner's function or class: "softmax"."""
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
    """The expected and the actual result for one input, as explainers and properties get them."""

    args: tuple
    expected: Any
    actual: Any
    names: tuple

    @property
    def leaves(self) -> list[tuple]:
        """(name, actual, expected) for each part of a result, nested parts included."""
        return tree.named(self.names if isinstance(self.expected, tuple) else "result", self.actual, self.expected)

    @property
    def parts(self) -> list[tuple]:
        """The leaves that are tensors."""
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
