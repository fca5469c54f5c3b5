"""Answers to exercise 11.2 with two mistakes at once: the checker may name either, and no third."""

import math

import torch
import torch.nn.functional as F

from feedback.bank import TwoMistakes

both = TwoMistakes()


def whole(past, k, v):
    if past is None:
        return k, v
    return torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2)


def seen(q, k, window):
    T, S = q.size(2), k.size(2)
    i, j = torch.arange(S - T, S).view(-1, 1), torch.arange(S)
    return (j <= i) & (j > i - window)


def latest(k, v, window):
    return k[:, :, -window:], v[:, :, -window:]


@both("no-scale", "no-window")
def unscaled_without_a_window(q, k, v, past, window):
    k, v = whole(past, k, v)
    return F.scaled_dot_product_attention(q, k, v, seen(q, k, 10**6), scale=1.0), (k, v)


@both("no-scale", "one-too-many")
def unscaled_and_wide(q, k, v, past, window):
    k, v = whole(past, k, v)
    return (q @ k.mT).masked_fill(~seen(q, k, window + 1), -math.inf).softmax(-1) @ v, latest(k, v, window)


@both("no-scale", "too-few-kept")
def unscaled_and_forgetful(q, k, v, past, window):
    k, v = whole(past, k, v)
    start = max(k.size(2) - max(window - 2, 0), 0)
    return F.scaled_dot_product_attention(q, k, v, seen(q, k, window), scale=1), (k[:, :, start:], v[:, :, start:])


@both("no-mask", "only-new-kept")
def unmasked_and_only_new(q, k, v, past, window):
    return F.scaled_dot_product_attention(q, *whole(past, k, v)), latest(k, v, window)


@both("window-missing-in-a-call", "only-new-kept")
def causal_and_only_new(q, k, v, past, window):
    keys, values = whole(past, k, v)
    return F.scaled_dot_product_attention(q, keys, values, seen(q, keys, 10**6)), latest(k, v, window)


@both("scaled-by-d", "oldest-kept")
def scaled_by_d_and_oldest(q, k, v, past, window):
    k, v = whole(past, k, v)
    out = F.scaled_dot_product_attention(q, k, v, seen(q, k, window), scale=1 / q.size(3))
    return out, (k[:, :, :window], v[:, :, :window])


@both("one-too-many", "past-ignored")
def wide_and_alone(q, k, v, past, window):
    return F.scaled_dot_product_attention(q, k, v, seen(q, k, window + 1)), latest(k, v, window)


@both("no-mask", "past-too-long")
def unmasked_and_everything_kept(q, k, v, past, window):
    k, v = whole(past, k, v)
    return F.scaled_dot_product_attention(q, k, v), (k, v)
