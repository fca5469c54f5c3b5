"""An exercise from its two files: the page (see `page`), and the module next to it with the reference and test cases.

The module ends with

    EXERCISE = exercise(mask_by_filling, returns=("weights",), cases=..., minimal_inputs=...)

Code of a page may use what this module defines, what the modules in its field `uses` define, torch, nn, F, np and math,
and what a module `names` of the course's package defines, if there is one.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import importlib.util
import inspect
import linecache
import math
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
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

STANDARD = {"torch": torch, "nn": nn, "F": F, "np": np, "math": math}
STEP = re.compile(r"(\w+)(?:\((.*?)\))?(?: · |$)")  # a step that is no function has no arguments
WORD = re.compile(r"\{([A-Z][A-Z_0-9]*)\}")


class Answer(NamedTuple):
    """An answer of a bank: its code, what the checker must find, where it stands ("mask_by_filling.md:42"), its text.

    `expected` is a status for a right answer ("correct" or "limited"), a diagnosis or None for a wrong one, and two
    mistakes for one that makes both: naming either is true, naming a third is not.
    """

    code: Callable
    expected: Any
    place: str
    text: str = ""  # as it is run: with its edits carried out


@dataclass
class Banks:
    """The answers that a checker is held to."""

    right: list[Answer] = field(default_factory=list)
    wrong: list[Answer] = field(default_factory=list)
    two_mistakes: list[Answer] = field(default_factory=list)


def exercise(
    reference: Callable, *, assemble: Callable | None = None, explain: Callable | None = None, **fields: Any
) -> Exercise:
    """The exercise whose reference this is, with the page that lies next to its module.

    assemble   assemble(**steps) is an answer of which some steps are replaced
    explain    the explainer of the mistakes that name none
    fields     the other fields of Exercise

    Errors: PageError for a slip in the page
    """
    module = sys.modules[reference.__module__]
    page = pages.read(Path(str(module.__file__)).with_suffix(".md"))
    if page.name != reference.__name__:
        raise page.fail(1, f"this is the page of {page.name}, but the module's answer is {reference.__name__}")
    if missing := [name for name in ("minutes", "difficulty", "gives", "correct") if name not in page.fields]:
        raise page.fail(1, f"the page lacks {' and '.join(missing)}")
    loaded = Loaded(page, module, reference, assemble, explain)
    return Exercise(
        id=page.number,
        minutes=int(page.fields["minutes"]),
        difficulty=int(page.fields["difficulty"]),
        gives=page.fields["gives"],
        when_correct=page.fields["correct"],
        reference=reference,
        misconceptions=tuple(loaded.misconceptions()),
        hints=tuple(page.hints),
        page=loaded,
        given=loaded.given,
        **fields,
    )


# ---------------------------------------------------------------- what a page becomes


@dataclass
class Mistake:
    """A known mistake while its page is read; a way to make it is code, or wrong steps of an answer."""

    means: str
    hint: str
    explain: Callable | None
    raised_in: str
    ways: list[Callable | dict[str, Callable]] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    shared: int = 0


class Loaded:
    """The mistakes of a page, compiled, and its answers, which are compiled when `banks` is called: for tests only."""

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
                (self.answers if kind == "answer" else []).append((page, ("helpers",), block, block.line, names))
                if kind == "mistake":
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
        explain = value_of(page, include.line, include.explain, names) if include.explain else None
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
            named = value_of(page, line, section.explain, names) if section.explain else self.explain
            self.mistakes[id] = Mistake(means, hint, explain or named, section.raised_in)
        elif not section.codes or any(code.kind != "answer" for code in section.codes):
            raise page.fail(line, f"{id} has no text, and stands in no catalog that is included above")
        for code in section.codes:
            self.written.append((page, code, names))
            if code.kind == "answer":
                self.answers.append((page, (id,), code, code.line, names))
            else:
                self.mistakes[id].ways.append(self._way(page, code, names, id))
                self.mistakes[id].places.append(f"{page.path.name}:{code.line}")
            if code.kind == "given":
                names["given"] = self.given = self.mistakes[id].ways[-1]  # type: ignore[assignment]  # it has no steps
        if not own and any(code.kind != "answer" for code in section.codes):
            self.mistakes[id].shared = len(self.mistakes[id].ways)

    def _reword(self, page: Page, section: Section, names: dict, words: dict) -> None:
        known = self.mistakes[section.id]
        known.means = _in_words(page, section.line, section.means, words, names) or known.means
        known.hint = _in_words(page, section.line, section.hint, words, names) or known.hint
        if section.explain:
            known.explain = value_of(page, section.line, section.explain, names)

    def _way(self, page: Page, code: Code, names: dict, id: str) -> Callable | dict[str, Callable]:
        if code.steps and code.steps.keys() <= self.steps.keys():
            steps = self._steps(page, code, names)
            with placed(page, code.line):
                _require_steps(id, self.assemble, steps)
            return steps
        return self._made(page, code, names, id)

    def _steps(self, page: Page, code: Code, names: dict) -> dict[str, Callable]:
        return {name: step(page, code, names, name, self.steps[name]) for name in code.steps}

    # ------------------------------------------------------------ code

    def _made(self, page: Page, code: Code, names: dict, id: str) -> Any:
        base = self.bases[code.kind]
        if code.steps and inspect.isclass(base.cls):
            return base.with_methods(page, code, names)
        if code.steps:
            if unknown := code.steps.keys() - self.steps.keys():
                raise page.fail(
                    code.line, f"no answer has a step {' or '.join(unknown)}; they are {', '.join(self.steps)}"
                )
            return self.assemble(**self._steps(page, code, names))  # type: ignore[misc]
        text = base.edited(page, code) if code.edits else code.text
        base.texts.setdefault(id, text)
        return compiled(page, code, text, {**names, **base.names}, self.arguments, self.reference.__name__)

    def misconceptions(self) -> Iterator[Misconception]:
        """The known mistakes, in the order in which they are tried."""
        for id, known in self.mistakes.items():
            ways = tuple(way if callable(way) else self.assemble(**way) for way in known.ways)  # type: ignore[misc]
            rest = known.explain, known.raised_in, known.shared, tuple(known.places)
            yield Misconception(id, known.means, known.hint, ways, *rest)

    def banks(self) -> Banks:
        """All answers of the page and of the pages that it includes, compiled."""
        banks, edits = Banks(), self._first_edits()
        for page, ids, code, line, names in self.answers:
            if code and ids == ("helpers",):
                names.update(defined(page, code, names, "answer"))
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
        """An answer with two mistakes, out of the first edits of both, or else of their first steps."""
        if all(id in edits for id in ids):
            code = Code("answer", line, edits=[edit for id in ids for edit in edits[id]])
            return self._made(page, code, self.names, " & ".join(ids))
        steps: dict[str, Callable] = {}
        for id in ids:
            ways = self.mistakes[id].ways if id in self.mistakes else []
            first = next((way for way in ways if isinstance(way, dict) and not way.keys() & steps.keys()), None)
            if first is None:
                raise page.fail(
                    line, f"{' & '.join(ids)} needs code: {id} has no edits to compose it from, and no steps"
                )
            steps |= first
        return self.assemble(**steps)  # type: ignore[misc]  # where there are steps, there is assemble

    def text_of(self, page: Page, code: Code) -> str:
        """The code as it is run: with its edits carried out."""
        return "; ".join(code.steps.values()) or (self.bases[code.kind].edited(page, code) if code.edits else code.text)

    def copies(self) -> list[str]:
        """Answers with the text of a way that the checker knows: that it recognizes them proves nothing."""
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
        """Names in the page's code that nothing defines, each with its place; `# noqa: F821` says that it is meant."""
        found = []
        for page, code, names in self.written:
            text = self.text_of(page, code)
            if "noqa: F821" in text:
                continue
            known = names.keys() | vars(builtins).keys() | {"__class__"} | self.bases[code.kind].names.keys()
            methods = [self.bases[code.kind].arguments_of(name) for name in code.steps]
            given = " ".join([self.arguments or "", *filter(None, [*self.steps.values(), *methods])])
            missing = sorted(_free_names(text) - known - set(re.findall(r"\w+", given)) - {self.reference.__name__})
            found += [f"{page.path.name}:{code.line}: nothing defines {name}" for name in missing]
        return found


class Base:
    """The healthy code that edits are edits of: a block of the page, or the reference."""

    def __init__(self, loaded: Loaded, kind: str) -> None:
        blocks = loaded.page.blocks
        block = blocks.get(("", kind, "base")) or blocks.get(("", "mistake", "base"))
        self.code, self.page, self.names, self.cls = block, loaded.page, {}, loaded.reference
        self.text = block.text if block else _without_docstring(loaded.reference)
        self.texts = {"base": self.text}
        last = ast.parse(self.text).body[-1]
        if block and isinstance(last, (ast.FunctionDef, ast.ClassDef)):
            self.names = defined(loaded.page, block, loaded.names, kind)
            self.cls = self.names[last.name]

    def edited(self, page: Page, code: Code) -> str:
        """The base with each edit carried out."""
        if (code.of or "base") not in self.texts:
            raise page.fail(code.line, f"no code stands below a heading {code.of!r} above")
        return edited(page, code, self.texts[code.of or "base"])

    def with_methods(self, page: Page, code: Code, names: dict) -> type:
        """The class of the base with other methods."""
        methods = {}
        for name in code.steps:
            arguments = self.arguments_of(name)
            if arguments is None:
                raise page.fail(code.line, f"{name!r} is neither a step nor a method of the base")
            methods[name] = step(page, code, {**names, **self.names}, name, arguments)
        cls: Any = self.cls
        return type(cls.__name__, (cls,), {"__module__": cls.__module__, **methods})

    def arguments_of(self, name: str) -> str | None:
        """Those of a method; None where the base has no such method."""
        right = getattr(self.cls, name, None) if inspect.isclass(self.cls) else None
        return str(inspect.signature(right))[1:-1] if inspect.isfunction(right) else None


# ---------------------------------------------------------------- from text to code


def compiled(page: Page, code: Code, text: str, names: dict, arguments: str | None, name: str) -> Any:
    """What the text defines last; or a function of these arguments, whose body it is; or, without any, its value."""
    with placed(page, code.line):
        last = ast.parse(text).body[-1]
        inner = isinstance(last, (ast.FunctionDef, ast.ClassDef))
        if not inner:
            text = _as_body(text, last, arguments, name)
        first = code.line + code.block - (not inner and arguments is not None)
        scope = _run(page, code.kind, text, first, names)
        made = scope[last.name if inner else name]  # type: ignore[attr-defined]
        if not inner and name in names:  # in a body, the answer's own name means the reference, a step's the right step
            scope[name] = names[name]
        return made


def edited(page: Page, code: Code, text: str) -> str:
    """The text with each edit carried out."""
    for old, new in code.edits:
        if text.count(old) != 1:
            raise page.fail(code.line, f"an edit fits one place, but `{old}` stands {text.count(old)} times in\n{text}")
        text = text.replace(old, new)
    return text


def step(page: Page, code: Code, names: dict, name: str, arguments: str | None) -> Any:
    """One step or method of an answer."""
    return compiled(page, code, code.steps[name], names, arguments, name)


def defined(page: Page, block: Code, names: dict, kind: str) -> dict:
    """What a block defines."""
    with placed(page, block.line):
        scope = _run(page, kind, block.text, block.line + 1, names)
    return {name: value for name, value in scope.items() if names.get(name) is not value and name[:2] != "__"}


def _as_body(text: str, last: ast.stmt, arguments: str | None, name: str) -> str:
    """The text as the body of a function, or as the value of a name; an expression at the end is returned."""
    if isinstance(last, ast.Expr):
        lines = text.split("\n")
        line, column = last.lineno - 1, len(lines[last.lineno - 1].encode()[: last.col_offset].decode())
        before = "return " if arguments is not None else f"{name} = "
        lines[line] = lines[line][:column] + before + lines[line][column:]
        text = "\n".join(lines)
    return text if arguments is None else f"def {name}({arguments}):\n{textwrap.indent(text, '    ')}"


def _run(page: Page, kind: str, text: str, first: int, names: dict) -> dict:
    """Execute code whose first line is this line of the page; that of an answer counts as a learner's."""
    file = f"{page.path.name if kind == 'answer' else page.path}:{first}"
    text = "\n" * (first - 1) + text
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope = {**names, "__name__": page.name}
    exec(compile(text, file, "exec"), scope)
    return scope


@contextmanager
def placed(page: Page, line: int) -> Iterator[None]:
    """Says of any error where on the page it arose."""
    try:
        yield
    except PageError:
        raise
    except SyntaxError as error:
        text = (error.text or "").strip()
        raise page.fail(line, f"{type(error).__name__}: {error.msg}{f', in `{text}`' if text else ''}") from error
    except Exception as error:
        raise page.fail(line, f"{type(error).__name__}: {error}") from error


def _without_docstring(function: Callable) -> str:
    text = textwrap.dedent(inspect.getsource(function))
    (node,) = ast.parse(text).body
    if ast.get_docstring(node):  # type: ignore[arg-type]  # it is a function or a class
        lines, first = text.split("\n"), node.body[0]  # type: ignore[attr-defined]
        del lines[first.lineno - 1 : first.end_lineno]
        text = "\n".join(lines)
    return text.strip("\n")


def _require_steps(id: str, assemble: Callable | None, steps: dict[str, Callable]) -> None:
    """Wrong steps must be steps of the answer, and be called as the right ones are: a slip here is no misconception."""
    if assemble is None:
        raise ValueError(f"{id}: wrong steps ({', '.join(steps)}) need exercise(..., assemble=...) to become an answer")
    known = inspect.signature(assemble).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values()):
        return
    for name, function in steps.items():
        if name not in known:
            raise ValueError(f"{id}: {name!r} is not a step; the steps are {', '.join(known)}")
        right = known[name].default
        arguments = _required_arguments(right) if callable(right) else []
        if not arguments:  # a right answer has no such step, or its arguments are free
            continue
        try:
            inspect.signature(function).bind(*arguments)
        except TypeError:
            called, got = ", ".join(arguments), inspect.signature(function)
            raise ValueError(f"{id}: the step {name!r} is called with ({called}), got a function of {got}") from None


def _required_arguments(function: Callable) -> list[str]:
    parameters = inspect.signature(function).parameters.values()
    return [p.name for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]


# ---------------------------------------------------------------- names and words


def names_for(page: Page, module: ModuleType) -> dict:
    """What the code of this page may use."""
    common = f"{module.__name__.partition('.')[0]}.names"
    shared = _public(common) if importlib.util.find_spec(common) else {}
    return {**STANDARD, **shared, **_used(page), **vars(module)}


def _used(page: Page) -> dict:
    found: dict[str, Any] = {}
    for name in page.fields.get("uses", "").split(", "):
        if name:
            with placed(page, 1):
                found.update(_public(name))
    return found


def _public(module: str) -> dict:
    return {name: value for name, value in vars(importlib.import_module(module)).items() if not name.startswith("_")}


def _steps_of(assemble: Callable | None) -> dict[str, str | None]:
    """The steps that `assemble` replaces, each with its arguments, where it has a right one; None for a mere value."""
    parameters = inspect.signature(assemble).parameters.values() if assemble else ()
    right = {each.name: each.default for each in parameters if each.default not in (each.empty, None)}
    return {name: str(inspect.signature(step))[1:-1] if callable(step) else None for name, step in right.items()}


def value_of(page: Page, line: int, text: str, names: dict) -> Any:
    """What an expression in a heading stands for."""
    with placed(page, line):
        return eval(text, dict(names))


def _in_words(page: Page, line: int, text: str, words: dict, names: dict) -> str:
    """The text, with words in place of what stands in braces; words may contain others."""
    while found := WORD.search(text):
        word = words.get(found[1], names.get(found[1]))
        if not isinstance(word, str):
            raise page.fail(line, f"nothing says what {{{found[1]}}} stands for")
        text = text[: found.start()] + word + text[found.end() :]
    return text


def _free_names(text: str) -> set[str]:
    """Names that code reads and never binds."""
    nodes = list(ast.walk(ast.parse(text)))
    read = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    bound = {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    bound |= {n.arg for n in nodes if isinstance(n, ast.arg)}
    bound |= {n.name for n in nodes if isinstance(n, (ast.FunctionDef, ast.ClassDef, ast.ExceptHandler)) and n.name}
    bound |= {
        (a.asname or a.name).split(".")[0]
        for n in nodes
        if isinstance(n, (ast.Import, ast.ImportFrom))
        for a in n.names
    }
    return read - bound
