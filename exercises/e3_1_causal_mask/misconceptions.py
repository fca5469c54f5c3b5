"""What people get wrong in exercise 3.1, causal_mask."""

import torch

from exercises.common import explainers
from exercises.common.masking import _INF
from feedback import Misconception


def _ones(length):
    return torch.ones(length, length, dtype=torch.bool)


def _additive(length):
    return torch.zeros(length, length).masked_fill(_ones(length).triu(1), -_INF)


MISCONCEPTIONS = (
        Misconception(
            "upside-down", "The mask is upside down: position 0 sees the future, and the last position sees only "
            "itself.",
            "Row i may see the columns 0 to i: the lower triangle, tril.",
            lambda n: _ones(n).triu(), explainers.true_at),
        Misconception(
            "true-hides", "True and False are the wrong way round: yours is True where reading is forbidden.",
            "In this course, as in F.scaled_dot_product_attention, True = may attend. ~mask turns it around.",
            lambda n: _ones(n).triu(1), explainers.true_at),
        Misconception(
            "diagonal-hidden", "The diagonal is hidden: no position may see itself, and position 0 sees nothing at "
            "all, which makes its row NaN.",
            "A position may read itself: the diagonal belongs to it.",
            lambda n: _ones(n).tril(-1), explainers.true_at),
        Misconception(
            "one-step-ahead", "Each position also sees the next one: the word that it should predict.",
            "The border belongs at the diagonal: column <= row.",
            lambda n: _ones(n).tril(1), explainers.true_at),
        Misconception(
            "everything-visible", "Nothing is hidden: every entry is True.",
            "Positions after i must be False in row i.", _ones, explainers.true_at),
        Misconception(
            "nothing-visible", "Everything is hidden: every entry is False.",
            "Row i must be True in the columns 0 to i.", lambda n: ~_ones(n), explainers.true_at),
        Misconception(
            "only-itself", "Each position sees only itself: the past must be visible too.",
            "Row i may see the columns 0 to i.", lambda n: torch.eye(n, dtype=torch.bool), explainers.true_at),
        Misconception(
            "numbers-not-bool", "The triangle is right, but it holds numbers instead of True and False.",
            "A float mask of 0 and 1 is silently added to the scores by torch's own functions. Use dtype=torch.bool.",
            (lambda n: torch.ones(n, n).tril(), lambda n: torch.ones(n, n).int().tril(),
             lambda n: torch.ones(n, n).long().tril())),
        Misconception(
            "additive", "This is an additive mask of 0 and -inf; wanted is a bool mask.",
            "A bool mask says what is visible, and leaves it to the code how to hide the rest.",
            (_additive, lambda n: torch.full((n, n), -_INF).triu(1))),
)
