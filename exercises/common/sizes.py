"""Modes that watch intermediate tensors, for behavioral tests: their sizes, and the arguments they are made from."""

import torch
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class Watching(TorchDispatchMode):
    """A mode without PyTorch's guard against compilers, which would import torch._dynamo and take a second."""

    @classmethod
    def _should_skip_dynamo(cls):
        return False  # nothing is compiled here; older versions of PyTorch never call this


class LargestTensor(Watching):
    """Records the shape of the largest tensor that any operation of PyTorch makes.

    A view counts with all elements that it shows, even if it is expanded, since an operation on it computes as many
    results.
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
    """Records from which arguments, by index, the content of each storage was computed.

    held_of   arguments; `most` is the largest count of numbers computed from all of them and held at the same time
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
        """Return the shape of the first tensor computed from all `wanted` arguments and none of `without`, or None."""
        return next((shape for shape, found in self.made if wanted <= found and not found & without), None)


def memory(tensor):
    """Return a key that all views of one storage share; while it exists, no other storage has an equal key."""
    return StorageWeakRef(tensor.untyped_storage())
