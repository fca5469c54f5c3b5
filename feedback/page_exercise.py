"""Build an exercise from its two files: the page (see `page`), and the module with its reference and test cases.

The module ends with

    EXERCISE = exercise(mask_by_filling, returns=("weights",), cases=..., minimal_inputs=...)

Code of a page may use torch, nn, F, np, math, and all names in this module, in the modules of the page's field `uses`,
and in a module `names` of the course's package, if there is one.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import importlib.util
import inspect
import math
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from feedback import page as pages
from feedback.exercise import Exercise, Misconception
from feedback.page import Code, Include, Page, PageError, Section
from feedback.page_code import compiled, defined, edited, free_names, last_of, placed, value_of, without_docstring
from feedback.report import Report

STANDARD = {"torch": torch, "nn": nn, "F": F, "np": np, "math": math}
STEP = re.compile(r"(\w+)(?:\((.*?)\))?(?: · |$)")  # a step that is not a function has no arguments
WORD = re.compile(r"`[^`]*`|\{([A-Za-z]\w*)\}")  # none within `code`


class Answer(NamedTuple):
    """An answer of a bank: its code, what the checker must find, its place ("mask_by_filling.md:42"), its text.

    `expected` is a status for a right answer ("correct" or "limited"), a diagnosis or None for a wrong one, and two
    mistakes for one that makes both: the checker may name either, but no third one.
    """

    code: Callable
    expected: Any
    place: str
    text: str = ""  # as it is run, with its edits applied

    def is_told_as_expected(self, exercise: Exercise, report: Report) -> bool:
        if isinstance(self.expected, tuple):
            others = {known.id for known in exercise.misconceptions} - set(self.expected)
            return not report.solved and not {report.diagnosis, report.second} & others
        if report.solved:
            return report.status == self.expected
        return report.status in ("wrong", "error") and report.diagnosis == self.expected


@dataclass
class Banks:
    """The answers on which the checker is tested."""

    right: list[Answer] = field(default_factory=list)
    wrong: list[Answer] = field(default_factory=list)
    two_mistakes: list[Answer] = field(default_factory=list)


def exercise(
    reference: Callable, *, assemble: Callable | None = None, explain: Callable | None = None, **fields: Any
) -> Exercise:
    """Build the exercise with this reference, from the page next to its module.

    assemble   assemble(**steps) returns an answer in which these steps are replaced
    explain    the explainer of the mistakes that name none
    fields     the other fields of Exercise

    Errors: PageError for a slip in the page
    """
    module = sys.modules[reference.__module__]
    page = pages.read(Path(str(module.__file__)).with_suffix(".md"))
    if page.name != reference.__name__:
        raise page.fail(1, f"this is the page of {page.name}, but the module's answer is {reference.__name__}")
    if missing := [name for name in ("minutes", "difficulty", "correct") if name not in page.fields]:
        raise page.fail(1, f"the page lacks {' and '.join(missing)}")
    loaded = CompiledPage(page, module, reference, assemble, explain)
    correct, *hints = (
        _in_words(page, page.lines[text], text, page.fields, loaded.names)
        for text in (page.fields["correct"], *page.hints)
    )
    return Exercise(
        id=page.number,
        minutes=int(page.fields["minutes"]),
        difficulty=int(page.fields["difficulty"]),
        when_correct=correct,
        reference=reference,
        misconceptions=tuple(loaded.misconceptions()),
        hints=tuple(hints),
        page=loaded,
        given=loaded.given,
        **fields,
    )


# ---------------------------------------------------------------- what a page becomes


@dataclass
class Mistake:
    """A known mistake while its page is loaded; a variant is a callable, or the wrong steps of an answer."""

    means: str
    hint: str
    explain: Callable | None
    raised_in: str
    variants: list[Callable | dict[str, Callable]] = field(default_factory=list)
    codes: list[tuple[Page, Code, dict]] = field(default_factory=list)  # of each variant, with its page and names
    shared: int = 0


class CompiledPage:
    """The compiled mistakes of a page, and its answers, which only tests need: `banks` compiles them."""

    def __init__(
        self,
        page: Page,
        module: ModuleType,
        reference: Callable,
        assemble: Callable | None = None,
        explain: Callable | None = None,
    ) -> None:
        self.page, self.reference, self.assemble, self.explain = page, reference, assemble, explain
        self.arguments = None if inspect.isclass(reference) else str(inspect.signature(reference))[1:-1]
        self.steps = _steps_of(assemble)
        self.names = names_for(page, module)
        self.mistakes: dict[str, Mistake] = {}
        self.answers: list[tuple[Page, tuple[str, ...], Code | None, int, dict]] = []
        self.given: Callable | None = None
        self.helpers: dict[str, Any] = {}  # what answers alone may use
        self.included: set[tuple[Path, str]] = set()  # mistakes taken from other pages
        self.written: list[tuple[Page, Code, dict]] = []  # every piece of code, with the names that it may use
        self.bases = {kind: Base(self, kind) for kind in ("mistake", "answer")}
        self.bases["given"] = self.bases["mistake"]
        self._load(page, self.names, page.fields)

    # ------------------------------------------------------------ reading

    def _load(
        self, page: Page, names: dict, words: dict, ids: tuple = (), explain: Any = None, own: bool = True
    ) -> None:
        said = STEP.findall(page.fields.get("steps", ""))
        self.steps = {**{name: given or None for name, given in said}, **self.steps}
        for kind in ("mistake", "answer"):
            if block := page.blocks.get(("", kind, "helpers")):
                if kind == "answer":
                    self.answers.append((page, ("helpers",), block, block.line, names))
                else:
                    names.update(defined(page, block, names, kind))
        named = {each.id: each for each in page.sections}
        for each in [named[id] for id in ids] or page.parts[""]:
            if isinstance(each, Include):
                self._include(page, each, names, words)
            else:
                self._section(page, each, names, words, explain, own)
        for pair in page.pairs:
            self.answers.append((page, pair.ids, pair.code, pair.line, names))

    def _include(self, page: Page, include: Include, names: dict, words: dict) -> None:
        path = (page.path.parent / include.file).resolve()
        if not path.exists():
            raise page.fail(include.line, f"there is no page {include.file}")
        other = pages.read(path)
        if missing := [id for id in include.ids if id not in {each.id for each in other.sections}]:
            raise page.fail(include.line, f"{include.file} has no {' and no '.join(missing)}")
        for id in include.ids or [each.id for each in other.sections]:
            if (path, id) in self.included:
                raise page.fail(include.line, f"{id} of {include.file} is taken over twice")
            self.included.add((path, id))
        explain = _explainer(page, include.line, include.explain, names)
        theirs = {**names, **_used(other)}
        self._load(other, theirs, {**other.fields, **words}, include.ids, explain, own=False)

    def _section(self, page: Page, section: Section, names: dict, words: dict, explain: Any, own: bool) -> None:
        id, line = section.id, section.line
        if id in pages.RESERVED:
            pass
        elif id in self.mistakes:
            self._reword(page, section, names, words)
        elif section.means or section.hint:
            means, hint = (_in_words(page, line, text, words, names) for text in (section.means, section.hint))
            if not (means and hint):
                raise page.fail(line, f"{id} needs a text and, after >, what to think about next")
            named = _explainer(page, line, section.explain, names)
            self.mistakes[id] = Mistake(means, hint, explain or named or self.explain, section.raised_in)
        elif not section.codes or any(code.kind != "answer" for code in section.codes):
            raise page.fail(line, f"{id} has no text, and stands in no catalog that is included above")
        elif close := get_close_matches(id.lower(), pages.RESERVED, 1, cutoff=0.9):
            raise page.fail(line, f"{id} has no text: is `## {close[0]}` meant?")
        for code in section.codes:
            self.written.append((page, code, names))
            if code.kind == "answer":
                self.answers.append((page, (id,), code, code.line, names))
            else:
                self.mistakes[id].variants.append(self._variant(page, code, names, id))
                self.mistakes[id].codes.append((page, code, names))
            if code.kind == "given":
                names["given"] = self.given = self.mistakes[id].variants[-1]  # type: ignore[assignment]  # it has no steps
        if not own and any(code.kind != "answer" for code in section.codes):
            self.mistakes[id].shared = len(self.mistakes[id].variants)

    def _reword(self, page: Page, section: Section, names: dict, words: dict) -> None:
        known = self.mistakes[section.id]
        known.means = _in_words(page, section.line, section.means, words, names) or known.means
        known.hint = _in_words(page, section.line, section.hint, words, names) or known.hint
        known.explain = _explainer(page, section.line, section.explain, names) or known.explain

    def _variant(self, page: Page, code: Code, names: dict, id: str) -> Callable | dict[str, Callable]:
        if code.steps and code.steps.keys() <= self.steps.keys():
            takes = inspect.signature(self.assemble).parameters if self.assemble else {}
            free = any(each.kind is each.VAR_KEYWORD for each in takes.values())
            if unknown := [] if free else sorted(code.steps.keys() - takes.keys()):
                raise page.fail(code.line, f"{id}: `assemble` takes no step {' or '.join(unknown)}")
            return self._steps(page, code, names)
        return self._made(page, code, names, id)

    def _steps(self, page: Page, code: Code, names: dict) -> dict[str, Callable]:
        return {name: compiled(page, code, text, names, self.steps[name], name) for name, text in code.steps.items()}

    # ------------------------------------------------------------ code

    def _made(self, page: Page, code: Code, names: dict, id: str) -> Any:
        base = self.bases[code.kind]
        if code.steps and inspect.isclass(base.cls):
            return base.with_methods(page, code, names)
        if code.steps:
            if unknown := code.steps.keys() - self.steps.keys():
                known = f"the steps are {', '.join(self.steps)}" if self.steps else "this exercise has no steps"
                raise page.fail(code.line, f"neither `answer: ` nor a step: {' or '.join(sorted(unknown))}; {known}")
            return self.assemble(**self._steps(page, code, names))  # type: ignore[misc]
        text = base.edited(page, code) if code.edits else code.text
        base.texts.setdefault(id, text)
        return compiled(page, code, text, {**names, **base.names}, self.arguments, self.reference.__name__)

    def misconceptions(self) -> Iterator[Misconception]:
        """The known mistakes, in the order in which they are tried."""
        for id, known in self.mistakes.items():
            variants = tuple(each if callable(each) else self.assemble(**each) for each in known.variants)  # type: ignore[misc]
            places = tuple(f"{page.path.name}:{code.line}" for page, code, _ in known.codes)
            rest = known.explain, known.raised_in, known.shared, places
            yield Misconception(id, known.means, known.hint, variants, *rest)

    @cache  # noqa: B019  the pages of a course live as long as it does
    def two_at_once(self, one: tuple[str, int], other: tuple[str, int]) -> Callable | None:
        """An answer that makes two mistakes, each given as its id and the number of a variant.

        None if the two cannot be combined: they are not both steps or both edits, or they change the same place.
        """
        (a, m), (b, n) = one, other
        variants = self.mistakes[a].variants[m], self.mistakes[b].variants[n]
        if isinstance(variants[0], dict) and isinstance(variants[1], dict):
            return None if variants[0].keys() & variants[1].keys() else self.assemble(**variants[0], **variants[1])  # type: ignore[misc]
        (page, first, names), (_, second, others) = self.mistakes[a].codes[m], self.mistakes[b].codes[n]
        if not (first.edits and second.edits) or first.of or second.of:
            return None
        both = Code("mistake", first.line, edits=[*first.edits, *second.edits])
        try:
            return self._made(page, both, {**others, **names}, f"{a} & {b}")
        except PageError:  # one edit changes what the other one would
            return None

    def banks(self) -> Banks:
        """Compile all answers of the page and of the pages that it includes."""
        banks, edits = Banks(), self._first_edits()
        for page, ids, code, line, names in self.answers:
            names = {**names, **self.helpers}
            if code and ids == ("helpers",):
                self.helpers.update(defined(page, code, names, "answer"))
                continue
            made = self._made(page, code, names, ids[0]) if code else self._composed(page, ids, line, edits)
            place, text = f"{page.path.name}:{line}", self.text_of(page, code) if code else ""
            if ids[0] in (pages.RIGHT, pages.LIMITED):
                banks.right.append(Answer(made, "correct" if ids[0] == pages.RIGHT else "limited", place, text))
            elif len(ids) == 2:
                banks.two_mistakes.append(Answer(made, ids, place, text))
            else:
                banks.wrong.append(Answer(made, None if ids[0] == pages.UNNAMED else ids[0], place, text))
        return banks

    def _first_edits(self) -> dict[str, list[tuple[str, str]]]:
        found: dict[str, list[tuple[str, str]]] = {}
        for kind in ("answer", "mistake")[: 1 + (self.bases["answer"].text == self.bases["mistake"].text)]:
            for page, code, _ in self.written:
                if code.kind == kind and code.edits and not code.of:
                    id = next(each.id for each in page.sections if code in each.codes)
                    found.setdefault(id, code.edits)
        return found

    def _composed(self, page: Page, ids: tuple[str, ...], line: int, edits: dict) -> Any:
        """Compose an answer with two mistakes from the first edits of both, or else from their first steps."""
        if all(id in edits for id in ids):
            code = Code("answer", line, edits=[edit for id in ids for edit in edits[id]])
            return self._made(page, code, {**self.names, **self.helpers}, " & ".join(ids))
        steps: dict[str, Callable] = {}
        for id in ids:
            variants = self.mistakes[id].variants if id in self.mistakes else []
            first = next((each for each in variants if isinstance(each, dict) and not each.keys() & steps.keys()), None)
            if first is None:
                raise page.fail(
                    line, f"{' & '.join(ids)} needs code: {id} has no edits to compose it from, and no steps"
                )
            steps |= first
        return self.assemble(**steps)  # type: ignore[misc]  # where there are steps, there is assemble

    def text_of(self, page: Page, code: Code) -> str:
        """The code as it is run, with its edits applied."""
        return "; ".join(code.steps.values()) or (self.bases[code.kind].edited(page, code) if code.edits else code.text)

    def copies(self) -> list[str]:
        """Answers with the same code as a variant: that the checker recognizes them proves nothing."""
        own: dict[str, str] = {}
        found = []
        for page, code, _ in sorted(self.written, key=lambda each: each[1].kind == "answer"):
            text = ast.dump(ast.parse(self.text_of(page, code)))
            if code.kind == "answer" and text in own:
                found.append(f"{page.path.name}:{code.line} is what {own[text]} says")
            elif code.kind != "answer":
                own[text] = f"{page.path.name}:{code.line}"
        return found

    def unknown_names(self) -> list[str]:
        """Undefined names in the page's code, each with its place; `# noqa: F821` marks code where this is intended."""
        found = []
        for page, code, names in self.written:
            text = self.text_of(page, code)
            if "noqa: F821" in text:
                continue
            known = self.helpers.keys() if code.kind == "answer" else set()
            known |= names.keys() | vars(builtins).keys() | {"__class__"} | self.bases[code.kind].names.keys()
            methods = [self.bases[code.kind].arguments_of(name) for name in code.steps]
            given = " ".join([self.arguments or "", *filter(None, [*self.steps.values(), *methods])])
            missing = sorted(free_names(text) - known - set(re.findall(r"\w+", given)) - {self.reference.__name__})
            found += [f"{page.path.name}:{code.line}: nothing defines {name}" for name in missing]
        return found


class Base:
    """The correct code to which edits are applied: a block of the page, or the reference."""

    def __init__(self, loaded: CompiledPage, kind: str) -> None:
        blocks = loaded.page.blocks
        block = blocks.get(("", kind, "base")) or blocks.get(("", "mistake", "base"))
        self.names, self.cls = {}, loaded.reference
        self.text = block.text if block else without_docstring(loaded.reference)
        self.texts = {"base": self.text}
        last = last_of(loaded.page, block, self.text) if block else None
        if block and isinstance(last, (ast.FunctionDef, ast.ClassDef)):
            self.names = defined(loaded.page, block, loaded.names, kind)
            self.cls = self.names[last.name]

    def edited(self, page: Page, code: Code) -> str:
        """Apply each edit to the base, or to the code of another id."""
        if (code.of or "base") not in self.texts:
            raise page.fail(code.line, f"no code stands below a heading {code.of!r} above")
        return edited(page, code, self.texts[code.of or "base"])

    def with_methods(self, page: Page, code: Code, names: dict) -> type:
        """A subclass of the base's class with other methods."""
        methods = {}
        for name, text in code.steps.items():
            arguments = self.arguments_of(name)
            if arguments is None:
                raise page.fail(code.line, f"{name!r} is neither a step nor a method of the base")
            methods[name] = compiled(page, code, text, {**names, **self.names}, arguments, name)
        cls: Any = self.cls
        return type(cls.__name__, (cls,), {"__module__": cls.__module__, **methods})

    def arguments_of(self, name: str) -> str | None:
        """The arguments of a method; None if the base has no such method."""
        right = getattr(self.cls, name, None) if inspect.isclass(self.cls) else None
        return str(inspect.signature(right))[1:-1] if inspect.isfunction(right) else None


# ---------------------------------------------------------------- names and words


def names_for(page: Page, module: ModuleType) -> dict:
    """The names that the code of this page may use."""
    common = f"{module.__name__.partition('.')[0]}.names"
    shared = _public(common) if importlib.util.find_spec(common) else {}
    return {**STANDARD, **shared, **_used(page), **vars(module)}


def _used(page: Page) -> dict:
    found: dict[str, Any] = {}
    for name in page.fields.get("uses", "").split(", "):
        if name:
            with placed(page, page.lines[page.fields["uses"]]):
                found.update(_public(name))
    return found


def _public(module: str) -> dict:
    return {name: value for name, value in vars(importlib.import_module(module)).items() if not name.startswith("_")}


def _steps_of(assemble: Callable | None) -> dict[str, str | None]:
    """The steps of `assemble` that have a right default, each with its arguments; None for one that is only a value."""
    parameters = inspect.signature(assemble).parameters.values() if assemble else ()
    right = {each.name: each.default for each in parameters if each.default not in (each.empty, None)}
    return {name: str(inspect.signature(step))[1:-1] if callable(step) else None for name, step in right.items()}


def _explainer(page: Page, line: int, name: str, names: dict) -> Callable | None:
    found = value_of(page, line, name, names) if name else None
    if name and not callable(found):
        raise page.fail(line, f"an explainer is a function of what was compared, not {name}")
    return found


def _in_words(page: Page, line: int, text: str, words: dict, names: dict) -> str:
    """Replace each name in braces by its text, which may contain other names."""

    def word(found: re.Match) -> str:
        if not found[1]:
            return found[0]
        said = words.get(found[1], names.get(found[1]))
        if not isinstance(said, str):
            raise page.fail(line, f"nothing says what {{{found[1]}}} stands for")
        return _in_words(page, line, said, {**words, found[1]: None}, names)  # a text cannot contain itself

    return WORD.sub(word, text)
