"""Exercises whose answer is a test, which is tried on suspects: some healthy, some broken.

    def attend(suspect, x):               check the arguments of a call of a suspect: raise if they do not fit, and
        require.shape(x, "B T C")         return what rules look at
        return x.detach().clone()

    SUSPECTS = Suspects(test_future, takes=attend)
    EXERCISE = SUSPECTS.exercise()

The page of an exercise defines its suspects in its part `# Suspects`, the healthy ones first:

    ## window                           a healthy one: a clause on what it does,
    > all four are at or before ...     and why that is right
    ## next · at(3, changed=4)          a broken one: a clause on what goes wrong, but not why, and an expression for
                                        shows; shows(model) returns a sentence with an input and two different results

A section's code is run for each suspect, with its own random `numbers`, and ends with a function or with the value that
a test gets. Edits apply to ```python suspect base; a section without code is the base. A block may use what the base
defines. A test case only knows how to make a suspect; everything else is in `truths`.

A known mistake of a test is a rule: `missed` or `accused`, with the suspects about which such a test is wrong, or with
a condition on the calls that it makes.

    ## sums-compared · missed("up-and-down")
    ## one-item · missed("mask-of-another-item", by=one_item)

All suspects that rules name are tried first, and the others only on a test that is right about those.
"""

from __future__ import annotations

import ast
import random
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from exercises.common.inputs import SHIFT
from feedback import ContractViolation, Exercise, FunctionRunner, TestCase, errors, page, page_exercise
from feedback.format import describe, ended, listed
from feedback.page import Section
from feedback.report import Report, numbers, say, think
from feedback.sandbox import learner_line, run

NOTHING, A_BUG = "finds nothing", "finds a bug"
RUNS = 3  # with a suspect that rules name, or about which a test is wrong, to see if it always is
SOMETIMES = (
    "What does your test leave to chance? Try all that a bug may depend on, or draw so much that nothing is left out."
)


# ---------------------------------------------------------------- one suspect


class Numbers:
    """The parameters of one suspect, drawn on first use, and always the same for a name and a shape."""

    def __init__(self, seed: int) -> None:
        self.seed, self.drawn = seed, {}

    def __call__(self, name: str, *shape: int) -> torch.Tensor:
        key = name, shape
        if key not in self.drawn:
            own = torch.Generator().manual_seed(self.seed + zlib.crc32(repr(key).encode()))
            self.drawn[key] = torch.randn(shape, generator=own)
        return self.drawn[key]

    def matrix(self, name: str, rows: int, columns: int) -> torch.Tensor:
        """Return a matrix (rows, columns) that roughly keeps the size of vectors."""
        key = "matrix", name, rows, columns
        if key not in self.drawn:
            self.drawn[key] = self(name, rows, columns) / rows**0.5
        return self.drawn[key]

    def one(self) -> nn.Parameter:
        """Return a parameter of value 1, with which an output requires gradients like that of a real module."""
        return self.drawn.setdefault("one", nn.Parameter(torch.ones(())))


def rounded(function: Callable) -> Callable:
    """Return the same function with results that vary by a few millionths from call to call."""
    calls: list = []

    def model(*args):
        calls.append(0)
        out, apart = function(*args), 3e-6 * (-1) ** len(calls)
        if isinstance(out, torch.Tensor):
            return out + apart
        return tuple(part + apart if isinstance(part, torch.Tensor) else part for part in out)

    return model


class Model(nn.Module):
    """A function as tests see it, so that all suspects look alike."""

    def __init__(self, function: Callable) -> None:
        super().__init__()
        self._function = (function,)

    def forward(self, *args, **options):
        return self._function[0](*args, **options)


class Suspect:
    """The argument of a test case, which makes the same suspect again, with other parameters in each run."""

    def __init__(self, number: int, make: Callable, takes: Callable, wrap: Callable, run: int = 0) -> None:
        self.number, self.make, self.takes, self.wrap, self.run = number, make, takes, wrap, run

    def model(self) -> nn.Module:
        made = self.make(Numbers(1_000_000 * (self.number + 1) + 37 * self.run + SHIFT))
        return made if isinstance(made, nn.Module) else self.wrap(made)

    def watched(self) -> tuple[nn.Module, list]:
        """Return the model, and a list that records what `takes` returns for each call."""
        model, calls = self.model(), []

        def before(module: nn.Module, args: tuple, options: dict) -> None:
            try:
                calls.append(self.takes(module, *args, **options))
            except (TypeError, ValueError) as error:
                raise _DoesNotFit(str(error)) from None

        model.register_forward_pre_hook(before, with_kwargs=True)
        return model, calls

    def __repr__(self) -> str:
        return f"<suspect {self.number}>"

    def __deepcopy__(self, memo):
        return self


# ---------------------------------------------------------------- running a test


class _DoesNotFit(Exception):
    """Raised if a suspect is called with arguments that it does not take."""


class Verdict(str):
    """A test's verdict on a suspect, with the learner's line that accused it, and the calls of the suspect."""

    line, calls = "", ()


def judged(test: Callable, suspect: Suspect) -> Verdict:
    """Run the test on a suspect, with random numbers seeded by suspect and run.

    Errors: ContractViolation if the test calls it with arguments that it does not take, returns something other than a
    verdict, or leaves parameters changed
    """
    (model, calls), line = suspect.watched(), ""
    before = [p.detach().clone() for p in model.parameters()]
    _seed(7919 * suspect.number + 104_729 * suspect.run + SHIFT)
    try:
        returned = test(model)
    except AssertionError as error:
        returned, line = False, learner_line(error)
    except _DoesNotFit as error:
        raise ContractViolation("does-not-fit", DOES_NOT_FIT.format(learner_line(error), ended(str(error)))) from None
    except Exception as error:
        if not _raised_inside(error):
            raise
        raise ContractViolation("suspect-stopped", STOPPED.format(learner_line(error), _message(error))) from None
    if not (returned is None or isinstance(returned, bool)):
        raise ContractViolation("returns-something-else", _something_else(returned))
    if returned is not False and not _as_before(model, before):
        raise ContractViolation("parameters-changed", CHANGED)
    verdict = Verdict(A_BUG if returned is False else NOTHING)
    verdict.line, verdict.calls = line, calls
    return verdict


DOES_NOT_FIT = "Your {} calls a suspect with something that it does not take: {}"
STOPPED = (
    "A suspect stopped when your {} called it, with {}. Compare what your test gave it with what the task says that it "
    "takes. If your test changes something in it, can it still work with that?"
)
CHANGED = (
    "After your test, the parameters of its suspect are not what they were. A test may write into them if it puts them "
    "back: keep `weight.clone()`, and copy it into the weight again when you are done."
)
_EXERCISES = str(Path(__file__).parents[1])


def _raised_inside(error: BaseException) -> bool:
    """Return whether an exception was raised in a suspect's own code."""
    trace = error.__traceback__
    while trace:
        code = trace.tb_frame.f_code
        if code.co_name == "forward" and code.co_filename.startswith(_EXERCISES):
            return True
        trace = trace.tb_next
    return False


def _message(error: Exception) -> str:
    return f"`{errors.first_line(error).replace('`', chr(39))}`"


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


# ---------------------------------------------------------------- rules: which mistake a test makes


@dataclass
class Verdicts:
    """A test's verdicts on suspects, by their ids, and the suspects about which it was wrong."""

    said: dict[str, Verdict]
    missed: list[str]
    accused: list[str]
    passed: list[str]  # healthy ones, for which it was right


def missed(*ids: str, by: Callable | None = None, each: bool = False, finds: str = "") -> Callable:
    """Return a rule for tests that miss bugs and accuse nobody: `rule(verdicts)` is a suspect that shows it, or None.

    Such a test misses the first of these suspects, perhaps the others, and no suspect besides; with `each`, it misses
    all of them, and perhaps others, but finds what `finds` names; with `by`, it misses one of them (or of all), and
    by(calls) is true of the calls that it makes to each suspect.
    """

    def rule(verdicts: Verdicts) -> str | None:
        found = [id for id in ids or verdicts.missed if id in verdicts.missed]
        if verdicts.accused or not found or finds in verdicts.missed:
            return None
        if by:
            complete = [verdicts.said[id] for id in (*verdicts.passed, *verdicts.missed)]  # not ended by an assertion
            return (
                _first_by(by, verdicts, found) if all(by(each.calls) for each in complete[:6] if each.calls) else None
            )
        fits = len(found) == len(ids) if each else found[0] == ids[0] and set(verdicts.missed) <= set(ids)
        return found[0] if fits else None

    rule.ids = (*ids, finds) if finds else ids  # type: ignore[attr-defined]
    return rule


def accused(*ids: str, by: Callable | None = None, but: tuple[str, ...] = ()) -> Callable:
    """Return a rule for tests that accuse all these healthy suspects, or any if none is named, but none in `but`."""

    def rule(verdicts: Verdicts) -> str | None:
        found = [id for id in ids or verdicts.accused if id in verdicts.accused]
        if len(found) < max(1, len(ids)) or set(but) & set(verdicts.accused):
            return None
        return _first_by(by, verdicts, found) if by else found[0]

    rule.ids = (*ids, *but)  # type: ignore[attr-defined]
    return rule


def _first_by(by: Callable, verdicts: Verdicts, found: list[str]) -> str | None:
    return next((id for id in found if verdicts.said[id].calls and by(verdicts.said[id].calls)), None)


def one_item(calls: list[tuple]) -> bool:
    """Return, for `by`, whether the first tensor that `takes` returned for each call is a batch of one item."""
    return all(len(first) == 1 for first, *_ in calls)


def either(*rules: Callable) -> Callable:
    """Return a rule for tests that fit one of these rules."""

    def rule(verdicts: Verdicts) -> str | None:
        return next(filter(None, (each(verdicts) for each in rules)), None)

    rule.ids = tuple(id for each in rules for id in each.ids)  # type: ignore[attr-defined]
    return rule


def rounding(*exact: str) -> Callable:
    """Return a rule for tests that accuse the suspect `rounded` and pass one of these."""

    def rule(verdicts: Verdicts) -> str | None:
        found = "rounded" in verdicts.accused and set(exact) & set(verdicts.passed)
        return "rounded" if found else None

    rule.ids = exact  # type: ignore[attr-defined]
    return rule


def all_accused(verdicts: Verdicts) -> str | None:
    return None if verdicts.passed or verdicts.missed else verdicts.accused[0]


def all_missed(verdicts: Verdicts) -> str | None:
    found = A_BUG in verdicts.said.values()
    return None if found else verdicts.missed[0]


def turned_around(verdicts: Verdicts) -> str | None:
    """Fit tests with mostly wrong verdicts, both on healthy suspects and on broken ones."""
    healthy = len(verdicts.accused) + len(verdicts.passed)
    broken = len(verdicts.said) - healthy
    most = 3 * healthy <= 4 * len(verdicts.accused) and 3 * broken <= 4 * len(verdicts.missed)
    return verdicts.accused[0] if most else None


# ---------------------------------------------------------------- all suspects of an exercise


@dataclass(frozen=True)
class Truth:
    """What is known about a suspect: the content of its section, and how to make it."""

    id: str
    make: Callable
    does: str
    why: str
    shows: Callable | None

    @property
    def broken(self) -> bool:
        return self.shows is not None


class _Judge:
    """Runs a test on a suspect, except for the course's own, whose verdict is known and checked elsewhere."""

    def __init__(self, suspects: Suspects) -> None:
        self.suspects = suspects

    def __call__(self, test: Callable, suspect: Suspect) -> Verdict:
        if test is self.suspects.reference:
            return Verdict(A_BUG if self.suspects.truths[suspect.number - 1].broken else NOTHING)
        return judged(test, suspect)

    def __reduce__(self) -> tuple:
        return _judge_of_others, ()  # a grader's process, which runs answers, gets no reference


def _judge_of_others() -> Callable:
    return judged


class Suspects:
    """The suspects on the page of an exercise.

    takes   takes(suspect, *args) returns what rules look at in one call; it raises TypeError or ValueError if the
            arguments do not fit
    wrap    makes a module from a function

    Errors: PageError for an error in that part of the page
    """

    def __init__(self, reference: Callable, takes: Callable, wrap: Callable = Model) -> None:
        module = sys.modules[reference.__module__]
        self.reference, self.takes, self.wrap = reference, takes, wrap
        self.page = page.read(Path(str(module.__file__)).with_suffix(".md"))
        self.names = page_exercise.names_for(self.page, module)
        base = self.page.blocks.get(("Suspects", "suspect", "base"))
        if base is None:
            raise self.page.fail(1, "suspects need a block ```python suspect base")
        self.base, self.texts = base, {"base": base.text}
        self.truths = [self._truth(section) for section in self.page.parts["Suspects"]]
        self.numbers = {truth.id: number for number, truth in enumerate(self.truths, start=1)}

    def _truth(self, section: Section) -> Truth:
        shows = (
            page_exercise.value_of(self.page, section.line, section.explain, self.names) if section.explain else None
        )
        if not section.means or bool(section.hint) is bool(shows) or len(section.codes) > 1:
            raise self.page.fail(section.line, "a suspect has a clause, and either a reason after > or what shows it")
        return Truth(section.id, self._maker(section), section.means, section.hint, shows)

    def _maker(self, section: Section) -> Callable:
        """Return make(numbers), which returns what the section's code makes."""
        code = section.codes[0] if section.codes else self.base
        if (code.of or "base") not in self.texts:
            raise self.page.fail(code.line, f"no code stands below a heading {code.of!r} above")
        text = page_exercise.edited(self.page, code, self.texts[code.of or "base"]) if code.edits else code.text
        self.texts[section.id] = text
        if section.codes and (code.of or not code.edits):
            text = f"{_definitions(self.base.text)}\n{text}"
        with page_exercise.placed(self.page, code.line):
            last = ast.parse(text).body[-1]
        text = f"{text}\n{last.name}" if isinstance(last, ast.FunctionDef) else text
        return page_exercise.compiled(self.page, code, text, self.names, "numbers", "make")

    def exercise(self, error_meanings: tuple = ()) -> Exercise:
        """Return the exercise; its page has hints in ACCUSES and PASSES for cards without a known mistake."""
        made = page_exercise.exercise(
            self.reference,
            returns=("verdict",),
            runner=FunctionRunner(_Judge(self), ("suspect",), _described),
            judge=self._report,
            stage_of=lambda args: 0,
            cases=tuple(TestCase(f"suspect {n}", (self.suspect(n),)) for n in self.numbers.values()),
            minimal_inputs=(),
            error_meanings=tuple((pattern, self._field(word)) for pattern, word in error_meanings),
        )
        first = self._tried_first(made)
        again = [self.suspect(n, run) for n in sorted(first) if self.truths[n - 1].broken for run in range(1, RUNS)]
        more = [TestCase(f"suspect {each.number}, run {each.run + 1}", (each,)) for each in again]

        def stage(args: tuple) -> int:
            return 2 if args[0].run else int(args[0].number not in first)

        cases = tuple(sorted((*made.cases, *more), key=lambda case: stage(case.args)))
        return replace(made, cases=cases, stage_of=stage)

    def _tried_first(self, exercise: Exercise) -> set[int]:
        """Return the numbers of the first suspect and of all suspects that rules name."""
        found = {1, self.numbers.get("rounded", 1)}
        for mistake in exercise.misconceptions:
            if unknown := set(getattr(mistake.explain, "ids", ())) - self.numbers.keys():
                raise self.page.fail(1, f"{mistake.id}: there is no suspect {listed(sorted(unknown))}")
            found |= {self.numbers[id] for id in getattr(mistake.explain, "ids", ())}
        return found

    def suspect(self, number: int, run: int = 0) -> Suspect:
        return Suspect(number, self.truths[number - 1].make, self.takes, self.wrap, run)

    # ------------------------------------------------------------ cards

    def _report(self, seen: Any) -> Report:
        """Return the card for a test that is wrong about some suspect."""
        verdicts = self._verdicts(seen)
        mistake, id = self._mistake(seen, verdicts)
        by_chance = None if mistake or verdicts.accused else self._by_chance(seen, verdicts.missed[:3])
        if by_chance:
            clause = self.explain(by_chance, verdicts.said[by_chance], self._times(seen, by_chance))
            return self._plain(seen, "right-only-sometimes", clause, SOMETIMES)
        id = id or (verdicts.accused or verdicts.missed)[0]
        truth, verdict = self.truths[self.numbers[id] - 1], verdicts.said[id]
        clause = self.explain(id, verdict, RUNS if truth.broken else self._times(seen, id))
        if mistake:
            evidence = numbers(f'Tried on "suspect {self.numbers[id]}": {ended(clause)}')
            return Report.on(
                seen.exercise, "wrong", say(mistake.means), evidence, think(mistake.hint), diagnosis=mistake.id
            )
        if truth.broken:
            return self._plain(seen, "lets-a-bug-pass", clause, self._field("PASSES"))
        return self._plain(seen, "accuses-healthy-code", clause, self._field("ACCUSES"))

    def _plain(self, seen: Any, diagnosis: str, clause: str, hint: str) -> Report:
        """Return a card on a test's verdict on one suspect, without a known mistake."""
        text = ended(clause[:1].upper() + clause[1:])
        return Report.on(seen.exercise, "wrong", say(text), think(hint), diagnosis=diagnosis)

    def _verdicts(self, seen: Any) -> Verdicts:
        found = Verdicts({}, [], [], [])
        for i in seen.required():
            truth, verdict = self.truths[seen.exercise.cases[i].args[0].number - 1], seen.runs[i].value
            if truth.id in found.said and (verdict == A_BUG or truth.id in found.missed):
                continue  # another run, without new information
            found.said[truth.id] = verdict
            if truth.broken and verdict == NOTHING:
                found.missed.append(truth.id)
            elif not truth.broken:
                (found.passed if verdict == NOTHING else found.accused).append(truth.id)
        return found

    def _mistake(self, seen: Any, verdicts: Verdicts) -> tuple:
        """Return the first mistake that fits and a suspect that always shows it, ignoring what is missed by chance."""
        verdicts = replace(verdicts, missed=list(verdicts.missed))
        while verdicts.missed or verdicts.accused:
            rules = ((mistake, mistake.explain(verdicts)) for mistake in seen.exercise.misconceptions)
            mistake, id = next(((mistake, id) for mistake, id in rules if id), (None, ""))
            if id not in verdicts.missed or not self._by_chance(seen, [id]):
                return mistake, id
            verdicts.missed.remove(id)
        return None, ""

    def _by_chance(self, seen: Any, ids: list[str]) -> str:
        """Return the first of these suspects about which the test is only sometimes wrong, or ''."""
        return next((id for id in ids if self._times(seen, id) < RUNS), "")

    def _times(self, seen: Any, id: str) -> int:
        """Return in how many runs the test is wrong about a suspect."""
        truth = self.truths[self.numbers[id] - 1]
        runs = (run(judged, seen.attempt, (self.suspect(self.numbers[id], n),)) for n in range(RUNS))
        return sum(each.value == (NOTHING if truth.broken else A_BUG) for each in runs)

    def explain(self, id: str, verdict: Verdict, times: int = RUNS) -> str:
        """Say what is wrong about a verdict, as a clause."""
        truth = self.truths[self.numbers[id] - 1]
        if truth.broken:
            always = "your test found nothing, but"
            some = f"your test found nothing in {times} of {RUNS} runs, each from another random state:"
            with torch.no_grad(), torch.random.fork_rng(devices=[]):
                torch.default_generator.manual_seed(0)  # so that a card always shows the same numbers
                shown = truth.shows(self.suspect(self.numbers[id]).model())  # type: ignore[misc]  # a broken one has it
            return f"{always if times == RUNS else some} {truth.does}. {shown}"
        some = "" if times == RUNS else f" in {times} of {RUNS} runs"
        how = f" It was accused at your {verdict.line}" if verdict.line else ""
        return f"your test accuses healthy code{some}: {truth.does}, and {truth.why}.{how}"

    def _field(self, name: str) -> str:
        if name not in self.page.fields:
            raise self.page.fail(1, f"the page lacks {name}")
        return self.page.fields[name]


def _described(args: tuple) -> str:
    return f"It was tried on suspect {args[0].number}. A test that finds a bug raises AssertionError, or returns False."


def _definitions(text: str) -> str:
    """Return the text without the expression at its end."""
    last = ast.parse(text).body[-1]
    return "\n".join(text.split("\n")[: last.lineno - 1]) if isinstance(last, ast.Expr) else text
