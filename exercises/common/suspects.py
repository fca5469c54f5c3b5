"""Exercises whose answer is a test: it is tried on suspects, some of them healthy and some of them broken.

    SUSPECTS = Suspects(test_future)
    EXERCISE = SUSPECTS.exercise()

They stand on the page of the exercise, in its part `# Suspects`, first the healthy ones:

    ## window                           a healthy one: a clause on what it does,
    > all four are at or before ...     and why that is right
    ## next · at(3, changed=4)          a broken one: a clause on what goes wrong, which does not say why, and shows:
                                        shows(model) is a sentence with an input and two results that differ

The code below that is run again for each suspect, with its own random `numbers`, and ends with a function or with what
it is handed over as. Edits are edits of ```python suspect base; without any code it is the base. A block may use what
the base defines. The page of mistakes that any test can make, verdicts.md, asks for `tested(suspect)`, a right test
that returns True or False. A test case holds no more than how a suspect is made; what is known of it stays in `truths`.
"""

from __future__ import annotations

import ast
import random
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from exercises.common.inputs import SHIFT
from feedback import ContractViolation, Exercise, FunctionRunner, Property, TestCase, page, paged
from feedback.format import describe, sentence
from feedback.page import Section
from feedback.sandbox import learner_line

NOTHING, A_BUG = "finds nothing", "finds a bug"
CLEAR = (NOTHING, A_BUG)
RUNS = 3  # of a test on each suspect
SOMETIMES = (
    "What does your test leave to chance? Try everything that a bug may depend on, or draw so much that nothing is "
    "left out."
)


# ---------------------------------------------------------------- one suspect, and what a test says of it


class Numbers:
    """The parameters of one suspect, drawn when they are first asked for: the same ones for a name and a shape."""

    def __init__(self, seed: int) -> None:
        self.seed, self.drawn = seed, {}

    def __call__(self, name: str, *shape: int) -> torch.Tensor:
        key = name, shape
        if key not in self.drawn:
            own = torch.Generator().manual_seed(self.seed + zlib.crc32(repr(key).encode()))
            self.drawn[key] = torch.randn(shape, generator=own)
        return self.drawn[key]

    def matrix(self, name: str, rows: int, columns: int) -> torch.Tensor:
        """A matrix that keeps the size of vectors, (rows, columns)."""
        key = "matrix", name, rows, columns
        if key not in self.drawn:
            self.drawn[key] = self(name, rows, columns) / rows**0.5
        return self.drawn[key]


class Model(nn.Module):
    """How a function looks to a test: they all look alike."""

    def __init__(self, function: Callable) -> None:
        super().__init__()
        self._function = (function,)

    def forward(self, *args, **options):
        return self._function[0](*args, **options)


class Suspect:
    """What a test case holds: a way to make the same suspect again, with other parameters."""

    def __init__(self, number: int, make: Callable) -> None:
        self.number, self.make = number, make

    def model(self, run: int = 0) -> nn.Module:
        """The suspect of this run."""
        made = self.make(Numbers(1_000_000 * (self.number + 1) + 37 * run + SHIFT))
        return made if isinstance(made, nn.Module) else Model(made)

    def __repr__(self) -> str:
        return f"<suspect {self.number}>"

    def __deepcopy__(self, memo):
        return self


class Verdict(str):
    """What a test says of a suspect in all its runs, and the learner's line that accused it."""

    line = ""


def judged(test: Callable, suspect: Suspect) -> Verdict:
    """Run the test on a few models of the suspect, each time from another random state.

    Errors: ContractViolation where the test returns something else, or leaves parameters changed
    """
    found, line = [], ""
    for run in range(RUNS):
        model = suspect.model(run)
        before = [p.detach().clone() for p in model.parameters()]
        _seed(7919 * suspect.number + 104_729 * run + SHIFT)
        try:
            returned = test(model)
        except AssertionError as error:
            returned, line = False, line or learner_line(error)
        if not (returned is None or isinstance(returned, bool)):
            raise ContractViolation("returns-something-else", _something_else(returned))
        if returned is not False and not _as_before(model, before):
            raise ContractViolation("parameters-changed", CHANGED)
        found.append(returned is False)
    verdict = Verdict(A_BUG if all(found) else f"{A_BUG} in {sum(found)} of {RUNS} runs" if any(found) else NOTHING)
    verdict.line = line
    return verdict


CHANGED = (
    "After your test, the parameters of its suspect are not what they were. A test may write into them if it puts them "
    "back: keep `weight.clone()`, and copy it into the weight again when you are done."
)


def _something_else(returned: Any) -> str:
    more = " `bool(...)` makes a Python bool of it." if hasattr(returned, "item") else ""
    return (
        f"Your test returned {describe(returned)}. A test returns None or True where it finds nothing; where it finds "
        f"a bug, it returns False or raises AssertionError.{more}"
    )


def _seed(seed: int) -> None:
    torch.default_generator.manual_seed(seed)
    random.seed(seed)
    np.random.seed(seed % 2**32)


def _as_before(model: nn.Module, before: list) -> bool:
    now = list(model.parameters())
    return len(now) == len(before) and all(
        (a.shape, a.dtype) == (b.shape, b.dtype) and torch.allclose(a, b, rtol=0, atol=1e-5)
        for a, b in zip(now, before, strict=True)
    )


def _described(args: tuple) -> str:
    return f"It was tried on suspect {args[0].number}. A test that finds a bug raises AssertionError, or returns False."


RUNNER = FunctionRunner(judged, ("suspect",), _described)


# ---------------------------------------------------------------- all suspects of an exercise


@dataclass(frozen=True)
class Truth:
    """What is known of a suspect: what its section says, and how it is made."""

    make: Callable
    does: str
    why: str
    shows: Callable | None

    @property
    def broken(self) -> bool:
        return self.shows is not None


class Suspects:
    """The suspects on the page of an exercise.

    Errors: PageError for a slip in that part of the page
    """

    def __init__(self, reference: Callable) -> None:
        module = sys.modules[reference.__module__]
        self.reference, self.page = reference, page.read(Path(str(module.__file__)).with_suffix(".md"))
        self.names = paged.names_for(self.page, module)
        base = self.page.blocks.get(("Suspects", "suspect", "base"))
        if base is None:
            raise self.page.fail(1, "suspects need a block ```python suspect base")
        self.base, self.texts = base, {"base": base.text}
        self.truths = [self._truth(section) for section in self.page.parts["Suspects"]]

    def _truth(self, section: Section) -> Truth:
        shows = paged.value_of(self.page, section.line, section.explain, self.names) if section.explain else None
        if not section.means or bool(section.hint) is bool(shows) or len(section.codes) > 1:
            raise self.page.fail(section.line, "a suspect has a clause, and either a reason after > or what shows it")
        return Truth(self._maker(section), section.means, section.hint, shows)

    def _maker(self, section: Section) -> Callable:
        """make(numbers): what the section's code makes."""
        code = section.codes[0] if section.codes else self.base
        if (code.of or "base") not in self.texts:
            raise self.page.fail(code.line, f"no code stands below a heading {code.of!r} above")
        text = paged.edited(self.page, code, self.texts[code.of or "base"]) if code.edits else code.text
        self.texts[section.id] = text
        if section.codes and (code.of or not code.edits):
            text = f"{_definitions(self.base.text)}\n{text}"
        with paged.placed(self.page, code.line):
            last = ast.parse(text).body[-1]
        text = f"{text}\n{last.name}" if isinstance(last, ast.FunctionDef) else text
        return paged.compiled(self.page, code, text, self.names, "numbers", "make")

    def exercise(self, error_meanings: tuple = ()) -> Exercise:
        """The exercise; its page says in ACCUSES and PASSES what to think about where a verdict is wrong."""
        return paged.exercise(
            self.reference,
            explain=self.explain,
            returns=("verdict",),
            runner=RUNNER,
            allow_partial_match=False,
            cases=tuple(TestCase(f"suspect {n}", (self.suspect(n),)) for n in range(1, 1 + len(self.truths))),
            minimal_inputs=(),
            properties=self._properties(),
            error_meanings=tuple((pattern, self._field(word)) for pattern, word in error_meanings),
        )

    def suspect(self, number: int) -> Suspect:
        return Suspect(number, self.truths[number - 1].make)

    def explain(self, case: Any) -> str:
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
                f"your test accuses healthy code{f' {some}' if some else ''}: {truth.does}. It is healthy, because "
                f"{truth.why}.{how}"
            )
        missed = f"your test found the bug only {some}" if some else "your test found nothing"
        but = ":" if some else ", but"
        return f"{missed}{but} {truth.does}. {truth.shows(suspect.model())}"

    def _properties(self) -> tuple[Property, ...]:
        """What holds for all right verdicts."""

        def where(wrong: Callable) -> Callable:
            return lambda case: sentence(self.explain(case)) if wrong(case.actual, self._is_broken(case)) else None

        accuses, passes = self._field("ACCUSES"), self._field("PASSES")
        return (
            Property("accuses-healthy-code", where(lambda said, broken: not broken and said != NOTHING), accuses),
            Property("right-only-sometimes", where(lambda said, broken: broken and said not in CLEAR), SOMETIMES),
            Property("lets-a-bug-pass", where(lambda said, broken: broken and said == NOTHING), passes),
        )

    def _field(self, name: str) -> str:
        if name not in self.page.fields:
            raise self.page.fail(1, f"the page lacks {name}")
        return self.page.fields[name]

    def _is_broken(self, case: Any) -> bool:
        return self.truths[case.args[0].number - 1].broken


def _definitions(text: str) -> str:
    """The text without the value at its end."""
    last = ast.parse(text).body[-1]
    return "\n".join(text.split("\n")[: last.lineno - 1]) if isinstance(last, ast.Expr) else text
