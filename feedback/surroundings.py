"""What a learner's code may change for the whole notebook: kept before a check, and put back.

What was only set (a switch, a mode, a directory) is put back silently. What was replaced, or is left behind, is told on
the card, in `told`. README.md says what cannot be contained.
"""

from __future__ import annotations

import builtins
import contextlib
import gc
import importlib
import os
import random
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

import torch

from feedback.format import listed

WATCHDOG = "watchdog of a check"  # the name of its thread
COURSE = {"feedback"}  # packages of the course's own code; `sandbox.declare_foreign` adds others
LIBRARIES = {  # the modules of libraries that learners know; of the standard library, all that are imported are kept
    "numpy",
    "numpy.linalg",
    "numpy.random",
    "torch",
    "torch.autograd",
    "torch.fft",
    "torch.linalg",
    "torch.nn",
    "torch.nn.functional",
    "torch.nn.init",
    "torch.optim",
    "torch.random",
    "torch.special",
}
_LEFT_OUT = object()
_SMALLEST = sys.float_info.min
_SIGNALS = [
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGALRM", "SIGHUP", "SIGCHLD", "SIGUSR1", "SIGUSR2")
    if hasattr(signal, name)
]
_found: list[_Shared] = []  # the last: looked for again once another module is imported
_guards: list[Any] = []  # of inference modes that were left on: one that is forgotten ends


# ---------------------------------------------------------------- functions of modules and classes


@dataclass(frozen=True)
class _Owner:
    """A module or a class whose functions all code uses."""

    name: str
    itself: Any
    space: Any  # its names
    used: bool  # by the course's own code, while a check goes on

    def put_back(self, kept: dict[str, Any], imported: bool) -> list[str]:
        """Put back the functions, classes and modules that are not as in `kept`, and say which they were.

        When a part of PyTorch is first imported, it replaces functions of others: where something was `imported`, they
        stay. What a module has more than before stays, too: an import adds names.
        """
        now, changed = dict(self.space), []
        for name in dict.fromkeys((*kept, *now)) if isinstance(self.itself, type) else kept:
            before, value = kept.get(name, _LEFT_OUT), now.get(name, _LEFT_OUT)
            if value is before or not (self._tells(name, before) or self._tells(name, value)):
                continue
            if imported and str(getattr(value, "__module__", "")).startswith("torch."):
                continue
            delattr(self.itself, name) if before is _LEFT_OUT else setattr(self.itself, name, before)
            changed.append(name if self.itself is builtins else f"{self.name}.{name}")
        kept.clear()
        kept.update(self.space)
        return changed

    def _tells(self, name: str, value: Any) -> bool:
        """Whether it is something that other code uses, and no state that changes in time."""
        if isinstance(self.itself, type):
            return callable(value) or hasattr(value, "__get__")
        follows_dtype = "Storage"  # torch.set_default_dtype replaces it
        return name[0] != "_" and name != follows_dtype and (callable(value) or isinstance(value, (ModuleType, float)))


class _Shared:
    """What all code uses: builtins first, then what the course's own code uses while a check goes on, then the rest."""

    def __init__(self) -> None:
        self.modules = sys.modules.copy()  # when it was looked for
        self.owners = sorted(_owners(), key=lambda owner: (owner.itself is not builtins, not owner.used))
        self.spaces = [owner.space for owner in self.owners]
        self.used = sum(owner.used for owner in self.owners)


def _shared() -> _Shared:
    if not _found or _found[0].modules != sys.modules:
        _found[:] = [_Shared()]
    return _found[0]


def _owners() -> Iterator[_Owner]:
    """The modules that are watched, and the classes of `torch.nn` and of the course's own modules."""
    yield _Owner("torch.Tensor", torch.Tensor, vars(torch.Tensor), True)
    for name, module in list(sys.modules.items()):
        package, *inside = name.split(".") if isinstance(module, ModuleType) else ("", "")
        of_course = package in COURSE and len(inside) < 2
        used = of_course or package in ("builtins", "math", "random", "torch")
        if of_course or name in LIBRARIES or (name in sys.stdlib_module_names and name[0] != "_"):
            yield _Owner(name, module, vars(module), used)
        for each in list(vars(module).values()) if of_course or name == "torch.nn" else ():
            if isinstance(each, type) and each.__module__.startswith(name):
                yield _Owner(f"{name}.{each.__qualname__}", each, vars(each), True)


def _are_as_before(spaces: Any, kept: Any) -> bool:
    try:
        return bool(spaces == kept)
    except Exception:  # something in them cannot be compared
        return False


# ---------------------------------------------------------------- switches


def _private(module: str, *names: str) -> list[Any]:
    """These names of a module of PyTorch, which promises none of them: nothing where a version lacks one."""
    try:
        return [getattr(importlib.import_module(module), name) for name in names]
    except (ImportError, AttributeError):
        return []


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


def _modes(module: str, now: str) -> list[tuple[Callable, Callable]]:
    found = _private(module, now, "_pop_mode", "_push_mode")
    return [(found[0], partial(_set_modes, now=found[0], pop=found[1], push=found[2]))] if found else []


def _default_device() -> list[tuple[Callable, Callable]]:
    found: list[tuple[Callable, Callable]] = []
    for context in _private("torch", "_GLOBAL_DEVICE_CONTEXT"):
        found.append((partial(getattr, context, "device_context", None), partial(setattr, context, "device_context")))
    if _private("torch.utils._device", "CURRENT_DEVICE"):
        found.append(_attribute(sys.modules["torch.utils._device"], "CURRENT_DEVICE"))
    return found


def _printing() -> list[tuple[Callable, Callable]]:
    options = [vars(each) for each in _private("torch._tensor_str", "PRINT_OPTS")]
    return [(each.copy, each.update) for each in options]


def _hooks() -> list[dict]:
    """The hooks of all modules."""
    space = vars(torch.nn.modules.module)
    return [hooks for name, hooks in space.items() if name.startswith("_global_") and isinstance(hooks, dict)]


def _generators() -> list[Any]:
    """The random generators of GPUs that are in use; the CPU's is kept in each call."""
    backends = (getattr(torch, name, None) for name in ("cuda", "xpu"))
    in_use = (backend for backend in backends if backend and backend.is_initialized())
    return [each for backend in in_use for each in getattr(backend, "default_generators", ())]


def _end_alarm(was_set: bool) -> None:
    if not was_set:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _set_path(kept: list) -> None:
    sys.path[:] = kept


def _set_environment(kept: dict) -> None:
    decoded = {os.environ.decodekey(name): os.environ.decodevalue(value) for name, value in kept.items()}
    os.environ.clear()
    os.environ.update(decoded)


_SWITCHES: list[tuple[Callable, Callable]] = [  # what is now, and how to set it; looked at after each call
    (sys.gettrace, sys.settrace),
    (sys.getprofile, sys.setprofile),
    *_modes("torch.overrides", "_get_current_function_mode_stack"),
    *_modes("torch.utils._python_dispatch", "_get_current_dispatch_mode_stack"),
    *_default_device(),
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
    *(_attribute(sys, name) for name in ("stdin", "stderr", "displayhook", "excepthook", "modules", "path")),
]
_ONCE: list[tuple[Callable, Callable]] = [  # the same, after the check
    (lambda: vars(os.environ)["_data"].copy(), _set_environment),  # os.environ.copy() decodes every name and value
    (lambda: sys.path.copy(), _set_path),
    *_printing(),
]
if hasattr(signal, "setitimer"):
    _ONCE.append((lambda: signal.getitimer(signal.ITIMER_REAL)[0] > 0, _end_alarm))


class Surroundings:
    """What is kept of one check."""

    def __init__(self) -> None:
        self.on_main = threading.current_thread() is threading.main_thread()
        self.recursion = sys.getrecursionlimit()
        self.shared = _shared()
        self.functions = [space.copy() for space in self.shared.spaces]
        self.called = False  # since functions were last looked at
        self.imported = len(sys.modules)  # then
        self.hooks = [(hooks, hooks.copy()) for hooks in _hooks()]
        self.switches = [(get(), get, put) for get, put in _SWITCHES]
        self.once = [(get(), get, put) for get, put in _ONCE]
        self.folder = _folder()
        self.signals = [(each, signal.getsignal(each)) for each in _SIGNALS] if self.on_main else []
        self.threads = set(threading.enumerate())
        self.no_children = _has_no_children()
        self.random_state = random.getstate()
        self.generators = [(each, each.get_state()) for each in _generators()]
        self.numpy: Any = sys.modules.get("numpy.random")
        self.numpy_state = self.numpy.get_state(legacy=False) if self.numpy else None
        self.changed: dict[str, None] = {}
        self.told: list[str] = []

    def after_call(self) -> None:
        """Put back what the next call, and the engine itself, would run into."""
        sys.setrecursionlimit(self.recursion)
        self.called = True
        self._put_back(slice(1), self.imported)
        for hooks, before in self.hooks:
            if hooks != before:
                hooks.clear()
                hooks.update(before)
                self._tell("Your code registered a hook for all modules; it has been removed.")
        for before, get, put in self.switches:
            now = get()
            if now is not before and now != before:
                put(before)

    def put_functions_back(self) -> None:
        """The same for the functions that the course's own code uses, before it is run. They are many."""
        if self.called:
            self._put_back(slice(self.shared.used), self.imported)
            for name, module in self.shared.modules.items():
                if sys.modules.get(name) is not module:
                    sys.modules[name] = module
                    self.changed[f'sys.modules["{name}"]'] = None
            self.called, self.imported = False, len(sys.modules)

    def _put_back(self, which: slice, imported: int) -> None:
        """Put back what is not as before in these owners; `imported` modules there were when they were kept."""
        owners, now, before = self.shared.owners[which], self.shared.spaces[which], self.functions[which]
        if _are_as_before(now, before):
            return
        for owner, space, kept in zip(owners, now, before, strict=True):
            if not _are_as_before(space, kept):
                self.changed |= dict.fromkeys(owner.put_back(kept, len(sys.modules) > imported))

    def _tell(self, sentence: str) -> None:
        if sentence not in self.told:
            self.told.append(sentence)

    def after_check(self) -> None:
        """Put the rest back, and look at what is left behind."""
        self.put_functions_back()
        self._put_back(slice(self.shared.used, None), len(self.shared.modules))
        for before, get, put in self.once:
            if get() != before:
                put(before)
        random.setstate(self.random_state)
        for generator, state in self.generators:
            generator.set_state(state)
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
        if self.no_children and not _has_no_children():
            self._tell("A process that your code started is still running. Restarting the kernel ends it.")


def _about_functions(names: list[str]) -> str:
    shown = [f"`{name}`" for name in names[:3]] + ([f"{len(names) - 3} more"] if len(names) > 3 else [])
    if len(shown) == 1:
        return f"Your code changed {shown[0]}, which all other code uses too; it has been put back."
    return f"Your code changed {listed(shown)}, which all other code uses too; they have been put back."


def _has_no_children() -> bool:
    """Whether no other process that this one started goes on, as far as the system can tell."""
    if not hasattr(os, "waitid"):  # Windows, and macOS with an older Python
        return True
    try:
        return os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None  # one has ended
    except ChildProcessError:
        return True


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was deleted
        return ""


@contextlib.contextmanager
def one_process() -> Iterator[None]:
    """Inside, os.fork and what ends a process raise: a check would go on in two kernels, or in none."""
    names = ("fork", "forkpty", "abort", "_exit", "execv", "execve")  # the others of exec's family call these
    kept = {name: getattr(os, name) for name in names if hasattr(os, name)}
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
