"""Answers to exercise 3.1 with two mistakes at once: the checker may name either, and no third."""

import torch

from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("true-hides", "numbers-not-bool")
def future_as_numbers(length):
    mask = torch.zeros(length, length)
    for i in range(length):
        mask[i, i + 1 :] = 1
    return mask


@both("upside-down", "numbers-not-bool")
def upper_triangle_as_numbers(length):
    return torch.ones(length, length).tril().T


@both("diagonal-hidden", "numbers-not-bool")
def past_as_numbers_of_loops(length):
    mask = torch.zeros(length, length)
    for query in range(length):
        for key in range(query):
            mask[query, key] = 1
    return mask


@both("one-step-ahead", "numbers-not-bool")
def past_and_the_next_as_numbers(length):
    return torch.ones(length, length).tril(diagonal=1)
