"""What a learner's code may change for the whole notebook: kept before a check, and put back.

What was only set (a switch, a mode, a directory) is put back without a word. What was replaced, or is left behind, is
told on the card, in `told`.
"""

from __future__ import annotations

import builtins
import contextlib
import gc
import math
import os
import random
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from operator import itemgetter
from types import ModuleType
from typing import Any

import torch
from torch import overrides
from torch.nn.modules import module as modules
from torch.utils import _device, _python_dispatch

from feedback.format import listed

WATCHDOG = "watchdog of a check"  # the name of its thread
_LEFT_OUT = object()
_SMALLEST = sys.float_info.min
_OWNERS: tuple[Any, ...] = (
    builtins,
    math,
    random,
    torch,
    torch.Tensor,
    torch.linalg,
    torch.nn,
    torch.nn.Module,
    torch.nn.functional,
)
_HOOKS: list[dict] = [v for n, v in vars(modules).items() if n.startswith("_global_") and isinstance(v, dict)]
_SIGNALS = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGALRM", "SIGHUP", "SIGCHLD", "SIGUSR1", "SIGUSR2")
    if hasattr(signal, name)
]
_guards: list[Any] = []  # of inference modes that were left on: one that is forgotten ends


def _names(owner: Any) -> tuple[str, ...]:
    """The functions and classes of a module that have public names; all that stands in a class."""
    if isinstance(owner, type):
        return tuple(vars(owner))
    follows_dtype = "Storage"  # torch.set_default_dtype replaces it
    public = (name for name in vars(owner) if name[0] != "_" and name != follows_dtype)
    return tuple(name for name in public if callable(vars(owner)[name]))


_FUNCTIONS = [(owner, _names(owner), itemgetter(*_names(owner))) for owner in _OWNERS]


class _Functions:
    """The functions of a module, or of a class, as they are now."""

    def __init__(self, owner: Any, names: tuple[str, ...], get: itemgetter) -> None:
        space = vars(owner)
        try:
            as_imported = not isinstance(owner, type) or len(space) == len(names)
            self.values = get(space) if as_imported else ()
        except KeyError:
            as_imported = False
        if not as_imported:  # the notebook itself has added or deleted some
            names = _names(owner)
            get = itemgetter(*names)
            self.values = get(space)
        self.owner, self.names, self.get = owner, names, get

    def are_as_before(self) -> bool:
        space = vars(self.owner)
        if isinstance(self.owner, type) and len(space) != len(self.names):
            return False
        try:
            return self.get(space) == self.values
        except Exception:  # one is deleted, or cannot be compared
            return False

    def put_back(self, imported: bool) -> list[str]:
        """Put back what is not as before, and say what it was.

        When a part of PyTorch is first imported, it replaces functions of others: where something was `imported`, they
        stay.
        """
        kept, now, changed = dict(zip(self.names, self.values, strict=True)), dict(vars(self.owner)), []
        added = now.keys() - kept.keys() if isinstance(self.owner, type) else set()
        for name in (*kept, *added):
            before, value = kept.get(name, _LEFT_OUT), now.get(name, _LEFT_OUT)
            if value is before:
                continue
            if imported and str(getattr(value, "__module__", "")).startswith("torch."):
                kept[name] = value
            else:
                delattr(self.owner, name) if before is _LEFT_OUT else setattr(self.owner, name, before)
                changed.append(self._full_name(name))
        self.values = tuple(kept[name] for name in self.names)
        return changed

    def _full_name(self, name: str) -> str:
        if self.owner is builtins:
            return name
        if isinstance(self.owner, ModuleType):
            return f"{self.owner.__name__}.{name}"
        return f"torch.{'nn.' if self.owner is torch.nn.Module else ''}{self.owner.__name__}.{name}"


def _of_all_devices(get: Callable, put: Callable) -> list[tuple[Callable, Callable]]:
    return [(partial(get, device), partial(put, device)) for device in ("cpu", "cuda")]


def _attribute(owner: Any, name: str) -> tuple[Callable, Callable]:
    return partial(getattr, owner, name), partial(setattr, owner, name)


def _set_inference_mode(on: bool) -> None:
    _guards.append(torch.inference_mode(on))
    _guards[-1].__enter__()


def _set_modes(kept: list, now: Callable, pop: Callable, push: Callable) -> None:
    for _ in now():
        pop()
    for mode in kept:
        push(mode)


def _stack(now: Callable, of: ModuleType) -> tuple[Callable, Callable]:
    return now, partial(_set_modes, now=now, pop=of._pop_mode, push=of._push_mode)


def _end_alarm(was_set: bool) -> None:
    if not was_set:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _set_environment(kept: dict) -> None:
    decoded = {os.environ.decodekey(name): os.environ.decodevalue(value) for name, value in kept.items()}
    os.environ.clear()
    os.environ.update(decoded)


_SWITCHES: list[tuple[Callable, Callable]] = [  # what is now, and how to set it; looked at after each call
    (sys.gettrace, sys.settrace),
    (sys.getprofile, sys.setprofile),
    _stack(overrides._get_current_function_mode_stack, overrides),
    _stack(_python_dispatch._get_current_dispatch_mode_stack, _python_dispatch),
    (
        lambda: getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None),
        partial(setattr, torch._GLOBAL_DEVICE_CONTEXT, "device_context"),
    ),
    _attribute(_device, "CURRENT_DEVICE"),
    (torch.is_inference_mode_enabled, _set_inference_mode),
    (torch.is_grad_enabled, torch.set_grad_enabled),
    (torch.get_default_dtype, torch.set_default_dtype),
    (torch.get_num_threads, torch.set_num_threads),
    *_of_all_devices(torch.is_autocast_enabled, torch.set_autocast_enabled),
    *_of_all_devices(torch.get_autocast_dtype, torch.set_autocast_dtype),
    (torch.is_autocast_cache_enabled, torch.set_autocast_cache_enabled),
    (torch.is_anomaly_enabled, torch.set_anomaly_enabled),
    (torch.get_deterministic_debug_mode, torch.set_deterministic_debug_mode),
    (torch.is_warn_always_enabled, torch.set_warn_always),
    (lambda: _SMALLEST / 2 == 0, torch.set_flush_denormal),
    (gc.isenabled, lambda on: gc.enable() if on else gc.disable()),
    (sys.getswitchinterval, sys.setswitchinterval),
    *(_attribute(sys, name) for name in ("stdin", "stderr", "displayhook", "excepthook")),
]
_ONCE: list[tuple[Callable, Callable]] = [  # the same, after the check
    (lambda: vars(os.environ)["_data"].copy(), _set_environment),  # os.environ.copy() decodes every name and value
    (lambda: vars(torch._tensor_str.PRINT_OPTS).copy(), lambda kept: vars(torch._tensor_str.PRINT_OPTS).update(kept)),
]
if hasattr(signal, "setitimer"):
    _ONCE.append((lambda: signal.getitimer(signal.ITIMER_REAL)[0] > 0, _end_alarm))


class Surroundings:
    """What is kept of one check."""

    def __init__(self) -> None:
        self.on_main = threading.current_thread() is threading.main_thread()
        self.recursion = sys.getrecursionlimit()
        self.builtins, *self.functions = (_Functions(*each) for each in _FUNCTIONS)
        self.called = False  # since functions were last looked at
        self.imported = len(sys.modules)
        self.hooks = [(hooks, hooks.copy()) for hooks in _HOOKS]
        self.switches = [(get(), get, put) for get, put in _SWITCHES]
        self.once = [(get(), get, put) for get, put in _ONCE]
        self.folder = _folder()
        self.signals = [(each, signal.getsignal(each)) for each in _SIGNALS] if self.on_main else []
        self.threads = set(threading.enumerate())
        self.random_state = random.getstate()
        self.numpy: Any = sys.modules.get("numpy.random")
        self.numpy_state = self.numpy.get_state(legacy=False) if self.numpy else None
        self.changed: dict[str, None] = {}
        self.told: list[str] = []

    def after_call(self) -> None:
        """Put back what the next call, and the engine itself, would run into."""
        sys.setrecursionlimit(self.recursion)
        self.called = True
        self._put_back(self.builtins)
        for hooks, before in self.hooks:
            if hooks != before:
                hooks.clear()
                hooks.update(before)
                self._tell("Your code registered a hook for all modules; it has been removed.")
        for before, get, put in self.switches:
            if get() != before:
                put(before)

    def put_functions_back(self) -> None:
        """The same for functions, before the course's own code is run. There are many: this takes longer."""
        if self.called:
            for functions in self.functions:
                self._put_back(functions)
            self.called, self.imported = False, len(sys.modules)

    def _put_back(self, functions: _Functions) -> None:
        if not functions.are_as_before():
            self.changed |= dict.fromkeys(functions.put_back(len(sys.modules) > self.imported))

    def _tell(self, sentence: str) -> None:
        if sentence not in self.told:
            self.told.append(sentence)

    def after_check(self) -> None:
        """Put the rest back, and look at what is left behind."""
        self.put_functions_back()
        for before, get, put in self.once:
            if get() != before:
                put(before)
        random.setstate(self.random_state)
        if self.numpy:
            self.numpy.set_state(self.numpy_state)
        if self.folder and _folder() != self.folder:
            with contextlib.suppress(OSError):
                os.chdir(self.folder)
        for each, handler in self.signals:
            if handler is not None and signal.getsignal(each) is not handler:
                signal.signal(each, handler)
        if self.changed:
            self._tell(_about_functions(list(self.changed)))
        new = set(threading.enumerate()) - self.threads
        if self.on_main and any(t.name != WATCHDOG and not isinstance(t, threading._DummyThread) for t in new):
            self._tell("A thread that your code started is still running. Restarting the kernel ends it.")


def _about_functions(names: list[str]) -> str:
    shown = [f"`{name}`" for name in names[:3]] + ([f"{len(names) - 3} more"] if len(names) > 3 else [])
    if len(shown) == 1:
        return f"Your code changed {shown[0]}, which all other code uses too; it has been put back."
    return f"Your code changed {listed(shown)}, which all other code uses too; they have been put back."


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was deleted
        return ""


@contextlib.contextmanager
def one_process() -> Iterator[None]:
    """Inside, os.fork and what ends a process raise: a check would go on in two kernels, or in none."""
    kept = {name: getattr(os, name) for name in ("fork", "forkpty", "abort", "_exit") if hasattr(os, name)}
    for name in kept:
        setattr(os, name, partial(_refuse, name))
    try:
        yield
    finally:
        for name, function in kept.items():
            setattr(os, name, function)


def _refuse(name: str, *arguments: Any) -> None:
    what = "double" if name.startswith("fork") else "end"
    raise RuntimeError(f"os.{name} would {what} the whole kernel; during a check it is switched off")
