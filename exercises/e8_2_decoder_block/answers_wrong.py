"""Wrong answers to exercise 8.2, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET504 - naming a result before returning it is what learners do

import torch
import torch.nn.functional as F
from torch import nn

from feedback.bank import WrongAnswers
from helpers.heads import MultiHeadAttention

wrong = WrongAnswers()


class Layers(nn.Module):
    """The layers that nearly all of these answers share; what is wrong is in forward."""

    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attn = MultiHeadAttention(d_model, num_heads)
        self.mlp = nn.Sequential(nn.Linear(d_model, d_ff), nn.GELU(), nn.Linear(d_ff, d_model))
        self.ln1, self.ln2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def attend(self, x):
        return self.attn(x, causal=True)[0]


@wrong("post-norm")
class PostNorm(Layers):
    def forward(self, x):
        x = self.ln1(x + self.attn(x, causal=True)[0])
        x = self.ln2(x + self.mlp(x))
        return x


@wrong("post-norm")
class PostNormAtTheEnd(Layers):
    def forward(self, x):
        x = x + self.attend(self.ln1(x))
        return self.ln2(x + self.mlp(x))


@wrong("norm-after-the-sublayer")
class NormOfTheResult(Layers):
    def forward(self, x):
        x = x + self.ln1(self.attend(x))
        x = x + self.ln2(self.mlp(x))
        return x


@wrong("norm-forgotten")
class NoFirstNorm(Layers):
    def forward(self, x):
        x = x + self.attend(x)
        return x + self.mlp(self.ln2(x))


@wrong("norm-forgotten")
class NoSecondNorm(Layers):
    def forward(self, x):
        x = x + self.attend(self.ln1(x))
        return x + self.mlp(x)


@wrong("one-norm-for-both")
class OneNorm(Layers):
    def forward(self, x):
        x = x + self.attend(self.ln2(x))
        return x + self.mlp(self.ln2(x))


@wrong("keys-not-normalized")
class KeysAsTheyAre(Layers):
    def forward(self, x):
        out, _ = self.attn(self.ln1(x), context=x, causal=True)
        x = x + out
        return x + self.mlp(self.ln2(x))


@wrong("no-residual")
class NoResiduals(Layers):
    def forward(self, x):
        x = self.attend(self.ln1(x))
        return self.mlp(self.ln2(x))


@wrong("no-residual")
class NoFirstResidual(Layers):
    def forward(self, x):
        x, _ = self.attn(self.ln1(x), causal=True)
        return x + self.mlp(self.ln2(x))


@wrong("no-residual")
class NoSecondResidual(Layers):
    def forward(self, x):
        x = x + self.attend(self.ln1(x))
        x = self.mlp(self.ln2(x))
        return x


@wrong("normalized-residual")
class NormOverwritesX(Layers):
    def forward(self, x):
        x = self.ln1(x)
        x = x + self.attend(x)
        x = self.ln2(x)
        x = x + self.mlp(x)
        return x


@wrong("normalized-residual")
class NormOverwritesXOnce(Layers):
    def forward(self, x):
        h = self.ln1(x)
        h = h + self.attend(h)
        return h + self.mlp(self.ln2(h))


@wrong("residual-of-the-input")
class AddsTheInput(Layers):
    def forward(self, x):
        attended = x + self.attend(self.ln1(x))
        return x + self.mlp(self.ln2(attended))


@wrong("residual-twice")
class AddsOnceMore(Layers):
    def forward(self, x):
        h = self.attend(self.ln1(x)) + x
        return self.mlp(self.ln2(h)) + h + x


@wrong("parallel")
class SideBySide(Layers):
    def forward(self, x):
        return x + self.attend(self.ln1(x)) + self.mlp(self.ln2(x))


@wrong("feed-forward-first")
class OtherOrder(Layers):
    def forward(self, x):
        x = x + self.mlp(self.ln1(x))
        return x + self.attend(self.ln2(x))


@wrong("sublayer-missing")
class NoFeedForward(Layers):
    def forward(self, x):
        x = x + self.attend(self.ln1(x))
        self.mlp(self.ln2(x))
        return x


@wrong("not-causal")
class NotCausal(Layers):
    def forward(self, x):
        x = x + self.attn(self.ln1(x))[0]
        return x + self.mlp(self.ln2(x))


@wrong("not-causal")
class MaskOfOnes(Layers):
    def forward(self, x):
        T = x.size(1)
        x = x + self.attn(self.ln1(x), mask=torch.ones(T, T, dtype=torch.bool))[0]
        return x + self.mlp(self.ln2(x))


@wrong("mask-inverted")
class MaskOfBlocked(Layers):
    def forward(self, x):
        T = x.size(1)
        blocked = torch.triu(torch.ones(T, T), diagonal=1).bool()
        x = x + self.attn(self.ln1(x), mask=blocked)[0]
        return x + self.mlp(self.ln2(x))


@wrong("self-hidden")
class StrictlyPast(Layers):
    def forward(self, x):
        T = x.size(1)
        x = x + self.attn(self.ln1(x), mask=torch.ones(T, T).tril(diagonal=-1).bool())[0]
        return x + self.mlp(self.ln2(x))


@wrong("pair-not-taken-apart")
class PairAdded(Layers):
    def forward(self, x):
        x = x + self.attn(self.ln1(x), causal=True)
        return x + self.mlp(self.ln2(x))


class SeparateLayers(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attn = MultiHeadAttention(d_model, num_heads)
        self.ln1, self.ln2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.up, self.down = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x):
        x = x + self.attn(self.ln1(x), causal=True)[0]
        return x + self.feed(self.ln2(x))


@wrong("no-activation")
class NoGelu(SeparateLayers):
    def feed(self, x):
        return self.down(self.up(x))


@wrong("gelu-misplaced")
class GeluAtTheEnd(SeparateLayers):
    def feed(self, x):
        return F.gelu(self.down(self.up(x)))


@wrong("another-activation")
class Relu(SeparateLayers):
    def feed(self, x):
        return self.down(torch.relu(self.up(x)))


@wrong("another-activation")
class Silu(SeparateLayers):
    def feed(self, x):
        return self.down(nn.SiLU()(self.up(x)))


@wrong("not-repeatable")
class WithDropout(SeparateLayers):
    def feed(self, x):
        return F.dropout(self.down(F.gelu(self.up(x))), 0.1, self.training)


@wrong("number-of-norms")
class SingleNorm(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attn, self.norm = MultiHeadAttention(d_model, num_heads), nn.LayerNorm(d_model)
        self.mlp = nn.Sequential(nn.Linear(d_model, d_ff), nn.GELU(), nn.Linear(d_ff, d_model))

    def forward(self, x):
        x = x + self.attn(self.norm(x), causal=True)[0]
        return x + self.mlp(self.norm(x))


@wrong("feed-forward-layers")
class OneLayerOnly(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attn, self.ln1, self.ln2 = (
            MultiHeadAttention(d_model, num_heads),
            nn.LayerNorm(d_model),
            nn.LayerNorm(d_model),
        )
        self.ff = nn.Linear(d_model, d_model)

    def forward(self, x):
        x = x + self.attn(self.ln1(x), causal=True)[0]
        return x + F.gelu(self.ff(self.ln2(x)))


@wrong("no-attention")
class AttentionMadeInForward(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.sizes = d_model, num_heads
        self.mlp = nn.Sequential(nn.Linear(d_model, d_ff), nn.GELU(), nn.Linear(d_ff, d_model))
        self.ln1, self.ln2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x):
        x = x + MultiHeadAttention(*self.sizes)(self.ln1(x), causal=True)[0]
        return x + self.mlp(self.ln2(x))


@wrong("no-bias")
class WithoutBias(Layers):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__(d_model, num_heads, d_ff)
        self.attn = MultiHeadAttention(d_model, num_heads, bias=False)

    def forward(self, x):
        x = x + self.attend(self.ln1(x))
        return x + self.mlp(self.ln2(x))


@wrong("another-eps")
class WithAnotherEps(Layers):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__(d_model, num_heads, d_ff)
        self.ln1 = nn.LayerNorm(d_model, eps=1e-12)

    def forward(self, x):
        x = x + self.attend(self.ln1(x))
        return x + self.mlp(self.ln2(x))


@wrong("no-gradients")
class Detached(Layers):
    def forward(self, x):
        x = x + self.attend(self.ln1(x)).detach()
        return x + self.mlp(self.ln2(x))


@wrong("changes-input")
class AddsInPlace(Layers):
    def forward(self, x):
        x += self.attend(self.ln1(x))
        x += self.mlp(self.ln2(x))
        return x


@wrong("no-forward")
class Misspelled(Layers):
    def forwards(self, x):
        return x + self.attend(self.ln1(x))


@wrong("returns-wrong-type")
class ReturnsWeightsToo(Layers):
    def forward(self, x):
        out, weights = self.attn(self.ln1(x), causal=True, need_weights=True)
        x = x + out
        return x + self.mlp(self.ln2(x)), weights


@wrong("another-mode")
class CausalInTrainingOnly(Layers):
    def forward(self, x):
        x = x + self.attn(self.ln1(x), causal=self.training)[0]
        return x + self.mlp(self.ln2(x))
