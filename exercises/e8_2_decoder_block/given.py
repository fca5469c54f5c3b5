"""How answers to exercise 8.2 are built, filled with numbers and applied.

Names and the order of registration are free: layers are recognized by their kind and shape, and the two norms by the
order in which they run.
"""

from functools import cache

import torch
import torch.nn.functional as F
from torch import nn

from exercises.common.inputs import normal
from exercises.common.modules import require_methods
from feedback import ContractViolation
from helpers.attention import dot_product_attention
from helpers.heads import merge_heads, split_heads
from helpers.masks import causal_mask

PROJECTIONS = ("q_proj", "k_proj", "v_proj", "out_proj")


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
    norms, ran = in_order(module, parts.pop("norms"), x)
    fill(parts | dict(zip(("first_norm", "second_norm"), norms, strict=True)), numbers)
    if not ran and not torch.allclose(module(x), right(x, numbers, num_heads), atol=1e-4):
        fill(dict(zip(("second_norm", "first_norm"), norms, strict=True)), numbers)
    return module


def fill(parts, numbers):
    with torch.no_grad():
        for name, layer in parts.items():
            layer.weight.copy_(numbers.layers[name][0])
            layer.bias.copy_(numbers.layers[name][1])


def in_order(module, norms, x):
    """The two norms in the order in which they run, and whether any did; `F.layer_norm` runs neither."""
    heard = []
    handles = [norm.register_forward_pre_hook(lambda part, inputs: heard.append(part)) for norm in norms]
    try:
        with torch.no_grad():
            module(x.clone())
    finally:
        for handle in handles:
            handle.remove()
    return list(dict.fromkeys([*heard, *norms])), bool(heard)


# ---------------------------------------------------------------- which layer is which


def layers_of(module, numbers):
    """{name: layer} of a block, with its norms as a list.

    Errors: ContractViolation
    """
    parts = _projections(module)
    others = [layer for layer in module.modules() if isinstance(layer, nn.Linear) and layer not in parts.values()]
    wanted = {"expand": (numbers.d_ff, numbers.d_model), "contract": (numbers.d_model, numbers.d_ff)}
    for name, shape in wanted.items():
        fitting = [layer for layer in others if tuple(layer.weight.shape) == shape]
        if len(fitting) != 1 or len(others) != 2:
            raise ContractViolation("feed-forward-layers", _about_feed_forward(others, numbers))
        parts[name] = fitting[0]
    for layer in parts.values():
        if layer.bias is None:
            raise ContractViolation(
                "no-bias", "A layer of your block has no bias; here each has one, as is the default: no bias=False."
            )
    norms = _norms(module, numbers)
    _require_no_others(module, [*norms, *parts.values()])
    return parts | {"norms": norms}


def _projections(module):
    found = [
        part for part in module.modules() if all(isinstance(getattr(part, n, None), nn.Linear) for n in PROJECTIONS)
    ]
    if len(found) == 1:
        return {name: getattr(found[0], name) for name in PROJECTIONS}
    own = ", ".join(name for name, _ in module.named_children()) or "no layers at all"
    raise ContractViolation(
        "no-attention" if not found else "two-attentions",
        f"The block needs one `MultiHeadAttention(d_model, num_heads)`, made in __init__; yours has {len(found)}. "
        f"(Its own layers: {own}.)",
    )


def _about_feed_forward(others, numbers):
    shapes = ", ".join(f"nn.Linear({layer.in_features}, {layer.out_features})" for layer in others)
    shapes = shapes or "none (a plain list hides its layers: give each a name of its own, or use nn.ModuleList)"
    return (
        f"The feed-forward network has two layers, nn.Linear(d_model, d_ff) and nn.Linear(d_ff, d_model). Built with "
        f"d_model = {numbers.d_model} and d_ff = {numbers.d_ff}, your block has {shapes}."
    )


def _norms(module, numbers):
    norms = [part for part in module.modules() if isinstance(part, nn.LayerNorm)]
    if len(norms) != 2:
        raise ContractViolation(
            "number-of-norms",
            f"The block needs two `nn.LayerNorm(d_model)`, one for each sublayer; yours has {len(norms)}."
            + ("" if norms else " (Layers in a plain list are not registered: `nn.ModuleList` registers them.)"),
        )
    for norm in norms:
        if tuple(norm.normalized_shape) != (numbers.d_model,) or norm.weight is None or norm.bias is None:
            raise ContractViolation("another-norm", f"A norm should be nn.LayerNorm(d_model), yours has {norm!r}.")
        if norm.eps != 1e-5:
            raise ContractViolation(
                "another-eps", f"A norm of your block has eps = {norm.eps:g}; the default, 1e-05, is meant here."
            )
    return norms


def _require_no_others(module, layers):
    known = {id(parameter) for layer in layers for parameter in layer.parameters()}
    others = [name for name, parameter in module.named_parameters() if id(parameter) not in known]
    if others:
        raise ContractViolation(
            "extra-parameters",
            "Besides attention, two norms and two layers of the feed-forward network, your block has parameters that "
            f"are not asked for: {', '.join(others[:3])}.",
        )


# ---------------------------------------------------------------- the right numbers


def right(x, numbers, num_heads, approximate="none"):
    """What a block gives, with one of the two formulas of GELU."""

    def linear(name, z):
        return F.linear(z, *numbers.layers[name])

    def norm(name, z):
        return F.layer_norm(z, (numbers.d_model,), *numbers.layers[name])

    z = norm("first_norm", x)
    q, k, v = (split_heads(linear(name, z), num_heads) for name in PROJECTIONS[:3])
    out, _ = dot_product_attention(q, k, v, causal_mask(x.size(1)))
    x = x + linear("out_proj", merge_heads(out))
    return x + linear("contract", F.gelu(linear("expand", norm("second_norm", x)), approximate=approximate))


@cache
def right_either_way(x, numbers, num_heads):
    """What a block gives, with GELU itself and with its approximation."""
    return right(x, numbers, num_heads), right(x, numbers, num_heads, approximate="tanh")


def summary(args, value):
    """The result; GELU may also be its approximation by tanh, which GPT-2 uses."""
    if not isinstance(value, torch.Tensor) or value.shape != args[0].shape or value.dtype != args[0].dtype:
        return value
    exact, approximated = right_either_way(*args)
    return exact if torch.allclose(value, approximated, rtol=1e-5, atol=1e-5) else value


def described(args):
    x, numbers, num_heads = args
    return (
        f"It was built with d_model = {numbers.d_model}, num_heads = {num_heads} and d_ff = {numbers.d_ff}, and "
        f"applied to x of shape {tuple(x.shape)}."
    )
