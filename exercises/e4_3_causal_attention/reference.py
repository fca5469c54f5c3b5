"""The course's own answer to exercise 4.3."""

import math

import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(context_length, context_length, dtype=torch.bool).tril())

    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        T = x.size(1)
        visible = self.mask[:T, :T]  # x may be shorter than context_length
        weights = scores.masked_fill(~visible, float("-inf")).softmax(dim=-1)
        weights = self.dropout(weights)
        return weights @ v, weights
