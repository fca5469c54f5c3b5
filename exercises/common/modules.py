"""Checks for exercises that ask for a module: its methods and layers, and whether it can learn."""

import inspect
import math
from dataclasses import dataclass
from functools import cache, lru_cache

import torch
from torch import nn
from torch.nn.modules.module import register_module_parameter_registration_hook

from exercises.common.experiments import largest_difference
from exercises.common.gradients import first_wrong, gradients_of, unreached
from feedback import BehavioralTest, ContractViolation, source, tree
from feedback.format import listed


@dataclass(frozen=True)
class Layers:
    """The layers that a module must have, each an nn.Linear.

    names    their names
    made     the code that makes one
    maps     its sizes in words, with {} for the numbers of features in and out
    bias     whether they have a bias
    alone    whether the module may have no other parameters
    """

    names: tuple
    made: str
    maps: str
    bias: bool
    alone: bool = False


class Blank(nn.Linear):
    """A layer that draws no random numbers, since `fill` sets them; this is faster for the many wrong modules."""

    def __init__(self, in_features, out_features, bias=True):
        nn.Module.__init__(self)
        self.in_features, self.out_features = in_features, out_features
        self.weight = nn.Parameter(torch.empty(out_features, in_features))
        self.bias = nn.Parameter(torch.empty(out_features)) if bias else None


class OnlyRead(nn.Linear):
    """A layer that is only copied into a learner's module. No answer gets the layer itself, so deepcopy can skip it."""

    def __deepcopy__(self, memo):
        return self


def only_read(args):
    """Return the arguments of a test case with layers that are not copied for each answer, since copying is slow."""
    return tuple(_only_read(value) if isinstance(value, nn.Linear) else value for value in args)


def _only_read(layer):
    twin = OnlyRead(layer.in_features, layer.out_features, device="meta")  # without parameters, which are set here
    twin.weight, twin.bias = layer.weight, layer.bias
    return twin


class Assembled(nn.Module):
    """A module of the course's own wrong answers, which copies the layers of a test case if it gets them.

    Building, checking and filling layers of its own would take longer than applying them. The copies require gradients
    as a learner's layers do, since some of PyTorch's error messages depend on that.
    """

    def __init__(self, names, width, layers):
        super().__init__()
        for name, layer in zip(names, layers or [Blank(width, width) for _ in names], strict=True):
            setattr(self, name, tree.copy_of_module(layer).requires_grad_())


def require_methods(attempt, arguments="d_in, d_out", inputs="x"):
    """Check a class's methods and their arguments, since a typo in their names would raise an error elsewhere.

    Errors: ContractViolation if __init__ or forward is missing, or forward cannot be called with the inputs
    """
    own = [name for name, value in vars(attempt).items() if callable(value)]
    has = f"it has {', '.join(own)}" if own else "it has none of its own"
    if "__init__" not in own and attempt.__init__ is nn.Module.__init__:
        raise ContractViolation(
            "no-init",
            f"{attempt.__name__} needs a method __init__(self, {arguments}), with two underscores on each side; {has}.",
        )
    forward = getattr(attempt, "forward", None)
    if issubclass(attempt, nn.Module) and (forward is None or forward is nn.Module.forward):
        raise ContractViolation("no-forward", f"{attempt.__name__} needs a method forward(self, {inputs}); {has}.")
    if forward is not None:
        _require_inputs(forward, inputs)


def _require_inputs(forward, inputs):
    first, *others = (word.split("=")[0] for word in inputs.split(", "))
    called = f"with {first} alone"
    fits = takes(forward, 2)
    for count, name in enumerate(others, 3):  # arguments with a default
        fits = fits and (takes(forward, count) or takes(forward, 2, name))
        called += f", and with {first} and {name}"
    if not fits:
        raise ContractViolation(
            "forward-arguments",
            f"forward is called {called}, so it starts with def forward(self, {inputs}); "
            f"yours takes {inspect.signature(forward)}.",
        )


@lru_cache(maxsize=64)  # asked in every test case
def takes(function, count, *names):
    """Return whether a function can be called with `count` positional arguments and with these keywords."""
    try:
        inspect.signature(function).bind(*range(count), **dict.fromkeys(names))
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def was_built(sizes, x, more=""):
    """Describe what the module was given, for the card of an exception; `sizes` are the arguments of __init__."""
    made = listed([f"{name} = {value:g}" for name, value in sizes.items()])
    return f"It was built with {made}, to be applied to x of shape {tuple(x.shape)}{more}."


def require_module(module, attempt):
    if not isinstance(module, nn.Module):
        raise ContractViolation(
            "not-a-module", f"{attempt.__name__} must be an nn.Module: write class {attempt.__name__}(nn.Module)."
        )


def fill(module, attempt, layers, weights, biases=()):
    """Copy weights and biases into the layers of a module.

    Errors: ContractViolation if something is wrong with the layers
    """
    require_module(module, attempt)
    for name, weight in zip(layers.names, weights, strict=True):
        _require_layer(module, name, layers, weight)
    own = [getattr(module, name) for name in layers.names]
    parameters = [*(layer.weight for layer in own), *(layer.bias for layer in own if layers.bias)]
    if len({id(parameter) for parameter in parameters}) < len(parameters):
        raise ContractViolation(
            "shared-layer",
            f"Two of {listed(layers.names)} are one and the same layer; each needs its own "
            "nn.Linear, so that what a token looks for can differ from what it offers.",
        )
    if layers.alone:
        why = ": these layers make queries, keys and values, and what comes after attention belongs to another module"
        require_no_others(module, listed(layers.names), parameters, why)
    with torch.no_grad():
        for parameter, numbers in zip(parameters, (*weights, *biases), strict=True):
            parameter.copy_(numbers)


PROJECTIONS = ("W_query", "W_key", "W_value")  # of 2.5 and 4.3
_MAPS = "`d_in` = {} features to `d_out` = {}"
_OF_ONE_HEAD = Layers(PROJECTIONS, "nn.Linear(d_in, d_out, bias=False)", _MAPS, bias=False)


def fill_projections(module, attempt, weights):
    """`fill` for a module of one head."""
    fill(module, attempt, _OF_ONE_HEAD, weights)


def in_dtype(module, dtype):
    """Return the module in this dtype; float32 modules, which most are, skip the conversion, which takes time."""
    return module if dtype == torch.float32 else module.to(dtype)


def _require_layer(module, name, layers, weight):
    layer = getattr(module, name, None)
    if not isinstance(layer, nn.Linear):
        raise ContractViolation("no-projection", _lacks(module, name, layer, layers.made))
    if layer.bias is not None and not layers.bias:
        raise ContractViolation(
            "has-bias", f"{name} has a bias; here the projections are plain matrices: {layers.made}."
        )
    if layer.bias is None and layers.bias:
        raise ContractViolation(
            "no-bias", f"{name} has no bias; here each projection has one: {layers.made}, without bias=False."
        )
    if layer.weight.shape != weight.shape:
        raise ContractViolation(
            "wrong-projection-size",
            f"{name} should map {layers.maps.format(weight.size(1), weight.size(0))}, yours maps "
            f"{layer.in_features} to {layer.out_features}: {layers.made}.",
        )


def _lacks(module, name, layer, made):
    if layer is not None:
        return f"{name} must be {made}, got {type(layer).__name__}."
    return (
        f"The module needs a layer called {name}, made in __init__ as self.{name} = nn.Linear(...); "
        f"{_what_it_has(module)}."
    )


def _what_it_has(module):
    """Describe the layers and parameters of a module, or what was made in their place."""
    own = sorted(name for name in (*module._modules, *module._parameters) if not name.startswith("_"))
    if own:
        return f"it has {listed([f'`{name}`' for name in own])}"
    for name, value in vars(module).items():
        if isinstance(value, (list, tuple, dict)) and any(isinstance(item, nn.Module) for item in _items(value)):
            return f"yours has only `{name}`, a plain {type(value).__name__}, which PyTorch does not register"
    if "nn.Linear(" in source.text(type(module).forward):
        return "yours has no layers of its own; those made in forward are new, with new random numbers, in every call"
    return "yours has no layers at all"


def _items(collection):
    return collection.values() if isinstance(collection, dict) else collection


def require_no_others(module, asked, parameters, why=""):
    """Check that a module has no other parameters than these, which belong to what is `asked` for.

    Errors: ContractViolation if it has
    """
    known = {id(parameter) for parameter in parameters}
    others = [name for name, parameter in module.named_parameters() if id(parameter) not in known]
    if others:
        shown = listed(others[:3] + ([f"{len(others) - 3} more"] if len(others) > 3 else []))
        raise ContractViolation(
            "extra-parameters",
            f"Besides {asked} your module has parameters that are not asked for: {shown}. Here nothing else is "
            f"learned{why}.",
        )


def changes_with_the_mode(module, x):
    """Return a sentence on a module whose results differ between training and evaluation, or None."""
    first, before, after = (tree.flatten((module.train(mode)(x),)) for mode in (True, True, False))
    if _apart(first, before) > 1e-4:
        return None  # two calls in the same mode differ, too, so the module remembers something
    moved = _apart(before, after)
    if moved == math.inf:
        return "In evaluation, after `.eval()`, your module does not return what it returns in training."
    if not moved > 1e-4:
        return None
    return (
        "The numbers are right in training, but in evaluation, after `.eval()`, they are others: they differ by up to "
        f"{moved:.4f}."
    )


def made_in_forward(build, *inputs):
    """Return a test that explains wrong numbers: a call of the module makes layers or parameters."""

    def test(attempt):
        module, made = build(attempt), []
        handle = register_module_parameter_registration_hook(lambda maker, *_: made.append(type(maker).__name__))
        try:
            module(*inputs)
        finally:
            handle.remove()
        if not made:
            return None
        return f"Your forward makes a layer, of type {made[0]}: in every call it is new, with new random numbers."

    return BehavioralTest(
        "made-in-forward",
        test,
        "What a module learns must be the same in the next call. Where are the layers made that it keeps?",
        early=True,
    )


def _apart(results, others):
    """Return the largest difference between two lists of tensors; infinite if their shapes differ."""
    shapes = [[getattr(value, "shape", None) for value in values] for values in (results, others)]
    if shapes[0] != shapes[1] or None in shapes[0]:
        return math.inf
    return max(map(largest_difference, results, others))


def _differ(got, expected):
    return got.shape != expected.shape or not torch.allclose(got, expected, rtol=1e-3, atol=1e-4)


def trainable(build, solution, layers, first, second, call=lambda module, *inputs: module(*inputs), names=("x",)):
    """Return two required behavioral tests: a module remembers nothing, and its gradients are those of the solution.

    build(attempt) makes a module with known parameters. `layers` is a function that returns its layers by name, or the
    names of its attributes. first and second are the inputs of two calls, of which the second is longer. `names` are
    the names of the first inputs, which gradients must reach.
    """

    def weights_of(module):
        own = layers(module) if callable(layers) else {name: getattr(module, name) for name in layers}
        return {name: layer.weight for name, layer in own.items()}

    def out_of(module, *inputs):
        result = call(module, *inputs)
        return result[0] if isinstance(result, tuple) else result

    def gradients(attempt, training):
        module, inputs = build(attempt).train(training), [x.clone().requires_grad_() for x in first[: len(names)]]
        out = out_of(module, *inputs, *first[len(names) :])
        return gradients_of(out, dict(zip(names, inputs, strict=True)) | weights_of(module))

    right = cache(lambda: gradients(solution, False))

    def learns(attempt):
        given = gradients(attempt, False)
        wrong = unreached(given, given) or first_wrong(given, right())
        return wrong or unreached(gradients(attempt, True), given, "in training, ")  # dropout may change numbers there

    return (
        BehavioralTest(
            "remembers",
            lambda attempt: _used_again(build(attempt), build(solution), weights_of, out_of, first, second),
            "Keep nothing on self in forward: all it needs comes from its inputs and its layers.",
            required=True,
            while_doing="used again, on a longer sequence or with other numbers,",
        ),
        BehavioralTest(
            "no-gradients",
            learns,
            "Use x and the layers themselves: no detach, `.data`, `no_grad`, `requires_grad_(False)`, or "
            "`torch.tensor(...)` of a tensor.",
            required=True,
            while_doing="in the backward pass",
        ),
    )


def _used_again(module, right, weights_of, out_of, first, second):
    training = module.training
    out_of(module, *first)
    out_of(module.train(), *second)
    module.train(training)
    for inputs, on in ((second, "a longer sequence"), ((first[0].flip(1) / 2,), "other numbers")):
        if _differ(out_of(module, *inputs), out_of(right, *inputs)):
            return f"Used again, on {on}, your module gives wrong numbers: it remembers an earlier call."
    with torch.no_grad():
        for weight in (*weights_of(module).values(), *weights_of(right).values()):
            weight.mul_(-0.5)
    if _differ(out_of(module, *first), out_of(right, *first)):
        return (
            "When the numbers in its layers changed between two calls, as they do in training, the results of your "
            "module did not follow: it uses a copy that it made earlier."
        )
    return None
