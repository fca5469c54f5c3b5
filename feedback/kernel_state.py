"""Save what a learner's code may change for the whole notebook before a check, and restore it.

An answer runs in the learner's own kernel, together with the checker and the course. What it sets or replaces there
would affect the verdict and all later cells, so it is restored before it can:

    after each call              what would affect the next call: AFTER_EACH_CALL, and builtins such as `sorted`
    before the course's code     functions and classes of PyTorch, NumPy and the course; there are many, so they are
      looks at results           compared with the saved ones only then
    after the check              the rest: AFTER_THE_CHECK

Settings (a switch, a mode, a directory) are restored silently. Functions that were replaced are named on the card, in
`note`. README.md lists what is not restored.
"""

from __future__ import annotations

import builtins
import os
import random
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from types import ModuleType
from typing import Any, NamedTuple

import numpy
import torch

from feedback.format import listed

COURSE = {"feedback"}  # packages of the course's own code; `sandbox.declare_foreign` adds others
LIBRARIES = {  # modules that learners know: what is replaced in them is restored
    *("math", "random", "functools", "itertools", "operator", "time", "numpy", "numpy.linalg", "numpy.random", "torch"),
    *(f"torch.{name}" for name in ("autograd", "fft", "linalg", "nn", "nn.functional", "nn.init", "optim", "special")),
}
MISSING = object()
Switch = tuple[Callable[[], Any], Callable[[Any], Any]]  # functions that get and set it
_inference_modes: list[Any] = []  # kept, since a mode would end when its object is deleted


# ---------------------------------------------------------------- switches


def _set_inference_mode(on: bool) -> None:
    _inference_modes.append(torch.inference_mode(on))
    _inference_modes[-1].__enter__()


def _set_environment(kept: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(kept)


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was deleted
        return ""


AFTER_EACH_CALL: list[Switch] = [  # since they would affect the next call and the engine itself
    (sys.getrecursionlimit, sys.setrecursionlimit),
    (sys.gettrace, sys.settrace),
    (torch.get_default_device, lambda cpu: torch.set_default_device(None)),
    (torch.is_inference_mode_enabled, _set_inference_mode),
    (torch.is_grad_enabled, torch.set_grad_enabled),
    (torch.get_default_dtype, torch.set_default_dtype),
    (torch.get_num_threads, torch.set_num_threads),
    (partial(torch.is_autocast_enabled, "cpu"), partial(torch.set_autocast_enabled, "cpu")),
    (torch.is_anomaly_enabled, torch.set_anomaly_enabled),
    *((partial(getattr, sys, name), partial(setattr, sys, name)) for name in ("stderr", "modules", "path")),
]
AFTER_THE_CHECK: list[Switch] = [
    (_folder, lambda path: os.chdir(path) if os.path.isdir(path) else None),
    (os.environ.copy, _set_environment),
    (lambda: sys.path.copy(), lambda kept: sys.path.__setitem__(slice(None), kept)),
    (random.getstate, random.setstate),
    (partial(numpy.random.get_state, legacy=False), numpy.random.set_state),
]


def _kept(switches: list[Switch]) -> list[tuple[Any, Switch]]:
    return [(switch[0](), switch) for switch in switches]


def _put_back(kept: list[tuple[Any, Switch]]) -> None:
    for before, (get, put) in kept:
        now = get()
        if now is not before and not _equal(now, before):
            put(before)


def _equal(a: Any, b: Any) -> bool:
    try:
        return bool(a == b)
    except Exception:  # something in them cannot be compared
        return False


# ---------------------------------------------------------------- functions of modules and classes


class Namespace(NamedTuple):
    """A module or a class whose functions all code uses."""

    name: str
    owner: Any
    names: Any

    def put_back(self, kept: dict[str, Any], imported: bool) -> Iterator[str]:
        """Restore the functions, classes and modules that differ from `kept`, and yield their names.

        When a part of PyTorch is first imported, it replaces functions of others: if something was `imported`, these
        stay. Names that were added to a module stay as well, since an import adds some.
        """
        is_class, now = isinstance(self.owner, type), dict(self.names)
        for name in {**kept, **now} if is_class else kept:
            before, value = kept.get(name, MISSING), now.get(name, MISSING)
            if value is before or not (is_class or (name[0] != "_" and (_is_code(before) or _is_code(value)))):
                continue
            if imported and str(getattr(value, "__module__", "")).startswith("torch."):
                continue
            delattr(self.owner, name) if before is MISSING else setattr(self.owner, name, before)
            yield f"{self.name}.{name}".lstrip(".")
        kept.clear()
        kept.update(self.names)


def _is_code(value: Any) -> bool:
    """Whether a value is code or a constant, rather than state that changes over time."""
    return callable(value) or isinstance(value, (ModuleType, float))


@lru_cache(maxsize=1)  # computed again when another module was imported
def _namespaces(modules: int) -> list[Namespace]:
    """The builtins first, then what else the course's own code uses during a check."""
    found = {"": builtins, "torch.Tensor": torch.Tensor}
    for name, module in list(sys.modules.items()):
        of_course = name.partition(".")[0] in COURSE and name.count(".") < 2
        if (of_course or name in LIBRARIES) and isinstance(module, ModuleType):
            found[name] = module
        for each in list(vars(module).values()) if of_course or name == "torch.nn" else ():
            if isinstance(each, type) and each.__module__.startswith(name):
                found[f"{name}.{each.__qualname__}"] = each
    return [Namespace(name, owner, vars(owner)) for name, owner in found.items()]


# ---------------------------------------------------------------- one check


class KernelState:
    """The state that is saved for one check."""

    def __init__(self) -> None:
        self.namespaces = _namespaces(len(sys.modules))
        self.functions = [dict(each.names) for each in self.namespaces]
        self.called = False  # whether a call was made since all functions were compared
        self.imported = len(sys.modules)  # at that time
        self.switches, self.rest = _kept(AFTER_EACH_CALL), _kept(AFTER_THE_CHECK)
        self.changed: dict[str, None] = {}

    def after_call(self) -> None:
        """Restore what would affect the next call and the engine itself."""
        self.called = True
        self._put_functions_back(1)
        _put_back(self.switches)

    def put_functions_back(self) -> None:
        """Restore the many functions that the course's own code uses, before it is run."""
        if self.called:
            self._put_functions_back(len(self.namespaces))
            self.called, self.imported = False, len(sys.modules)

    def _put_functions_back(self, first: int) -> None:
        for each, kept in zip(self.namespaces[:first], self.functions, strict=False):
            if not _equal(each.names, kept):
                self.changed |= dict.fromkeys(each.put_back(kept, len(sys.modules) > self.imported))

    def after_check(self) -> None:
        """Restore the rest."""
        self.put_functions_back()
        _put_back(self.rest)

    @property
    def note(self) -> str:
        """A sentence that names the functions that were restored; '' if there are none."""
        if not self.changed:
            return ""
        shown = [f"`{name}`" for name in self.changed]
        shown = shown[:3] + ([f"{len(shown) - 3} more"] if len(shown) > 3 else [])
        what = "it has" if len(shown) == 1 else "they have"
        return f"Your code changed {listed(shown)}, which all other code uses too; {what} been put back."
