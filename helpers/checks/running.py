"""Run a learner's code once, safely, and keep all that happened.

Whatever it does (raise, print, loop for ever, change its inputs, reseed) stays inside.
"""

import contextlib
import copy
import ctypes
import io
import linecache
import os
import sys
import threading
import warnings
from dataclasses import dataclass

import torch

PATIENCE = 5.0  # seconds before code that does not come back is stopped
_ONE_AT_A_TIME = threading.RLock()  # printing is caught for the whole process


class StillRunning(BaseException):
    """Raised inside code that did not come back in time; no `except Exception` swallows it."""


class Fault(Exception):
    """A rule of the exercise that the code breaks before there is a result to compare."""

    def __init__(self, diagnosis, sentence):
        super().__init__(sentence)
        self.diagnosis, self.sentence = diagnosis, sentence


@dataclass
class Run:
    """One call: what it was given, what came back, and what else happened.

    `value` is what came back, as it was then; `returned` is the very thing, which a later call may change.
    """

    args: tuple
    value: object = None
    returned: object = None
    error: BaseException = None
    line: str = ""
    printed: str = ""
    changed: tuple = ()


def run(call, attempt, args, seed=0):
    """Call `call(attempt, *args)` on copies of args.

    Errors: none; an exception, a time-out or a changed input is written into the Run
    Source: notebook 00
    """
    out = io.StringIO()
    with _ONE_AT_A_TIME, _quiet(out), _repeatable(seed):
        given, before = copy.deepcopy(args), copy.deepcopy(args)
        record = Run(before)
        try:
            with _deadline():
                record.returned = value = call(attempt, *given)
                record.value = _as_it_is_now(value)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # SystemExit and StillRunning too: nothing may escape
            record.error, record.line = error, _learner_line(error)
        record.changed = tuple(i for i, (a, b) in enumerate(zip(given, before, strict=True)) if not _same(a, b))
    record.printed = out.getvalue()
    return record


def run_known(call, code, args):
    """Run code of the course's own, which needs no net: it is quick, and changes nothing.

    Errors: none; an exception is written into the Run
    Source: notebook 00
    """
    record = Run(args)
    with _ONE_AT_A_TIME, _quiet(io.StringIO()), _repeatable(0):
        try:
            record.value = call(code, *args)
        except Exception as error:
            record.error = error
    return record


def _as_it_is_now(value):
    """Tensors and lists copied: a later call may write into those that were returned."""
    if type(value) is torch.Tensor:
        return value.clone()
    if type(value) is tuple:
        return tuple(_as_it_is_now(item) for item in value)
    return list(value) if type(value) is list else value


@contextlib.contextmanager
def _quiet(out):
    with warnings.catch_warnings(), contextlib.redirect_stdout(out):
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def usual_modes():
    """Gradients, full precision and the CPU, whatever is set around a check."""
    with (torch.inference_mode(False), torch.enable_grad(), torch.autocast("cpu", enabled=False),
          torch.device("cpu")):
        yield


@contextlib.contextmanager
def _repeatable(seed):
    """The same random numbers and modes on every call, and the learner's own untouched afterwards."""
    dtype, threads = torch.get_default_dtype(), torch.get_num_threads()
    with torch.random.fork_rng(devices=[]), usual_modes():
        torch.manual_seed(seed)
        torch.set_default_dtype(torch.float32)
        try:
            yield
        finally:
            torch.set_default_dtype(dtype)
            if torch.get_num_threads() != threads:
                torch.set_num_threads(threads)


@contextlib.contextmanager
def _deadline():
    """Raise StillRunning in this thread once the time is up: works on every platform, for any Python loop.

    It is raised again and again, since a bare `except:` in the loop may swallow it.
    """
    thread, lock, over = ctypes.c_ulong(threading.get_ident()), threading.Lock(), threading.Event()

    def ring():
        for wait in (PATIENCE, *[0.05] * 100):
            if over.wait(wait):
                return
            with lock:
                if not over.is_set():
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(StillRunning))

    threading.Thread(target=ring, daemon=True).start()
    try:
        yield
    finally:
        _close(over, lock)


def _close(over, lock):
    """End the ringing; a last ring may fall into this very function, so it is tried until it holds."""
    while True:
        try:
            with lock:
                over.set()
            return
        except StillRunning:
            continue


def _learner_line(error):
    """The line of the learner's own code that raised, as 'line 3: scores = q @ k'."""
    frames, trace = [], error.__traceback__
    while trace:
        frames.append((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
        trace = trace.tb_next
    own = [(file, number) for file, number in frames if not file.startswith(_FOREIGN)]
    if not own:
        return ""
    file, number = own[-1]
    text = linecache.getline(file, number).strip()
    text = text if len(text) <= 100 else text[:97] + "..."
    return f"line {number}: {text}" if text else f"line {number}"


_FOREIGN = (
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep,  # helpers/
    os.path.dirname(torch.__file__) + os.sep,
    os.path.dirname(contextlib.__file__) + os.sep,  # the standard library
    sys.prefix + os.sep,
    "<frozen",
)


def _same(a, b):
    if isinstance(a, torch.Tensor):
        return a.shape == b.shape and a.dtype == b.dtype and torch.equal(a, b)
    if isinstance(a, torch.nn.Module):  # two copies are never ==: their numbers are compared
        a, b = a.state_dict(), b.state_dict()
        return a.keys() == b.keys() and all(_same(a[name], b[name]) for name in a)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
    return a == b
