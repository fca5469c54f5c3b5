"""What a learner's code may change for the whole notebook: kept before a check, and put back.

What was only set (a switch, a mode, a directory) is put back silently. What was replaced, or goes on, is said on the
card, in `notes`. README.md says what is left as it is.
"""

from __future__ import annotations

import builtins
import gc
import importlib
import os
import random
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from types import ModuleType
from typing import Any, NamedTuple

import torch

from feedback.format import listed

WATCHDOG = "watchdog of a check"  # the name of its thread
COURSE = {"feedback"}  # packages of the course's own code; `sandbox.declare_foreign` adds others
LIBRARIES = {  # modules that learners know: what is replaced in them is put back
    *("math", "random", "functools", "itertools", "operator", "time", "numpy", "numpy.linalg", "numpy.random", "torch"),
    *(f"torch.{name}" for name in ("autograd", "fft", "linalg", "nn", "nn.functional", "nn.init", "optim", "special")),
}
MISSING = object()
Switch = tuple[Callable[[], Any], Callable[[Any], Any]]  # what is now, and how to set it
_inference_modes: list[Any] = []  # that were set: one that is forgotten ends


# ---------------------------------------------------------------- switches


def _attribute(owner: Any, name: str) -> Switch:
    return partial(getattr, owner, name), partial(setattr, owner, name)


def _entries(found: Any) -> Switch:
    """Those of a dict."""
    return found.copy, lambda kept: (found.clear(), found.update(kept))


def _modes(module: str, now: str) -> list[Switch]:
    """PyTorch promises none of these names: nothing where a version lacks one."""
    names: Any = vars(importlib.import_module(module))
    if not {now, "_pop_mode", "_push_mode"} <= names.keys():
        return []
    modes, pop, push = names[now], names["_pop_mode"], names["_push_mode"]
    return [(modes, lambda kept: ([pop() for _ in modes()], [push(mode) for mode in kept]))]


def _set_inference_mode(on: bool) -> None:
    _inference_modes.append(torch.inference_mode(on))
    _inference_modes[-1].__enter__()


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was deleted
        return ""


HOOKS = [each for name, each in vars(torch.nn.modules.module).items() if name.startswith("_global_")]
AFTER_EACH_CALL: list[Switch] = [  # since the next call, and the engine itself, would run into it
    (sys.getrecursionlimit, sys.setrecursionlimit),
    (sys.gettrace, sys.settrace),
    (sys.getprofile, sys.setprofile),
    (torch.get_default_device, lambda cpu: torch.set_default_device(None)),
    *_modes("torch.overrides", "_get_current_function_mode_stack"),
    *_modes("torch.utils._python_dispatch", "_get_current_dispatch_mode_stack"),
    (torch.is_inference_mode_enabled, _set_inference_mode),
    (torch.is_grad_enabled, torch.set_grad_enabled),
    (torch.get_default_dtype, torch.set_default_dtype),
    (torch.get_num_threads, torch.set_num_threads),
    (partial(torch.is_autocast_enabled, "cpu"), partial(torch.set_autocast_enabled, "cpu")),
    (partial(torch.get_autocast_dtype, "cpu"), partial(torch.set_autocast_dtype, "cpu")),
    (torch.is_anomaly_enabled, torch.set_anomaly_enabled),
    (torch.get_deterministic_debug_mode, torch.set_deterministic_debug_mode),
    (torch.is_warn_always_enabled, torch.set_warn_always),
    (lambda: sys.float_info.min / 2 == 0, torch.set_flush_denormal),
    (gc.isenabled, lambda on: gc.enable() if on else gc.disable()),
    *(_attribute(sys, name) for name in ("stdin", "stderr", "displayhook", "excepthook", "modules", "path")),
    *(_entries(hooks) for hooks in HOOKS if isinstance(hooks, dict)),
]
AFTER_THE_CHECK: list[Switch] = [
    (_folder, lambda path: os.chdir(path) if os.path.isdir(path) else None),
    _entries(os.environ),
    (lambda: sys.path.copy(), lambda kept: sys.path.__setitem__(slice(None), kept)),
    (random.getstate, random.setstate),
]


def _of_this_moment(on_main: bool) -> Iterator[Switch]:
    if numpy := sys.modules.get("numpy.random"):
        yield partial(numpy.get_state, legacy=False), numpy.set_state
    for each in (signal.SIGINT, signal.SIGTERM) if on_main else ():
        yield partial(signal.getsignal, each), partial(signal.signal, each)


def _put_back(switches: list[tuple[Any, Callable, Callable]]) -> None:
    for before, get, put in switches:
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
        """Put back the functions, classes and modules that are not as in `kept`, and give their names.

        When a part of PyTorch is first imported, it replaces functions of others: where something was `imported`, they
        stay. What a module has more than before stays, too: an import adds names.
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
    """Whether it is something that other code uses, and no state that changes in time."""
    return callable(value) or isinstance(value, (ModuleType, float))


@lru_cache(maxsize=1)  # looked for again once another module is imported
def _namespaces(modules: int) -> list[Namespace]:
    """Builtins first, then what else the course's own code uses while a check goes on."""
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
    """What is kept of one check."""

    def __init__(self) -> None:
        on_main = threading.current_thread() is threading.main_thread()
        self.modules = sys.modules.copy()
        self.namespaces = _namespaces(len(self.modules))
        self.functions = [dict(each.names) for each in self.namespaces]
        self.called = False  # since all functions were last looked at
        self.imported = len(sys.modules)  # then
        self.switches = [(get(), get, put) for get, put in AFTER_EACH_CALL]
        self.rest = [(get(), get, put) for get, put in (*AFTER_THE_CHECK, *_of_this_moment(on_main))]
        self.threads = set(threading.enumerate()) if on_main else None
        self.no_children = _has_no_children()
        self.changed: dict[str, None] = {}
        self.notes: list[str] = []

    def after_call(self) -> None:
        """Put back what the next call, and the engine itself, would run into."""
        self.called = True
        self._put_functions_back(1)
        _put_back(self.switches)

    def put_functions_back(self) -> None:
        """The same for the functions that the course's own code uses, before it is run. They are many."""
        if self.called:
            self._put_functions_back(len(self.namespaces))
            for name, module in self.modules.items():
                if sys.modules.get(name) is not module:
                    sys.modules[name] = module
                    self.changed[f'sys.modules["{name}"]'] = None
            self.called, self.imported = False, len(sys.modules)

    def _put_functions_back(self, first: int) -> None:
        for each, kept in zip(self.namespaces[:first], self.functions, strict=False):
            if not _equal(each.names, kept):
                self.changed |= dict.fromkeys(each.put_back(kept, len(sys.modules) > self.imported))

    def after_check(self) -> None:
        """Put the rest back, and look at what goes on."""
        self.put_functions_back()
        _put_back(self.rest)
        if self.changed:
            shown = [f"`{name}`" for name in self.changed]
            shown = shown[:3] + ([f"{len(shown) - 3} more"] if len(shown) > 3 else [])
            what = "it has" if len(shown) == 1 else "they have"
            self.notes.append(
                f"Your code changed {listed(shown)}, which all other code uses too; {what} been put back."
            )
        if self.threads and any(map(_is_of_the_learner, set(threading.enumerate()) - self.threads)):
            self.notes.append("A thread that your code started is still running. Restarting the kernel ends it.")
        if self.no_children and not _has_no_children():
            self.notes.append("A process that your code started is still running. Restarting the kernel ends it.")


def _is_of_the_learner(thread: threading.Thread) -> bool:
    return thread.name != WATCHDOG and not isinstance(thread, threading._DummyThread)


def _has_no_children() -> bool:
    """Whether no other process that this one started goes on, as far as the system can tell."""
    if not hasattr(os, "waitid"):  # Windows, and macOS with an older Python
        return True
    try:
        return os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None  # one has ended
    except ChildProcessError:
        return True
