"""Wrong answers to exercise 4.4, each with the diagnosis that it must get."""

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("corrected-twice")
def scaled_by_a_power(weights, coins, p, training):
    kept = weights.masked_fill(coins < p, 0) if training else weights
    return kept * (1 - p) ** (-1 if training else 1)


@wrong("original-form")
def as_in_2014(weights, coins, p, training):
    share = (coins >= p).float() if training else 1 - p
    return weights * share


@wrong("not-scaled")
def only_filled(weights, coins, p, training):
    return weights.masked_fill(coins < p, 0) if training else weights


@wrong("multiplied-in-training")
def scaled_down(weights, coins, p, training):
    return torch.where(coins < p, 0.0, weights - p * weights) if training else weights


@wrong("divided-in-evaluation")
def divided_last(weights, coins, p, training):
    if training:
        weights = weights.masked_fill(coins < p, 0)
    return weights / (1 - p)


@wrong("drops-in-evaluation")
def training_is_not_used(weights, coins, p, training):
    return torch.where(coins < p, 0.0, weights / (1 - p))


@wrong("modes-exchanged")
def returns_early_in_training(weights, coins, p, training):
    if training:
        return weights
    return torch.where(coins < p, 0.0, weights / (1 - p))


@wrong("dropped-are-kept")
def keeps_below_p(weights, coins, p, training):
    return torch.where(coins < p, weights / (1 - p), 0.0) if training else weights


@wrong("renormalized")
def sums_to_one(weights, coins, p, training):
    return torch.nn.functional.normalize(weights.masked_fill(coins < p, 0), p=1, dim=-1) if training else weights


@wrong("multiplied-by-p")
def a_share_of_p(weights, coins, p, training):
    return torch.where(coins < p, 0.0, weights / (1 - p)) if training else p * weights


@wrong("divided-by-p")
def divided_by_p_in_training(weights, coins, p, training):
    return torch.where(coins < p, 0.0, weights * p**-1 if p else weights / 0) if training else weights


@wrong()
def coins_of_the_first_row(weights, coins, p, training):
    return weights * (coins[..., :1, :] >= p) / (1 - p) if training else weights
