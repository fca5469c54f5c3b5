"""The same exercises with other inputs, for a grader: an answer that only repeats what it was checked on fails.

The modules of a package of exercises are imported a second time, and a module that makes inputs asks `seed()` while it
is imported: 0 gives the inputs of `check`, any other number gives others of the same kind. A second import, because
test cases are made where they are used, in more than thirty files, and each draw has to keep what its author intended:
sizes, masks that hide something in every row, scores around -150.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from feedback.exercise import Exercise
from feedback.exercise_package import Exercises

_seed = 0


def seed() -> int:
    """The number to add to the seeds of inputs, for the modules that are being imported: 0 for `check`."""
    return _seed


class HiddenExercises(Exercises):
    """The exercises of a package, with the inputs of one seed."""

    def __init__(self, package: str, folder: str, seed: int) -> None:
        super().__init__(package, folder)
        self._package, self._seed = package, seed
        self._own: dict[str, ModuleType] = {}

    def __getitem__(self, id: str) -> Exercise:
        with _imported_again(self._package, self._own, self._seed):
            return super().__getitem__(id)


@contextmanager
def _imported_again(package: str, own: dict[str, ModuleType], seed: int) -> Iterator[None]:
    """Inside, what lies in the package is imported again, unless `own` has it; afterwards all is as it was."""
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
