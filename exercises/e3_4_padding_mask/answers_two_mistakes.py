"""Answers to exercise 3.4 with two mistakes at once: the checker may name either, and no third."""

# ruff: noqa: RET503 - a return inside a loop is what learners do

import torch

from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("no-query-axis", "true-hides")
def inverted_without_the_axis(lengths, max_length):
    return lengths[:, None] <= torch.arange(max_length)[None, :]


@both("no-query-axis", "numbers-not-bool")
def numbers_without_the_axis(lengths, max_length):
    return (torch.arange(max_length) < lengths[:, None]).float()


@both("no-query-axis", "one-too-many")
def one_too_many_without_the_axis(lengths, max_length):
    mask = torch.zeros(len(lengths), max_length, dtype=torch.bool)
    for i, length in enumerate(lengths.tolist()):
        mask[i, : length + 1] = True
    return mask


@both("no-query-axis", "one-too-few")
def one_too_few_without_the_axis(lengths, max_length):
    return torch.arange(1, max_length + 1) < lengths[:, None]


@both("full-size", "true-hides")
def inverted_for_every_query(lengths, max_length):
    return (torch.arange(max_length) >= lengths[:, None, None]).repeat(1, max_length, 1)


@both("true-hides", "numbers-not-bool")
def inverted_numbers(lengths, max_length):
    return (torch.arange(max_length) >= lengths[:, None, None]).long()


@both("return-in-loop", "numbers-not-bool")
def numbers_returned_in_loop(lengths, max_length):
    mask = torch.zeros(len(lengths), 1, max_length)
    for i, length in enumerate(lengths):
        mask[i, 0, :length] = 1
        return mask
