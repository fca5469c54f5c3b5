"""mask_by_renormalizing: the reference and the test cases; the page next to it says the rest."""

import torch

from exercises.common import properties
from exercises.common.inputs import AXES, CAUSAL, B, H, S, T, padded, rows_of_weights, some_hidden
from feedback import TestCase
from feedback.page_exercise import exercise


def mask_by_renormalizing(weights, mask):
    """Hide keys after the softmax: zero their weights, then make each row sum to 1 again.

    Shapes: weights (..., T, S), mask broadcastable to it -> (..., T, S)
    """
    visible = weights * mask
    return visible / visible.sum(dim=-1, keepdim=True)


EXERCISE = exercise(
    mask_by_renormalizing,
    returns=("weights",),
    axis_names=AXES,
    cases=(
        TestCase("a causal mask (T, T)", (rows_of_weights(T, T, seed=0), CAUSAL)),
        TestCase("a mask (T, S) for a batch", (rows_of_weights(B, T, S, seed=1), some_hidden(T, S))),
        TestCase("a padding mask (B, 1, S)", (rows_of_weights(B, T, S, seed=3), padded(3, 6))),
        TestCase("a mask (B, 1, T, S) for heads", (rows_of_weights(B, H, T, S, seed=2), some_hidden(B, 1, T, S))),
        TestCase("float64", (rows_of_weights(B, T, S, seed=1).double(), some_hidden(B, T, S, seed=2))),
        TestCase("four items, one query each, a mask (S,)", (rows_of_weights(4, 1, S, seed=8), some_hidden(S))),
        TestCase("a hidden weight of 0.0005", (torch.tensor([[0.9995, 0.0005]]), torch.tensor([[True, False]]))),
        TestCase("equal weights, half of them hidden", (torch.full((2, 2), 0.5), torch.tensor([True, False]))),
        TestCase(
            "tiny visible weights",
            (torch.tensor([[1e-7, 3e-7, 1.0]]), torch.tensor([[True, True, False]])),
            limitation="It has a limit: try weights = [[1e-7, 3e-7, 1]] with the last key hidden. Tiny weights "
            "share the whole row only if they are divided by exactly what they sum to.",
        ),
    ),
    minimal_inputs=tuple(
        (torch.tensor(w), torch.tensor(m))
        for w, m in (
            ([[0.5, 0.5], [0.25, 0.75]], [[True, False], [True, True]]),
            ([[0.6, 0.2, 0.2]], [[True, True, False]]),
            ([[0.5, 0.3, 0.2], [0.2, 0.2, 0.6]], [[True, False, False], [True, True, False]]),
        )
    ),
    properties=(properties.FINITE, properties.POSITIVE, properties.ROWS, properties.HIDDEN),
)
