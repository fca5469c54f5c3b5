"""Exercise 3.8, center_and_attend: one line of the given code is wrong."""

import torch

from exercises.common.inputs import B, D, T, normal
from exercises.e3_8_center_and_attend.given import center_and_attend as given
from exercises.e3_8_center_and_attend.misconceptions import known
from exercises.e3_8_center_and_attend.reference import center_and_attend
from feedback import Exercise, TestCase

D_IN = 7


def _case(name, *leading, words=T, seed):
    matrices = (0.7 * normal(D_IN, D, seed=seed + i) for i in (1, 2, 3))
    return TestCase(name, (normal(*leading, words, D_IN, seed=seed), *matrices))


EXERCISE = Exercise(
    minutes=6,
    difficulty=2,
    gives="the pair (out, weights) of causal self-attention, for words from which the mean of their own features was "
    "subtracted",
    reference=center_and_attend,
    given=given,
    returns=("out", "weights"),
    axis_names={B: "B", T: "T", D_IN: "d_in", D: "D", 3: "T"},
    cases=(
        _case("a text", seed=1),
        _case("a batch", B, seed=11),
        _case("a text of three words", words=3, seed=21),
    ),
    minimal_inputs=(
        (torch.tensor([[1.0, 3.0], [5.0, 1.0]]), *torch.tensor([[[1.0], [0.0]], [[0.0], [1.0]], [[1.0], [0.0]]])),
    ),
    misconceptions=known,
    hints=(
        "The mask is right. Which line lets words meet before the mask comes into play?",
        "Each word is to lose the mean of its own features, and nothing else. Along which axis do its features lie?",
    ),
    when_correct="A triangle of zeros proves nothing about what happened before it, so test the output, not the mask.",
)
