"""Behavioral tests on what code makes on its way: how large its tensors are."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Watching(TorchDispatchMode):
    """A mode that is not kept from compilers, for which PyTorch would import torch._dynamo: that takes a second."""

    @classmethod
    def _should_skip_dynamo(cls):
        return False  # nothing is compiled here; versions of PyTorch without this question never call it


class LargestTensor(Watching):
    """While it is active, the shape of the tensor with most elements that any operation of PyTorch makes.

    A view counts with the elements that it shows, so an expanded tensor counts whole: what reads it makes that many
    products.
    """

    def __init__(self):
        super().__init__()
        self.shape = torch.Size()
        self.elements = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        for tensor in result if isinstance(result, tuple | list) else (result,):
            if isinstance(tensor, torch.Tensor) and tensor.numel() > self.elements:
                self.elements, self.shape = tensor.numel(), tensor.shape
        return result


def largest_made(function, *args):
    """The shape of the largest tensor that is made while function(*args) runs."""
    with LargestTensor() as seen, torch.no_grad():
        function(*args)
    return seen.shape
