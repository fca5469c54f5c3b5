"""Answers to exercise 4.2 with two mistakes at once: the checker must name one of them, or none, but no third one."""

import math

import torch
import torch.nn.functional as F

from exercises.e4_2_attention_with_dropout.answers_steps import drops
from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("no-scale", "always-on")
def unscaled_and_always_dropped(q, k, v, p, training, generator=None):
    weights = drops((q @ k.transpose(-2, -1)).softmax(-1), p, generator)
    return weights @ v, weights


@both("over-queries", "on-out")
def over_queries_and_out_dropped(q, k, v, p, training, generator=None):
    weights = torch.softmax(q @ k.mT / math.sqrt(q.size(-1)), dim=-2)
    out = weights @ v
    return drops(out, p, generator) if training else out, weights


@both("scaled-by-another", "not-scaled")
def scaled_by_dv_and_not_divided(q, k, v, p, training, generator=None):
    weights = torch.softmax(q @ k.mT / math.sqrt(v.size(-1)), dim=-1)
    if training:
        weights = weights * (torch.rand(weights.shape, generator=generator) >= p)
    return weights @ v, weights


@both("no-scale", "weights-before-dropout")
def unscaled_and_clean_weights_returned(q, k, v, p, training, generator=None):
    weights = torch.softmax(q @ k.mT, dim=-1)
    dropped = drops(weights, p, generator) if training else weights
    return dropped @ v, weights


@both("always-on", "generator-ignored")
def f_dropout_as_it_is(q, k, v, p, training, generator=None):
    weights = F.dropout(torch.softmax(q @ k.mT / q.size(-1) ** 0.5, dim=-1), p)
    return weights @ v, weights


@both("always-on", "not-scaled")
def always_dropped_and_not_divided(q, k, v, p, training, generator=None):
    weights = torch.softmax(q @ k.mT / q.size(-1) ** 0.5, dim=-1)
    weights = weights * (torch.rand(weights.shape, generator=generator) >= p)
    return weights @ v, weights


@both("keys-as-values", "before-softmax")
def keys_averaged_and_scores_dropped(q, k, v, p, training, generator=None):
    scores = q @ k.mT / q.size(-1) ** 0.5
    if training:
        scores = drops(scores, p, generator)
    weights = scores.softmax(-1)
    return weights @ k, weights


@both("multiplied", "share-turned-around")
def multiplied_and_the_wrong_ones_kept(q, k, v, p, training, generator=None):
    weights = torch.softmax(q @ k.mT * q.size(-1) ** 0.5, dim=-1)
    if training:
        weights = weights * (torch.rand(weights.shape, generator=generator) < p) / (1 - p)
    return weights @ v, weights


@both("not-scaled", "two-draws")
def not_divided_and_drawn_twice(q, k, v, p, training, generator=None):
    weights = torch.softmax(q @ k.mT / q.size(-1) ** 0.5, dim=-1)
    if not training:
        return weights @ v, weights
    first, second = (weights * (torch.rand(weights.shape, generator=generator) >= p) for _ in range(2))
    return first @ v, second


@both("before-softmax", "not-repeatable")
def scores_always_dropped(q, k, v, p, training, generator=None):
    weights = drops(q @ k.mT / q.size(-1) ** 0.5, p, generator).softmax(-1)
    return weights @ v, weights
