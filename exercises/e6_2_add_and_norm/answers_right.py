"""Right answers to exercise 6.2, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504, UP008 - naming a result before returning it, and the long super(), are styles that must pass

import torch
import torch.nn as nn
import torch.nn.functional as F

from feedback.bank import RightAnswers

right = RightAnswers()


def norm_step_by_step(x, weight, bias, eps):
    mean = x.mean(dim=-1, keepdim=True)
    variance = ((x - mean) ** 2).mean(dim=-1, keepdim=True)
    normalized = (x - mean) / torch.sqrt(variance + eps)
    return weight * normalized + bias


def norm_by_rsqrt(x, weight, bias, eps):
    centered = x - x.mean(-1, keepdim=True)
    return centered * torch.rsqrt(centered.square().mean(-1, keepdim=True) + eps) * weight + bias


def norm_with_sums(x, weight, bias, eps):
    n = x.size(-1)
    x = x - x.sum(-1, keepdim=True) / n
    return x / (x.pow(2).sum(-1, keepdim=True) / n + eps).sqrt() * weight + bias


@right
def add_then_torchs_norm(sublayer_out, x, weight, bias, eps):
    return F.layer_norm(x + sublayer_out, x.shape[-1:], weight, bias, eps)


@right
def add_then_own_norm(sublayer_out, x, weight, bias, eps):
    return norm_step_by_step(sublayer_out + x, weight, bias, eps)


@right
def add_then_everything_by_hand(sublayer_out, x, weight, bias, eps):
    hidden = sublayer_out + x
    mean = hidden.mean(-1, keepdim=True)
    var = hidden.var(-1, unbiased=False, keepdim=True)
    return weight * (hidden - mean) / torch.sqrt(var + eps) + bias


@right
def add_with_other_names(a, b, gamma, beta, epsilon):
    return F.layer_norm(torch.add(a, b), gamma.shape, weight=gamma, bias=beta, eps=epsilon)


@right
def add_as_a_sum_of_a_stack(sublayer_out, x, weight, bias, eps):
    return norm_by_rsqrt(torch.stack([sublayer_out, x]).sum(0), weight, bias, eps)


@right
def add_in_place_on_a_copy(sublayer_out, x, weight, bias, eps):
    total = x.clone()
    total += sublayer_out
    return norm_step_by_step(total, weight, bias, eps)


@right
def add_centered_each_by_itself(sublayer_out, x, weight, bias, eps):
    z = (sublayer_out - sublayer_out.mean(-1, keepdim=True)) + (x - x.mean(-1, keepdim=True))
    return z / (z.square().mean(-1, keepdim=True) + eps).sqrt() * weight + bias


@right
def add_as_twice_the_mean(sublayer_out, x, weight, bias, eps):
    return norm_with_sums(2 * (sublayer_out + x) / 2, weight, bias, eps)


@right
def add_with_a_nested_function(sublayer_out, x, weight, bias, eps):
    def norm(z):
        variance, mean = torch.var_mean(z, dim=-1, unbiased=False, keepdim=True)
        return (z - mean) * (variance + eps) ** -0.5

    return norm(sublayer_out + x) * weight + bias


@right
def add_by_a_loop_over_vectors(sublayer_out, x, weight, bias, eps):
    C = x.size(-1)
    pairs = zip(sublayer_out.reshape(-1, C), x.reshape(-1, C), strict=True)
    return torch.stack([F.layer_norm(s + r, (C,), weight, bias, eps) for s, r in pairs]).view(x.shape)


@right
def add_by_a_module_call(sublayer_out, x, weight, bias, eps):
    layer = nn.LayerNorm(x.size(-1), eps, elementwise_affine=False)
    return layer(sublayer_out + x) * weight + bias


@right
def add_in_float64(sublayer_out, x, weight, bias, eps):
    total = sublayer_out.double() + x.double()
    print("sum", total.shape)
    return F.layer_norm(total, (total.size(-1),), weight.double(), bias.double(), eps).to(x.dtype)


@right
def add_in_a_lambda(sublayer_out, x, weight, bias, eps, norm=lambda z, w, b, e: F.layer_norm(z, w.shape, w, b, e)):
    return norm(x - (-sublayer_out), weight, bias, eps)
