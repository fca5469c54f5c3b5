"""Behavioral tests on what code makes on its way: how large its tensors are, and of which arguments they are made."""

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


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


class MadeFrom(Watching):
    """While it is active, of which arguments, by number, the numbers in each memory were computed.

    held_of   what `most` counts: numbers that were computed of all these arguments and are held at the same time
    """

    def __init__(self, *args, held_of=()):
        super().__init__()
        self.sources = {memory(x): {i} for i, x in enumerate(args)}
        self.made, self.held, self.held_of, self.most = [], {}, set(held_of), 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        tensors = [x for x in tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor)]
        found = set().union(*(self.sources.get(memory(x), ()) for x in tensors))
        for x in tree_leaves(result):
            if isinstance(x, torch.Tensor):
                self.made.append((x.shape, found))
                self.sources[memory(x)] = self.sources.get(memory(x), set()) | found
                if self.held_of and self.held_of <= found:
                    self.held[memory(x)] = x.untyped_storage().nbytes() // x.element_size()
        self.held = {there: count for there, count in self.held.items() if not there.expired()}
        self.most = max(self.most, sum(self.held.values()))
        return result

    def first(self, wanted, without):
        """The shape of the first tensor that was computed of all wanted arguments and of none `without`, or None."""
        return next((shape for shape, found in self.made if wanted <= found and not found & without), None)


def memory(tensor):
    """What views of one memory have in common; as long as this is kept, no other memory equals it."""
    return StorageWeakRef(tensor.untyped_storage())
