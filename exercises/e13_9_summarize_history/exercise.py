"""Exercise 13.9: summarize_history."""

import torch

from exercises.common import properties
from exercises.common.experiments import items_apart
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, S, T, normal
from exercises.e13_9_summarize_history.misconceptions import known
from exercises.e13_9_summarize_history.reference import summarize_history
from feedback import Exercise, TestCase

C = 11


def arguments(seed, t=T, b=B, dtype=torch.float32):
    return 2 * normal(b, t, seed=seed, dtype=dtype), normal(b, t, C, seed=seed + 1, dtype=dtype)


def by_hand(scores, values):
    return torch.tensor([scores]), torch.tensor([values])[..., None]


EXERCISE = Exercise(
    minutes=7,
    difficulty=2,
    gives="row t is the mean of the values 0 to t, weighted by the softmax of the scores 0 to t",
    reference=summarize_history,
    returns=("summary",),
    axis_names=AXES | {11: "C"},
    cases=(
        TestCase("five positions", arguments(1)),
        TestCase("seven positions", arguments(3, t=S)),
        TestCase("one position", arguments(5, t=1)),
        TestCase("one item", arguments(7, b=1)),
        TestCase("as many items as positions", arguments(9, b=T)),
        TestCase("float64", arguments(11, dtype=torch.float64)),
    ),
    minimal_inputs=(
        by_hand([0.0], [3.0]),
        by_hand([0.0, 0.0], [2.0, 4.0]),
        by_hand([1.0, 0.0], [2.0, 4.0]),
        by_hand([0.0, 1.0, 0.0], [2.0, 4.0, 8.0]),
    ),
    misconceptions=known,
    hints=(
        "Where does the loop's result go? Is the tensor that is returned the one that was computed?",
        "`scores[:, : t + 1].softmax(dim=1)` are the weights of one row, and sum to 1 for each t. Append the rows to "
        "a list.",
        "`torch.stack(rows, dim=1)` makes (B, T, C) of T rows (B, C), and gradients flow through it.",
    ),
    properties=(properties.FINITE,),
    behavioral_tests=(
        items_apart(arguments(13, b=2)),
        gradients_flow(summarize_history, arguments(15), ("scores", "values")),
    ),
    when_correct="Row by row as in exhibit 9, or at once: a softmax over scores with the future at -inf gives the "
    "same.",
)
