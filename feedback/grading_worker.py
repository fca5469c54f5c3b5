"""The process in which `grading_rerun` runs a notebook's code; its results are judged in another process.

No reference, no expected result and no misconception is ever in this process. It receives cells, and how and with what
arguments answers are called; it sends back numbers and strings.
"""

from __future__ import annotations

import base64
import faulthandler
import json
import os
import pickle
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NamedTuple

import torch
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from feedback import tree
from feedback.errors import first_line
from feedback.sandbox import run, session

LONGEST_CELL = 30  # seconds
LONGEST_TASK = 45  # seconds; an answer that is still running then has resisted every attempt to stop it
RESISTS = 5  # seconds after LONGEST_CELL at which a cell that is still running ends this process


class Answer(NamedTuple):
    """A place in a notebook at which an answer is taken: the exercise's id, and the name of the function or class."""

    id: str
    name: str


@dataclass(frozen=True)
class Task:
    """A request to run an answer: call(answer, *args) for each of these arguments."""

    name: str
    call: Callable
    arguments: list[tuple]


@dataclass(frozen=True)
class Work:
    """What this process is sent: cells and tasks in the notebook's order, and the package that must not be imported."""

    steps: list[str | Task]
    package: str


def main() -> None:
    work: Work = pickle.load(sys.stdin.buffer)
    output = os.fdopen(os.dup(1), "w", encoding="ascii")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    sys.modules[work.package] = _stand_in(work.package)
    settings = Config()
    settings.HistoryManager.enabled = False
    shell = InteractiveShell.instance(config=settings)
    for step in work.steps:
        limit = LONGEST_CELL + RESISTS if isinstance(step, str) else LONGEST_TASK
        faulthandler.dump_traceback_later(limit, exit=True, file=nowhere)  # needs no GIL, unlike a thread of Python
        if isinstance(step, str):
            _run_cell(shell, step)
        else:
            output.write(json.dumps(_results(step, shell.user_ns)) + "\n")
            output.flush()


def _stand_in(package: str) -> ModuleType:
    """A module whose functions do nothing: `check` has no effect, and `yours` returns the learner's own answer."""

    def gives_back(*given: Any, **options: Any) -> Any:
        return given[1] if len(given) > 1 else None

    def attribute(name: str) -> Callable:
        if name.startswith("__"):
            raise AttributeError(name)
        return gives_back

    module = ModuleType(package)
    module.__path__ = []
    module.__getattr__ = attribute  # type: ignore[method-assign]
    return module


def _run_cell(shell: InteractiveShell, source: str) -> None:
    """Run a cell as a kernel does, and ignore what it raises."""
    limited = hasattr(signal, "setitimer")
    if limited:
        signal.signal(signal.SIGALRM, _stop)
        signal.setitimer(signal.ITIMER_REAL, LONGEST_CELL, 1)
    try:
        shell.run_cell(source, store_history=True)
    except BaseException:
        pass
    finally:
        if limited:
            signal.setitimer(signal.ITIMER_REAL, 0)


def _stop(*signal_and_frame: Any) -> None:
    raise KeyboardInterrupt


def _results(task: Task, names: dict[str, Any]) -> list[dict]:
    """Call the answer with one set of arguments after the other until a call fails, and return the results."""
    found: list[dict] = []
    if task.name not in names:
        return [{"error": f"there is no {task.name}"}]
    with session():
        for args in task.arguments:
            record = run(task.call, names[task.name], args)
            if record.error is not None:
                return [*found, {"error": first_line(record.error)}]
            try:
                found.append({"value": encoded(record.value)})
            except Exception as error:  # such as for a meta tensor, which holds no numbers
                return [*found, {"error": first_line(error)}]
    return found


# ---------------------------------------------------------------- numbers and texts


def encoded(value: Any) -> Any:
    """Convert a result to JSON's types: tensors, numbers, strings, None, and tuples or lists of these."""
    value = tree.snapshot(value)
    if type(value) is torch.Tensor and value.layout == torch.strided:
        plain = torch.empty(value.shape, dtype=value.dtype).copy_(value.detach())  # whatever its strides are
        numbers = plain.view(-1).view(torch.uint8).numpy().tobytes()
        return {"dtype": str(plain.dtype), "shape": list(plain.shape), "numbers": base64.b64encode(numbers).decode()}
    if isinstance(value, (tuple, list)):
        return {"tuple" if isinstance(value, tuple) else "list": [encoded(item) for item in value]}
    kind = tree.plain(value)
    return value if value is None else kind(value) if kind else {"other": type(value).__name__}


def decoded(data: Any) -> Any:
    """The result that was encoded; `data` may be anything, since it comes from a learner's process.

    Errors: ValueError, TypeError, KeyError or RuntimeError if `encoded` did not make it
    """
    if not isinstance(data, dict):
        return data
    if "numbers" in data:
        dtype = _DTYPES[data["dtype"]]
        numbers = bytearray(base64.b64decode(data["numbers"]))
        return (torch.frombuffer(numbers, dtype=dtype) if numbers else torch.empty(0, dtype=dtype)).view(data["shape"])
    if "tuple" in data:
        return tuple(map(decoded, data["tuple"]))
    return list(map(decoded, data["list"])) if "list" in data else Other()


class Other:
    """Something that is neither a tensor nor a number nor a text."""


_DTYPES = {str(value): value for value in vars(torch).values() if isinstance(value, torch.dtype)}

if __name__ == "__main__":
    main()
