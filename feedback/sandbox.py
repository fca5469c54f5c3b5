"""Run a learner's code safely, and record everything that happens. It is run nowhere else.

Whatever it does (raise, print, loop forever, change its inputs, reseed) has no effect outside. A check is a `session`,
in which each `run` is one call:

    session           sets gradients, float32, the CPU and one thread, and restores all of this at the end
      run             copies the arguments, sets a seed, and captures what is printed
        _Watchdog     makes the call, and stops it when it takes too long
        KernelState   restores what the call has changed in the kernel, at once or before it would matter

Python code cannot be ended from outside. To stop a call, a thread looks at the clock every 0.05 seconds and, when the
time is over, makes the interpreter raise StillRunning in the learner's thread (an "asynchronous exception"). It does so
again and again, since a bare `except:` in a loop may swallow the exception. Code that sleeps, or waits for a lock, runs
no Python that could raise: it is woken by the signal SIGURG, which nothing else uses, and whose handler raises. Only
the main thread can be woken in this way, and not on Windows.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import io
import linecache
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from time import monotonic, process_time
from typing import Any

import torch

from feedback import tree
from feedback.kernel_state import COURSE, KernelState

PATIENCE = 5.0  # seconds of CPU time after which code is stopped
LONGEST = 30.0  # the same by the clock, for code that waits or a machine that is busy
_TICK = 0.05  # seconds between looks at the clock
_ONE_AT_A_TIME = threading.RLock()  # since printed text is captured for the whole process


class StillRunning(BaseException):
    """Raised inside code that did not return in time; `except Exception` does not catch it."""

    seconds, waited = 0.0, False  # how long it took, and whether it did nothing but wait


class ContractViolation(Exception):
    """A rule of the exercise that the code breaks before there is a result to compare."""

    def __init__(self, diagnosis: str, sentence: str) -> None:
        super().__init__(sentence)
        self.diagnosis, self.sentence = diagnosis, sentence


@dataclass
class Run:
    """One call: its arguments, its result, and what else happened.

    `value` is a copy of the result; `returned` is the object itself, which a later call may change.
    """

    args: tuple
    value: Any = None
    returned: Any = None
    error: BaseException | None = None
    line: str = ""
    elsewhere: bool = False  # whether this line called the course's own code, which raised
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
    watchdog, kernel = _session.now
    with _ONE_AT_A_TIME, _quiet(out), torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)  # torch.manual_seed would reset every GPU's generator too
        given = tree.copy(args)
        try:
            try:
                record.returned = value = watchdog.call(call, attempt, *given)
            finally:
                kernel.after_call()
            record.value = tree.snapshot(value)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # SystemExit and StillRunning too: nothing may escape
            if isinstance(error, StillRunning):
                error.seconds, error.waited = watchdog.took
            record.error, record.line, record.elsewhere = error, learner_line(error), raised_elsewhere(error)
        record.changed = tuple(i for i, (a, b) in enumerate(zip(given, args, strict=True)) if not tree.unchanged(a, b))
    record.printed = out.getvalue()
    return record


def run_trusted(call: Callable, code: Callable, args: tuple) -> Run:
    """Run the course's own code, which needs no protection: it is quick, and changes nothing.

    Errors: none; an exception is written into the Run
    """
    record = Run(args)
    put_functions_back()
    with _ONE_AT_A_TIME, _quiet(io.StringIO()), torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(0)
        try:
            record.value = call(code, *args)
        except Exception as error:
            record.error = error
    return record


def put_functions_back() -> None:
    """Restore functions that the learner's code may have replaced, before the course's own code looks at results."""
    _, kernel = getattr(_session, "now", None) or (None, None)
    if kernel:
        kernel.put_functions_back()


@contextlib.contextmanager
def session() -> Iterator[KernelState]:
    """The context of a check: gradients, float32, the CPU, one thread, and a time limit; all of it is restored.

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
        stack.callback(torch.set_default_dtype, dtype)
        stack.callback(torch.set_num_threads, threads)
        torch.set_default_dtype(torch.float32)
        torch.set_num_threads(1)
        watchdog = stack.enter_context(_Watchdog())
        stack.enter_context(torch.random.fork_rng(range(torch.cuda.device_count() * torch.cuda.is_initialized())))
        kernel = KernelState()
        outer, _session.now = getattr(_session, "now", None), (watchdog, kernel)
        stack.callback(setattr, _session, "now", outer)
        stack.callback(kernel.after_check)
        yield kernel


_session = threading.local()  # `now` is (watchdog, kernel) of the check that runs in this thread


@contextlib.contextmanager
def _quiet(out: io.StringIO) -> Iterator[None]:
    with warnings.catch_warnings(), contextlib.redirect_stdout(out):
        warnings.simplefilter("ignore")
        yield


class _Watchdog:
    """Raises StillRunning in the learner's thread when a call takes too long, as explained at the top.

    There is one for all calls of a check: a thread for each would cost more than the calls themselves.
    """

    def __init__(self) -> None:
        self.thread, self.lock, self.over = threading.get_ident(), threading.Lock(), threading.Event()
        self.started: tuple[float, float] | None = None  # the clock, and the CPU time of this process
        self.took = 0.0, False  # of the last call: its seconds, and whether it only waited
        self.asked = False  # whether the last call was told to stop
        self.wakes = hasattr(signal, "SIGURG") and threading.current_thread() is threading.main_thread()

    def __enter__(self) -> _Watchdog:
        self.handler = signal.signal(signal.SIGURG, self.interrupt) if self.wakes else None
        threading.Thread(target=self.watch, daemon=True).start()
        return self

    def __exit__(self, *error: Any) -> None:
        self.over.set()
        if self.wakes:
            signal.signal(signal.SIGURG, self.handler or signal.SIG_DFL)

    def call(self, code: Callable, *args: Any) -> Any:
        """Return code(*args), or raise StillRunning when it takes too long."""
        self.start()
        try:
            try:
                result = code(*args)
            finally:
                self.stop()
            if self.asked:  # a bare `except:` swallowed it
                raise StillRunning
            return result
        finally:
            self.stop()  # again: a last StillRunning may come before the first stop

    def watch(self) -> None:
        while not self.over.wait(_TICK):
            with self.lock:
                if self.is_over_time():
                    self.asked = True
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(
                        ctypes.c_ulong(self.thread), ctypes.py_object(StillRunning)
                    )
                    if hasattr(signal, "SIGURG"):
                        signal.pthread_kill(self.thread, signal.SIGURG)

    def interrupt(self, *signal_and_frame: Any) -> None:
        """Handle the signal, which may come when the call is over."""
        if self.is_over_time():
            raise StillRunning

    def is_over_time(self) -> bool:
        if self.started is None:
            return False
        clock, work = self.started
        return process_time() - work > PATIENCE or monotonic() - clock > LONGEST

    def start(self) -> None:
        self.asked, self.started = False, (monotonic(), process_time())

    def stop(self) -> None:
        """End the call. A last StillRunning may be raised in this function itself, so it tries until it succeeds."""
        while True:
            try:
                with self.lock:
                    if self.started:
                        seconds, work = monotonic() - self.started[0], process_time() - self.started[1]
                        self.took, self.started = (seconds, work < seconds / 100), None
                return
            except StillRunning:
                continue


def learner_line(error: BaseException) -> str:
    """The line of the learner's own code that raised, as 'line 3: `scores = q @ k`'."""
    own = [place for place in _places(error) if not _is_foreign(place[0])]
    if not own:
        return ""
    file, number = own[-1]
    text = linecache.getline(file, number).strip()
    text = text if len(text) <= 100 else text[:97] + "..."
    return f"line {number}: `{text}`" if text else f"line {number}"


def raised_elsewhere(error: BaseException) -> bool:
    """Whether the learner's line called code of the course, and that raised."""
    files = [file for file, _ in _places(error)]
    own = [i for i, file in enumerate(files) if not _is_foreign(file)]
    return bool(own) and any(file.startswith(tuple(_OF_COURSE)) for file in files[own[-1] :])


def _places(error: BaseException) -> list[tuple[str, int]]:
    return [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]


def _is_foreign(file: str) -> bool:
    """Whether a file is not the learner's, but the course's or a library's."""
    return file.startswith((*_FOREIGN, *_OF_COURSE))


def declare_foreign(*modules: str) -> None:
    """Declare that these modules and packages are a course's own, so that no line in them counts as a learner's."""
    for name in modules:
        spec: Any = importlib.util.find_spec(name)
        folders = [os.path.abspath(folder) + os.sep for folder in spec.submodule_search_locations or ()]
        _OF_COURSE.update(dict.fromkeys(folders or [os.path.abspath(str(spec.origin))]))
        COURSE.add(name.partition(".")[0])


_OF_COURSE: dict[str, None] = {}  # the beginnings of the paths of the course's own files
_FOREIGN = dict.fromkeys(  # the beginnings of other paths that are not the learner's
    (
        os.path.dirname(os.path.abspath(__file__)) + os.sep,
        os.path.dirname(torch.__file__) + os.sep,
        os.path.dirname(contextlib.__file__) + os.sep,  # the standard library
        sys.prefix + os.sep,
        "<frozen",
    )
)
