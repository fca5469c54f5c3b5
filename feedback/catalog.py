"""The exercises of a package, each in a folder of its own, imported when it is needed.

A folder is called e2_2_softmax for exercise 2.2; its module `exercise` holds EXERCISE.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from feedback.exercise import FOLDER, Exercise
from feedback.page import number_on
from feedback.sandbox import session


class Exercises(Mapping):
    """The exercises of a package by their id, in order."""

    def __init__(self, package: str, folder: str) -> None:
        found = [FOLDER.fullmatch(path.parent.name) for path in Path(folder).glob("*/exercise.py")]
        modules = {f"{match[1]}.{match[2]}": f"{package}.{match[0]}.exercise" for match in found if match}
        for path in Path(folder).glob("*/*.md"):
            if (number := number_on(path)) and path.with_suffix(".py").exists():
                modules[number] = f"{package}.{path.parent.name}.{path.stem}"
        self._loaded: dict[str, Exercise] = {}
        self._modules = dict(sorted(modules.items(), key=lambda item: [int(part) for part in item[0].split(".")]))

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
