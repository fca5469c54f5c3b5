"""The exercises of a package, imported when they are needed.

A package has a folder for each notebook. An exercise in it is a page, such as mask_by_filling.md, whose first line has
its number, and a module next to it, mask_by_filling.py, which defines EXERCISE.

For a grader, the modules are imported a second time with hidden inputs, on which an answer fails if it only repeats
known results. A module that draws inputs calls `seed()` while it is imported: 0 gives the inputs of `check`, any other
number gives different inputs of the same kind. The modules draw them again themselves, since each draw has to keep what
its author intended: sizes, masks that hide something in every row, scores around -150.
"""

from __future__ import annotations

import importlib
import re
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

from feedback.exercise import Exercise
from feedback.page import TITLE, PageError, number_on
from feedback.sandbox import session


@dataclass(frozen=True)
class Heading:
    """The first lines of a page, which are enough to list exercises without importing them."""

    id: str
    title: str
    minutes: int


class Exercises(Mapping):
    """The exercises of a package by their id, in order."""

    def __init__(self, package: str, folder: str) -> None:
        pages: dict[str, Path] = {}
        for path in sorted(Path(folder).glob("*/*.md")):
            if (number := number_on(path)) and path != pages.setdefault(number, path):
                raise PageError(path, 1, f"{number} is the number of {pages[number]}, too")
        ordered = sorted(pages, key=lambda id: [int(part) for part in id.split(".")])
        self._loaded: dict[str, Exercise] = {}
        self._pages = {id: pages[id] for id in ordered}
        self._modules = {id: f"{package}.{pages[id].parent.name}.{pages[id].stem}" for id in ordered}

    def __getitem__(self, id: str) -> Exercise:
        if id not in self._loaded:
            with session(), as_page_error(self._pages[id]):  # test cases must not depend on the modes around the check
                self._loaded[id] = importlib.import_module(self.module_of(id)).EXERCISE
        return self._loaded[id]

    def heading(self, id: str) -> Heading:
        return _heading(self._pages[id])

    def module_of(self, id: str) -> str:
        return self._modules[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


@contextmanager
def as_page_error(page: Path) -> Iterator[None]:
    """Turn an exception in the module next to a page into a PageError with its file and line.

    Errors: PageError
    """
    module = page.with_suffix(".py")
    try:
        yield
    except PageError:
        raise
    except Exception as error:
        places = traceback.extract_tb(error.__traceback__)
        own = [place.lineno for place in places if Path(place.filename) == module]
        file, line = (module, own[-1] or 1) if own else (Path(places[-1].filename), places[-1].lineno or 1)
        if isinstance(error, SyntaxError) and error.filename:
            file, line = Path(error.filename), error.lineno or 1
        raise PageError(file, line, f"{type(error).__name__}: {getattr(error, 'msg', error)}") from error


@cache
def _heading(page: Path) -> Heading:
    text = page.read_text(encoding="utf-8")
    title, minutes = TITLE.match(text, 2), re.search(r"^(?:.* · )?minutes: (\d+)", text, re.MULTILINE)
    if not (title and minutes):
        raise PageError(page, 1, "the page lacks minutes")
    return Heading(title["number"], title[0], int(minutes[1]))


# ---------------------------------------------------------------- the same exercises with other inputs

_seed = 0


def seed() -> int:
    """The number that a module adds to the seeds of its inputs while it is imported: 0 for `check`."""
    return _seed


class HiddenExercises(Exercises):
    """The exercises of a package, imported again with the inputs of a given seed."""

    def __init__(self, package: str, folder: str, seed: int) -> None:
        super().__init__(package, folder)
        self._package, self._seed = package, seed
        self._own: dict[str, ModuleType] = {}

    def __getitem__(self, id: str) -> Exercise:
        with _imported_again(self._package, self._own, self._seed):
            return super().__getitem__(id)


@contextmanager
def _imported_again(package: str, own: dict[str, ModuleType], seed: int) -> Iterator[None]:
    """A context in which a package's modules are imported again, unless `own` has them, and restored afterwards."""
    global _seed
    parent = sys.modules[package]
    kept, attributes, before = _inside(package), dict(vars(parent)), _seed
    _replace(package, own)
    _seed = seed
    try:
        yield
    finally:
        _seed = before
        own.update(_inside(package))
        _replace(package, kept)
        for name in vars(parent).keys() - attributes.keys():  # an import makes a module an attribute of its package
            delattr(parent, name)
        vars(parent).update(attributes)


def _inside(package: str) -> dict[str, ModuleType]:
    return {name: module for name, module in sys.modules.items() if name.startswith(f"{package}.")}


def _replace(package: str, modules: dict[str, ModuleType]) -> None:
    for name in _inside(package):
        del sys.modules[name]
    sys.modules.update(modules)
