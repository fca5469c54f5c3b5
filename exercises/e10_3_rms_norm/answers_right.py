"""Right answers to exercise 10.3, in as many styles as learners have: the checker must accept all of them."""

import torch
import torch.nn.functional as F

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def rms_by_rsqrt_in_float32(x, weight, eps=1e-6):
    xf = x.float() if x.dtype == torch.float16 else x
    return (xf * torch.rsqrt(xf.pow(2).mean(-1, keepdim=True) + eps)).type_as(x) * weight


@right
def rms_by_root_in_float64(x, weight, eps=1e-6):
    wide = x.double()
    return (wide / ((wide * wide).mean(dim=-1, keepdim=True) + eps).sqrt() * weight).to(x.dtype)


@right
def rms_by_torch(x, weight, eps=1e-6):
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    return F.rms_norm(wide, wide.shape[-1:], weight.to(wide.dtype), eps).to(x.dtype)


@right
def rms_by_a_norm(x, weight, eps=1e-6):
    wide = x.double()
    mean_square = torch.linalg.vector_norm(wide, dim=-1, keepdim=True) ** 2 / x.size(-1)
    return (wide / torch.sqrt(mean_square + eps)).to(x.dtype) * weight


@right
def rms_by_einsum(x, weight, eps=1e-6):
    wide = x.float() if x.dtype != torch.float64 else x
    square = torch.einsum("...c,...c->...", wide, wide) / x.shape[-1]
    return torch.einsum("...c,...,c->...c", wide, (square + eps) ** -0.5, weight.to(wide.dtype)).to(x.dtype)


@right
def rms_of_scaled_numbers(x, weight, eps=1e-6):
    most = x.abs().amax(dim=-1, keepdim=True).clamp(min=1).double()
    small = x.double() / most
    root = (small.square().mean(dim=-1, keepdim=True) + eps / most**2).sqrt()
    return (small / root).to(x.dtype) * weight
