"""How the results of answers to exercise 8.2 are compared."""

from functools import cache

import torch
import torch.nn.functional as F

from exercises.common.heads.inputs import PROJECTIONS
from helpers.attention import dot_product_attention
from helpers.heads import merge_heads, split_heads
from helpers.masks import causal_mask


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
