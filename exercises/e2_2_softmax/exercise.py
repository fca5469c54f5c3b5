"""Exercise 2.2: softmax."""

import torch

from exercises.common import properties, references
from exercises.common.inputs import AXES, B, H, S, T, normal, round_numbers
from exercises.e2_2_softmax.misconceptions import MISCONCEPTIONS
from feedback import Exercise, TestCase

_LARGE = torch.tensor([[1000.0, 1001.0, 999.5], [-1000.0, -1001.0, -1000.5], [0.3, -0.2, 0.9],
                       [1000.0, -1000.0, 0.0], [-1000.0, 1000.0, 0.0], [1000.0, 1000.0, -1000.0]])


EXERCISE = Exercise(
    id="2.2", name="softmax", signature="softmax(scores)", minutes=8, difficulty=2,
    gives="the softmax over the last axis, right for scores of 1,000 too",
    reference=references.softmax, arguments=("scores",), returns=("weights",),
    axis_names=AXES, cases=(
        TestCase("a table of scores", (normal(T, S, seed=1),)),
        TestCase("a batch", (normal(B, T, S, seed=2),)),
        TestCase("a batch of heads", (normal(B, H, T, S, seed=3),)),
        TestCase("float64", (normal(B, T, S, seed=4).double(),)),
        TestCase("four items, one query each", (normal(4, 1, S, seed=5),)),
        TestCase("scores of 1,000", (_LARGE,), rtol=1e-3, atol=1e-3),
        TestCase("scores of 1,000 in float64", (_LARGE.double(),), rtol=1e-3, atol=1e-3),
    ),
    minimal_inputs=((torch.tensor([[0.0, 1.0]]),), (torch.tensor([[0.0, 1.0], [2.0, -1.0]]),),
           (round_numbers(2, 2, 3),), (torch.tensor([[1000.0, 1001.0]]),)),
    misconceptions=MISCONCEPTIONS,
    hints=(
        "Two steps: exp of every score, then divide each row by its own sum. keepdim=True keeps the summed axis, "
        "so that the division lines up.",
        "exp(1000) is inf. Subtracting one number from a whole row changes nothing: exp(a - m) / exp(b - m) = "
        "exp(a) / exp(b).",
        "Subtract scores.max(dim=-1, keepdim=True).values first.",
    ),
    properties=(properties.FINITE, properties.POSITIVE, properties.ROWS),
    when_correct="Subtracting the row's maximum changes nothing on paper, and everything in floating point.",
)
