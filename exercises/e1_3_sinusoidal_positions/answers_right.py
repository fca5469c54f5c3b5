"""Right answers to exercise 1.3, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504, UP008 - naming a result before returning it, and the long super(), are styles that must pass

import math

import numpy as np
import torch

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def waves_as_in_the_tutorial(length, d_model):
    pe = torch.zeros(length, d_model)
    position = torch.arange(0, length, dtype=torch.float).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe


@right
def waves_by_powers(length, d_model):
    angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack((angles.sin(), angles.cos()), dim=2).reshape(length, d_model)


@right
def waves_by_python_loops(length, d_model):
    table = torch.zeros(length, d_model)
    for p in range(length):
        for i in range(0, d_model, 2):
            angle = p / 10000 ** (i / d_model)
            table[p, i] = math.sin(angle)
            table[p, i + 1] = math.cos(angle)
    return table


@right
def waves_by_nested_lists(length, d_model):
    def entry(p, column):
        angle = p * 10000 ** -((column - column % 2) / d_model)
        return math.cos(angle) if column % 2 else math.sin(angle)

    return torch.tensor([[entry(p, column) for column in range(d_model)] for p in range(length)])


@right
def waves_by_numpy(length, d_model):
    angles = np.arange(length)[:, np.newaxis] / np.power(10000.0, 2 * (np.arange(d_model) // 2) / d_model)
    angles[:, 0::2] = np.sin(angles[:, 0::2])
    angles[:, 1::2] = np.cos(angles[:, 1::2])
    return torch.from_numpy(angles).float()


@right
def waves_by_numpy_float32(length, d_model):
    table = np.zeros((length, d_model), dtype=np.float32)
    for i in range(d_model // 2):
        table[:, 2 * i] = np.sin(np.arange(length) / 10000 ** (2 * i / d_model))
        table[:, 2 * i + 1] = np.cos(np.arange(length) / 10000 ** (2 * i / d_model))
    return torch.tensor(table)


@right
def waves_by_where(length, d_model):
    column = torch.arange(d_model)
    exponent = (column - column % 2) / d_model
    angles = torch.arange(length).float().unsqueeze(1) / torch.pow(10000.0, exponent)
    return torch.where(column % 2 == 0, torch.sin(angles), torch.cos(angles))


@right
def waves_by_a_shifted_sine(length, d_model):
    column = torch.arange(d_model, dtype=torch.float64)
    angles = torch.outer(torch.arange(length, dtype=torch.float64), 10000 ** (-(column // 2) * 2 / d_model))
    return torch.sin(angles + (column % 2) * math.pi / 2).to(torch.float32)


@right
def waves_by_complex_numbers(length, d_model):
    angles = torch.outer(torch.arange(length).double(), 10000.0 ** (-torch.arange(0, d_model, 2).double() / d_model))
    turned = torch.exp(1j * angles)
    return torch.view_as_real(turned).flip(-1).flatten(-2).float()


@right
def waves_by_polar(length, d_model):
    angles = torch.arange(length)[:, None] * torch.exp(-math.log(1e4) * torch.arange(0, d_model, 2) / d_model)
    turned = torch.polar(torch.ones_like(angles), angles)
    return torch.stack([turned.imag, turned.real], -1).flatten(1)


@right
def waves_by_turning_step_by_step(length, d_model):
    speed = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    step, rows = torch.polar(torch.ones_like(speed), speed), [torch.ones(d_model // 2, dtype=torch.complex128)]
    for _ in range(length - 1):
        rows.append(rows[-1] * step)
    turned = torch.stack(rows)
    return torch.stack([turned.imag, turned.real], dim=-1).reshape(length, d_model).float()


@right
def waves_by_einsum(length, d_model):
    frequency = 1 / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    angles = torch.einsum("p,i->pi", torch.arange(length).float(), frequency)
    table = torch.empty(length, d_model)
    table[:, ::2], table[:, 1::2] = angles.sin(), angles.cos()
    return table


@right
def waves_row_by_row(length, d_model):
    rows = []
    for p in range(length):
        angle = p / torch.tensor(10000.0).pow(torch.arange(0, d_model, 2) / d_model)
        rows.append(torch.stack([torch.sin(angle), torch.cos(angle)]).T.flatten())
    return torch.stack(rows)


@right
def waves_column_by_column(length, d_model):
    p, columns = torch.arange(length, dtype=torch.float32), []
    for i in range(d_model // 2):
        frequency = 10000 ** (-2 * i / d_model)
        columns += [torch.sin(p * frequency), torch.cos(p * frequency)]
    return torch.stack(columns, dim=1)


@right
def waves_by_halves_put_in_turn(length, d_model):
    angles = torch.arange(length).view(-1, 1) * torch.pow(10000, -torch.arange(0, d_model, 2) / d_model)
    halves = torch.cat([angles.sin(), angles.cos()], dim=1)
    order = torch.arange(d_model).view(2, -1).T.flatten()
    return halves[:, order]


@right
def waves_by_logspace(length, d_model):
    frequency = torch.logspace(0, -4 * (1 - 2 / d_model), d_model // 2, dtype=torch.float64)
    angles = torch.arange(length, dtype=torch.float64)[:, None] * frequency
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2).float()


@right
def waves_with_printing(length, d_model, base=10_000):
    positions = torch.arange(length).unsqueeze(-1)
    pairs = torch.arange(d_model // 2)
    angles = positions / base ** (2 * pairs / d_model)
    print(angles.shape)
    result = torch.zeros(length, d_model, dtype=torch.float32)
    result[:, 2 * pairs] = torch.sin(angles)
    result[:, 2 * pairs + 1] = torch.cos(angles)
    return result
