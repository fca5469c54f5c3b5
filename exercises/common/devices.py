"""Behavioral tests by device: do tensors that are made on the CPU meet those of a module that has moved?"""

import re

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves


class DevicesMeet(TorchFunctionMode):
    """Notes whether tensors of two devices meet in one call where they may not: a single number may, and an index.

    What is written into a tensor on the CPU stays there, so that counts too.
    """

    found = False

    def __torch_function__(self, function, types, args=(), kwargs=None):
        given = [x for x in tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor) and x.dim()]
        free = re.search(r"index|item|^to$|^type_as$|copy", function.__name__)
        into_the_cpu = function.__name__ == "__setitem__" and args[0].device.type == "cpu"
        self.found |= len({x.device.type for x in given}) > 1 and (into_the_cpu or not free)
        return function(*args, **(kwargs or {}))
