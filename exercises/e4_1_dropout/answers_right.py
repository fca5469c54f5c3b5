"""Right answers to exercise 4.1, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504, UP008 - naming a result before returning it, and the long super(), are styles that must pass

import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def dropout_by_the_formula(x, p, generator=None):
    keep = torch.rand(x.shape, generator=generator) >= p
    return x * keep.to(x.device) / (1 - p)


@right
def dropout_by_where(x, p, generator=None):
    dropped = torch.rand(x.size(), generator=generator) < p
    return torch.where(dropped.to(x.device), 0.0, x / (1.0 - p))


@right
def dropout_by_masked_fill(x: Tensor, p: float, generator: torch.Generator = None) -> Tensor:
    noise = torch.rand(x.shape, dtype=x.dtype, generator=generator)
    return (x / (1 - p)).masked_fill(noise.to(x.device) < p, 0)


@right
def dropout_by_bernoulli(x, p, generator=None):
    keep = torch.bernoulli(torch.full(x.shape, 1 - p), generator=generator).to(x)
    return keep * x / (1 - p)


@right
def dropout_by_bernoulli_in_place(x, p, g=None):
    mask = torch.empty(x.shape).bernoulli_(1 - p, generator=g).to(x)
    mask /= 1 - p
    return mask * x


@right
def dropout_by_uniform_in_place(x, p, generator=None):
    u = torch.empty(x.shape).uniform_(generator=generator)
    print("dropping", int((u < p).sum()))
    return x * (u >= p).to(x) * (1 / (1 - p))


@right
def dropout_below_one_minus_p(x, p, generator=None):
    q = 1 - p
    keep = torch.rand(*x.shape, generator=generator).lt(q).float()
    result = x * keep.to(x)
    result = result / q
    return result


@right
def dropout_into_a_clone(x, p, generator=None):
    out = x.clone()
    out[torch.rand(x.shape, generator=generator) < p] = 0
    return out.div(1 - p)


@right
def dropout_of_chosen_places(x, p, generator=None):
    keep = torch.rand(x.shape, generator=generator) > p
    out = torch.zeros_like(x)
    out[keep] = x[keep] / (1 - p)
    return out


@right
def dropout_row_by_row(x, p, generator=None):
    if x.dim() > 1:
        return torch.stack([dropout_row_by_row(item, p, generator) for item in x])
    return x * (torch.rand(len(x), generator=generator) >= p).to(x.device) / (1 - p)


@right
def dropout_in_float64(x, p, generator=None):
    noise = torch.rand(x.numel(), generator=generator, dtype=torch.float64).view(x.shape)
    return (x.double() * (noise >= p).to(x.device).double() / (1 - p)).to(x.dtype)


@right
def dropout_by_floor(x, p, generator=None):
    keep = torch.floor(torch.rand(x.shape, generator=generator) + (1 - p))
    return x.div(1 - p) * keep.to(x.device)


@right
def dropout_that_returns_early(x, p, generator=None):
    if p == 0:
        return x
    return x * torch.rand(x.shape, generator=generator).ge(p).to(x.device) / (1 - p)


@right
def dropout_by_its_module_s_seed(x, p, generator=None):
    if generator is None:
        return F.dropout(x, p, training=True)
    seed = int(torch.randint(2**31, (), generator=generator))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return nn.Dropout(p)(x)


@right
def dropout_with_random_integers(x, p, generator=None):
    draws = torch.randint(0, 1_000_000, x.shape, generator=generator)
    return torch.mul(x, draws.to(x.device) >= round(p * 1_000_000)) / (1 - p)


@right
def dropout_with_the_default_generator_named(x, p, generator=None):
    if generator is None:
        generator = torch.default_generator
    kept = torch.rand(x.shape, generator=generator) >= p
    x = x / (1 - p)
    x = x * kept.to(x.device)
    return x


@right
def dropout_drawn_backwards(x, p, generator=None):
    noise = torch.rand(x.shape[::-1], generator=generator).permute(*range(x.dim() - 1, -1, -1))
    return x * (noise >= p).to(x.device) / (1 - p)


@right
def dropout_by_normal_numbers(x, p, generator=None):
    uniform = 0.5 * (1 + torch.erf(torch.randn(x.shape, generator=generator) / math.sqrt(2)))
    return x * (uniform >= p).to(x.device) / (1 - p)
