"""Exercise 7.4, cosines_of_means: one line of the given code is wrong."""

import torch

from exercises.common.gradients import gradients_flow
from exercises.common.inputs import normal
from exercises.e7_4_cosines_of_means.given import cosines_of_means as given
from exercises.e7_4_cosines_of_means.misconceptions import known
from exercises.e7_4_cosines_of_means.reference import cosines_of_means
from feedback import Exercise, TestCase

C = 11


def _inputs(*lengths, seed, in_front=False):
    """Hidden vectors of texts of these lengths with something in common, and a mask of their real tokens."""
    T = max(lengths)
    mask = torch.arange(T) < torch.tensor(lengths)[:, None]
    hidden = normal(len(lengths), T, C, seed=seed) + normal(C, seed=seed + 1)
    return hidden, mask.flip(1) if in_front else mask


_PADDED = _inputs(7, 4, 2, seed=741)

EXERCISE = Exercise(
    minutes=6,
    difficulty=2,
    gives="the cosines (B, B) of the mean vectors of all texts, each the mean over the text's real tokens",
    reference=cosines_of_means,
    given=given,
    returns=("cosines",),
    axis_names={2: "B", 3: "B", 5: "T", 7: "T", C: "C"},
    cases=(
        TestCase("three texts", _PADDED),
        TestCase("two texts of one length", _inputs(5, 5, seed=743)),
        TestCase("padding in front", _inputs(3, 5, seed=745, in_front=True)),
    ),
    minimal_inputs=(
        (
            torch.tensor([[[3.0, 0.0], [0.0, 1.0]], [[0.0, 2.0], [5.0, 0.0]]]),
            torch.tensor([[True, True], [True, False]]),
        ),
    ),
    misconceptions=known,
    hints=(
        "What should be on the diagonal of a table of cosines?",
        "A product of two vectors is their cosine if both have length 1. Print the lengths in the last line.",
    ),
    behavioral_tests=(gradients_flow(cosines_of_means, _PADDED, ("hidden", None)),),
    when_correct="The mean of vectors of length 1 is shorter than 1, unless they all point the same way.",
)
