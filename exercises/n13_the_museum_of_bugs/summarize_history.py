"""13.9 summarize_history: the summary of exhibit 9."""

import torch

from exercises.common import properties
from exercises.common.experiments import items_apart
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, T, normal
from feedback import TestCase
from feedback.page_exercise import exercise


def summarize_history(scores, values):
    """For each position, a weighted mean of the values up to it.

    Shapes: scores (B, T), values (B, T, C) -> (B, T, C)
    """
    rows = []
    for t in range(1, scores.size(1) + 1):
        weights = scores[:, :t].softmax(dim=1)  # (B, t)
        rows.append((weights.unsqueeze(-1) * values[:, :t]).sum(dim=1))
    return torch.stack(rows, dim=1)


C = 11


def arguments(seed, t=T, b=B, dtype=torch.float32):
    return 2 * normal(b, t, seed=seed, dtype=dtype), normal(b, t, C, seed=seed + 1, dtype=dtype)


def by_hand(scores, values):
    return torch.tensor([scores]), torch.tensor([values])[..., None]


VALUES = normal(2, 4, C, seed=17)

EXERCISE = exercise(
    summarize_history,
    returns=("summary",),
    axis_names=AXES | {11: "C"},
    cases=(
        TestCase("five positions", arguments(1)),
        TestCase("one position", arguments(5, t=1)),
        TestCase("as many items as positions", arguments(9, b=T)),
        TestCase("large scores", (torch.tensor([[0.0, 200.0, 95.0, 200.0], [90.0, 0.0, 89.0, -200.0]]), VALUES)),
        TestCase("float64", arguments(11, dtype=torch.float64)),
    ),
    minimal_inputs=(
        by_hand([1.0, 0.0], [2.0, 4.0]),
        by_hand([100.0, 0.0], [2.0, 4.0]),
        by_hand([0.0, 200.0], [2.0, 4.0]),
    ),
    properties=(properties.FINITE,),
    behavioral_tests=(
        items_apart(arguments(13, b=2)),
        gradients_flow(summarize_history, arguments(15), ("scores", "values")),
    ),
)
