"""Single-head attention: the function, and two modules that hold its projections."""

import math

import torch
from torch import nn

from helpers.masks import causal_mask, masked_softmax


def dot_product_attention(q, k, v, mask=None, dropout=None):
    """Weigh values by query-key similarity.

    Shapes: q (..., T, D), k (..., S, D), v (..., S, Dv) -> (..., T, Dv), (..., T, S)
            mask broadcastable to (..., T, S), True = may attend
    Units:  scores are dimensionless logits; before dropout weights sum to 1 over S, to 0 where a row is fully masked
    Errors: TypeError if q, k, v are not of one floating dtype, mask is not bool, or dropout is not
            a callable such as nn.Dropout; ValueError if shapes or devices do not fit
    Source: Vaswani et al. 2017, eq. 1; notebook 02
    """
    require_qkv(q, k, v)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (..., T, S)
    weights = masked_softmax(scores, mask)
    if dropout is not None:
        weights = _applied(dropout, weights)
    return weights @ v, weights  # (..., T, Dv), (..., T, S)


class SelfAttention(nn.Module):
    """Every position of x asks, is asked, and answers: q, k and v are three projections of x.

    Shapes: x (..., T, d_in) -> out (..., T, d_out), weights (..., T, T)
    Units:  weights sum to 1 over the last axis
    Errors: TypeError or ValueError if x does not fit the projections
    Source: notebook 02
    """

    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        require_input(x, self.W_query)
        return dot_product_attention(self.W_query(x), self.W_key(x), self.W_value(x))


class CausalAttention(SelfAttention):
    """Self-attention that cannot see the future, with dropout on the weights.

    Shapes: x (..., T, d_in), T <= context_length -> out (..., T, d_out), weights (..., T, T)
    Units:  in evaluation weights sum to 1 over the last axis; in training they are the weights used,
            after dropout
    Errors: TypeError or ValueError if x does not fit the projections or is longer than context_length
    Source: notebooks 03 and 04
    """

    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__(d_in, d_out, qkv_bias)
        require_probability(dropout)
        self.dropout = nn.Dropout(dropout)
        # A buffer moves with .to(device); it can be computed again, so it is not saved with the parameters.
        self.register_buffer("mask", causal_mask(context_length), persistent=False)

    def forward(self, x):
        require_input(x, self.W_query)
        T = x.size(-2)
        if len(self.mask) < T:
            raise ValueError(
                f"x has {T} positions, but context_length is {len(self.mask)}; "
                "shorten x, or build the module with a larger context_length"
            )
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        return dot_product_attention(q, k, v, self.mask[:T, :T], self.dropout)


def require_qkv(q, k, v):
    """Raise unless q, k and v fit together.

    Shapes: q (..., T, D), k (..., S, D), v (..., S, Dv); T and S at least 1
    Errors: TypeError for the dtypes; ValueError for shapes and devices
    Source: notebook 02
    """
    for name, x in (("q", q), ("k", k), ("v", v)):
        if not isinstance(x, torch.Tensor) or not x.is_floating_point():
            got = x.dtype if isinstance(x, torch.Tensor) else type(x).__name__
            raise TypeError(f"{name} must be a tensor of floats, got {got}; convert it with .float()")
        if x.dim() < 2 or x.size(-2) == 0 or x.size(-1) == 0:
            raise ValueError(
                f"{name} must be (..., positions, features) with at least one of each, got {tuple(x.shape)}"
            )
    if not q.dtype == k.dtype == v.dtype:
        raise TypeError(
            f"q, k and v must share one dtype, got {q.dtype}, {k.dtype}, {v.dtype}; convert with .to(q.dtype)"
        )
    if not q.device == k.device == v.device:
        raise ValueError(
            f"q, k and v must be on one device, got {q.device}, {k.device}, {v.device}; move them with .to(q.device)"
        )
    _require_matching_shapes(q, k, v)


def _require_matching_shapes(q, k, v):
    """Raise unless q, k and v agree in features, positions and leading axes."""
    shapes = f"q {tuple(q.shape)}, k {tuple(k.shape)}, v {tuple(v.shape)}"
    if q.size(-1) != k.size(-1):
        raise ValueError(f"q and k must have the same number of features in their last axis, got {shapes}")
    if k.size(-2) != v.size(-2):
        raise ValueError(f"each key needs one value: k has {k.size(-2)} positions, v has {v.size(-2)}")
    try:
        torch.broadcast_tensors(*(torch.empty(z.shape[:-2]) for z in (q, k, v)))  # broadcast_shapes imports SymPy
    except RuntimeError:
        raise ValueError(f"q, k and v must agree in all axes before the last two, got {shapes}") from None


def _applied(dropout, weights):
    """The weights after dropout; a probability is refused, since it does not know train mode from eval mode."""
    if not callable(dropout):
        raise TypeError(
            f"dropout must be a module or function applied to the weights, "
            f"got {dropout!r}; for a probability p pass nn.Dropout(p)"
        )
    return dropout(weights)


def require_probability(p):
    """Raise unless p can be a dropout probability.

    Errors: TypeError if p is not a number; ValueError unless 0 <= p < 1
    Source: notebook 04
    """
    if isinstance(p, bool) or not isinstance(p, (int, float)):
        raise TypeError(f"a dropout probability must be a number, got {p!r}")
    if not 0 <= p < 1:
        raise ValueError(
            f"a dropout probability p must be at least 0 and below 1, got {p}; it is the share that "
            "becomes 0, and what is kept is divided by 1 - p"
        )


def require_input(x, projection, name="x"):
    """Raise unless x is a sequence of vectors that `projection`, an nn.Linear, takes.

    Shapes: x (..., T, d_in), T at least 1
    Errors: TypeError if x is not floating, or not of the projection's dtype; ValueError for its shape
    Source: notebook 02
    """
    weight = projection.weight
    if not isinstance(x, torch.Tensor) or not x.is_floating_point():
        got = x.dtype if isinstance(x, torch.Tensor) else type(x).__name__
        raise TypeError(f"{name} must be a tensor of floats, got {got}; token ids go through an embedding first")
    if x.dim() < 2 or x.size(-2) == 0 or x.size(-1) != projection.in_features:
        raise ValueError(
            f"{name} must be (..., T, {projection.in_features}) with at least one position, got {tuple(x.shape)}"
        )
    if x.device != weight.device:
        raise ValueError(f"{name} is on {x.device}, the module on {weight.device}; move one with .to(device)")
    if x.dtype != weight.dtype and not torch.is_autocast_enabled(x.device.type):
        raise TypeError(
            f"{name} must be {weight.dtype} like the module's weights, got {x.dtype}; "
            f"convert it with .to({weight.dtype})"
        )
