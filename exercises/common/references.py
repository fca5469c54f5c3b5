"""Answers to the exercises that the finished package says in another way.

The others are answered by the function of the same name in `helpers`.
"""

import math

import torch
from torch import nn

from helpers.attention import dot_product_attention
from helpers.heads import merge_heads, split_heads


def dot_product_scores(q, k):
    """Compare every query with every key.

    Shapes: q (..., T, D), k (..., S, D) -> (..., T, S)
    Units:  dot products, not scaled
    Source: notebook 02
    """
    return q @ k.transpose(-2, -1)


def softmax(scores):
    """Turn the scores of each row into positive numbers that sum to 1.

    Shapes: (..., S) -> (..., S)
    Source: notebook 02
    """
    exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()  # the largest becomes exp(0) = 1
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


def attention_weights(q, k):
    """How much each query reads from each key.

    Shapes: q (..., T, D), k (..., S, D) -> (..., T, S)
    Units:  rows sum to 1
    Source: Vaswani et al. 2017, eq. 1; notebook 02
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return scores.softmax(dim=-1)


def attention(q, k, v):
    """Average the values, weighted by how well each key answers the query.

    Shapes: q (..., T, D), k (..., S, D), v (..., S, Dv) -> (..., T, Dv), (..., T, S)
    Source: Vaswani et al. 2017, eq. 1; notebook 02
    """
    weights = attention_weights(q, k)
    return weights @ v, weights


def dropout(x, p, generator=None):
    """Zero each number with probability p, and divide what is kept by 1 - p.

    Shapes: (...) -> (...)
    Units:  the expectation of every number stays what it was
    Source: Srivastava et al. 2014; notebook 04
    """
    # Drawn on the CPU, in float32: one generator then gives the same zeros for every device and dtype.
    keep = torch.rand(x.shape, generator=generator, device="cpu") >= p
    return x * keep.to(x.device) / (1 - p)


def attention_with_dropout(q, k, v, p, training, generator=None):
    """Attention that, in training, reads with some of its weights zeroed.

    Shapes: q (..., T, D), k (..., S, D), v (..., S, Dv) -> (..., T, Dv), (..., T, S)
    Units:  weights are those that were used, after dropout
    Source: notebook 04
    """
    weights = attention_weights(q, k)
    if training:
        weights = dropout(weights, p, generator)
    return weights @ v, weights


def multi_head_attention(x, q_proj, k_proj, v_proj, out_proj, num_heads, mask=None):
    """Project, split, attend in each head, merge, project.

    Shapes: x (B, T, C) -> (B, T, C), (B, H, T, T); mask broadcastable to (B, H, T, T)
    Source: Vaswani et al. 2017, section 3.2.2; notebook 05
    """
    q = split_heads(q_proj(x), num_heads)  # (B, H, T, D)
    k = split_heads(k_proj(x), num_heads)
    v = split_heads(v_proj(x), num_heads)
    out, weights = dot_product_attention(q, k, v, mask)
    return out_proj(merge_heads(out)), weights


def cross_attention(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    """x asks, context answers.

    Shapes: x (B, T, C), context (B, S, C) -> (B, T, C), (B, H, T, S)
    Source: Vaswani et al. 2017, section 3.2.3; notebook 05
    """
    q = split_heads(q_proj(x), num_heads)  # (B, H, T, D)
    k = split_heads(k_proj(context), num_heads)  # (B, H, S, D)
    v = split_heads(v_proj(context), num_heads)
    out, weights = dot_product_attention(q, k, v)
    return out_proj(merge_heads(out)), weights


def layer_norm(x, weight, bias, eps):
    """Bring each vector to mean 0 and variance 1, then stretch and shift its features.

    Shapes: x (..., C), weight (C,), bias (C,) -> (..., C)
    Source: Ba et al. 2016; notebook 06
    """
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.var(dim=-1, keepdim=True, unbiased=False)
    return (x - mean) / (variance + eps).sqrt() * weight + bias


def add_and_norm(sublayer_out, x, weight, bias, eps):
    """What a sublayer found, added to what was there, and brought to size again.

    Shapes: sublayer_out (..., C), x (..., C) -> (..., C)
    Source: Vaswani et al. 2017, section 3.1; notebook 06
    """
    return layer_norm(sublayer_out + x, weight, bias, eps)


def relative_key_scores(q, distance_embedding):
    """What the distance from query to key adds to each score.

    Shapes: q (B, H, T, D), distance_embedding (2M - 1, D) -> (B, H, T, T)
    Units:  q_i . E[i - j + M - 1], not scaled
    Source: Shaw et al. 2018; notebook 06
    """
    T, M = q.size(-2), (len(distance_embedding) + 1) // 2
    positions = torch.arange(T, device=q.device)
    distance = positions[:, None] - positions  # (T, T): query minus key
    return torch.einsum("bhtd,tsd->bhts", q, distance_embedding[distance + M - 1])


def prune_linear(weight, bias, heads, num_heads, dim):
    """Take heads out of a layer: their rows and bias entries (dim 0), or their columns (dim 1).

    Shapes: weight (out, in), bias (out,) or None -> (weight, bias) without these heads
    Source: Michel et al. 2019; notebook 06
    """
    keep = torch.ones(num_heads, dtype=torch.bool, device=weight.device)
    keep[list(heads)] = False
    features = keep.repeat_interleave(weight.size(dim) // num_heads).nonzero().flatten()
    smaller = weight.index_select(dim, features)
    return smaller, bias if bias is None or dim == 1 else bias[features]


def attend_with_cache(q, k, v, past):
    """Attend to the past and to the new tokens up to oneself, and hand on keys and values.

    Shapes: q, k, v (B, H, new, D), past (k, v) with (B, H, old, D) each, or None
            -> out (B, H, new, D), (k, v) with (B, H, old + new, D) each
    Source: notebook 06
    """
    if past is not None:
        k, v = torch.cat([past[0], k], dim=-2), torch.cat([past[1], v], dim=-2)
    T, S = q.size(-2), k.size(-2)
    mask = torch.ones(T, S, dtype=torch.bool, device=q.device).tril(S - T)  # the last query sees everything
    return dot_product_attention(q, k, v, mask)[0], (k, v)


class MyBertSelfAttention(nn.Module):
    """BERT's self-attention: three projections, split, attend, merge.

    Shapes: x (B, T, C) -> out (B, T, C), weights (B, H, T, T)
    Source: Devlin et al. 2019; notebook 07
    """

    def __init__(self, config):
        super().__init__()
        self.num_heads = config.num_attention_heads
        self.query = nn.Linear(config.hidden_size, config.hidden_size)
        self.key = nn.Linear(config.hidden_size, config.hidden_size)
        self.value = nn.Linear(config.hidden_size, config.hidden_size)

    def forward(self, x, mask=None):
        q, k, v = (split_heads(layer(x), self.num_heads) for layer in (self.query, self.key, self.value))
        out, weights = dot_product_attention(q, k, v, mask)
        return merge_heads(out), weights


def mean_pool(hidden, mask):
    """The mean of the real tokens of each item.

    Shapes: hidden (B, T, C), mask (B, T), bool, True = real token -> (B, C)
    Source: Reimers and Gurevych 2019; notebook 07
    """
    real = mask.unsqueeze(-1)  # (B, T, 1)
    return hidden.masked_fill(~real, 0.0).sum(dim=1) / real.sum(dim=1)
