"""Right answers to exercise 8.2, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504 - naming a result before returning it is a style that must pass

import torch
import torch.nn.functional as F
from torch import nn

from feedback.bank import RightAnswers
from helpers.heads import MultiHeadAttention
from helpers.masks import causal_mask

right = RightAnswers()


@right
class BlockWithLayersByName(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.ln1 = nn.LayerNorm(d_model)
        self.attn = MultiHeadAttention(d_model, num_heads)
        self.ln2 = nn.LayerNorm(d_model)
        self.fc1 = nn.Linear(d_model, d_ff)
        self.fc2 = nn.Linear(d_ff, d_model)

    def forward(self, x):
        x = x + self.attn(self.ln1(x), causal=True)[0]
        x = x + self.fc2(F.gelu(self.fc1(self.ln2(x))))
        return x


@right
class BlockRegisteredInReverse(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.down = nn.Linear(d_ff, d_model)
        self.up = nn.Linear(d_model, d_ff)
        self.before_mlp = nn.LayerNorm(d_model)
        self.before_attention = nn.LayerNorm(d_model)
        self.heads = MultiHeadAttention(d_model, num_heads)
        self.gelu = nn.GELU()

    def forward(self, x):
        T = x.shape[1]
        mask = torch.tril(torch.ones(T, T)).bool()
        attended, weights = self.heads(self.before_attention(x), mask=mask)
        h = x + attended
        return h + self.down(self.gelu(self.up(self.before_mlp(h))))


class MLP(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d_model, d_ff), nn.GELU(), nn.Linear(d_ff, d_model))

    def forward(self, x):
        return self.net(x)


@right
class BlockOfModules(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(d_model) for _ in range(2)])
        self.sublayers = nn.ModuleDict({"mlp": MLP(d_model, d_ff), "attention": MultiHeadAttention(d_model, num_heads)})

    def forward(self, x):
        residual = x
        x = self.norms[1](x)
        x, _ = self.sublayers["attention"](x, mask=causal_mask(x.size(-2), x.device))
        x = x + residual
        residual = x
        return residual + self.sublayers["mlp"](self.norms[0](x))


@right
class BlockWithAMaskForEachHead(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.num_heads = num_heads
        self.mha = MultiHeadAttention(d_model, num_heads, dropout=0.0)
        self.norm_a, self.norm_b = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.mlp = nn.Sequential(self.make(d_model, d_ff), nn.GELU(), self.make(d_ff, d_model))

    def make(self, one, other):
        return nn.Linear(one, other)

    def forward(self, x):
        B, T, _ = x.shape
        mask = (torch.arange(T)[None, :] <= torch.arange(T)[:, None]).expand(B, self.num_heads, T, T)
        y = self.norm_a(x)
        x = x + self.mha(y, y, mask, need_weights=True)[0]
        return x + self.mlp(self.norm_b(x))


@right
class BlockWithATanhGelu(nn.Module):
    """GPT-2 has this formula of GELU."""

    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attn = MultiHeadAttention(d_model, num_heads)
        self.mlp = nn.Sequential(nn.Linear(d_model, d_ff), nn.GELU(approximate="tanh"), nn.Linear(d_ff, d_model))
        self.ln_1 = nn.LayerNorm(d_model)
        self.ln_2 = nn.LayerNorm(d_model)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x), causal=True)[0]
        return x + self.mlp(self.ln_2(x))


@right
class BlockWithSequentials(nn.Module):
    """The second norm is the first layer of the feed-forward network."""

    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.ff = nn.Sequential(nn.LayerNorm(d_model), nn.Linear(d_model, d_ff), nn.GELU(), nn.Linear(d_ff, d_model))
        self.norm = nn.LayerNorm(d_model)
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.register_buffer("mask", torch.ones(64, 64, dtype=torch.bool).tril(), persistent=False)

    def forward(self, x):
        T = x.size(1)
        x = x + self.attention(self.norm(x), mask=self.mask[:T, :T])[0]
        return x + self.ff(x)


@right
class BlockWithFunctionalNorms(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.norm_of_ff, self.norm_of_attention = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.expand, self.contract = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def normalized(self, x, norm):
        return F.layer_norm(x, norm.normalized_shape, norm.weight, norm.bias, norm.eps)

    def forward(self, x):
        x = x + self.attention(self.normalized(x, self.norm_of_attention), causal=True)[0]
        hidden = self.expand(self.normalized(x, self.norm_of_ff))
        return x + self.contract(0.5 * hidden * (1 + torch.erf(hidden / 2**0.5)))


class BlockWithOneFunctionalNorm(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.norm_1, self.norm_2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = nn.Sequential(nn.Linear(d_model, d_ff), nn.GELU(), nn.Linear(d_ff, d_model))


@right
class BlockWithAFunctionalNormBeforeAttention(BlockWithOneFunctionalNorm):
    def forward(self, x):
        normed = F.layer_norm(x, (x.size(-1),), self.norm_1.weight, self.norm_1.bias)
        x = x + self.attention(normed, causal=True)[0]
        return x + self.feed_forward(self.norm_2(x))


@right
class BlockWithAFunctionalNormBeforeTheNetwork(BlockWithOneFunctionalNorm):
    def forward(self, x):
        x = x + self.attention(self.norm_1(x), causal=True)[0]
        return x + self.feed_forward(F.layer_norm(x, (x.size(-1),), self.norm_2.weight, self.norm_2.bias))
