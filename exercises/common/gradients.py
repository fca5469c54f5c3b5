"""Behavioral tests that gradients flow through an answer, for exercises in which they are needed for training."""

import torch
from torch import nn

from exercises.common.inputs import normal
from feedback import BehavioralTest, tree
from feedback.explainers import worst
from feedback.format import listed, number, position

NOISE = 1e-5  # the key bias adds the same to each score of a row, so its gradient is only rounding
THINK = (
    "Stay in torch all the way, without detach, `.data`, numpy, tolist, `torch.tensor(...)` of a tensor, or `no_grad`, "
    "and without a new `nn.Parameter` or layer around a tensor, which would learn in its place."
)


def gradients_flow(reference, args, names, call=lambda attempt, *args: attempt(*args), compared=True):
    """Return a required test that gradients reach each named argument and equal those of the reference.

    args      arguments of one call; named floating-point tensors and layers get gradients
    names     the arguments' names in messages; None for those that need no gradient
    compared  False if the result is random; gradients must then exist and not be all 0
    """

    def test(attempt):
        given = _gradients(attempt, args, names, call)
        wanted = {
            name: right for name, right in _gradients(reference, args, names, call).items() if right.abs().max() > NOISE
        }
        missed = [name for name in wanted if given[name] is None or not given[name].any()]
        if missed:
            return _no_gradient_reaches(_layers_whole(missed, wanted))
        return first_wrong(given, wanted) if compared else None

    return BehavioralTest("no-gradients", test, THINK, required=True, while_doing="where gradients are needed")


def stays_finite(where, args, names, hint, id="nan-gradients", while_doing="in the backward pass"):
    """Return a required test that all gradients are finite; `where` describes args that are hard for a softmax."""

    def test(attempt):
        given = _gradients(attempt, args, names, lambda attempt, *args: attempt(*args))
        bad = next((name for name, x in given.items() if x is not None and not x.isfinite().all()), None)
        return bad and (
            f"The numbers are right, but the gradient of {bad} is NaN or infinite {where}. One step of training would "
            "spoil the model."
        )

    return BehavioralTest(id, test, hint, required=True, while_doing=while_doing)


def gradients_of(out, tensors):
    """Return {name: gradient} of a weighted sum of a result; `tensors` is {name: tensor}."""
    if out.requires_grad:
        (out * normal(*out.shape, seed=47)).sum().backward()
    return {name: tensor.grad for name, tensor in tensors.items()}


def unreached(gradients, names, where=""):
    """Return a sentence on the names whose gradient is missing or 0, or None."""
    missed = [name for name in names if gradients.get(name) is None or not gradients[name].any()]
    return _no_gradient_reaches(missed, where) if missed else None


def _no_gradient_reaches(names, where=""):
    return f"The numbers are right, but {where}no gradient reaches {listed(names)}, so nothing could be learned there."


def first_wrong(given, wanted):
    """Return a sentence on the first wrong gradient, or None; both arguments are {name: gradient}."""
    for name, right in wanted.items():
        if not torch.allclose(given[name], right, rtol=1e-3, atol=1e-4):
            at = worst(given[name], right)
            cause = "A part of the calculation may be cut off from it, or its gradient scaled."
            if not given[name].isfinite().all():
                cause = (
                    "`where`, `masked_fill` and `nan_to_num` replace a NaN too late for its gradient: let none arise."
                )
            return (
                f"The numbers are right, but the gradient of {name} is not: at {position(at)} it is "
                f"{number(given[name][at])}, and {number(right[at])} is right. {cause}"
            )
    return None


def _gradients(attempt, args, names, call):
    """Return {name: gradient} of a weighted sum of everything that a call returns."""
    inputs = [_with_gradients(value) if name else tree.copy(value) for name, value in zip(names, args, strict=True)]
    with torch.enable_grad():  # an earlier answer may have turned gradients off
        results = [x for x in tree.flatten((call(attempt, *inputs),)) if torch.is_tensor(x) and x.is_floating_point()]
        total = sum((x * normal(*x.shape, seed=47 + i, dtype=x.dtype)).sum() for i, x in enumerate(results))
    if total.requires_grad:
        total.backward()
    found = {}
    for name, value in zip(names, inputs, strict=True):
        if name and isinstance(value, nn.Module):
            found |= {f"{name}.{own}": parameter.grad for own, parameter in value.named_parameters()}
        elif name:
            for i, leaf in enumerate(tree.flatten((value,))):
                gradient = None if leaf.grad is None else leaf.grad.to_dense()
                found[f"{name}[{i}]" if isinstance(value, tuple) else name] = gradient
    return found


def _with_gradients(value):
    if isinstance(value, nn.Module):
        return tree.copy(value).requires_grad_()
    return tree.map_tensors(lambda x: x.clone().requires_grad_(), value)


def _layers_whole(missed, wanted):
    """Return the missed names, with a layer's name in place of all of its parameters."""

    def of(layer, names):
        return [name for name in names if name.startswith(f"{layer}.")]

    def short(name):
        layer = name.split(".")[0]
        return layer if of(layer, missed) == of(layer, wanted) else name

    return list(dict.fromkeys(short(name) for name in missed))
