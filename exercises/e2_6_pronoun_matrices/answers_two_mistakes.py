"""Answers to exercise 2.6 with two mistakes at once: the checker may name either, and no third."""

import torch

from feedback.bank import TwoMistakes

both = TwoMistakes()


def rows(*entries):
    return torch.tensor(entries, dtype=torch.float32)


@both("reads-itself", "entries-too-small")
def ones_without_a_minus():
    genders = rows([0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1])
    return genders, genders


@both("one-gender-only", "reads-itself")
def neuter_without_a_minus():
    return rows([0], [0], [0], [4]), rows([0], [0], [0], [4])


@both("swapped", "entries-too-small")
def small_and_swapped():
    return rows([-1, -1, -1], [1, 0, 0], [0, 1, 0], [0, 0, 1]), rows([0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1])


@both("any-noun", "entries-too-small")
def a_weak_question():
    return rows([1], [0], [0], [0]), rows([-1], [1], [1], [1])


@both("wrong-sign", "one-gender-only")
def against_neuter():
    return rows([0], [0], [0], [-4]), rows([-4], [0], [0], [4])
