"""Right answers to exercise 9.1, in as many styles as learners have: the checker must accept all of them."""

import math

import torch

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def turned_as_complex_numbers(x, positions, base=10000.0):
    D = x.size(-1)
    angles = torch.outer(positions.double(), base ** (-torch.arange(0, D, 2).double() / D))
    z = torch.view_as_complex(x.double().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(z * torch.polar(torch.ones_like(angles), angles)).flatten(-2).to(x.dtype)


@right
def turned_with_a_swapped_copy(x, positions, base=10000.0):
    D = x.shape[-1]
    angles = (positions.float()[:, None] / base ** (torch.arange(0, D, 2) / D)).repeat_interleave(2, dim=-1)
    swapped = torch.stack([-x[..., 1::2], x[..., ::2]], -1).reshape(x.shape)
    return (x * angles.cos() + swapped * angles.sin()).to(x.dtype)


@right
def turned_into_an_empty_tensor(x, positions, base=10000.0):
    D = x.size(-1)
    out = torch.empty_like(x)
    for i in range(D // 2):
        angle = positions * base ** (-2 * i / D)
        c, s = torch.cos(angle), torch.sin(angle)
        out[..., 2 * i] = x[..., 2 * i] * c - x[..., 2 * i + 1] * s
        out[..., 2 * i + 1] = x[..., 2 * i] * s + x[..., 2 * i + 1] * c
    return out


@right
def turned_by_matrices(x, positions, base=10000.0):
    D = x.size(-1)
    frequency = torch.exp(-math.log(base) * torch.arange(0, D, 2) / D)
    angle = positions.to(frequency.dtype)[:, None] * frequency
    c, s = angle.cos(), angle.sin()
    matrices = torch.stack([torch.stack([c, -s], -1), torch.stack([s, c], -1)], -2).to(x.dtype)  # (T, D/2, 2, 2)
    return torch.einsum("tpij,...tpj->...tpi", matrices, x.unflatten(-1, (D // 2, 2))).flatten(-2)


@right
def turned_by_one_big_matrix_per_position(x, positions, base=10000.0):
    D = x.size(-1)
    rows = []
    for t, position in enumerate(positions.tolist()):
        blocks = []
        for i in range(D // 2):
            angle = position * base ** (-2 * i / D)
            blocks.append(torch.tensor([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]]))
        rows.append(x[..., t, :] @ torch.block_diag(*blocks).to(x.dtype).T)
    return torch.stack(rows, dim=-2) if rows else x.clone()


@right
def turned_position_by_position(x, positions, base=10000.0):
    out = x.clone()
    for t in range(x.shape[-2]):
        for i in range(0, x.shape[-1], 2):
            angle = float(positions[t]) * base ** (-i / x.shape[-1])
            a, b = x[..., t, i], x[..., t, i + 1]
            out[..., t, i] = a * math.cos(angle) - b * math.sin(angle)
            out[..., t, i + 1] = a * math.sin(angle) + b * math.cos(angle)
    return out


@right
def turned_with_unbind_in_float64(x, positions, base=10000.0):
    D = x.size(-1)
    a, b = x.double().unflatten(-1, (D // 2, 2)).unbind(-1)
    angles = positions.double().unsqueeze(-1) * torch.pow(torch.tensor(base).double(), -torch.arange(0, D, 2) / D)
    return torch.stack((a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()), -1).flatten(-2).to(x)


@right
def turned_as_halves_of_sorted_features(x, positions, base=10000.0):
    D = x.size(-1)
    order = torch.cat([torch.arange(0, D, 2), torch.arange(1, D, 2)])
    halves = x[..., order]
    angles = positions[:, None] * base ** (-torch.arange(0, D, 2) / D)
    cos, sin = torch.cat([angles.cos()] * 2, -1), torch.cat([angles.sin()] * 2, -1)
    turned = halves * cos + torch.cat([-halves[..., D // 2 :], halves[..., : D // 2]], -1) * sin
    return turned[..., order.argsort()].to(x.dtype)
