"""Wrong answers to exercise 6.2, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import torch
import torch.nn as nn
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def norm(z, weight, bias, eps):
    return F.layer_norm(z, z.shape[-1:], weight, bias, eps)


@wrong("no-residual")
def add_without_residual(sublayer_out, x, weight, bias, eps):
    """No residual."""
    return norm(sublayer_out, weight, bias, eps)


@wrong("no-norm-of-this-shape")
def norm_over_the_shape_of_x(sublayer_out, x, weight, bias, eps):
    total = x + sublayer_out
    return F.layer_norm(total, list(total.size()), weight=weight, bias=bias, eps=eps)


@wrong("no-sublayer")
def add_only_x(sublayer_out, x, weight, bias, eps):
    """Only x."""
    return norm(x, weight, bias, eps)


@wrong("x-with-itself")
def add_x_and_x(sublayer_out, x, weight, bias, eps):
    """X + x."""
    return norm(x + x, weight, bias, eps)


@wrong("sublayer-with-itself")
def add_sublayer_and_sublayer(sublayer_out, x, weight, bias, eps):
    """Sublayer_out twice."""
    return norm(sublayer_out + sublayer_out, weight, bias, eps)


@wrong("x-twice")
def add_x_twice(sublayer_out, x, weight, bias, eps):
    """X is in it twice."""
    sublayer_out = sublayer_out + x
    return norm(sublayer_out + x, weight, bias, eps)


@wrong("norm-before-adding")
def add_after_norm(sublayer_out, x, weight, bias, eps):
    """First the norm."""
    return x + norm(sublayer_out, weight, bias, eps)


@wrong("x-normed-then-added")
def add_to_normed_x(sublayer_out, x, weight, bias, eps):
    """X normed, then added."""
    return norm(x, weight, bias, eps) + sublayer_out


@wrong("normed-residual")
def add_normed_x_then_norm(sublayer_out, x, weight, bias, eps):
    """X normed, added, normed."""
    x = norm(x, weight, bias, eps)
    return norm(sublayer_out + x, weight, bias, eps)


@wrong("normed-sublayer")
def add_normed_sublayer_then_norm(sublayer_out, x, weight, bias, eps):
    """Sublayer_out normed, added, normed."""
    return norm(norm(sublayer_out, weight, bias, eps) + x, weight, bias, eps)


@wrong("each-normed")
def add_two_norms(sublayer_out, x, weight, bias, eps):
    """Two norms added."""
    return norm(sublayer_out, weight, bias, eps) + norm(x, weight, bias, eps)


@wrong("added-again")
def add_and_add(sublayer_out, x, weight, bias, eps):
    """X added once more."""
    return x + norm(sublayer_out + x, weight, bias, eps)


@wrong("normed-twice")
def add_and_norm_and_norm(sublayer_out, x, weight, bias, eps):
    """Two norms in a row."""
    out = norm(sublayer_out + x, weight, bias, eps)
    return norm(out, weight, bias, eps)


@wrong("difference")
def add_with_a_minus(sublayer_out, x, weight, bias, eps):
    """A difference."""
    return norm(x - sublayer_out, weight, bias, eps)


@wrong("averaged")
def add_and_halve(sublayer_out, x, weight, bias, eps):
    """The mean of both."""
    return norm((x + sublayer_out) / 2, weight, bias, eps)


@wrong("averaged")
def add_as_mean_of_a_stack(sublayer_out, x, weight, bias, eps):
    """The mean of a stack."""
    return norm(torch.stack([x, sublayer_out]).mean(0), weight, bias, eps)


@wrong("multiplied-together")
def add_with_a_times(sublayer_out, x, weight, bias, eps):
    """A product."""
    return norm(x * sublayer_out, weight, bias, eps)


@wrong("only-added")
def add_without_norm(sublayer_out, x, weight, bias, eps):
    """No norm."""
    return torch.add(x, sublayer_out)


@wrong("not-normalized")
def add_and_stretch(sublayer_out, x, weight, bias, eps):
    """The norm of the sum is stretched only."""
    return (sublayer_out + x) * weight + bias


@wrong("joined")
def add_by_cat(sublayer_out, x, weight, bias, eps):
    """Cat."""
    both = torch.cat([sublayer_out, x], dim=-1)
    return F.layer_norm(both, x.shape[-1:], weight, bias, eps)


@wrong("unbiased")
def add_then_plain_var(sublayer_out, x, weight, bias, eps):
    """Unbiased variance."""
    z = sublayer_out + x
    return (z - z.mean(-1, keepdim=True)) / (z.var(-1, keepdim=True) + eps).sqrt() * weight + bias


@wrong("unbiased-and-eps-outside")
def add_then_std(sublayer_out, x, weight, bias, eps):
    """Std + eps."""
    z = sublayer_out + x
    return (z - z.mean(-1, keepdim=True)) / (z.std(-1, keepdim=True) + eps) * weight + bias


@wrong("fixed-eps")
def add_then_norm_with_another_eps(sublayer_out, x, weight, bias, eps):
    """Torch's own eps."""
    return F.layer_norm(sublayer_out + x, x.shape[-1:], weight, bias)


@wrong("weight-and-bias-forgotten")
def add_then_bare_norm(sublayer_out, x, weight, bias, eps):
    """Weight and bias not passed on."""
    return F.layer_norm(sublayer_out + x, x.shape[-1:], eps=eps)


@wrong("weight-and-bias-exchanged")
def add_then_norm_with_bias_first(sublayer_out, x, weight, bias, eps):
    """Bias and weight exchanged."""
    return norm(sublayer_out + x, bias, weight, eps)


@wrong("over-everything")
def add_then_norm_of_everything(sublayer_out, x, weight, bias, eps):
    """Over everything."""
    z = sublayer_out + x
    return (z - z.mean()) / (z.var(unbiased=False) + eps).sqrt() * weight + bias


@wrong("changes-input")
def add_in_place(sublayer_out, x, weight, bias, eps):
    """X is changed in place."""
    x += sublayer_out
    return norm(x, weight, bias, eps)


@wrong("changes-input")
def add_in_place_on_sublayer(sublayer_out, x, weight, bias, eps):
    """Sublayer_out is changed in place."""
    return norm(sublayer_out.add_(x), weight, bias, eps)


@wrong("not-a-sum")
def add_half_of_x(sublayer_out, x, weight, bias, eps):
    """Half of x."""
    return norm(sublayer_out + 0.5 * x, weight, bias, eps)


@wrong()
def add_then_relu(sublayer_out, x, weight, bias, eps):
    """A relu on the way."""
    return norm(torch.relu(sublayer_out + x), weight, bias, eps)


@wrong("not-repeatable")
def add_with_dropout(sublayer_out, x, weight, bias, eps):
    """Dropout on the way."""
    return norm(F.dropout(sublayer_out, 0.1) + x, weight, bias, eps)


@wrong("returns-wrong-type")
def add_and_keep_the_sum(sublayer_out, x, weight, bias, eps):
    """A pair comes back."""
    total = sublayer_out + x
    return norm(total, weight, bias, eps), total


@wrong("vectors-mixed")
def add_the_first_vector(sublayer_out, x, weight, bias, eps):
    """The first vector alone."""
    first = x.reshape(-1, x.size(-1))[0]
    return norm(sublayer_out + first, weight, bias, eps)


@wrong("vectors-mixed")
def add_x_of_the_wrong_position(sublayer_out, x, weight, bias, eps):
    """The residual is detached from its place."""
    return norm(sublayer_out + (x.roll(1, dims=-2) if x.dim() > 1 else x), weight, bias, eps)


@wrong("new-layer")
def add_and_norm_by_a_float32_layer(sublayer_out, x, weight, bias, eps):
    """A new layer in float32."""
    return nn.LayerNorm(x.size(-1), eps=eps)(sublayer_out + x) * weight + bias


def unfinished_norm(x, weight, bias, eps):
    """What layer_norm is before exercise 6.1 is solved."""


@wrong("returns-none")
def add_and_unfinished_norm(sublayer_out, x, weight, bias, eps):
    """By a layer_norm that is not written yet."""
    return unfinished_norm(sublayer_out + x, weight, bias, eps)


@wrong("none-added")
def add_to_unfinished_norm(sublayer_out, x, weight, bias, eps):
    """Added to what an unwritten layer_norm gives."""
    return x + unfinished_norm(sublayer_out, weight, bias, eps)


@wrong("sublayer-twice")
def add_sublayer_twice(sublayer_out, x, weight, bias, eps):
    """A sum over three."""
    return norm(sum([sublayer_out, sublayer_out, x]), weight, bias, eps)


def by_hand(z, weight, bias, variance, eps):
    return (z - z.mean(-1, keepdim=True)) / (variance + eps).sqrt() * weight + bias


@wrong("eps-outside")
def add_then_root_plus_eps(sublayer_out, x, weight, bias, eps):
    """Eps outside the root."""
    z = sublayer_out + x
    std = z.std(-1, unbiased=False, keepdim=True)
    return weight * (z - z.mean(-1, keepdim=True)) / (std + eps) + bias


@wrong("eps-forgotten")
def add_then_norm_without_eps(sublayer_out, x, weight, bias, eps):
    """No eps."""
    z = sublayer_out + x
    return by_hand(z, weight, bias, z.var(-1, unbiased=False, keepdim=True), 0)


@wrong("unbiased-and-eps-forgotten")
def add_then_plain_std(sublayer_out, x, weight, bias, eps):
    """Plain std, and no eps."""
    z = x + sublayer_out
    return (z - z.mean(-1, keepdim=True)) / z.std(-1, keepdim=True) * weight + bias


@wrong("not-rooted")
def add_then_divide_by_the_variance(sublayer_out, x, weight, bias, eps):
    """The root is missing."""
    z = sublayer_out + x
    mean, var = z.mean(-1, keepdim=True), z.var(-1, unbiased=False, keepdim=True)
    return weight * ((z - mean) / (var + eps)) + bias


@wrong("not-divided")
def add_then_center(sublayer_out, x, weight, bias, eps):
    """Only centered."""
    z = sublayer_out + x
    return torch.addcmul(bias, z - z.mean(-1, keepdim=True), weight)


@wrong("not-centered")
def add_then_divide(sublayer_out, x, weight, bias, eps):
    """The mean stays."""
    z = sublayer_out + x
    return z * (z.var(-1, unbiased=False, keepdim=True) + eps).rsqrt() * weight + bias


@wrong("rms-norm")
def add_then_rms_norm(sublayer_out, x, weight, bias, eps):
    """RMS norm of the sum."""
    return F.rms_norm(sublayer_out + x, x.shape[-1:], weight, eps) + bias


@wrong("over-positions")
def add_then_norm_over_positions(sublayer_out, x, weight, bias, eps):
    """Over axis 1."""
    z = sublayer_out + x
    z = z - z.mean(dim=1, keepdim=True)
    return z / torch.sqrt((z**2).mean(dim=1, keepdim=True) + eps) * weight + bias


@wrong("no-keepdim")
def add_then_norm_without_keepdim(sublayer_out, x, weight, bias, eps):
    """No keepdim."""
    z = sublayer_out + x
    mean, var = z.mean(-1), z.var(-1, unbiased=False)
    return (z - mean) / torch.sqrt(var + eps) * weight + bias


@wrong("weight-forgotten")
def add_then_norm_without_weight(sublayer_out, x, weight, bias, eps):
    """No weight."""
    return F.layer_norm(sublayer_out + x, x.shape[-1:], bias=bias, eps=eps)


@wrong("bias-forgotten")
def add_then_norm_without_bias(sublayer_out, x, weight, bias, eps):
    """No bias."""
    return F.layer_norm(sublayer_out + x, x.shape[-1:], weight, eps=eps)


@wrong("no-gradients")
def add_by_a_module_with_copies(sublayer_out, x, weight, bias, eps):
    """Weight and bias are copied into a new layer: gradients never reach them."""
    layer = nn.LayerNorm(x.size(-1), eps).to(x.dtype)
    layer.load_state_dict({"weight": weight, "bias": bias})
    return layer(sublayer_out + x)


@wrong("no-gradients")
def add_a_detached_residual(sublayer_out, x, weight, bias, eps):
    """The residual path without gradients."""
    return norm(sublayer_out + x.detach(), weight, bias, eps)


@wrong("norm-before-adding")
def add_x_to_a_norm_with_plain_var(sublayer_out, x, weight, bias, eps):
    """The norm comes first, and divides by C - 1."""
    s = sublayer_out
    return x + (s - s.mean(-1, keepdim=True)) / (s.var(-1, keepdim=True) + eps).sqrt() * weight + bias
