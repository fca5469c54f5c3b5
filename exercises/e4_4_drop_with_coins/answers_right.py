"""Right answers to exercise 4.4, in many styles: the checker must accept all of them."""

import torch

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def in_one_branch(weights, coins, p, training):
    if training:
        weights = weights * (coins >= p) / (1 - p)
    return weights


@right
def with_p_of_zero(weights, coins, p, training):
    p = p if training else 0.0
    return torch.where(coins < p, 0.0, weights / (1 - p))


@right
def by_filling(weights, coins, p, training):
    return weights.masked_fill(coins < p, 0).div(1 - p) if training else weights.clone()


@right
def by_a_factor(weights, coins, p, training):
    factor = (coins >= p).float() * (1 / (1 - p))
    return weights * factor if training else weights * torch.ones_like(factor)


@right
def as_the_difference(weights, coins, p, training):
    lost = weights * (coins < p)
    return (weights - lost) / (1 - p) if training else weights + 0
