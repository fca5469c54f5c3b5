"""The course's own answer to exercise 4.2."""

import math

import torch


def attention_with_dropout(q, k, v, p, training, generator=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.softmax(dim=-1)
    if training:
        keep = torch.rand(weights.shape, generator=generator, device="cpu") >= p
        weights = weights * keep.to(weights.device) / (1 - p)
    return weights @ v, weights
