"""A fake GPU: the CPU playing "cuda". Tensors that are moved there keep their numbers and refuse to mix with others.

Code that runs on it moves all of its tensors, or creates them on the right device. This does not show that a real
GPU's arithmetic gives the same digits.
"""

from functools import cache

import torch
from torch.overrides import TorchFunctionMode, resolve_name

GPU, CPU = torch.device("cuda", 0), torch.device("cpu")
ANSWERS = {"device": GPU, "is_cuda": True, "is_cpu": False}
MIXING = {"to", "copy_", "__getitem__", "__setitem__", "_has_compatible_shallow_copy_type"}  # may mix devices


class tensor(torch.Tensor):  # noqa: N801  PyTorch prints the name of the class
    """A tensor on the fake GPU."""

    def __deepcopy__(self, memo):
        copied = self.detach().clone().requires_grad_(self.requires_grad)
        copied._is_param = isinstance(self, torch.nn.Parameter)
        return copied


class FakeGpu(TorchFunctionMode):
    """While it is active, every call from Python to PyTorch passes through here."""

    def __enter__(self):
        self.swaps = torch.__future__.get_swap_module_params_on_conversion()
        torch.__future__.set_swap_module_params_on_conversion(True)  # a module's .to() takes the class along
        return super().__enter__()

    def __exit__(self, *exception):
        torch.__future__.set_swap_module_params_on_conversion(self.swaps)
        return super().__exit__(*exception)

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        full_name = name_of(function)
        name = full_name.removesuffix(".__get__").rpartition(".")[2]
        given = [*tensors_in(args), *tensors_in(kwargs.values())]
        there = [x for x in given if isinstance(x, tensor)]
        if there and name not in MIXING and any(x.dim() > 0 for x in given if not isinstance(x, tensor)):
            raise RuntimeError(f"Expected all tensors to be on the same device, but found {GPU} and {CPU} in {name}")
        if there and name in ANSWERS:
            return ANSWERS[name]
        if there and name in ("numpy", "__array__"):
            raise TypeError(f"can't convert {GPU} device type tensor to numpy: copy it with Tensor.cpu() first")
        if there and full_name == "torch.Tensor.grad.__get__":
            gradient = function(*args, **kwargs)
            return None if gradient is None else gradient.as_subclass(tensor)
        wanted = requested_device(name, args, kwargs)
        if wanted is None:
            return function(*args, **kwargs)
        if name == "cuda":
            function, args = torch.Tensor.cpu, args[:1]
        made = function(*map(on_cpu, args), **{key: on_cpu(value) for key, value in kwargs.items()})
        return (made.clone() if given else made).as_subclass(tensor if wanted == "cuda" else torch.Tensor)


@cache  # without it, looking up names takes a quarter of the time
def name_of(function):
    return resolve_name(function) or function.__name__


def tensors_in(values):
    """The tensors among the values, and in lists, tuples and dictionaries among them."""
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_in(value)
        elif isinstance(value, dict):
            yield from tensors_in(value.values())


def requested_device(name, args, kwargs):
    """The type of device that a call asks for: "cuda", "cpu" or None."""
    if name in ("cuda", "cpu"):
        return name
    named = [*args[1:2], kwargs.get("other")] if name == "to" else []
    for value in [*named, kwargs.get("device")]:
        if isinstance(value, torch.Tensor):
            value = GPU if isinstance(value, tensor) else value.device
        if isinstance(value, (str, torch.device)) and torch.device(value).type in ("cuda", "cpu"):
            return torch.device(value).type
    return None


def on_cpu(value):
    return CPU if isinstance(value, (str, torch.device)) and str(value).startswith("cuda") else value
