"""Answers to the exercises that the finished package says in another way.

The others are answered by the function of the same name in `helpers`.
"""

import math

import torch

from helpers.attention import dot_product_attention


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
