"""Wrong answers to exercise 10.3, of the kind that learners write: the checker must reject all of them."""

import torch
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def wide(x):
    return x.double()


def back(out, x):
    return out.to(x.dtype)


@wrong("layer-norm")
def rms_as_layer_norm(x, weight, eps=1e-6):
    return back(F.layer_norm(wide(x), x.shape[-1:], wide(weight), eps=eps), x)


@wrong("variance")
def rms_by_std(x, weight, eps=1e-6):
    return back(wide(x) / (wide(x).var(-1, keepdim=True, correction=0) + eps).sqrt() * weight, x)


@wrong("mean-subtracted")
def rms_of_x_without_its_mean(x, weight, eps=1e-6):
    z = wide(x)
    return back((z - z.mean(-1, keepdim=True)) / ((z**2).mean(-1, keepdim=True) + eps).sqrt() * weight, x)


@wrong("length-1")
def rms_by_length(x, weight, eps=1e-6):
    z = wide(x)
    return (
        back(z / ((z @ z.mT).diagonal(0, -2, -1)[..., None] + eps).sqrt() * weight, x)
        if x.dim() > 1
        else back(z / ((z**2).sum() + eps).sqrt() * weight, x)
    )


@wrong("absolute-mean")
def rms_by_absolutes(x, weight, eps=1e-6):
    z = wide(x)
    return back(z * (z.abs().mean(-1, keepdim=True) ** 2 + eps).rsqrt() * weight, x)


@wrong("square-of-the-mean")
def rms_by_the_mean_squared(x, weight, eps=1e-6):
    z = wide(x)
    return back(z / torch.sqrt(z.mean(-1, keepdim=True) ** 2 + eps) * weight, x)


@wrong("eps-outside")
def rms_with_eps_outside(x, weight, eps=1e-6):
    z = wide(x)
    return back(z / ((z**2).mean(-1, keepdim=True) ** 0.5 + eps) * weight, x)


@wrong("eps-forgotten")
def rms_without_eps(x, weight, eps=1e-6):
    z = wide(x)
    return back(z * z.square().mean(-1, keepdim=True).rsqrt() * weight, x)


@wrong("fixed-eps")
def rms_with_an_eps_of_its_own(x, weight, eps=1e-6):
    z = wide(x)
    return back(z * (z.square().mean(-1, keepdim=True) + 1e-6).rsqrt() * weight, x)


@wrong("not-rooted")
def rms_without_a_root(x, weight, eps=1e-6):
    z = wide(x)
    return back(z / (z.square().mean(-1, keepdim=True) + eps) * weight, x)


@wrong("multiplied")
def rms_multiplied(x, weight, eps=1e-6):
    z = wide(x)
    return back(z * (z.square().mean(-1, keepdim=True) + eps).sqrt() * weight, x)


@wrong("over-another-axis")
def rms_over_everything(x, weight, eps=1e-6):
    z = wide(x)
    return back(z * (z.square().mean() + eps).rsqrt() * weight, x)


@wrong("weight-forgotten")
def rms_unweighted(x, weight, eps=1e-6):
    z = wide(x)
    return back(z * (z.square().mean(-1, keepdim=True) + eps).rsqrt(), x)


@wrong("weight-plus-1")
def rms_as_gemma(x, weight, eps=1e-6):
    z = wide(x)
    return back(z * (z.square().mean(-1, keepdim=True) + eps).rsqrt() * (1.0 + wide(weight)), x)


@wrong("weight-added")
def rms_with_a_bias(x, weight, eps=1e-6):
    z = wide(x)
    return back(z * (z.square().mean(-1, keepdim=True) + eps).rsqrt() + weight, x)


@wrong("weight-too-early")
def rms_of_weighted(x, weight, eps=1e-6):
    z = wide(x) * weight
    return back(z * (z.square().mean(-1, keepdim=True) + eps).rsqrt(), x)


@wrong("float16-overflows")
def rms_in_the_dtype_of_x(x, weight, eps=1e-6):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps) * weight


@wrong("other-dtype")
def rms_left_in_float32(x, weight, eps=1e-6):
    z = x.float()
    return z * (z.square().mean(-1, keepdim=True) + eps).rsqrt() * weight


@wrong()
def rms_by_the_largest(x, weight, eps=1e-6):
    z = wide(x)
    return back(z / (z.abs().amax(-1, keepdim=True) + eps) * weight, x)
