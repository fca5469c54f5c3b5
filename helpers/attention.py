"""Single-head attention: the function, and two modules that hold its projections."""

import math

from torch import nn

from helpers import require
from helpers.masks import causal_mask, masked_softmax


def dot_product_attention(q, k, v, mask=None, dropout=None):
    """Weigh values by query-key similarity.

    Shapes: q (..., T, D), k (..., S, D), v (..., S, Dv) -> (..., T, Dv), (..., T, S)
            mask broadcastable to (..., T, S), True = may attend
    Units:  scores are dimensionless logits; before dropout, weights sum to 1 over S, or to 0 in a fully masked row
    Errors: TypeError if q, k, v are not of one floating dtype, mask is not bool, or dropout is not
            a callable such as nn.Dropout; ValueError if shapes or devices do not fit
    Source: Vaswani et al. 2017, eq. 1; notebook 02
    """
    require.qkv(q, k, v)
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (..., T, S)
    weights = masked_softmax(scores, mask)
    if dropout is not None:
        fix = "for a probability p pass nn.Dropout(p)"
        require.that(callable(dropout), "dropout must be a module or function", repr(dropout), fix, TypeError)
        weights = dropout(weights)
    return weights @ v, weights  # (..., T, Dv), (..., T, S)


class SelfAttention(nn.Module):
    """Each position of x attends to every position of x: q, k and v are three projections of x.

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
        require.fits(x, self.W_query)
        return dot_product_attention(self.W_query(x), self.W_key(x), self.W_value(x))


class CausalAttention(SelfAttention):
    """Self-attention that cannot see the future, with dropout on the weights.

    Shapes: x (..., T, d_in), T <= context_length -> out (..., T, d_out), weights (..., T, T)
    Units:  in evaluation, weights sum to 1 over the last axis; in training, they are the weights used,
            after dropout
    Errors: TypeError or ValueError if x does not fit the projections or is longer than context_length
    Source: notebooks 03 and 04
    """

    def __init__(self, d_in, d_out, context_length, dropout, qkv_bias=False):
        super().__init__(d_in, d_out, qkv_bias)
        require.probability(dropout)
        self.dropout = nn.Dropout(dropout)
        # A buffer moves with .to(device); it can be recomputed, so it is not saved with the parameters.
        self.register_buffer("mask", causal_mask(context_length), persistent=False)

    def forward(self, x):
        T = require.fits(x, self.W_query)["T"]
        require.room(T, len(self.mask))
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        return dot_product_attention(q, k, v, self.mask[:T, :T], self.dropout)
