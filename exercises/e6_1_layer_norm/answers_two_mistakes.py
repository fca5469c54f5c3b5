"""Answers to exercise 6.1 with two mistakes at once: naming either is true, naming a third is not."""

import torch
import torch.nn.functional as F

from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("unbiased", "weight-and-bias-forgotten")
def norm_of_plain_var_not_stretched(x, weight, bias, eps):
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + eps).sqrt()


@both("unbiased", "weight-forgotten")
def norm_of_plain_var_without_weight(x, weight, bias, eps):
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + eps).sqrt() + bias


@both("unbiased", "bias-forgotten")
def norm_of_plain_var_without_bias(x, weight, bias, eps):
    return weight * (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, keepdim=True) + eps)


@both("unbiased", "bias-inside")
def norm_of_plain_var_with_brackets(x, weight, bias, eps):
    return weight * ((x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, keepdim=True) + eps) + bias)


@both("over-positions", "eps-outside")
def norm_over_positions_by_std(x, weight, bias, eps):
    mean, std = x.mean(-2, keepdim=True), x.std(-2, unbiased=False, keepdim=True)
    return (x - mean) / (std + eps) * weight + bias


@both("over-everything", "eps-forgotten")
def norm_over_everything_without_eps(x, weight, bias, eps):
    return (x - x.mean()) / x.std(unbiased=False) * weight + bias


@both("not-rooted", "weight-and-bias-forgotten")
def norm_by_the_variance_not_stretched(x, weight, bias, eps):
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, unbiased=False, keepdim=True)
    return (x - mean) / (variance + eps)


@both("weight-first", "fixed-eps")
def norm_of_stretched_with_torchs_eps(x, weight, bias, eps):
    return F.layer_norm(x * weight + bias, x.shape[-1:])


@both("weight-and-bias-exchanged", "fixed-eps")
def norm_with_bias_as_weight_and_torchs_eps(x, weight, bias, eps):
    return F.layer_norm(x, x.shape[-1:], bias, weight)


@both("not-centered", "eps-outside")
def norm_of_x_by_std(x, weight, bias, eps):
    return x / (x.std(-1, unbiased=False, keepdim=True) + eps) * weight + bias


@both("rms-norm", "eps-forgotten")
def norm_by_the_mean_square_without_eps(x, weight, bias, eps):
    return x / x.pow(2).mean(-1, keepdim=True).sqrt() * weight + bias


@both("sign", "unbiased")
def norm_reversed_by_plain_var(x, weight, bias, eps):
    return (x.mean(-1, keepdim=True) - x) / (x.var(-1, keepdim=True) + eps).sqrt() * weight + bias
