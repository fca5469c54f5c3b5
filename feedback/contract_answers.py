"""Wrong answers that break the contract of an exercise, generated from its reference.

Each wraps a right answer so that it returns nothing or another type, dtype or shape, changes an input, cuts the
gradient, returns the same tensor again and again, or adds random numbers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import torch

from feedback import tree
from feedback.exercise import Exercise, FunctionRunner
from feedback.observations import known


def contract_answers(exercise: Exercise) -> Iterator[tuple[str, Callable, str]]:
    """Yield (what it does, the answer, the diagnosis that it must get unless a known mistake behaves alike)."""
    expected = known(exercise).expected
    leaf = next(iter(tree.flatten((expected[0],))))
    if exercise.runner.call is not FunctionRunner().call and exercise.runner.kind == "function":
        return  # its runner turns what the answer returns into something else
    yield "returns nothing", _returning(exercise, lambda value: None), "returns-none"
    if not isinstance(leaf, torch.Tensor):
        return
    changes = {
        "returns a list": (torch.Tensor.tolist, "returns-wrong-type"),
        "returns an array": (lambda x: x.detach().numpy(), "returns-wrong-type"),
        "has one more axis": (lambda x: x.unsqueeze(0), "wrong-shape"),
    }
    if leaf.is_floating_point():
        changes["is float64"] = lambda x: x.double() if x.dtype == torch.float32 else x.float(), "wrong-dtype"
        changes["is float16"] = torch.Tensor.half, "wrong-dtype"
    for name, (change, diagnosis) in changes.items():
        yield name, _returning(exercise, functools.partial(_on_first, change)), diagnosis
    if any(isinstance(value, torch.Tensor) and value.is_floating_point() for value in exercise.cases[0].args):
        yield "changes an input", _changing_inputs(exercise), "changes-input"
    if any(test.id == "no-gradients" for test in exercise.behavioral_tests):
        cut = functools.partial(tree.map_tensors, torch.Tensor.detach)
        yield "cuts the gradient", _returning(exercise, cut), "no-gradients"
    if not hasattr(exercise.comparison, "summary") and leaf.is_floating_point():
        shapes = [next(iter(tree.flatten((value,)))).shape for value in expected]
        if len(set(shapes)) < len(shapes):  # otherwise no result is overwritten
            yield "returns one tensor again and again", _returning(exercise, _handing_out_one_tensor()), "shared-result"
        noisy = functools.partial(_on_first, lambda x: x + 0.1 * torch.rand_like(x))
        yield "adds random numbers", _returning(exercise, noisy), "not-repeatable"


def _returning(exercise: Exercise, change: Callable[[Any], Any]) -> Callable:
    """Wrap the reference so that its result is changed."""
    return _around(exercise, lambda right, args, options: change(right(*args, **options)))


def _changing_inputs(exercise: Exercise) -> Callable:
    def call(right: Callable, args: tuple, options: dict) -> Any:
        value = tree.snapshot(right(*args, **options))
        for each in args:
            if isinstance(each, torch.Tensor) and each.is_floating_point():
                each.data.add_(1)
        return value

    return _around(exercise, call)


def _around(exercise: Exercise, call: Callable[[Callable, tuple, dict], Any]) -> Callable:
    """Wrap the reference: the answer returns call(right, args, options), where `right` is the reference."""
    right: Any = exercise.reference
    if not isinstance(right, type):
        return functools.wraps(right)(lambda *args, **options: call(right, args, options))
    forward = right.forward  # type: ignore[attr-defined]  # a module has one

    @functools.wraps(forward)
    def around(self: Any, *args: Any, **options: Any) -> Any:
        return call(functools.partial(forward, self), args, options)

    return type(right.__name__, (right,), {"forward": around})


def _on_first(change: Callable, value: Any) -> Any:
    """Change the first tensor of a result."""
    if isinstance(value, tuple):
        return (_on_first(change, value[0]), *value[1:])
    return change(value)


def _handing_out_one_tensor() -> Callable[[Any], Any]:
    """Return a function that keeps one tensor for each shape, and overwrites and returns it each time."""
    kept: dict[tuple, torch.Tensor] = {}
    return functools.partial(
        _on_first, lambda x: kept.setdefault((x.shape, x.dtype), torch.empty_like(x)).detach().copy_(x)
    )
