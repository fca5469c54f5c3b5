"""Right answers to exercise 9.2, in as many styles as learners have: the checker must accept all of them."""

import math

import torch

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def halves_as_llama_turns_them(x, positions, base=10000.0):
    D = x.size(-1)
    angles = torch.outer(positions.float(), 1.0 / base ** (torch.arange(0, D, 2).float() / D))
    angles = torch.cat([angles, angles], dim=-1)
    half = D // 2
    rotated = torch.cat([-x[..., half:], x[..., :half]], dim=-1)
    return (x * angles.cos() + rotated * angles.sin()).to(x.dtype)


@right
def halves_as_complex_numbers(x, positions, base=10000.0):
    D = x.size(-1)
    angles = positions.double()[:, None] * base ** (-torch.arange(0, D, 2).double() / D)
    z = torch.complex(*x.double().tensor_split(2, dim=-1)) * torch.exp(1j * angles)
    return torch.cat([z.real, z.imag], dim=-1).to(x.dtype)


@right
def halves_by_a_loop_over_pairs(x, positions, base=10000.0):
    D = x.shape[-1]
    half = D // 2
    out = torch.zeros_like(x)
    for i in range(half):
        angle = positions * base ** (-2 * i / D)
        out[..., i] = x[..., i] * angle.cos() - x[..., i + half] * angle.sin()
        out[..., i + half] = x[..., i] * angle.sin() + x[..., i + half] * angle.cos()
    return out


@right
def halves_with_a_roll_and_signs(x, positions, base=10000.0):
    D = x.size(-1)
    signs = torch.ones(D, dtype=x.dtype)
    signs[: D // 2] = -1
    angles = (positions[:, None] * base ** (-torch.arange(0, D, 2) / D)).repeat(1, 2)
    return (x * angles.cos() + x.roll(D // 2, dims=-1) * signs * angles.sin()).to(x.dtype)


@right
def halves_by_an_axis_of_two(x, positions, base=10000.0):
    D = x.size(-1)
    a, b = x.reshape(*x.shape[:-1], 2, D // 2).unbind(-2)
    angles = positions[:, None] * torch.exp(torch.arange(D // 2) * (-2 * math.log(base) / D))
    c, s = angles.cos(), angles.sin()
    return torch.stack([a * c - b * s, a * s + b * c], dim=-2).flatten(-2).to(x.dtype)


@right
def halves_by_matrices(x, positions, base=10000.0):
    D = x.size(-1)
    angles = positions.double()[:, None] * base ** (-torch.arange(0, D, 2).double() / D)
    c, s = torch.diag_embed(angles.cos()), torch.diag_embed(angles.sin())
    matrices = torch.cat([torch.cat([c, -s], -1), torch.cat([s, c], -1)], -2)  # (T, D, D)
    return (matrices @ x.double().unsqueeze(-1)).squeeze(-1).to(x.dtype)


@right
def halves_through_neighbors(x, positions, base=10000.0):
    D = x.size(-1)
    order = torch.arange(D).view(2, -1).T.flatten()  # 0, D/2, 1, D/2 + 1, ...
    pairs = x[..., order]
    angles = positions[:, None] * base ** (-torch.arange(0, D, 2) / D)
    a, b = pairs[..., ::2], pairs[..., 1::2]
    turned = torch.stack([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], -1).flatten(-2)
    return turned[..., order.argsort()].to(x.dtype)


@right
def halves_in_float64_step_by_step(x, positions, base=10000.0):
    first, second = torch.split(x.double(), x.size(-1) // 2, dim=-1)
    exponents = torch.linspace(0, 1, x.size(-1) // 2 + 1, dtype=torch.float64)[:-1]
    angles = torch.einsum("t,i->ti", positions.double(), base**-exponents)
    print(angles.shape)
    left = first * torch.cos(angles) - second * torch.sin(angles)
    other = first * torch.sin(angles) + second * torch.cos(angles)
    return torch.hstack([left, other]).to(x.dtype) if x.dim() == 2 else torch.cat((left, other), -1).to(x.dtype)
