"""Right answers to exercise 6.1, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504, UP008 - naming a result before returning it, and the long super(), are styles that must pass

import torch
import torch.nn as nn
import torch.nn.functional as F

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def norm_by_torchs_own_function(x, weight, bias, eps):
    return F.layer_norm(x, (x.size(-1),), weight, bias, eps)


@right
def norm_by_torchs_own_function_then_by_hand(x, weight, bias, eps):
    return F.layer_norm(x, weight.shape, eps=eps) * weight + bias


@right
def norm_by_a_module(x, weight, bias, eps):
    layer = nn.LayerNorm(x.shape[-1], eps=eps, elementwise_affine=False)
    return layer(x) * weight + bias


@right
def norm_step_by_step(x, weight, bias, eps):
    mean = x.mean(dim=-1, keepdim=True)
    variance = ((x - mean) ** 2).mean(dim=-1, keepdim=True)
    normalized = (x - mean) / torch.sqrt(variance + eps)
    return weight * normalized + bias


@right.limited
def norm_from_the_mean_of_the_squares(x, weight, bias, eps):
    mean = x.mean(dim=-1, keepdim=True)
    variance = (x**2).mean(dim=-1, keepdim=True) - mean**2
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


@right
def norm_by_rsqrt(x, weight, bias, eps):
    centered = x - x.mean(-1, keepdim=True)
    return centered * torch.rsqrt(centered.square().mean(-1, keepdim=True) + eps) * weight + bias


@right
def norm_with_correction(x, weight, bias, eps):
    variance, mean = torch.var_mean(x, dim=-1, correction=0, keepdim=True)
    return torch.addcmul(bias, (x - mean) / (variance + eps) ** 0.5, weight)


@right
def norm_from_a_biased_std(x, weight, bias, eps):
    std = x.std(-1, unbiased=False, keepdim=True)
    return (x - x.mean(-1, keepdim=True)) / torch.sqrt(std**2 + eps) * weight + bias


@right
def norm_with_unbiased_variance_brought_back(x, weight, bias, eps):
    C = x.shape[-1]
    variance = x.var(-1, keepdim=True) * (C - 1) / C
    return (x - x.mean(-1, keepdim=True)) / (variance + eps).sqrt() * weight + bias


@right
def norm_with_sums(x, weight, bias, eps):
    n = x.size(-1)
    x = x - x.sum(-1, keepdim=True) / n
    return x / (x.pow(2).sum(-1, keepdim=True) / n + eps).sqrt() * weight + bias


@right
def norm_without_keepdim(x, weight, bias, eps):
    mean, var = x.mean(-1), x.var(-1, unbiased=False)
    return (x - mean.unsqueeze(-1)) / (var[..., None] + eps).sqrt() * weight + bias


@right
def norm_vector_by_vector(x, weight, bias, eps):
    rows = []
    for row in x.reshape(-1, x.size(-1)):
        mean = sum(row) / len(row)
        var = sum((a - mean) ** 2 for a in row) / len(row)
        rows.append((row - mean) / (var + eps) ** 0.5 * weight + bias)
    return torch.stack(rows).reshape(x.shape)


@right
def norm_in_place_where_gradients_allow_it(x, weight, bias, eps):
    out = x.clone()
    out -= out.mean(-1, keepdim=True)
    out = out / out.var(-1, unbiased=False, keepdim=True).add_(eps).sqrt() * weight
    out += bias
    return out


@right
def norm_recursive_over_the_axes(x, weight, bias, eps):
    if x.dim() > 1:
        return torch.stack([norm_recursive_over_the_axes(part, weight, bias, eps) for part in x])
    z = x - x.mean()
    return z / (z.dot(z) / len(z) + eps).sqrt() * weight + bias


@right
def norm_by_einsum_and_float64(x, weight, bias, eps):
    z = x.double() - x.double().mean(-1, keepdim=True)
    variance = torch.einsum("...c,...c->...", z, z)[..., None] / z.size(-1)
    print(variance.shape)
    return (z / (variance + eps).sqrt() * weight + bias).to(x.dtype)


@right
def norm_from_the_mean_of_squares(x, weight, bias, eps):
    x64 = x.double()
    mean = x64.mean(-1, keepdim=True)
    variance = (x64 * x64).mean(-1, keepdim=True) - mean * mean
    return ((x64 - mean) / (variance.clamp(min=0) + eps).sqrt()).to(x.dtype) * weight + bias


@right
def norm_with_features_in_front(x, weight, bias, eps):
    x = x.movedim(-1, 0)
    z = (x - x.mean(0)) / (x.var(0, unbiased=False) + eps).sqrt()
    return z.movedim(0, -1) * weight + bias
