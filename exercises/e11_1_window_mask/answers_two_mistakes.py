"""Answers to exercise 11.1 with two mistakes at once: the checker may name either, and no third."""

import torch

from feedback.bank import TwoMistakes

both = TwoMistakes()


def distance(rows, T, S):
    """Query minus key, for queries at these positions."""
    return rows.view(T, 1) - torch.arange(S).view(1, S)


def last(T, S):
    return distance(torch.arange(S)[S - T :], T, S)


@both("one-too-many", "queries-first")
def wide_from_the_top_left(T, S, window):
    d = distance(torch.arange(T), T, S)
    return (d > -1) & (d < window + 1)


@both("both-sides", "queries-first")
def both_sides_from_the_top_left(T, S, window):
    return distance(torch.arange(T), T, S).abs() < window


@both("one-too-many", "inverted")
def wide_and_inverted(T, S, window):
    return (last(T, S) < 0) | (last(T, S) > window)


@both("no-window", "inverted")
def the_future_alone(T, S, window):
    return last(T, S) < 0


@both("no-window", "queries-first")
def causal_from_the_top_left(T, S, window):
    return torch.ones(T, S).tril() > 0


@both("one-too-few", "transposed")
def narrow_and_turned_over(T, S, window):
    return ((last(T, S) >= 0) & (last(T, S) <= window - 2)).transpose(0, 1)


@both("one-too-many", "square")
def wide_and_square(T, S, window):
    ones = torch.ones(S, S, dtype=torch.bool)
    return ones.tril() & ones.triu(-window)
