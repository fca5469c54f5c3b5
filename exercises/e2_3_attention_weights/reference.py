"""The course's own answer to exercise 2.3."""

import math


def attention_weights(q, k):
    """How much each query reads from each key.

    Shapes: q (..., T, D), k (..., S, D) -> (..., T, S)
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return scores.softmax(dim=-1)
