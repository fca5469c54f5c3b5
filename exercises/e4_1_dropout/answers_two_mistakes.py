"""Answers to exercise 4.1 with two mistakes at once: the checker must name one of them, or none, but no third one."""

import torch
import torch.nn.functional as F

from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("share-turned-around", "not-scaled")
def dropout_kept_below_p_and_not_scaled(x, p, generator=None):
    return x * (torch.rand(x.shape, generator=generator) < p)


@both("always-half", "not-scaled")
def dropout_of_coins_not_scaled(x, p, generator=None):
    return x * torch.randint(0, 2, x.shape, generator=generator)


@both("whole-rows", "not-scaled")
def dropout_of_rows_not_scaled(x, p, generator=None):
    keep = torch.rand(*x.shape[:-1], 1, generator=generator) >= p
    return torch.where(keep, x, 0)


@both("normal-not-uniform", "divided-by-p")
def dropout_of_randn_divided_by_p(x, p, generator=None):
    return x * (torch.randn(x.shape, generator=generator) >= p) / p


@both("not-scaled", "only-with-a-generator")
def dropout_not_scaled_and_only_with_a_generator(x, p, generator=None):
    if generator is None:
        return x
    return x.masked_fill(torch.rand(x.shape, generator=generator) < p, 0)


@both("brackets", "generator-ignored")
def dropout_without_brackets_nor_generator(x, p, generator=None):
    return x * (torch.rand_like(x) > p) / 1 - p


@both("not-scaled", "generator-ignored")
def dropout_of_torch_not_scaled(x, p, generator=None):
    return F.dropout(x, p) * (1 - p)
