"""Wrong answers to exercise 2.6, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET504 - naming a result before returning it is what learners do

import numpy as np
import torch
from torch import nn

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def rows(*entries):
    return torch.tensor(entries, dtype=torch.float32)


@wrong("reads-itself")
def matrices_that_match_genders():
    """Feminine asks for feminine: the pronoun has that gender too."""
    genders = rows([0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4])
    return genders, genders


@wrong("reads-itself")
def matrices_of_the_identity():
    """q = k = 5 x."""
    return 5 * torch.eye(4), 5 * torch.eye(4)


@wrong("reads-itself")
def matrices_whose_pronouns_answer_too():
    """The pronoun row of W_key has the wrong sign."""
    return rows([0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4]), rows([4, 4, 4], [4, 0, 0], [0, 4, 0], [0, 0, 4])


@wrong("entries-too-small")
def matrices_of_ones():
    """1 and -1."""
    return rows([0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]), rows([-1, -1, -1], [1, 0, 0], [0, 1, 0], [0, 0, 1])


@wrong("entries-too-small")
def matrices_of_twos():
    """2 and -2."""
    return rows([0, 0, 0], [2, 0, 0], [0, 2, 0], [0, 0, 2]), rows([-2, -2, -2], [2, 0, 0], [0, 2, 0], [0, 0, 2])


@wrong("entries-too-small")
def matrices_without_the_root():
    """Large enough only without the division."""
    return rows([0, 0, 0], [2, 0, 0], [0, 2, 0], [0, 0, 2]), rows([-3, -3, -3], [3, 0, 0], [0, 3, 0], [0, 0, 3])


@wrong("swapped")
def matrices_in_the_wrong_order():
    """W_key first."""
    W_query = rows([0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4])
    W_key = rows([-4, -4, -4], [4, 0, 0], [0, 4, 0], [0, 0, 4])
    return W_key, W_query


@wrong("any-noun")
def matrices_that_ask_for_a_noun():
    """One question: a noun?"""
    W_query = torch.zeros(4, 1)
    W_query[0] = 5
    W_key = torch.ones(4, 1) * 5
    W_key[0] = -5
    return W_query, W_key


@wrong("any-noun")
def matrices_whose_pronoun_asks_everything():
    """The feature pronoun asks all three questions, the gender none."""
    return rows([5, 5, 5], [0, 0, 0], [0, 0, 0], [0, 0, 0]), rows([-5, -5, -5], [5, 0, 0], [0, 5, 0], [0, 0, 5])


@wrong("any-noun-and-pronoun")
def matrices_that_ask_for_a_gender():
    """One question: any gender? Pronouns have one too."""
    return rows([5], [0], [0], [0]), rows([0], [5], [5], [5])


@wrong("pronouns-read-pronouns")
def matrices_of_pronouns():
    """Pronouns ask for pronouns."""
    return rows([5, 0], [0, 0], [0, 0], [0, 0]), rows([5, 0], [0, 0], [0, 0], [0, 0])


@wrong("one-gender-only")
def matrices_for_it():
    """As in the text before: neuter alone."""
    return rows([0], [0], [0], [5]), rows([-5], [0], [0], [5])


@wrong("one-gender-only")
def matrices_for_she():
    """Feminine alone, in three columns."""
    return rows([0, 0, 0], [5, 0, 0], [0, 0, 0], [0, 0, 0]), rows([-5, 0, 0], [5, 0, 0], [0, 0, 0], [0, 0, 0])


@wrong("no-question")
def matrices_of_zeros():
    """Zeros."""
    return torch.zeros(4, 4), torch.zeros(4, 4)


@wrong("no-question")
def matrices_that_never_meet():
    """Questions and answers are in different columns."""
    return rows([0, 0], [5, 0], [5, 0], [5, 0]), rows([0, 5], [0, 5], [0, 5], [0, 5])


@wrong("wrong-sign")
def matrices_with_a_minus():
    """The noun gets a negative score."""
    return rows([0, 0, 0], [-5, 0, 0], [0, -5, 0], [0, 0, -5]), rows([-5, -5, -5], [5, 0, 0], [0, 5, 0], [0, 0, 5])


@wrong("transposed")
def matrices_as_weights_of_layers():
    """(D, F), as nn.Linear has them."""
    W_query = rows([0, 4, 0, 0], [0, 0, 4, 0], [0, 0, 0, 4])
    W_key = rows([-4, 4, 0, 0], [-4, 0, 4, 0], [-4, 0, 0, 4])
    return W_query, W_key


@wrong("not-its-noun")
def matrices_drawn_at_random():
    """Random numbers."""
    generator = torch.Generator().manual_seed(0)
    return torch.randn(4, 3, generator=generator), torch.randn(4, 3, generator=generator)


@wrong("not-its-noun")
def matrices_of_one_number():
    """D = 1: feminine +, masculine -, and neuter has no place."""
    return rows([0], [6], [-6], [0]), rows([0], [6], [-6], [0])


@wrong("not-finite")
def matrices_of_infinity():
    """inf times 0 is NaN."""
    inf = float("inf")
    return rows([0, 0, 0], [inf, 0, 0], [0, inf, 0], [0, 0, inf]), rows([-1, -1, -1], [1, 0, 0], [0, 1, 0], [0, 0, 1])


@wrong("wrong-shape")
def matrices_for_three_features():
    """The row of the feature pronoun is missing."""
    return 4 * torch.eye(3), 4 * torch.eye(3)


@wrong("wrong-shape")
def matrices_of_different_widths():
    """D differs."""
    return 4 * torch.eye(4), 4 * torch.eye(4)[:, 1:]


@wrong("wrong-shape")
def matrices_with_a_batch():
    """An axis too many."""
    return 4 * torch.eye(4)[None], 4 * torch.eye(4)[None]


@wrong("returns-wrong-type")
def matrices_as_lists():
    """Lists of rows."""
    return [[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4]], [[-4, -4, -4], [4, 0, 0], [0, 4, 0], [0, 0, 4]]


@wrong("returns-wrong-type")
def matrices_as_arrays():
    """numpy arrays."""
    return np.eye(4) * 4, np.eye(4) * 4


@wrong("returns-wrong-type")
def matrices_as_layers():
    """Layers."""
    return nn.Linear(4, 3, bias=False), nn.Linear(4, 3, bias=False)


@wrong("returns-wrong-type")
def matrices_in_one():
    """Only their product."""
    return torch.diag(torch.tensor([-9.0, 9, 9, 9]))


@wrong("returns-none")
def matrices_not_returned():
    """Nothing is returned."""
    W_query = 4 * torch.eye(4)
    print(W_query)


@wrong()
def matrices_of_x(x):
    """An argument that is not there."""
    return x, x


@wrong()
def matrices_of_ragged_rows():
    """A row is one number short."""
    W_query = torch.tensor([[0.0, 0, 0], [4, 0], [0, 4, 0], [0, 0, 4]])
    return W_query, W_query
