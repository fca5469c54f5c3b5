"""Answers to the exercises that the finished package says in another way.

The others are answered by the function of the same name in `helpers`.
"""

import math

import torch


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
