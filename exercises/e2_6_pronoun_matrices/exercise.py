"""Exercise 2.6: pronoun_matrices."""

import torch

from exercises.common.inputs import AXES
from exercises.common.pronouns import referents
from exercises.e2_6_pronoun_matrices.explainers import ENOUGH, not_finite, not_its_noun
from exercises.e2_6_pronoun_matrices.misconceptions import known
from exercises.e2_6_pronoun_matrices.reference import pronoun_matrices
from exercises.e2_6_pronoun_matrices.runner import weights_of_pronouns
from feedback import Exercise, FunctionRunner, Property, SummaryComparison, TestCase


def what_is_read(args, weights):
    """Which words each pronoun reads: 1 at its noun if that gets enough, otherwise 0.5 at all words that get most."""
    rows = []
    for row, (_, noun) in zip(weights.nan_to_num(0.0), referents(*args), strict=True):
        most = 0.5 * (row > 0.9 * row.max()).float()
        rows.append(torch.eye(len(row))[noun] if row[noun] >= ENOUGH else most)
    return torch.stack(rows)


def describe(args):
    return "`pronoun_matrices()` takes no arguments; its two matrices are then applied to sentences."


SENTENCES = (  # of at most 10 words, as the exercise says, with one noun for each pronoun
    "the queen saw the boy and she smiled",
    "the king threw the ball and it flew",
    "the girl fed the cat and it purred",
    "the queen called and the boy said that he heard",
    "she saw the ball because the girl looked up",
    "the boy gave the queen the cat and she smiled",
    "the king lost the ball but he found it again",
    "he slept because the boy was tired",
    "she said that he saw the girl and the king",
    "she told the queen that she saw the ball",
    "he saw it before the cat saw the king",
    "the cat woke the king and he said it snored",
    "the king and boy saw the queen and she",
    "the king and the boy saw the ball and it",
    "the queen and the girl saw the boy and he",
    "the ball and the cat saw the girl and she",
    "the ball and the cat saw the boy and he",
    "the queen and the girl saw the ball and it",
    "he told the king that he saw the ball",
    "it said that it saw the ball",
    "she said that the queen was here today and smiled",
    "it said that the ball was here today and smiled",
)

EXERCISE = Exercise(
    minutes=12,
    difficulty=3,
    gives="the pair (`W_query`, `W_key`), each (F, D): with them each pronoun puts at least 0.9 of its weight on "
    "the noun it stands for",
    reference=pronoun_matrices,
    returns=("weights",),
    runner=FunctionRunner(weights_of_pronouns, ("sentence",), describe),
    comparison=SummaryComparison(what_is_read),
    axis_names=AXES,
    cases=tuple(TestCase(sentence, (sentence,)) for sentence in SENTENCES),
    minimal_inputs=(
        ("she saw the queen",),
        ("he saw the queen and the boy",),
        ("the ball hit the king and it broke",),
        ("the king saw it and the cat",),
        ("the girl said that she saw the boy and he",),
    ),
    misconceptions=known,
    hints=(
        'Give each column of the matrices a meaning, a question such as "a feminine noun?". Row by row, `W_query` '
        "then says how strongly a feature asks each question, and `W_key` how strongly it answers.",
        'Three questions, D = 3: feminine, masculine, neuter. She asks the first, and so does "queen", which does no '
        'harm. But "she" is feminine as well, and must not answer: its feature pronoun can take that back.',
        "In `W_key` a negative number in the row of pronoun cancels the answer of its gender. And the entries must "
        "be large enough: one word in 10 gets 0.9 if its score, after the division by √D, leads by ln(9 · 9) = "
        "4.4.",
    ),
    error_meanings=(),
    properties=(
        Property("not-finite", not_finite, "Entries of 3 or 4 are large enough."),
        Property(
            "not-its-noun",
            not_its_noun,
            "Compute the scores of this pronoun by hand: its query times the key of its noun, and times the keys of "
            "other words. Which entry must change, or become larger?",
        ),
    ),
    when_correct="Each pronoun reads its noun, wherever it is: what a word looks for is no longer what it is.",
)
