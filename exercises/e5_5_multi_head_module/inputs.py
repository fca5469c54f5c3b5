"""What answers to exercise 5.5 are tried on."""

import torch

from exercises.common.heads.inputs import layer_of, random_layers
from exercises.common.inputs import H, normal
from exercises.common.modules import only_read


def arguments(seed, b, t, h, d, s=None, mask=None, dtype=torch.float32):
    """The arguments of a test case in evaluation, with a context of s positions where s is given."""
    context = None if s is None else normal(b, s, h * d, seed=seed + 20, dtype=dtype)
    more = () if context is None and mask is None else (context, mask)
    return normal(b, t, h * d, seed=seed, dtype=dtype), *only_read(random_layers(h * d, seed, dtype)), h, *more


def showing_the_mix(seed, b, t, s, p, training, mask=None, dtype=torch.float32, h=H):
    """The arguments of a test case for dropout, with h heads, each with values that begin with the identity.

    context ends with the identity, and v_proj brings it to the front of each head's values. out_proj changes nothing,
    so each head's part of out begins with the weights that mixed the values. Without s, x reads itself.
    """
    extra, length = 2, s or t
    d = length + extra
    width, eye = h * d, torch.eye(length, dtype=dtype)
    own = normal(b, length, width - length, seed=seed, dtype=dtype)
    context = torch.cat([own, eye.expand(b, length, length)], -1)
    v = normal(width, width, seed=seed + 1, dtype=dtype)
    for head in range(h):
        v[head * d : head * d + length] = 0
        v[head * d : head * d + length, -length:] = eye
    bias = torch.zeros(width, dtype=dtype)
    q, k = (1.5 * normal(width, width, seed=seed + i, dtype=dtype) / width**0.5 for i in (2, 3))
    layers = [layer_of(weight, bias) for weight in (q, k, v, torch.eye(width, dtype=dtype))]
    x = context if s is None else normal(b, t, width, seed=seed + 4, dtype=dtype)
    return x, *only_read(layers), (h, p, training), None if s is None else context, mask
