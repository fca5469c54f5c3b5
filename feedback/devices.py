"""A learner's function on a GPU: if it only works on the CPU, on which it was checked, it runs there."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable
from typing import Any

import torch

from feedback import tree


def anywhere(function: Callable, title: str) -> Callable:
    """The same function for tensors on any device. If its own do not follow them, it runs on the CPU, as a line says.

    Errors: those of the function
    """
    told = False

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal told

        def run(given: tuple) -> Any:
            return function(*given[: len(args)], **dict(zip(kwargs, given[len(args) :], strict=True)))

        given = (*args, *kwargs.values())
        there = next((device for device in _devices(given) if device.type != "cpu"), None)
        if there is None:
            return run(given)
        with contextlib.suppress(Exception):
            result = run(given)
            if _devices((result,)) <= {there}:
                return result
        result = run(tree.map_tensors(torch.Tensor.cpu, given))
        if not told:
            print(
                f"Exercise {title}: yours only works on the CPU, so it runs there. To run it on {there}, make its new "
                "tensors with device=x.device, and do without NumPy."
            )
        told = True
        return tree.map_tensors(lambda tensor: tensor.to(there), result)

    return call


def _devices(values: tuple) -> set[torch.device]:
    return {value.device for value in tree.flatten(values) if isinstance(value, torch.Tensor)}
