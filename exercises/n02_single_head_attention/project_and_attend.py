"""project_and_attend: the reference, its steps and test cases; the page next to it says the rest."""

import math

import torch

from exercises.common.inputs import B, D, T, normal
from feedback import TestCase
from feedback.page_exercise import exercise


def project_and_attend(x, W_query, W_key, W_value):
    """Let the words of x read each other through three matrices.

    Shapes: x (..., T, C), each matrix (C, D) -> out (..., T, D), weights (..., T, T)
    """
    q, k, v = x @ W_query, x @ W_key, x @ W_value
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.softmax(dim=-1)
    return weights @ v, weights


D_IN = 7


def case(name, *leading, width=D, seed):
    matrices = (0.7 * normal(D_IN, width, seed=seed + i) for i in (1, 2, 3))
    return TestCase(name, (normal(*leading, T, D_IN, seed=seed), *matrices))


def column(*numbers):
    return torch.tensor(numbers)[:, None]


EXERCISE = exercise(
    project_and_attend,
    returns=("out", "weights"),
    axis_names={B: "B", T: "T", D_IN: "C", D: "D"},
    cases=(
        case("a text", seed=1),
        case("a batch", B, seed=11),
        case("3 columns", width=3, seed=31),
        case("one column", B, width=1, seed=41),
    ),
    minimal_inputs=((torch.tensor([[1.0, 0.0], [0.0, 1.0]]), column(2.0, 0.0), column(0.0, 2.0), column(1.0, 5.0)),),
    judge_first=("weights",),
)
