"""Answers to exercise 8.2 with two mistakes at once: naming either is true, naming a third is not."""

from torch import nn

from feedback.bank import TwoMistakes
from helpers.heads import MultiHeadAttention

both = TwoMistakes()


class Layers(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attn = MultiHeadAttention(d_model, num_heads)
        self.mlp = nn.Sequential(nn.Linear(d_model, d_ff), nn.GELU(), nn.Linear(d_ff, d_model))
        self.ln1, self.ln2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)


@both("post-norm", "not-causal")
class PostNormNotCausal(Layers):
    def forward(self, x):
        x = self.ln1(x + self.attn(x)[0])
        return self.ln2(x + self.mlp(x))


@both("no-residual", "not-causal")
class NoResidualNotCausal(Layers):
    def forward(self, x):
        return self.mlp(self.ln2(self.attn(self.ln1(x))[0]))


@both("no-residual", "norm-forgotten")
class NoResidualNoNorm(Layers):
    def forward(self, x):
        x = self.attn(x, causal=True)[0]
        return x + self.mlp(self.ln2(x))


@both("parallel", "not-causal")
class ParallelNotCausal(Layers):
    def forward(self, x):
        return x + self.attn(self.ln1(x))[0] + self.mlp(self.ln2(x))
