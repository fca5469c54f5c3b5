"""Answers to exercise 4.3 with two mistakes at once: the checker must name one of them, or none, but no third one."""

import torch
import torch.nn.functional as F
from torch import nn

from exercises.e4_3_causal_attention.answers_base import CausalBase
from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("no-scale", "always-on")
class UnscaledAndAlwaysDropped(CausalBase):
    def scores(self, x):
        return self.W_query(x) @ self.W_key(x).mT

    def forward(self, x):
        weights = F.dropout(self.weights(x), self.p)
        return weights @ self.W_value(x), weights


@both("diagonal-hidden", "on-out")
class DiagonalHiddenAndOutDropped(CausalBase):
    def weights(self, x):
        T = x.shape[1]
        return self.scores(x).masked_fill(torch.ones(T, T).triu().bool(), -1e9).softmax(-1)

    def forward(self, x):
        weights = self.weights(x)
        return self.dropout(weights @ self.W_value(x)), weights


@both("masked-after-softmax", "before-softmax")
class MaskedTooLateAndDroppedTooEarly(CausalBase):
    def forward(self, x):
        T = x.shape[1]
        weights = self.dropout(self.scores(x)).softmax(-1) * ~self.mask[:T, :T]
        return weights @ self.W_value(x), weights


@both("mask-only-in-evaluation", "weights-before-dropout")
class MaskedInEvaluationAndCleanWeights(CausalBase):
    def weights(self, x):
        return self.scores(x).softmax(-1) if self.training else super().weights(x)

    def forward(self, x):
        weights = self.weights(x)
        return self.dropout(weights) @ self.W_value(x), weights


@both("scaled-by-input", "mask-is-plain-tensor")
class ScaledByInputWithAPlainMask(CausalBase):
    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, dropout)
        del self.mask
        self.mask = torch.triu(torch.ones(context_length, context_length), diagonal=1).bool()

    def scores(self, x):
        return self.W_query(x) @ self.W_key(x).mT / x.size(-1) ** 0.5


@both("keys-as-values", "two-draws")
class KeysAveragedWithTwoDraws(CausalBase):
    def forward(self, x):
        weights = self.weights(x)
        return self.dropout(weights) @ self.W_key(x), self.dropout(weights)


@both("p-kept", "mask-as-parameter")
class OneMinusDropoutWithAParameter(CausalBase):
    def __init__(self, d_in, d_out, context_length, dropout):
        super().__init__(d_in, d_out, context_length, 1 - dropout)
        mask = self.mask
        del self.mask
        self.mask = nn.Parameter(mask, requires_grad=False)


@both("one-step-ahead", "not-scaled")
class OneStepAheadAndNotDivided(CausalBase):
    def forward(self, x):
        T = x.shape[1]
        weights = self.scores(x).masked_fill(torch.ones(T, T, dtype=torch.bool).triu(2), -torch.inf).softmax(-1)
        if self.training:
            weights = weights.masked_fill(torch.rand(weights.shape) < self.p, 0)
        return weights @ self.W_value(x), weights
