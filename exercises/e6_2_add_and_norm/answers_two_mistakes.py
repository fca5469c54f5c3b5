"""Answers to exercise 6.2 with two mistakes at once: naming either is true, naming a third is not."""

import torch.nn.functional as F

from feedback.bank import TwoMistakes

both = TwoMistakes()


def norm(z, weight, bias, eps):
    return F.layer_norm(z, z.shape[-1:], weight, bias, eps)


def norm_by_plain_var(z, weight, bias, eps):
    return weight * (z - z.mean(-1, keepdim=True)) / (z.var(-1, keepdim=True) + eps).sqrt() + bias


@both("norm-before-adding", "unbiased")
def x_after_plain_var(sublayer_out, x, weight, bias, eps):
    return norm_by_plain_var(sublayer_out, weight, bias, eps) + x


@both("norm-before-adding", "fixed-eps")
def x_after_torchs_eps(sublayer_out, x, weight, bias, eps):
    return x + F.layer_norm(sublayer_out, x.shape[-1:], weight, bias)


@both("x-normed-then-added", "unbiased")
def sublayer_after_plain_var(sublayer_out, x, weight, bias, eps):
    return sublayer_out + norm_by_plain_var(x, weight, bias, eps)


@both("added-again", "unbiased")
def x_again_after_plain_var(sublayer_out, x, weight, bias, eps):
    x = x + sublayer_out
    return sublayer_out + norm_by_plain_var(x, weight, bias, eps)


@both("no-residual", "eps-forgotten")
def sublayer_without_eps(sublayer_out, x, weight, bias, eps):
    s = sublayer_out
    return (s - s.mean(-1, keepdim=True)) / s.std(-1, unbiased=False, keepdim=True) * weight + bias


@both("no-residual", "unbiased")
def sublayer_by_plain_var(sublayer_out, x, weight, bias, eps):
    return norm_by_plain_var(sublayer_out, weight, bias, eps)


@both("weight-and-bias-forgotten", "unbiased")
def sum_by_plain_var(sublayer_out, x, weight, bias, eps):
    z = sublayer_out + x
    return (z - z.mean(-1, keepdim=True)) / (z.var(-1, keepdim=True) + eps).sqrt()


@both("normed-twice", "fixed-eps")
def two_norms_with_torchs_eps(sublayer_out, x, weight, bias, eps):
    out = F.layer_norm(sublayer_out + x, x.shape[-1:], weight, bias)
    return F.layer_norm(out, x.shape[-1:], weight, bias)


@both("difference", "bias-forgotten")
def difference_without_bias(sublayer_out, x, weight, bias, eps):
    return F.layer_norm(x - sublayer_out, x.shape[-1:], weight, eps=eps)


@both("x-twice", "weight-and-bias-exchanged")
def x_twice_with_bias_first(sublayer_out, x, weight, bias, eps):
    return norm(sublayer_out + x + x, bias, weight, eps)


@both("norm-before-adding", "weight-and-bias-exchanged")
def x_after_a_norm_with_bias_first(sublayer_out, x, weight, bias, eps):
    return x + norm(sublayer_out, bias, weight, eps)


@both("only-added", "averaged")
def half_of_the_sum(sublayer_out, x, weight, bias, eps):
    return (sublayer_out + x) / 2
