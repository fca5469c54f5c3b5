"""Behavioral tests about devices: does code combine tensors on the CPU with those of a module that was moved?"""

import contextlib
import re

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves, tree_map

from feedback import BehavioralTest


class Moved(TorchFunctionMode):
    """Simulates a module and its input on another device, and records whether tensors of both devices meet in a call.

    `drawn_there`: a CPU generator was used to draw on the other device, for which PyTorch would raise.

    Everything is computed on the CPU, with real numbers. An attribute marks the tensors that were moved, those computed
    from them, and those made with their `device`. (PyTorch's meta device takes long to start.)
    """

    ELSEWHERE = torch.device("meta")
    MAY_MEET = re.compile("index|item|^to$|^type_as$|copy")  # 0-d tensors may meet others, too

    def __init__(self, *tensors):
        super().__init__()
        self.met = self.drawn_there = False
        for tensor in tensors:
            tensor.moved = True

    def __torch_function__(self, function, types, args=(), kwargs=None):
        name, kwargs = function.__name__, kwargs or {}
        leaves = tree_leaves((args, kwargs))
        given = [x for x in leaves if isinstance(x, torch.Tensor)]
        devices = [x for x in leaves if isinstance(x, torch.device)]
        if function == torch.Tensor.device.__get__ and is_moved(given[0]):
            return self.ELSEWHERE
        if function is torch.device:
            return function(*args, **kwargs)
        moves = self.moves(name, devices, given)
        into_the_cpu = name == "__setitem__" and not is_moved(args[0])  # a tensor on the CPU stays there
        meet = len({is_moved(x) for x in given if x.dim()}) > 1
        self.met |= meet and (into_the_cpu or not self.MAY_MEET.search(name))
        self.drawn_there |= moves and kwargs.get("generator") is not None
        if devices:
            args, kwargs = tree_map(lambda x: torch.device("cpu") if isinstance(x, torch.device) else x, (args, kwargs))
        result = function(*args, **kwargs)
        for x in tree_leaves(result):
            if isinstance(x, torch.Tensor):
                x.moved = moves or x.device == self.ELSEWHERE  # made inside `with x.device:`
        return result

    def moves(self, name, devices, given):
        """Return whether the result of a call is on the other device."""
        if name in ("cpu", "numpy") or devices:
            return self.ELSEWHERE in devices
        return is_moved(given[-1]) if name in ("to", "type_as") else any(is_moved(x) for x in given)


def is_moved(tensor):
    return getattr(tensor, "moved", False)


def moved(module):
    """Mark all tensors of a module as moved; return the module."""
    for tensor in (*module.parameters(), *module.buffers()):
        tensor.moved = True
    return module


def keeps_to_the_device(name, *args, call=lambda attempt, *args: attempt(*args), hint=""):
    """Return a required test: if inputs are on another device, no CPU tensor meets them, and the result is there, too.

    name    the argument whose device the result, or each part of it, must have
    hint    replaces the usual one
    """

    def test(attempt):
        given, result = [x.clone() if isinstance(x, torch.Tensor) else x for x in args], None
        with contextlib.suppress(Exception), Moved(*(x for x in given if isinstance(x, torch.Tensor))) as device:
            result = call(attempt, *given)
        if device.drawn_there:
            what = "a generator of the CPU was to draw there, and PyTorch raises an error."
        elif device.met:
            what = "a tensor that your code had made on the CPU met it."
        elif not all(is_moved(x) for x in tree_leaves(result) if isinstance(x, torch.Tensor)):
            what = "your result came back on the CPU."
        else:
            return None
        return f"The numbers are right, but only on the CPU: where {name} was moved to another device, {what}"

    return BehavioralTest(
        "stays-on-the-cpu",
        test,
        hint or f"On which device does a new tensor lie, if nothing is said? `{name}.device` is where it is needed.",
        required=True,
        while_doing="on another device,",
    )
