"""How answers to exercise 8.2 are built, filled with numbers and applied."""

import torch
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from exercises.common.heads.inputs import PROJECTIONS
from exercises.common.inputs import normal
from exercises.common.modules import require_methods
from exercises.e8_2_decoder_block.layers import layers_of
from feedback import ContractViolation


class Numbers:
    """What is copied into the layers of a block."""

    def __init__(self, seed, d_model, d_ff, dtype=torch.float32):
        self.d_model, self.d_ff, self.dtype = d_model, d_ff, dtype
        shapes = dict.fromkeys(PROJECTIONS, (d_model, d_model))
        shapes |= {"expand": (d_ff, d_model), "contract": (d_model, d_ff)}
        self.layers = {
            name: (
                1.5 * normal(*shape, seed=seed + i, dtype=dtype) / shape[1] ** 0.5,
                0.5 * normal(shape[0], seed=seed + 10 + i, dtype=dtype),
            )
            for i, (name, shape) in enumerate(shapes.items())
        }
        for i, name in enumerate(("first_norm", "second_norm")):
            weight = 1 + 0.5 * normal(d_model, seed=seed + 20 + i, dtype=dtype)
            self.layers[name] = weight, 0.5 * normal(d_model, seed=seed + 30 + i, dtype=dtype)

    def __deepcopy__(self, memo):
        return self  # a learner's code never gets it

    def __repr__(self):
        return f"numbers for d_model = {self.d_model} and d_ff = {self.d_ff}"


def run_block(attempt, x, numbers, num_heads):
    """Build the learner's block, put numbers into its layers, and apply it.

    Errors: ContractViolation where a layer is missing, or is another than asked for
    """
    return built(attempt, x, numbers, num_heads)(x)


def built(attempt, x, numbers, num_heads):
    """A block with these numbers; x tells which norm runs first."""
    require_methods(attempt, "d_model, num_heads, d_ff")
    module = attempt(numbers.d_model, num_heads, numbers.d_ff)
    if not isinstance(module, nn.Module):
        raise ContractViolation(
            "not-a-module", f"{attempt.__name__} must be an nn.Module: write class {attempt.__name__}(nn.Module)."
        )
    parts = layers_of(module, numbers)
    if numbers.dtype != torch.float32:
        module.to(numbers.dtype)
    norms = in_order(module, parts.pop("norms"), x)
    fill(parts | dict(zip(("first_norm", "second_norm"), norms, strict=True)), numbers)
    return module


def fill(parts, numbers):
    with torch.no_grad():
        for name, layer in parts.items():
            layer.weight.copy_(numbers.layers[name][0])
            layer.bias.copy_(numbers.layers[name][1])


def in_order(module, norms, x):
    """The two norms in the order in which their weights are used: by the norms themselves, or by `F.layer_norm`."""
    used = Used([norm.weight for norm in norms])
    with torch.no_grad(), used:
        module(x.clone())
    return [norms[i] for i in dict.fromkeys([*used.order, 0, 1])]


class Used(TorchFunctionMode):
    """Inside, the order in which functions of torch are given some tensors is noted."""

    def __init__(self, tensors):
        super().__init__()
        self.places, self.order = {id(tensor): i for i, tensor in enumerate(tensors)}, []

    def __torch_function__(self, function, types, args=(), kwargs=None):
        given = map(id, tree_leaves((args, kwargs or {})))
        self.order += [self.places[each] for each in given if each in self.places]
        return function(*args, **(kwargs or {}))


def described(args):
    x, numbers, num_heads = args
    return (
        f"It was built with d_model = {numbers.d_model}, num_heads = {num_heads} and d_ff = {numbers.d_ff}, and "
        f"applied to x of shape {tuple(x.shape)}."
    )
