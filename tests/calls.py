"""How much work something is: a count is the same on every machine, and a time is not."""

from torch.overrides import TorchFunctionMode


class Calls(TorchFunctionMode):
    """`with Calls() as calls:` counts the calls of PyTorch's functions in this thread."""

    count = 0

    def __torch_function__(self, function, types, args=(), kwargs=None):
        self.count += 1
        return function(*args, **(kwargs or {}))
