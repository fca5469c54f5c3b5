"""Wrong answers to exercise 6.1, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("unbiased")
def norm_with_plain_var(x, weight, bias, eps):
    """Var divides by C - 1."""
    mean = x.mean(dim=-1, keepdim=True)
    var = x.var(dim=-1, keepdim=True)
    return (x - mean) / torch.sqrt(var + eps) * weight + bias


@wrong("unbiased")
def norm_divided_by_c_minus_1(x, weight, bias, eps):
    """Var by hand, divided by C - 1."""
    centered = x - x.mean(-1, keepdim=True)
    var = centered.pow(2).sum(-1, keepdim=True) / (x.size(-1) - 1)
    return weight * centered * torch.rsqrt(var + eps) + bias


@wrong("unbiased-and-eps-outside")
def norm_of_the_annotated_kind(x, weight, bias, eps):
    """Std, and eps next to it, as in many tutorials."""
    mean = x.mean(-1, keepdim=True)
    std = x.std(-1, keepdim=True)
    return weight * (x - mean) / (std + eps) + bias


@wrong("eps-outside")
def norm_with_eps_outside(x, weight, bias, eps):
    """Eps outside the root."""
    mean = x.mean(-1, keepdim=True)
    var = x.var(-1, keepdim=True, unbiased=False)
    return (x - mean) / (torch.sqrt(var) + eps) * weight + bias


@wrong("eps-forgotten")
def norm_without_eps(x, weight, bias, eps):
    """Eps never used."""
    return (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True, correction=0) * weight + bias


@wrong("unbiased-and-eps-forgotten")
def norm_by_plain_std(x, weight, bias, eps):
    """Plain std, and no eps."""
    return (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True) * weight + bias


@wrong("fixed-eps")
def norm_by_torch_with_its_own_eps(x, weight, bias, eps):
    """Torch's own function without eps."""
    return F.layer_norm(x, (x.size(-1),), weight, bias)


@wrong("fixed-eps")
def norm_with_eps_of_its_own(x, weight, bias, eps):
    """Eps is 1e-6 whatever is given."""
    eps = 1e-6
    z = x - x.mean(-1, keepdim=True)
    return z / (z.square().mean(-1, keepdim=True) + eps).sqrt() * weight + bias


@wrong("not-rooted")
def norm_without_root(x, weight, bias, eps):
    """Divided by the variance."""
    mean, var = x.mean(-1, keepdim=True), x.var(-1, keepdim=True, unbiased=False)
    return (x - mean) / (var + eps) * weight + bias


@wrong("multiplied")
def norm_multiplied(x, weight, bias, eps):
    """Multiplied by the root."""
    mean, var = x.mean(-1, keepdim=True), x.var(-1, keepdim=True, unbiased=False)
    return (x - mean) * (var + eps).sqrt() * weight + bias


@wrong("not-centered")
def norm_without_mean(x, weight, bias, eps):
    """The mean stays."""
    var = x.var(-1, keepdim=True, unbiased=False)
    return x / torch.sqrt(var + eps) * weight + bias


@wrong("rms-norm")
def norm_as_rms(x, weight, bias, eps):
    """RMS norm."""
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight + bias


@wrong("mean-square")
def norm_with_mean_square(x, weight, bias, eps):
    """Variance of x instead of x - mean."""
    mean = x.mean(-1, keepdim=True)
    var = (x**2).mean(-1, keepdim=True)
    return (x - mean) / torch.sqrt(var + eps) * weight + bias


@wrong("not-divided")
def norm_only_centered(x, weight, bias, eps):
    """Centred only."""
    return (x - x.mean(-1, keepdim=True)) * weight + bias


@wrong("over-positions")
def norm_over_positions(x, weight, bias, eps):
    """Over the positions."""
    mean, var = x.mean(-2, keepdim=True), x.var(-2, keepdim=True, unbiased=False)
    return (x - mean) / torch.sqrt(var + eps) * weight + bias


@wrong("over-positions")
def norm_over_axis_1(x, weight, bias, eps):
    """Over axis 1."""
    mean, var = x.mean(1, keepdim=True), x.var(1, keepdim=True, unbiased=False)
    return (x - mean) / torch.sqrt(var + eps) * weight + bias


@wrong("over-batch")
def norm_over_the_batch(x, weight, bias, eps):
    """Over the batch."""
    mean, var = x.mean(0), x.var(0, unbiased=False)
    return (x - mean) / torch.sqrt(var + eps) * weight + bias


@wrong("over-everything")
def norm_over_everything(x, weight, bias, eps):
    """Over everything."""
    return (x - x.mean()) / torch.sqrt(x.var(unbiased=False) + eps) * weight + bias


@wrong("mean-over-everything")
def norm_with_one_mean(x, weight, bias, eps):
    """The mean over everything."""
    var = x.var(-1, keepdim=True, unbiased=False)
    return (x - x.mean()) / torch.sqrt(var + eps) * weight + bias


@wrong("no-keepdim")
def norm_without_keeping_the_axis(x, weight, bias, eps):
    """No keepdim."""
    mean, var = x.mean(-1), x.var(-1, unbiased=False)
    return (x - mean) / torch.sqrt(var + eps) * weight + bias


@wrong("weight-forgotten")
def norm_without_weight(x, weight, bias, eps):
    """No weight."""
    return F.layer_norm(x, x.shape[-1:], None, bias, eps)


@wrong("bias-forgotten")
def norm_without_bias(x, weight, bias, eps):
    """No bias."""
    return F.layer_norm(x, x.shape[-1:], weight, None, eps)


@wrong("weight-and-bias-forgotten")
def norm_by_a_fresh_layer(x, weight, bias, eps):
    """A new layer, whose weight is 1 and bias 0."""
    return nn.LayerNorm(x.size(-1), eps=eps, dtype=x.dtype)(x)


@wrong("weight-and-bias-exchanged")
def norm_with_bias_as_weight(x, weight, bias, eps):
    """Weight and bias exchanged."""
    return F.layer_norm(x, x.shape[-1:], bias, weight, eps)


@wrong("bias-inside")
def norm_with_brackets(x, weight, bias, eps):
    """Bias before weight."""
    return weight * (F.layer_norm(x, x.shape[-1:], eps=eps) + bias)


@wrong("weight-first")
def norm_of_stretched(x, weight, bias, eps):
    """Weight and bias first."""
    return F.layer_norm(x * weight + bias, x.shape[-1:], eps=eps)


@wrong("one-plus-weight")
def norm_with_one_plus_weight(x, weight, bias, eps):
    """1 + weight."""
    return F.layer_norm(x, x.shape[-1:], 1 + weight, bias, eps)


@wrong("brackets")
def norm_without_brackets(x, weight, bias, eps):
    """A parenthesis is missing."""
    mean, var = x.mean(-1, keepdim=True), x.var(-1, keepdim=True, unbiased=False)
    return (x - mean / torch.sqrt(var + eps)) * weight + bias


@wrong("no-norm-of-this-shape")
def norm_by_torch_of_two_axes(x, weight, bias, eps):
    """F.layer_norm over positions and features."""
    norm = nn.LayerNorm(x.shape[1:], eps=eps)
    return F.layer_norm(x, norm.normalized_shape, weight, bias, norm.eps)


@wrong("not-normalized")
def norm_forgotten(x, weight, bias, eps):
    """Only the stretch."""
    return x * weight + bias


@wrong("changes-input")
def norm_in_place_on_x(x, weight, bias, eps):
    """X is changed in place."""
    x -= x.mean(-1, keepdim=True)
    return x / (x.square().mean(-1, keepdim=True) + eps).sqrt() * weight + bias


@wrong("mean-not-0")
def norm_around_the_median(x, weight, bias, eps):
    """The median in place of the mean."""
    middle = x.median(-1, keepdim=True).values
    return (x - middle) / (x.var(-1, keepdim=True, unbiased=False) + eps).sqrt() * weight + bias


@wrong("variance-not-1")
def norm_with_twice_eps(x, weight, bias, eps):
    """Eps doubled."""
    z = x - x.mean(-1, keepdim=True)
    return z / (z.square().mean(-1, keepdim=True) + 2 * eps).sqrt() * weight + bias


@wrong("wrong-dtype")
def norm_in_float32(x, weight, bias, eps):
    """Always float32."""
    return F.layer_norm(x.float(), x.shape[-1:], weight.float(), bias.float(), eps)


@wrong("wrong-shape")
def norm_of_the_first_item(x, weight, bias, eps):
    """A loop that ends too early."""
    for item in x:
        return (
            F.layer_norm(item, x.shape[-1:], weight, bias, eps)
            if x.dim() > 1
            else F.layer_norm(x, x.shape, weight, bias, eps)
        )


@wrong("returns-none")
def norm_not_returned(x, weight, bias, eps):
    """Nothing comes back."""
    out = F.layer_norm(x, x.shape[-1:], weight, bias, eps)
    print(out.shape)


@wrong("new-layer")
def norm_by_a_float32_layer(x, weight, bias, eps):
    """A new layer in float32, then weight and bias."""
    C = x.size(-1)
    return nn.LayerNorm(C, eps=eps)(x) * weight + bias


@wrong("new-layer")
def norm_by_a_float32_layer_with_copies(x, weight, bias, eps):
    """A new layer in float32 with copied weights."""
    layer = nn.LayerNorm(x.size(-1), eps=eps)
    layer.load_state_dict({"weight": weight, "bias": bias})
    return layer(x)


@wrong("batch-norm")
def norm_of_each_feature(x, weight, bias, eps):
    """Batch norm."""
    axes = tuple(range(x.dim() - 1))
    mean, variance = x.mean(axes, keepdim=True), x.var(axes, unbiased=False, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


@wrong("over-each-item")
def norm_over_two_axes(x, weight, bias, eps):
    """Over the last two axes."""
    mean, variance = x.mean((-2, -1), keepdim=True), x.var((-2, -1), unbiased=False, keepdim=True)
    return (x - mean) / torch.sqrt(variance + eps) * weight + bias


@wrong("eps-squared")
def norm_with_eps_squared(x, weight, bias, eps):
    """Both squared, as for a length."""
    std = x.std(-1, unbiased=False, keepdim=True)
    return (x - x.mean(-1, keepdim=True)) / torch.sqrt(std**2 + eps**2) * weight + bias


@wrong("eps-as-floor")
def norm_with_a_floor(x, weight, bias, eps):
    """The variance is at least eps."""
    z = x - x.mean(-1, keepdim=True)
    variance = torch.maximum(z.square().mean(-1, keepdim=True), torch.tensor(eps, dtype=x.dtype))
    return z * variance.rsqrt() * weight + bias


@wrong("eps-elsewhere")
def norm_with_eps_in_the_numerator(x, weight, bias, eps):
    """Eps is added above the fraction bar."""
    mean, std = x.mean(-1, keepdim=True), x.std(-1, correction=0, keepdim=True)
    return weight * ((x - mean + eps) / std) + bias


@wrong("eps-subtracted")
def norm_with_eps_subtracted(x, weight, bias, eps):
    """Eps with the wrong sign."""
    z = x - x.mean(-1, keepdim=True)
    return z * torch.rsqrt((z * z).mean(-1, keepdim=True) - eps) * weight + bias


@wrong("rooted-twice")
def norm_with_two_roots(x, weight, bias, eps):
    """The root of a standard deviation."""
    std = x.std(dim=-1, keepdim=True, unbiased=False)
    return weight * (x - x.mean(dim=-1, keepdim=True)) / torch.sqrt(std + eps) + bias


@wrong("summed")
def norm_with_a_sum_of_squares(x, weight, bias, eps):
    """The sum of squares for the variance."""
    z = x - x.mean(-1, keepdim=True)
    variance = z.pow(2).sum(-1, keepdim=True)
    return z / torch.sqrt(variance + eps) * weight + bias


@wrong("absolute-distance")
def norm_by_mean_absolute_distance(x, weight, bias, eps):
    """The mean absolute distance for the standard deviation."""
    z = x - x.mean(-1, keepdim=True)
    return z / (torch.mean(torch.abs(z), -1, keepdim=True) + eps) * weight + bias


@wrong("sign")
def norm_with_the_difference_reversed(x, weight, bias, eps):
    """Mean - x."""
    mean, var = x.mean(-1, keepdim=True), x.var(-1, unbiased=False, keepdim=True)
    return (mean - x) / torch.sqrt(var + eps) * weight + bias


@wrong("variance-over-everything")
def norm_with_one_variance(x, weight, bias, eps):
    """The variance over everything."""
    z = x - x.mean(-1, keepdim=True)
    return z / torch.sqrt(x.var(unbiased=False) + eps) * weight + bias


@wrong("weight-added")
def norm_with_weight_added(x, weight, bias, eps):
    """Plus weight."""
    return weight + F.layer_norm(x, x.shape[-1:], eps=eps) + bias


@wrong("divided-by-weight")
def norm_divided_by_weight(x, weight, bias, eps):
    """All in one denominator."""
    z = x - x.mean(-1, keepdim=True)
    return z / ((z.square().mean(-1, keepdim=True) + eps).sqrt() * weight) + bias


@wrong("bias-subtracted")
def norm_with_bias_subtracted(x, weight, bias, eps):
    """Minus bias."""
    return F.layer_norm(x, x.shape[-1:], weight, -bias, eps)


@wrong("bias-first")
def norm_of_x_plus_bias(x, weight, bias, eps):
    """Bias before the norm."""
    x = x + bias
    z = x - x.mean(-1, keepdim=True)
    return z / (z.square().mean(-1, keepdim=True) + eps).sqrt() * weight


@wrong("between-0-and-1")
def norm_by_the_range(x, weight, bias, eps):
    """Min-max scaling."""
    low, high = x.aminmax(dim=-1, keepdim=True)
    return weight * ((x - low) / (high + eps - low)) + bias


@wrong("no-gradients")
def norm_with_a_detached_mean(x, weight, bias, eps):
    """The mean is cut off from x."""
    mean = x.mean(-1, keepdim=True).detach()
    variance = x.var(-1, unbiased=False, keepdim=True)
    return (x - mean) / (variance + eps).sqrt() * weight + bias


@wrong("no-gradients")
def norm_without_gradients(x, weight, bias, eps):
    """Everything under no_grad."""
    with torch.no_grad():
        return F.layer_norm(x, x.shape[-1:], weight, bias, eps)


@wrong("no-gradients")
def norm_with_the_variance_as_a_number(x, weight, bias, eps):
    """math.sqrt of a Python number, vector by vector."""
    rows = []
    for row in x.reshape(-1, x.size(-1)):
        z = row - row.mean()
        rows.append(z / math.sqrt(z.pow(2).mean().item() + eps) * weight + bias)
    return torch.stack(rows).reshape(x.shape)


@wrong()
def norm_by_numpy(x, weight, bias, eps):
    """NumPy does not know gradients: it stops in the backward pass."""
    a = x.numpy()
    z = (a - a.mean(-1, keepdims=True)) / np.sqrt(a.var(-1, keepdims=True) + eps)
    return torch.from_numpy(z.astype(a.dtype)) * weight + bias


@wrong()
def norm_in_place_on_its_own_tensor(x, weight, bias, eps):
    """The backward pass needs what was overwritten."""
    out = x.clone()
    out -= out.mean(-1, keepdim=True)
    out /= out.var(-1, unbiased=False, keepdim=True).add_(eps).sqrt_()
    out.mul_(weight).add_(bias)
    return out
