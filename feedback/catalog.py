"""The exercises of a package, each in a folder of its own, imported when it is needed.

A folder is called e2_2_softmax for exercise 2.2; its module `exercise` holds EXERCISE.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from feedback.exercise import FOLDER, Exercise
from feedback.sandbox import session


class Exercises(Mapping):
    """The exercises of a package by their id, in order."""

    def __init__(self, package: str, folder: str) -> None:
        found = [FOLDER.fullmatch(path.parent.name) for path in Path(folder).glob("*/exercise.py")]
        numbered = sorted((int(match[1]), int(match[2]), match[0]) for match in found if match)
        self._loaded: dict[str, Exercise] = {}
        self._modules = {f"{notebook}.{number}": f"{package}.{name}.exercise" for notebook, number, name in numbered}

    def __getitem__(self, id: str) -> Exercise:
        if id not in self._loaded:
            with session():  # test cases are tensors: they must not depend on the modes around the first check
                self._loaded[id] = importlib.import_module(self.module_of(id)).EXERCISE
        return self._loaded[id]

    def module_of(self, id: str) -> str:
        return self._modules[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)
