"""Answers to exercise 3.6 with two mistakes at once: the checker may name either, and no third."""

import torch

from feedback.bank import TwoMistakes

both = TwoMistakes()


def distances(attend, x, j):
    changed = x.clone()
    changed[:, j] += torch.randn_like(x[:, j])
    return (attend(changed) - attend(x)).abs().amax(dim=(0, 2))


@both("not-sorted", "itself-too")
def unsorted_with_the_diagonal(attend, x):
    return [(i, j) for j in range(x.size(1)) for i in range(j + 1) if distances(attend, x, j)[i] > 1e-4]


@both("turned-around", "past-too")
def all_pairs_turned_around(attend, x):
    length = range(x.size(1))
    return sorted((j, i) for j in length for i in length if i != j and distances(attend, x, j)[i] > 1e-4)


@both("rounding-counted", "not-sorted")
def unsorted_without_tolerance(attend, x):
    return [(i, j) for j in range(x.size(1)) for i in range(j) if distances(attend, x, j)[i] > 0]


@both("last-position-left-out", "rounding-counted")
def one_less_without_tolerance(attend, x):
    return sorted((i, j) for j in range(x.size(1) - 1) for i in range(j) if distances(attend, x, j)[i] > 0)


@both("neighbors-only", "turned-around")
def neighbors_turned_around(attend, x):
    return [(i + 1, i) for i in range(x.size(1) - 1) if distances(attend, x, i + 1)[i] > 1e-4]


@both("changes-all-that-follows", "not-sorted")
def whole_future_unsorted(attend, x):
    leaks = []
    for j in range(1, x.size(1)):
        changed = torch.cat([x[:, :j], torch.randn_like(x[:, j:])], dim=1)
        moved = (attend(changed) - attend(x)).abs().amax(dim=(0, 2))
        leaks += [(i, j) for i in range(j) if moved[i] > 1e-4]
    return leaks
