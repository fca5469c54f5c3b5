"""After a check the kernel is as it was before, or the card says what was changed: each way to change it is tried."""

import builtins
import contextlib
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

from exercises import EXERCISES, check
from feedback import compare, sandbox
from helpers import heads

REFERENCE = EXERCISES["2.2"].reference
gpu = torch.Generator()  # stands in for the generator of a GPU
forever = []  # keeps what an answer made, like a global variable of a notebook


def entered(context):
    forever.append(context)
    context.__enter__()


def after(harm):
    """The report on a right answer that calls harm() first."""

    def softmax(scores):
        harm()
        return scores.softmax(dim=-1)

    return check("2.2", softmax)


SWITCHES = {
    "threads": (torch.get_num_threads, lambda: torch.set_num_threads(3)),
    "default device": (torch.get_default_device, lambda: torch.set_default_device("meta")),
    "default dtype": (torch.get_default_dtype, lambda: torch.set_default_dtype(torch.float64)),
    "autocast": (lambda: torch.is_autocast_enabled("cpu"), lambda: entered(torch.autocast("cpu"))),
    "inference mode": (torch.is_inference_mode_enabled, lambda: entered(torch.inference_mode())),
    "gradients": (torch.is_grad_enabled, lambda: torch.set_grad_enabled(False)),
    "torch's random numbers": (lambda: torch.get_rng_state().tolist(), lambda: torch.manual_seed(3)),
    "Python's random numbers": (random.getstate, lambda: random.seed(3)),
    "NumPy's random numbers": (lambda: str(numpy.random.get_state()), lambda: numpy.random.seed(3)),
    "recursion limit": (sys.getrecursionlimit, lambda: sys.setrecursionlimit(5000)),
    "trace": (sys.gettrace, lambda: sys.settrace(lambda *args: None)),
    "working directory": (os.getcwd, lambda: os.chdir("/")),
    "environment": (lambda: dict(os.environ), lambda: os.environ.update(COURSE_PROGRESS="elsewhere", PATH="")),
    "random numbers of a GPU": (lambda: gpu.get_state().tolist(), lambda: gpu.manual_seed(3)),
    "all modules": (lambda: id(sys.modules), lambda: setattr(sys, "modules", {})),
    "standard output": (lambda: id(sys.stdout), lambda: setattr(sys, "stdout", None)),
}


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
    assert report.solved or name in ("default device", "standard output")
    assert "put back" not in report.message
    assert check("2.2", REFERENCE).status == "correct"


def replaces(owner, name):
    return lambda: setattr(owner, name, lambda *args, **kwargs: True)


@pytest.mark.parametrize(
    ("owner", "name", "shown"),
    [
        (torch.Tensor, "__matmul__", "torch.Tensor.__matmul__"),
        (builtins, "sorted", "sorted"),
        (heads.MultiHeadAttention, "forward", "helpers.heads.MultiHeadAttention.forward"),
        (compare, "allclose", "feedback.compare.allclose"),
        (sandbox.Run, "sample", "feedback.sandbox.Run.sample"),
    ],
)
def test_a_replaced_function_is_put_back_and_told(owner, name, shown):
    before, own = getattr(owner, name), name in vars(owner)
    told = f"Your code changed `{shown}`, which all other code uses too; it has been put back."
    assert told in after(replaces(owner, name)).message
    assert getattr(owner, name) is before and (name in vars(owner)) is own


def test_functions_may_be_deleted_and_numbers_of_a_module_changed():
    kept = torch.allclose, torch.softmax, torch.exp, math.pi

    def harm():
        with contextlib.suppress(AttributeError):
            math.pi = 3.0
            del torch.allclose, torch.softmax, torch.exp

    assert "and 1 more, which all other code uses too; they have been put back." in after(harm).message
    assert (torch.allclose, torch.softmax, torch.exp, math.pi) == kept


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


def waits_for_a_lock():
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


@pytest.mark.skipif(not hasattr(signal, "SIGURG"), reason="what waits is woken by a signal")
@pytest.mark.parametrize("wait", [waits_for_a_lock, lambda: time.sleep(600)])
def test_waiting_is_ended_and_called_by_its_name(wait, monkeypatch):
    monkeypatch.setattr(sandbox, "LONGEST", 0.5)
    handler = signal.getsignal(signal.SIGURG)
    report = after(wait)
    says = "Your code was waiting for something (`time.sleep`, a lock, `input`), and was stopped after"
    assert report.diagnosis == "never-ends" and says in report.message
    assert signal.getsignal(signal.SIGURG) == handler
    assert after(lambda: time.sleep(0.1)).status == "correct"


WAITS = """
import os, signal, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ["COURSE_PROGRESS"] = "memory"
from exercises import check
def softmax(scores):
    threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT]).start()
    time.sleep(60)
print(check("2.2", softmax))
print("THE CELL GOES ON")
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGURG"), reason="on Windows another signal is sent")
def test_the_interrupt_of_a_learner_reaches_code_that_waits():
    done = subprocess.run([sys.executable, "-c", WAITS], capture_output=True, text=True, timeout=600)
    assert "KeyboardInterrupt" in done.stderr and "THE CELL GOES ON" not in done.stdout


class Odd(Exception):
    """An exception that can be neither printed nor compared."""

    def __repr__(self):
        raise ZeroDivisionError

    __eq__ = __str__ = __repr__
    __hash__ = object.__hash__


class Shapeless(torch.Tensor):
    @property
    def shape(self):
        raise ZeroDivisionError


def raises_something_odd(x):
    raise Odd


def puts_something_odd_into_its_input(text, vocabulary):
    vocabulary["the"] = Odd()
    return []


READING = "Looking at what your code returned or raised gave ZeroDivisionError, at your line"


@pytest.mark.parametrize(
    ("id", "code", "told"),
    [
        ("0.1", raises_something_odd, READING),
        ("0.1", lambda x: x.mean(1).as_subclass(Shapeless), READING),
        ("1.1", puts_something_odd_into_its_input, "changed its input vocabulary"),
    ],
)
def test_what_is_odd_is_not_called_a_mistake_of_the_course(id, code, told):
    message = check(id, code).message
    assert told in message and "mistake in the course" not in message
