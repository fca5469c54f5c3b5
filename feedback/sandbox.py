"""The one place where a learner's code is run: safely, and with everything that happened recorded.

Whatever it does (raise, print, loop forever, change its inputs, reseed) stays inside.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import io
import linecache
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch

from feedback import tree

PATIENCE = 5.0  # seconds of work before code that does not come back is stopped
LONGEST = 30.0  # the same where it waits, or the machine is busy with something else
_ONE_AT_A_TIME = threading.RLock()  # printing is caught for the whole process


class StillRunning(BaseException):
    """Raised inside code that did not come back in time; no `except Exception` swallows it."""


class ContractViolation(Exception):
    """A rule of the exercise that the code breaks before there is a result to compare."""

    def __init__(self, diagnosis: str, sentence: str) -> None:
        super().__init__(sentence)
        self.diagnosis, self.sentence = diagnosis, sentence


@dataclass
class Run:
    """One call: what it was given, what came back, and what else happened.

    `value` is what came back, as it was then; `returned` is the very object, which a later call may change.
    """

    args: tuple
    value: Any = None
    returned: Any = None
    error: BaseException | None = None
    line: str = ""
    printed: str = ""
    changed: tuple[int, ...] = ()

    @cached_property
    def sample(self) -> list[float]:
        """A few numbers of `value`, to tell runs apart quickly."""
        return tree.sample(self.value)


def run(call: Callable, attempt: Any, args: tuple, seed: int = 0) -> Run:
    """Call `call(attempt, *args)` on a copy of args, inside `session()`, and record everything that happens.

    Errors: none; an exception, a time-out or a changed input is written into the Run
    """
    record, out = Run(args), io.StringIO()
    with _ONE_AT_A_TIME, _quiet(out), _restored(), torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)  # torch.manual_seed would reset every GPU's generator too
        given = tree.copy(args)
        try:
            with _watchdogs.own.limit():
                record.returned = value = call(attempt, *given)
                record.value = tree.snapshot(value)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # SystemExit and StillRunning too: nothing may escape
            record.error, record.line = error, _learner_line(error)
        record.changed = tuple(i for i, (a, b) in enumerate(zip(given, args, strict=True)) if not tree.unchanged(a, b))
    record.printed = out.getvalue()
    return record


def run_trusted(call: Callable, code: Callable, args: tuple) -> Run:
    """Run the course's own code, which needs no protection: it is quick, and changes nothing.

    Errors: none; an exception is written into the Run
    """
    record = Run(args)
    with _ONE_AT_A_TIME, _quiet(io.StringIO()), torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(0)
        try:
            record.value = call(code, *args)
        except Exception as error:
            record.error = error
    return record


@contextlib.contextmanager
def session() -> Iterator[None]:
    """What surrounds a check: gradients, float32, the CPU, one thread, and a limit on time; all of it is put back.

    One thread, because the tensors are tiny: several would only wait for each other, for long on a busy machine.
    """
    dtype, threads = torch.get_default_dtype(), torch.get_num_threads()
    with contextlib.ExitStack() as stack:
        if torch.is_inference_mode_enabled():
            stack.enter_context(torch.inference_mode(False))
        if torch.is_autocast_enabled("cpu"):
            stack.enter_context(torch.autocast("cpu", enabled=False))
        if torch.get_default_device().type != "cpu":  # a device as a context slows down every operation
            stack.enter_context(torch.device("cpu"))
        stack.enter_context(torch.enable_grad())
        torch.set_default_dtype(torch.float32)
        torch.set_num_threads(1)
        stack.enter_context(_watched())
        try:
            yield
        finally:
            torch.set_default_dtype(dtype)
            torch.set_num_threads(threads)


@contextlib.contextmanager
def _restored() -> Iterator[None]:
    """Put back what a learner's code may set for everybody."""
    try:
        yield
    finally:
        torch.set_grad_enabled(True)
        torch.set_default_dtype(torch.float32)
        if torch.get_num_threads() != 1:
            torch.set_num_threads(1)


@contextlib.contextmanager
def _quiet(out: io.StringIO) -> Iterator[None]:
    with warnings.catch_warnings(), contextlib.redirect_stdout(out):
        warnings.simplefilter("ignore")
        yield


class _Watchdog:
    """Raises StillRunning in its thread while a run is over time: works on every platform, for any Python loop.

    It raises again and again, since a bare `except:` in the loop may swallow the exception.
    """

    def __init__(self) -> None:
        self.thread, self.lock, self.over = ctypes.c_ulong(threading.get_ident()), threading.Lock(), threading.Event()
        self.started: tuple[float, float] | None = None  # the clock, and the work of this process

    def watch(self) -> None:
        while not self.over.wait(0.05):
            with self.lock:
                if self._is_over_time():
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(self.thread, ctypes.py_object(StillRunning))

    def _is_over_time(self) -> bool:
        if self.started is None:
            return False
        clock, work = self.started
        return time.process_time() - work > PATIENCE or time.monotonic() - clock > LONGEST

    @contextlib.contextmanager
    def limit(self) -> Iterator[None]:
        """Give what happens inside PATIENCE seconds of work."""
        self.started = time.monotonic(), time.process_time()
        try:
            yield
        finally:
            self._stop()

    def _stop(self) -> None:
        """End the run; a last exception may fall into this very function, so it is tried until it succeeds."""
        while True:
            try:
                with self.lock:
                    self.started = None
                return
            except StillRunning:
                continue


_watchdogs = threading.local()  # the one of the check that goes on in this thread


@contextlib.contextmanager
def _watched() -> Iterator[None]:
    """One watchdog for all runs of a check: a thread for each of them would cost more than the runs themselves."""
    outer, own = getattr(_watchdogs, "own", None), _Watchdog()
    threading.Thread(target=own.watch, daemon=True).start()
    _watchdogs.own = own
    try:
        yield
    finally:
        own.over.set()
        _watchdogs.own = outer


def _learner_line(error: BaseException) -> str:
    """The line of the learner's own code that raised, as 'line 3: `scores = q @ k`'."""
    frames, trace = [], error.__traceback__
    while trace:
        frames.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    own = [(file, number) for file, number in frames if not _is_foreign(file)]
    if not own:
        return ""
    file, number = own[-1]
    text = linecache.getline(file, number).strip()
    text = text if len(text) <= 100 else text[:97] + "..."
    return f"line {number}: `{text}`" if text else f"line {number}"


def _is_foreign(file: str) -> bool:
    """Whether a file is not the learner's: the course's, a bank of answers excepted, or a library's."""
    return file.startswith(tuple(_FOREIGN)) and not os.path.basename(file).startswith("answers_")


def declare_foreign(*modules: str) -> None:
    """Say that the files of these modules and packages are a course's own: no line in them is told as the learner's."""
    for name in modules:
        spec = importlib.util.find_spec(name)
        if spec is None:
            raise ValueError(f"a course's own module must be importable, got {name!r}: check its name")
        folders = [os.path.abspath(folder) + os.sep for folder in spec.submodule_search_locations or ()]
        _FOREIGN.update(dict.fromkeys(folders or [os.path.abspath(str(spec.origin))]))


_FOREIGN = dict.fromkeys(  # how the names of files begin that are not the learner's
    (
        os.path.dirname(os.path.abspath(__file__)) + os.sep,
        os.path.dirname(torch.__file__) + os.sep,
        os.path.dirname(contextlib.__file__) + os.sep,  # the standard library
        sys.prefix + os.sep,
        "<frozen",
    )
)
