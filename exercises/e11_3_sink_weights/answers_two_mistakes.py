"""Answers to exercise 11.3 with two mistakes at once: the checker may name either, and no third."""

import torch

from feedback.bank import TwoMistakes

both = TwoMistakes()


def joined(scores, sinks):
    return torch.cat([scores, sinks.view(1, -1, 1, 1).expand(*scores.shape[:-1], 1)], -1)


@both("sign-of-the-sink", "nan-rows")
def negative_sinks_and_nan_rows(scores, sinks):
    return joined(scores, -sinks).softmax(-1)[..., :-1]


@both("one-sink-for-all", "nan-rows")
def one_sink_and_nan_rows(scores, sinks):
    return joined(scores, sinks[:1].expand_as(sinks)).softmax(-1)[..., :-1]


@both("sink-returned", "nan-rows")
def all_columns_and_nan_rows(scores, sinks):
    return joined(scores, sinks).softmax(-1)


@both("sink-of-zero", "overflow")
def off_by_one_and_overflow(scores, sinks):
    return scores.exp() / (1 + scores.exp().sum(-1, keepdim=True))


@both("key-dropped", "nan-rows")
def first_dropped_and_nan_rows(scores, sinks):
    return joined(scores, sinks).softmax(-1)[..., 1:]


@both("one-sink-for-all", "overflow")
def mean_sink_and_overflow(scores, sinks):
    return scores.exp() / (scores.exp().sum(-1, keepdim=True) + sinks.mean().exp())


@both("sink-takes-nothing", "nan-rows")
def plain_softmax_and_nan_rows(scores, sinks):
    return scores.softmax(-1)


@both("sign-of-the-sink", "overflow")
def negative_sinks_and_overflow(scores, sinks):
    return scores.exp() / (scores.exp().sum(-1, keepdim=True) + (-sinks).exp()[:, None, None])
