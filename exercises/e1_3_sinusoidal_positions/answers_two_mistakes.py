"""Answers to exercise 1.3 with two mistakes at once: the checker may name either, and no third."""

import math

import torch

from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("from-one", "halves")
def positions_from_one_in_halves(length, d_model):
    angles = torch.arange(1, length + 1)[:, None] / 10000 ** (torch.arange(0, d_model, 2) / d_model)
    return torch.cat([angles.sin(), angles.cos()], dim=-1)


@both("degrees", "exponent-half")
def degrees_of_half_the_exponent(length, d_model):
    waves = torch.zeros(length, d_model)
    for t in range(length):
        for pair in range(d_model // 2):
            angle = math.radians(t / 10000 ** (pair / d_model))
            waves[t, 2 * pair], waves[t, 2 * pair + 1] = math.sin(angle), math.cos(angle)
    return waves


@both("half-empty", "exponent-doubled")
def sines_of_the_doubled_exponent(length, d_model):
    waves = torch.zeros(length, d_model)
    i = torch.arange(0, d_model, 2)
    waves[:, 0::2] = torch.sin(torch.arange(length)[:, None] / 10000 ** (2 * i / d_model))
    return waves


@both("halves", "exponent-half")
def halves_of_the_half_exponent(length, d_model):
    angles = torch.arange(length).unsqueeze(1) * 10000 ** (-torch.arange(d_model // 2) / d_model)
    return torch.cat((torch.sin(angles), torch.cos(angles)), dim=1)
