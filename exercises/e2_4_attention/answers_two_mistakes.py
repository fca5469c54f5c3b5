"""Answers to exercise 2.4 with two mistakes at once: the checker may name either, and no third."""

import math

import torch
import torch.nn.functional as F

from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("no-scale", "keys-as-values")
def unscaled_keys_mixed(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1), dim=-1)
    return weights @ k, weights


@both("no-scale", "weights-transposed")
def unscaled_and_mixed_by_columns(q, k, v):
    weights = torch.softmax(q @ k.transpose(-2, -1), dim=-1)
    return weights.transpose(-2, -1) @ v, weights


@both("no-scale", "axis-from-the-front")
def unscaled_over_axis_1(q, k, v):
    weights = F.softmax(q @ k.mT, dim=1)
    return weights @ v, weights


@both("scaled-by-d", "mixed-by-scores")
def over_d_and_mixed_by_scores(q, k, v):
    scores = q @ k.mT / q.size(-1)
    return scores @ v, torch.softmax(scores, dim=-1)


@both("no-scale", "swapped-pair")
def unscaled_and_swapped_pair(q, k, v):
    weights = F.softmax(torch.matmul(q, k.mT), -1)
    return weights, torch.matmul(weights, v)


@both("no-scale", "only-out")
def unscaled_out_alone(q, k, v):
    return (q @ k.transpose(-2, -1)).softmax(-1) @ v


@both("over-queries", "only-out")
def over_queries_out_alone(q, k, v):
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)), dim=-2) @ v


@both("fixed-axes", "fixed-scale")
def over_8_with_counted_axes(q, k, v):
    weights = F.softmax(torch.bmm(q, k.transpose(1, 2)) / 8, dim=2)
    return torch.bmm(weights, v), weights


@both("no-softmax", "no-scale")
def scores_as_weights(q, k, v):
    weights = q @ k.transpose(-2, -1)
    return weights @ v, weights


@both("scores-returned", "keys-as-values")
def scores_beside_mixed_keys(q, k, v):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return scores.softmax(dim=-1) @ k, scores
