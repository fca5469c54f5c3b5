"""The course's own answer to exercise 2.5."""

import math

from torch import nn


class SelfAttention(nn.Module):
    """Each position of x attends to every position of x.

    Shapes: x (B, T, d_in) -> out (B, T, d_out), weights (B, T, T)
    """

    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        weights = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(dim=-1)
        return weights @ v, weights
