"""Run a learner's function on tensors on a GPU, or on the CPU if it only works there, where it was checked."""

from __future__ import annotations

import contextlib
import copy
import functools
from collections.abc import Callable
from typing import Any

import torch

from feedback import tree


def on_any_device(function: Callable, title: str) -> Callable:
    """Wrap a function for tensors on any device. If it fails there, or returns tensors elsewhere, it runs on the CPU.

    The first time this happens, it prints a line that says so.

    Errors: those of the function
    """
    has_said_so = False

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal has_said_so
        there = next((device for device in _devices((*args, *kwargs.values())) if device.type != "cpu"), None)
        if there is None:
            return function(*args, **kwargs)
        with contextlib.suppress(Exception):
            result = function(*args, **kwargs)
            if _devices((result,)) <= {there}:
                return result
        to_cpu = functools.partial(_for_the_cpu, there=there)
        result = function(*map(to_cpu, args), **{name: to_cpu(value) for name, value in kwargs.items()})
        if not has_said_so:
            print(
                f"Exercise {title}: yours only works on the CPU, so it runs there. To run it on {there}, make its new "
                "tensors with device=x.device, and do without NumPy."
            )
        has_said_so = True
        return _to(there, result)

    return call


def _devices(values: tuple) -> set[torch.device]:
    return {value.device for value in tree.flatten(values) if isinstance(value, torch.Tensor)}


def _to(device: Any, value: Any) -> Any:
    return tree.map_tensors(lambda tensor: tensor.to(device), value)


def _for_the_cpu(value: Any, there: torch.device) -> Any:
    """Move an argument to the CPU: a module is copied, and a function is wrapped to compute on its old device."""
    if isinstance(value, torch.nn.Module):
        return copy.deepcopy(value).cpu()
    if callable(value):
        return lambda *args: _to("cpu", value(*_to(there, args)))
    return _to("cpu", value)
