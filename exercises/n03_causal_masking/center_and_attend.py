"""center_and_attend: the reference, an explainer and the test cases; the page next to it says the rest."""

import math

import torch

from exercises.common.explainers import number
from exercises.common.inputs import B, D, T, normal
from feedback import TestCase
from feedback.page_exercise import exercise


def center_and_attend(x, W_query, W_key, W_value):
    """Subtract from each word the mean of its features, then let it read itself and its past.

    Shapes: x (..., T, C), each matrix (C, D) -> out (..., T, D), weights (..., T, T)
    """
    x = x - x.mean(dim=-1, keepdim=True)
    q, k, v = x @ W_query, x @ W_key, x @ W_value
    mask = torch.ones(x.size(-2), x.size(-2), dtype=torch.bool, device=x.device).tril()
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)
    return weights @ v, weights


def moved_by_the_last_word(case):
    """Say how far the last word moves the first word's output if the mean of all of x is subtracted."""
    x, _, _, W_value = case.args
    change = torch.zeros_like(x)
    change[..., -1, :] = -x[..., -1, :]
    moved = ((change - change.mean())[..., 0, :] @ W_value).abs().max()  # word 0 reads only itself
    return (
        f"word 0 may read itself alone, and yet its output moves by {number(moved)} when all features of "
        f"word {x.size(-2) - 1} are set to 0"
    )


D_IN = 7


def case(name, *shape, seed):
    matrices = (0.7 * normal(D_IN, D, seed=seed + i) for i in (1, 2, 3))
    return TestCase(name, (normal(*shape, D_IN, seed=seed), *matrices))


EXERCISE = exercise(
    center_and_attend,
    returns=("out", "weights"),
    axis_names={B: "B", T: "T", D_IN: "C", D: "D", 3: "T"},
    cases=(case("a text", T, seed=1), case("a batch", B, T, seed=11), case("a text of three words", 3, seed=21)),
    minimal_inputs=(
        (torch.tensor([[1.0, 3.0], [5.0, 1.0]]), *torch.tensor([[[1.0], [0.0]], [[0.0], [1.0]], [[1.0], [0.0]]])),
    ),
)
