"""Exercise 9.3: pairs_to_halves."""

import torch

from exercises.common.inputs import AXES, normal
from exercises.e9_3_pairs_to_halves.misconceptions import PRINT_IT, known
from exercises.e9_3_pairs_to_halves.reference import pairs_to_halves
from feedback import Exercise, Property, TestCase


def numbered(heads, size, columns=1):
    """Each row holds its own number."""
    return torch.arange(float(heads * size))[:, None].expand(-1, columns).clone(), heads


def rows_lost(case):
    """Every row of weight must be there once."""
    weight, result = case.args[0], case.first
    if result.shape != weight.shape:
        return None
    missing = [i for i, row in enumerate(weight) if not (result == row).all(-1).any()]
    if not missing:
        return None
    return f"The rows only change places; row {missing[0]} of weight is nowhere in your result."


def in_place(case):
    """Rows of a head stay in that head."""
    weight, heads = case.args
    if case.first.shape != weight.shape or len({tuple(row) for row in weight.tolist()}) < len(weight):
        return None
    size = len(weight) // heads
    for i, row in enumerate(case.first):
        at = (weight == row).all(-1).nonzero().flatten().tolist()
        if at and at[0] // size != i // size:
            return f"Row {at[0]} of weight belongs to head {at[0] // size}, and in your result to head {i // size}."
    return None


EXERCISE = Exercise(
    minutes=8,
    difficulty=2,
    gives="the same rows (H · D, C), in each head in the order in which features i and i + D/2 are pair i, so that all "
    "scores stay the same",
    reference=pairs_to_halves,
    returns=("rows",),
    axis_names=AXES | {6: "H * D", 12: "H * D", 18: "H * D", 40: "H * D", 7: "C", 11: "C"},
    cases=(
        TestCase("3 heads of 4 rows", (normal(12, 7, seed=1), 3)),
        TestCase("one head of 6 rows", (normal(6, 11, seed=2), 1)),
        TestCase("2 heads of 6 rows", (normal(12, 7, seed=3), 2)),
        TestCase("3 heads of 2 rows, which stay", (normal(6, 7, seed=4), 3)),
        TestCase("5 heads of 8 rows, float64", (normal(40, 11, seed=5, dtype=torch.float64), 5)),
        TestCase("3 heads of 6 rows, as many columns", (normal(18, 18, seed=6), 3)),
    ),
    minimal_inputs=(numbered(1, 4), numbered(2, 4), numbered(1, 6), numbered(1, 4, 4)),
    misconceptions=known,
    hints=(
        "Begin with one head of four rows: 0 and 1 are a pair, 2 and 3 are the next. In which order do they "
        "stand where feature i belongs to feature i + 2?",
        "Give the weight an axis for the heads, one for the pairs and one for the two features of a pair. Which two of "
        "them must change places?",
        "`weight.unflatten(0, (num_heads, -1, 2))` is (H, D/2, 2, C). Exchange axes 1 and 2, and flatten the first "
        "three.",
    ),
    properties=(
        Property("rows-lost", rows_lost, "Nothing is computed here: every row is copied once. " + PRINT_IT),
        Property("heads-mixed", in_place, "Sort within each head. " + PRINT_IT),
    ),
    when_correct="The scores are the same: a dot product does not care in which order its features stand.",
)
