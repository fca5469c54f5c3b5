"""Wrong answers to exercise 2.5 that keep something from a call, or do otherwise in evaluation."""

import math

import torch.nn as nn

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


class ThreeLayers(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)


@wrong("another-mode")
class AttentionScaledInTrainingAlone(ThreeLayers):
    def forward(self, x):
        scores = self.W_query(x) @ self.W_key(x).mT
        if self.training:
            scores = scores / math.sqrt(self.W_query.out_features)
        weights = scores.softmax(-1)
        return weights @ self.W_value(x), weights


@wrong("remembers")
class AttentionWithAProductMadeOnce(ThreeLayers):
    """Queries and keys by one matrix, which is calculated in the first call."""

    product = None

    def forward(self, x):
        if self.product is None:
            self.product = self.W_query.weight.T @ self.W_key.weight / math.sqrt(self.W_query.out_features)
        weights = (x @ self.product @ x.mT).softmax(-1)
        return weights @ self.W_value(x), weights


@wrong("remembers")
class AttentionThatCounts(ThreeLayers):
    """Sharper with every call."""

    calls = 0

    def forward(self, x):
        self.calls += 1
        weights = (self.calls * self.W_query(x) @ self.W_key(x).mT / math.sqrt(self.W_query.out_features)).softmax(-1)
        return weights @ self.W_value(x), weights


@wrong("another-mode")
class AttentionWithWeightsInTrainingAlone(ThreeLayers):
    def forward(self, x):
        weights = (self.W_query(x) @ self.W_key(x).mT / math.sqrt(self.W_query.out_features)).softmax(-1)
        return weights @ self.W_value(x), weights if self.training else None
