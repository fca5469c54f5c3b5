"""Answers to exercise 2.5 with two mistakes at once: the checker may name either, and no third."""

import math

import torch
from torch import nn

from feedback.bank import TwoMistakes

both = TwoMistakes()


class ThreeProjections(nn.Module):
    """What the classes below get right."""

    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)


@both("no-scale", "keys-as-values")
class UnscaledKeysMixed(ThreeProjections):
    def forward(self, x):
        q, k = self.W_query(x), self.W_key(x)
        weights = torch.softmax(q @ k.transpose(1, 2), dim=-1)
        return weights @ k, weights


@both("no-scale", "input-as-values")
class UnscaledInputMixed(ThreeProjections):
    def forward(self, x):
        weights = torch.softmax(self.W_query(x) @ self.W_key(x).mT, dim=-1)
        return weights @ x, weights


@both("scaled-by-input", "input-as-values")
class RootOfInputAndInputMixed(ThreeProjections):
    def forward(self, x):
        weights = torch.softmax(self.W_query(x) @ self.W_key(x).mT / math.sqrt(x.size(-1)), dim=-1)
        return weights @ x, weights


@both("over-queries", "weights-transposed")
class ColumnsAllTheWay(ThreeProjections):
    def forward(self, x):
        weights = torch.softmax(self.W_query(x) @ self.W_key(x).mT / math.sqrt(self.W_key.out_features), dim=1)
        return weights.mT @ self.W_value(x), weights


@both("no-scale", "swapped-pair")
class UnscaledSwappedPair(ThreeProjections):
    def forward(self, x):
        weights = torch.softmax(self.W_query(x) @ self.W_key(x).mT, dim=-1)
        return weights, weights @ self.W_value(x)


@both("scaled-by-d", "query-layer-twice")
class OverWidthWithOneLayer(ThreeProjections):
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_query(x), self.W_value(x)
        weights = torch.softmax(q @ k.mT / k.size(-1), dim=-1)
        return weights @ v, weights
