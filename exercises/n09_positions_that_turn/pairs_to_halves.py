"""pairs_to_halves: the reference and its test cases; the page next to it says the rest."""

import torch

from exercises.common import explainers
from exercises.common.inputs import AXES, normal
from feedback import TestCase
from feedback.page_exercise import exercise


def pairs_to_halves(weight, num_heads):
    """Put the rows of a query or key projection that was made for pairs in the order for halves.

    Shapes: weight (H * D, C) -> (H * D, C), in each head its rows 0, 2, 4, ... and then 1, 3, 5, ...
    Source: notebook 09
    """
    pairs = weight.unflatten(0, (num_heads, -1, 2))  # (H, D/2, 2, C)
    return pairs.transpose(1, 2).flatten(0, 2)  # (H, 2, D/2, C) -> (H * D, C)


def row_taken(case):
    """Show the first wrong row, and which row of weight it is."""
    weight = case.args[0]
    wrong = (case.first != case.expected_first).any(-1).nonzero().flatten().tolist()
    got = explainers.number_of_row(weight, case.first[wrong[0]])
    right = explainers.number_of_row(weight, case.expected_first[wrong[0]])
    if got is None or right is None:
        return explainers.entry(case)
    return f"row {wrong[0]} of your result is row {got} of weight; it should be row {right}"


def numbered(heads, size):
    """Return a weight whose rows hold their own numbers."""
    return torch.arange(float(heads * size))[:, None], heads


EXERCISE = exercise(
    pairs_to_halves,
    returns=("rows",),
    axis_names=AXES | {6: "H * D", 12: "H * D", 18: "H * D", 40: "H * D", 7: "C", 11: "C"},
    cases=(
        TestCase("3 heads of 4 rows", (normal(12, 7, seed=1), 3)),
        TestCase("2 heads of 6 rows", (normal(12, 7, seed=3), 2)),
        TestCase("5 heads of 8 rows, float64", (normal(40, 11, seed=5, dtype=torch.float64), 5)),
        TestCase("3 heads of 6 rows, as many columns", (normal(18, 18, seed=6), 3)),
    ),
    minimal_inputs=(numbered(1, 4), numbered(2, 4), numbered(1, 6)),
)
