"""What people get wrong in exercise 2.6, pronoun_matrices.

Each mistake is a function that gives the two matrices, their rows in the order pronoun, feminine, masculine, neuter.
"""

import torch

from exercises.e2_6_pronoun_matrices.explainers import what_a_pronoun_reads
from exercises.e2_6_pronoun_matrices.reference import pronoun_matrices
from feedback import Misconceptions

known = Misconceptions()


def genders(pronoun, size=3.0):
    """The three genders, each with a column of its own, below a row for the feature pronoun."""
    return torch.cat([torch.full((1, 3), float(pronoun)), size * torch.eye(3)])


@known(
    "reads-itself",
    means="The pronoun reads itself as much as its noun, or more: its own key answers its query.",
    hint="A pronoun should ask for its gender, and not answer. Which row of `W_key` can take back its answer, and does "
    "any row of `W_query` take back its question?",
    explain=what_a_pronoun_reads,
)
def gender_asks_for_gender():
    return genders(0), genders(0)


@known.also("reads-itself")
def features_ask_for_themselves():
    return 3 * torch.eye(4), 3 * torch.eye(4)


def add_small_entries(size):
    @known.also("entries-too-small")
    def small():
        W_query, W_key = pronoun_matrices()
        return size * W_query, size * W_key


known(
    "entries-too-small",
    means="The noun gets the largest weight, but less than 0.9: the scores are too close together.",
    hint="What do larger entries do to the scores, and to the softmax? (The scores are divided by √D before it.)",
    explain=what_a_pronoun_reads,
)
for size in (1 / 3, 0.9):
    add_small_entries(size)


@known(
    "swapped",
    means="The pronoun takes back its own question, and not its answer: the negative row stands in `W_query`. (Or the "
    "two matrices have changed places.)",
    hint="`W_query` says what a word asks for, and `W_key` what it answers. Which of them should a pronoun not do?",
    explain=what_a_pronoun_reads,
)
def key_before_query():
    W_query, W_key = pronoun_matrices()
    return W_key, W_query


@known(
    "any-noun",
    means="The pronoun reads every noun: it does not ask for its own gender.",
    hint="With one column there is one question. How many different questions do she, he and it have?",
    explain=what_a_pronoun_reads,
)
def one_question():
    return torch.tensor([[4.0], [0], [0], [0]]), torch.tensor([[-4.0], [4], [4], [4]])


@known(
    "any-noun-and-pronoun",
    means="The pronoun reads every word that has a gender, nouns and pronouns alike.",
    hint="She, he and it have different questions, and a pronoun should not answer any of them.",
    explain=what_a_pronoun_reads,
)
def one_question_for_all():
    return torch.tensor([[4.0], [0], [0], [0]]), torch.tensor([[0.0], [4], [4], [4]])


@known(
    "pronouns-read-pronouns",
    means="A pronoun reads pronouns: its key answers the question that its own query asks.",
    hint="The nouns should answer. Which features do they have?",
    explain=what_a_pronoun_reads,
)
def pronouns_answer():
    return torch.tensor([[4.0], [0], [0], [0]]), torch.tensor([[4.0], [0], [0], [0]])


def add_one_gender(row):
    @known.also("one-gender-only")
    def one_gender():
        W_query, W_key = torch.zeros(4, 1), torch.zeros(4, 1)
        W_query[row], W_key[row], W_key[0] = 4, 4, -4
        return W_query, W_key


known(
    "one-gender-only",
    means="Not every pronoun has a question: where its scores are all equal, it reads every word evenly.",
    hint="Each gender needs a column of its own in `W_query` and `W_key`: a question, and its answer.",
    explain=what_a_pronoun_reads,
)
for row in (1, 2, 3):
    add_one_gender(row)


@known(
    "no-question",
    means="All scores of a pronoun are equal: it reads every word evenly.",
    hint="A score is the dot product of a query and a key. Which of the two is zero, or the same for every word?",
    explain=what_a_pronoun_reads,
)
def zeros():
    return torch.zeros(4, 3), torch.zeros(4, 3)


@known(
    "wrong-sign",
    means="The noun gets the smallest weight of all: its score is below 0.",
    hint="A word that answers well needs a large score. Which sign must the products of queries and keys have?",
    explain=what_a_pronoun_reads,
)
def negative_questions():
    W_query, W_key = pronoun_matrices()
    return -W_query, W_key


@known.also("wrong-sign")
def negative_questions_of_gender():
    return genders(0, -3.0), genders(0)
