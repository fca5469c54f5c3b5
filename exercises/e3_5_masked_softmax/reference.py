"""The course's own answer to exercise 3.5."""

import torch


def masked_softmax(scores, mask):
    """Softmax over the keys that may be seen; a row that sees none gives zeros.

    Shapes: scores (..., T, S), mask broadcastable to it -> weights (..., T, S)
    """
    lowest = torch.finfo(scores.dtype).min  # not -inf: a row that sees nothing stays finite, and so do its gradients
    weights = scores.masked_fill(~mask, lowest).softmax(dim=-1)
    return weights.masked_fill(~mask, 0.0)
