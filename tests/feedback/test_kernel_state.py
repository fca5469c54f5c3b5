"""After a check the kernel is as it was before, or the card says what was changed: each way to change it is tried."""

import builtins
import contextlib
import functools
import gc
import io
import math
import os
import random
import signal
import subprocess
import sys
import threading
import time

import numpy
import pytest
import torch
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

import exercises
import helpers
from exercises import EXERCISES, check
from feedback import compare, kernel_state, sandbox
from helpers import heads, masks

REFERENCE = EXERCISES["2.2"].reference
gpu = torch.Generator()  # stands in for the generator of a GPU
forever = []  # what an answer keeps, as a global variable of a notebook does


def entered(context):
    forever.append(context)
    context.__enter__()


class Doubles(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))


class Dispatches(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))


def after(harm):
    """What `check` says of a right answer that does harm first."""

    def softmax(scores):
        harm()
        return scores.softmax(dim=-1)

    return check("2.2", softmax)


SWITCHES = {
    "threads": (torch.get_num_threads, lambda: torch.set_num_threads(3)),
    "default device": (torch.get_default_device, lambda: torch.set_default_device("meta")),
    "default dtype": (torch.get_default_dtype, lambda: torch.set_default_dtype(torch.float64)),
    "autocast": (lambda: torch.is_autocast_enabled("cpu"), lambda: entered(torch.autocast("cpu"))),
    "autocast's dtype": (
        lambda: torch.get_autocast_dtype("cpu"),
        lambda: torch.set_autocast_dtype("cpu", torch.float16),
    ),
    "function mode": (torch.overrides._get_current_function_mode_stack, lambda: entered(Doubles())),
    "dispatch mode": (lambda: torch._C._len_torch_dispatch_stack(), lambda: entered(Dispatches())),
    "inference mode": (torch.is_inference_mode_enabled, lambda: entered(torch.inference_mode())),
    "gradients": (torch.is_grad_enabled, lambda: torch.set_grad_enabled(False)),
    "anomaly detection": (torch.is_anomaly_enabled, lambda: torch.autograd.set_detect_anomaly(True)),
    "deterministic": (torch.get_deterministic_debug_mode, lambda: torch.set_deterministic_debug_mode(2)),
    "warn always": (torch.is_warn_always_enabled, lambda: torch.set_warn_always(True)),
    "denormal numbers": (lambda: sys.float_info.min / 2 == 0, lambda: torch.set_flush_denormal(True)),
    "hooks of all modules": (
        lambda: len(torch.nn.modules.module._global_forward_hooks),
        lambda: torch.nn.modules.module.register_module_forward_hook(lambda *args: None),
    ),
    "torch's random numbers": (lambda: torch.get_rng_state().tolist(), lambda: torch.manual_seed(3)),
    "Python's random numbers": (random.getstate, lambda: random.seed(3)),
    "NumPy's random numbers": (lambda: str(numpy.random.get_state()), lambda: numpy.random.seed(3)),
    "recursion limit": (sys.getrecursionlimit, lambda: sys.setrecursionlimit(5000)),
    "low recursion limit": (sys.getrecursionlimit, lambda: lower_recursion_limit()),
    "trace": (sys.gettrace, lambda: sys.settrace(lambda *args: None)),
    "profile": (sys.getprofile, lambda: sys.setprofile(lambda *args: None)),
    "working directory": (os.getcwd, lambda: os.chdir("/")),
    "environment": (lambda: dict(os.environ), lambda: os.environ.update(COURSE_PROGRESS="elsewhere", PATH="")),
    "deleted environment": (lambda: dict(os.environ), lambda: os.environ.clear()),
    "SIGINT": (lambda: signal.getsignal(signal.SIGINT), lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)),
    "garbage collection": (gc.isenabled, gc.disable),
    "standard error": (lambda: id(sys.stderr), lambda: setattr(sys, "stderr", None)),
    "random numbers of a GPU": (lambda: gpu.get_state().tolist(), lambda: gpu.manual_seed(3)),
    "where modules are looked for": (lambda: list(sys.path), lambda: sys.path.clear()),
    "all modules": (lambda: id(sys.modules), lambda: setattr(sys, "modules", {})),
    "standard output": (lambda: id(sys.stdout), lambda: setattr(sys, "stdout", None)),
}


def lower_recursion_limit():
    limit = 20
    while limit != sys.getrecursionlimit():
        limit += 1
        with contextlib.suppress(RecursionError):  # it is lower than the stack is now
            sys.setrecursionlimit(limit)


@pytest.mark.parametrize("name", SWITCHES)
def test_what_was_set_is_put_back_silently(name, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "get_rng_state", lambda device: gpu.get_state())
    monkeypatch.setattr(torch.cuda, "set_rng_state", lambda state, device: gpu.set_state(state))
    read, change = SWITCHES[name]
    before = read()
    report = after(change)
    assert read() == before
    assert report.solved or name in ("default device", "low recursion limit", "standard output")
    assert "put back" not in report.message
    assert check("2.2", REFERENCE).status == "correct"


def replaces(owner, name):
    return lambda: setattr(owner, name, lambda *args, **kwargs: True)


@pytest.mark.parametrize(
    ("owner", "name", "shown"),
    [
        (torch, "allclose", "torch.allclose"),
        (torch, "equal", "torch.equal"),
        (torch.Tensor, "sum", "torch.Tensor.sum"),
        (torch.Tensor, "__matmul__", "torch.Tensor.__matmul__"),
        (F, "layer_norm", "torch.nn.functional.layer_norm"),
        (torch.nn.Module, "__call__", "torch.nn.Module.__call__"),
        (math, "sqrt", "math.sqrt"),
        (random, "random", "random.random"),
        (builtins, "sorted", "sorted"),
        (numpy, "exp", "numpy.exp"),
        (functools, "partial", "functools.partial"),
        (torch.nn, "functional", "torch.nn.functional"),
        (torch.nn.Linear, "forward", "torch.nn.Linear.forward"),
        (masks, "causal_mask", "helpers.masks.causal_mask"),
        (heads.MultiHeadAttention, "forward", "helpers.heads.MultiHeadAttention.forward"),
        (exercises, "check", "exercises.check"),
        (compare, "allclose", "feedback.compare.allclose"),
        (sandbox.Run, "sample", "feedback.sandbox.Run.sample"),
    ],
)
def test_a_replaced_function_is_put_back_and_told(owner, name, shown):
    before, own = getattr(owner, name), name in vars(owner)
    told = f"Your code changed `{shown}`, which all other code uses too; it has been put back."
    assert told in after(replaces(owner, name)).message
    assert getattr(owner, name) is before and (name in vars(owner)) is own


def test_functions_may_be_deleted():
    kept = torch.allclose, torch.softmax, torch.exp, torch.log

    def harm():
        with contextlib.suppress(AttributeError):
            del torch.allclose, torch.softmax, torch.exp, torch.log

    message = after(harm).message
    assert "and 1 more, which all other code uses too; they have been put back." in message
    assert (torch.allclose, torch.softmax, torch.exp, torch.log) == kept
    assert "put back" not in check("2.2", REFERENCE).message


def test_what_the_notebook_itself_has_changed_stays(monkeypatch):
    monkeypatch.setattr(torch.Tensor, "of_a_library", lambda self: self, raising=False)
    monkeypatch.delattr(torch, "hann_window")
    assert "put back" not in check("2.2", REFERENCE).message
    assert hasattr(torch.Tensor, "of_a_library") and not hasattr(torch, "hann_window")
    assert "`torch.equal`" in after(replaces(torch, "equal")).message


@pytest.mark.parametrize("name", ["allclose", "equal", "isclose"])
def test_a_replaced_comparison_makes_no_wrong_answer_right(name, monkeypatch):
    def wrong(scores):
        setattr(torch, name, lambda *args, **kwargs: True)
        return scores.exp()

    assert check("2.2", wrong).status == "wrong"
    monkeypatch.setattr(torch, name, lambda *args, **kwargs: True)  # in a cell of the notebook, not in the answer
    assert check("2.2", lambda scores: scores.exp()).status == "wrong"


def test_a_tensor_that_compares_as_it_likes_is_compared_all_the_same():
    class Liar(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            if function in (torch.allclose, torch.equal):
                return True
            return super().__torch_function__(function, types, args, kwargs or {})

    assert check("2.2", lambda scores: scores.exp().as_subclass(Liar)).status == "wrong"
    assert check("2.2", lambda scores: scores.softmax(-1).as_subclass(Liar)).status == "correct"


def test_a_number_of_a_module_is_put_back_and_told():
    assert "Your code changed `math.pi`" in after(lambda: setattr(math, "pi", 3.0)).message
    assert math.pi > 3


def test_modules_are_put_back_and_told():
    kept = helpers, torch

    def harm():
        sys.modules["helpers"] = sys.modules.pop("torch")

    message = after(harm).message
    assert """Your code changed `sys.modules["torch"]` and `sys.modules["helpers"]`, which""" in message
    assert (sys.modules["helpers"], sys.modules["torch"]) == kept


def test_a_thread_that_goes_on_is_told():
    ended = threading.Event()
    try:
        message = after(lambda: threading.Thread(target=ended.wait).start()).message
        assert "A thread that your code started is still running. Restarting the kernel ends it." in message
    finally:
        ended.set()
    assert "thread" not in check("2.2", REFERENCE).message


def waits_for_a_lock():
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


@pytest.mark.skipif(not hasattr(signal, "SIGURG"), reason="what waits is woken by a signal")
@pytest.mark.parametrize("wait", [waits_for_a_lock, lambda: time.sleep(600), threading.Event().wait])
def test_waiting_is_ended_and_called_by_its_name(wait, monkeypatch):
    monkeypatch.setattr(sandbox, "WAITING", 1.0)
    handler = signal.getsignal(signal.SIGURG)
    report = after(wait)
    assert report.diagnosis == "never-ends"
    assert "Your code was waiting for something (`time.sleep`, a lock, `input`), and was stopped after" in (
        report.message
    )
    assert signal.getsignal(signal.SIGURG) == handler


def test_code_that_no_signal_can_wake_is_told_of_in_the_cell(monkeypatch):
    """Off the main thread, and on Windows, `check` cannot return before the code does."""
    told = threading.Event()

    class Cell(io.StringIO):
        def flush(self):
            told.set()

    monkeypatch.setattr(sandbox, "WAITING", 0.5)
    monkeypatch.setattr(sandbox, "UNSTOPPABLE", 0.5)
    monkeypatch.setattr(sys, "stdout", cell := Cell())
    lock = threading.Lock()
    lock.acquire()
    reports = []
    thread = threading.Thread(target=lambda: reports.append(after(lock.acquire)))
    thread.start()
    assert told.wait(600)
    lock.release()
    thread.join(600)
    assert cell.getvalue().count("cannot be stopped from here: restart the kernel.") == 1
    assert cell.getvalue().startswith("Your code waits for something after ")
    assert reports[0].diagnosis == "never-ends"


def test_the_time_told_is_the_time_it_took(monkeypatch):
    monkeypatch.setattr(sandbox, "PATIENCE", 2.0)

    def loops(scores):
        while True:
            pass

    start = time.monotonic()
    message = check("2.2", loops).message
    told = int(message.partition("was still running after ")[2].split()[0])
    assert 1 <= told <= time.monotonic() - start + 0.5


def test_code_that_waits_a_little_is_not_stopped():
    assert after(lambda: time.sleep(0.2)).status == "correct"


def test_code_that_gets_little_of_the_processor_is_not_called_waiting():
    """A twentieth of one core, as next to many other processes."""
    watchdog = sandbox._Watchdog()
    watchdog.started = time.monotonic() - 20, time.process_time() - 1.0
    watchdog.ticks = 400
    assert not watchdog._is_over_time()
    watchdog.started = time.monotonic() - 20, time.process_time()
    assert watchdog._is_over_time()
    watchdog.ticks = 3  # the whole process was suspended
    assert not watchdog._is_over_time()


START = """
import os
os.environ["COURSE_PROGRESS"] = "memory"
from exercises import check
"""
CELL = """
def softmax(scores):
    {harm}
    return scores.softmax(dim=-1)
print(check("2.2", softmax))
print("THE CELL GOES ON")
"""


def in_a_process(*harms, start=START):
    code = start + "".join(CELL.format(harm=harm) for harm in harms)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=False)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
def test_the_kernel_is_neither_doubled_nor_ended():
    harms = "import os; os.fork()", "import os; os.fork() or 1 / 0", "exit()", "import sys; sys.exit()"
    done = in_a_process(*harms)
    *cards, rest = done.stdout.split("THE CELL GOES ON\n")
    assert done.returncode == 0 and rest == ""
    assert ["correct" in card for card in cards] == [True, True, False, False]
    assert all("SystemExit" in card for card in cards[2:])


@pytest.mark.skipif(not hasattr(os, "waitid"), reason="only this function tells whether a process has children")
def test_a_process_that_goes_on_is_told():
    """In a process of its own: this one may have children already, such as the browser of another test."""
    start = START + "import subprocess, sys\nstarted = []\n"
    ends = "subprocess.run([sys.executable, '-c', ''], check=True)"
    goes_on = "started.append(subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE))"
    ended, running, _ = in_a_process(ends, goes_on, start=start).stdout.split("THE CELL GOES ON\n")
    assert "correct" in ended and "process" not in ended
    assert "A process that your code started is still running. Restarting the kernel ends it." in running


def test_what_pytorch_replaces_when_it_is_imported_stays():
    """torch.manual_seed is another function once torch._dynamo is imported, which some functions do when called."""
    done = in_a_process("import torch._dynamo")
    assert "correct" in done.stdout and "put back" not in done.stdout


def test_a_version_of_pytorch_may_lack_private_names(monkeypatch):
    assert len(kernel_state._modes("torch.overrides", "_get_current_function_mode_stack")) == 1
    monkeypatch.delattr(torch.overrides, "_push_mode")
    assert kernel_state._modes("torch.overrides", "_get_current_function_mode_stack") == []


@pytest.mark.skipif(not hasattr(signal, "SIGURG"), reason="on Windows another signal is sent")
def test_the_interrupt_of_a_learner_reaches_code_that_waits():
    harm = "import threading, time; threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT]).start(); time.sleep(60)"
    done = in_a_process(harm, start="import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n" + START)
    assert "KeyboardInterrupt" in done.stderr and "THE CELL GOES ON" not in done.stdout


def contains_itself(x):
    x = []
    x.append(x)
    return x


class Unreadable(Exception):
    def __str__(self):
        raise ZeroDivisionError


class Odd:
    def __repr__(self):
        raise ZeroDivisionError

    __eq__ = __str__ = __repr__
    __hash__ = object.__hash__


class Endless(list):
    def __len__(self):
        raise ZeroDivisionError


class Shapeless(torch.Tensor):
    @property
    def shape(self):
        raise ZeroDivisionError


class Mute(Exception):
    @property
    def args(self):
        raise ZeroDivisionError


def raises(error):
    def code(x):
        raise error

    return code


READING = "Looking at what your code returned or raised gave ZeroDivisionError, at your line"


def puts_something_odd_into_its_input(text, vocabulary):
    vocabulary["the"] = Odd()
    return []


@pytest.mark.parametrize(
    ("id", "code", "told"),
    [
        ("0.1", contains_itself, "Your code returned a list that contains itself."),
        ("1.1", lambda text, vocabulary: contains_itself(text), "Your code returned a list that contains itself."),
        ("0.1", raises(Unreadable()), "Unreadable: its text cannot be shown, since making it raised ZeroDivisionError"),
        ("0.1", raises(ValueError(Odd())), "ValueError: its text cannot be shown"),
        ("0.1", lambda x: (sys.stdout.close(), x.mean(1))[1], "Correct on"),
        ("0.1", raises(Mute()), READING),
        ("1.1", lambda text, vocabulary: Endless([1]), READING),
        ("0.1", lambda x: x.mean(1).as_subclass(Shapeless), READING),
        ("1.1", puts_something_odd_into_its_input, "changed its input vocabulary"),
    ],
)
def test_what_is_odd_is_not_called_a_mistake_of_the_course(id, code, told, monkeypatch):
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    monkeypatch.delenv("COURSE_DEBUG", raising=False)
    message = check(id, code).message
    assert told in message and "mistake in the course" not in message
