"""Walk through results, which are tensors, lists, numbers, strings, or nested tuples of these."""

from __future__ import annotations

import copy as copies
from collections.abc import Callable
from functools import lru_cache
from numbers import Integral, Real
from typing import Any

import torch
from torch import allclose, equal  # bound at import: a notebook may replace torch's functions

PLAIN = {bool: bool, str: str, Integral: int, Real: float}  # in this order: a bool is an Integral, and that is a Real


def flatten(values: tuple) -> list:
    """The leaves of nested tuples, in order."""
    return [leaf for value in values for leaf in (flatten(value) if isinstance(value, tuple) else [value])]


def map_tensors(function: Callable, value: Any) -> Any:
    """The same structure with function(tensor) in place of each tensor."""
    if isinstance(value, tuple):
        return tuple(map_tensors(function, item) for item in value)
    return function(value) if isinstance(value, torch.Tensor) else value


def detach(value: Any) -> Any:
    """Detach all tensors, so that their numbers can be read."""
    return map_tensors(torch.Tensor.detach, value)


def copy(value: Any) -> Any:
    """Copy arguments, so that a learner's code changes only the copy."""
    if type(value) is torch.Tensor:
        return value.clone() if not value.requires_grad else copies.deepcopy(value)
    if type(value) is tuple:
        return tuple(copy(item) for item in value)
    if isinstance(value, torch.nn.Module) and not hasattr(type(value), "__deepcopy__"):
        return copy_of_module(value)
    return copies.deepcopy(value)


def copy_of_module(module: torch.nn.Module) -> torch.nn.Module:
    """Copy a module without hooks like deepcopy, in a tenth of the time: every test case copies its layers."""
    twin = object.__new__(type(module))
    for name, value in vars(module).items():
        vars(twin)[name] = value.copy() if isinstance(value, (dict, list)) else value
    for name, parameter in module._parameters.items():
        if parameter is not None:
            twin._parameters[name] = torch.nn.Parameter(parameter.detach().clone(), parameter.requires_grad)
    for name, buffer in module._buffers.items():
        twin._buffers[name] = copy(buffer)
    for name, child in module._modules.items():
        twin._modules[name] = copy(child)
    return twin


def snapshot(value: Any) -> Any:
    """Copy a result: a later call may write into the tensors and lists that were returned."""
    if type(value) is tuple:
        return tuple(snapshot(item) for item in value)
    if type(value) is torch.Tensor:
        return value.clone()
    if isinstance(value, torch.Tensor):  # a learner's own subclass may override any operation
        with torch._C.DisableTorchFunctionSubclass():
            return value.as_subclass(torch.Tensor).clone()
    return [snapshot(item) for item in value] if type(value) is list else value


def is_dense(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.layout == torch.strided


def sample(value: Any) -> list[float]:
    """A few numbers from all over the tensors of a result."""
    tensors = [x for x in flatten((value,)) if type(x) is torch.Tensor and x.layout == torch.strided and x.is_cpu]
    return [number for x in tensors for number in x.detach().flatten()[:: x.numel() // 8 + 1].tolist()]


def plain(value: Any) -> type | None:
    """The plain type of a value: bool, int, float or str, also for NumPy's scalars; None for anything else."""
    return _plain(type(value))  # type: ignore[arg-type]  # a class is hashable


@lru_cache(maxsize=256)  # asked for every entry of a list
def _plain(cls: type) -> type | None:
    if cls.__module__ == "numpy" and cls.__name__ in ("bool", "bool_"):  # NumPy's bool is not a number type
        return bool
    return next((kind for base, kind in PLAIN.items() if issubclass(cls, base)), None)


def named(names: Any, *values: Any) -> list[tuple]:
    """(name, its value in each of `values`), one for each leaf of the nested names, in order."""
    if not isinstance(names, tuple):
        return [(names, *values)]
    return [part for inner in zip(names, *values, strict=True) for part in named(*inner)]


def unchanged(a: Any, b: Any) -> bool:
    """Whether two arguments are the same number for number, NaN included, and agree in requires_grad."""
    if a is b or type(a) is not type(b):
        return a is b
    if isinstance(a, torch.Tensor):
        alike = a.shape == b.shape and a.dtype == b.dtype and a.requires_grad == b.requires_grad
        return alike and (equal(a, b) or (a.is_floating_point() and allclose(a, b, 0, 0, equal_nan=True)))
    if isinstance(a, torch.nn.Module):  # two copies are never ==: what is registered in them is compared
        return all(unchanged(getattr(a, part), getattr(b, part)) for part in ("_parameters", "_buffers", "_modules"))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(unchanged(a[name], b[name]) for name in a)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(unchanged(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b)
