"""A right MultiHeadAttention in small methods: most other answers to exercise 5.5 replace one of them."""

import math

from torch import nn

from exercises.common.heads.answers_parts import cut, join


class FourLayers(nn.Module):
    """What nearly all of the answers have in common."""

    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        self.num_heads, self.p = num_heads, dropout
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def heads(self, x, context):
        context = x if context is None else context
        return (
            cut(layer(z), self.num_heads)
            for layer, z in ((self.q_proj, x), (self.k_proj, context), (self.v_proj, context))
        )

    def scores(self, q, k):
        return q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))

    def hide(self, scores, mask):
        return scores if mask is None else scores.masked_fill(~mask, float("-inf"))

    def weights(self, q, k, mask):
        return self.hide(self.scores(q, k), mask).softmax(dim=-1)

    def mix(self, weights, v):
        return self.out_proj(join(weights @ v))

    def forward(self, x, context=None, mask=None):
        q, k, v = self.heads(x, context)
        weights = self.dropout(self.weights(q, k, mask))
        return self.mix(weights, v), weights
