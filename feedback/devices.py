"""A learner's function on a GPU: if it only works on the CPU, on which it was checked, it runs there."""

from __future__ import annotations

import contextlib
import copy
import functools
from collections.abc import Callable
from typing import Any

import torch

from feedback import tree


def on_any_device(function: Callable, title: str) -> Callable:
    """The same function for tensors on any device. If it fails there, or returns to the CPU, it runs on the CPU.

    The first time it does, it prints a line that says so.

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
    """An argument for code on the CPU: a module is copied, and a function goes on calculating where its tensors are."""
    if isinstance(value, torch.nn.Module):
        return copy.deepcopy(value).cpu()
    if callable(value):
        return lambda *args: _to("cpu", value(*_to(there, args)))
    return _to("cpu", value)
