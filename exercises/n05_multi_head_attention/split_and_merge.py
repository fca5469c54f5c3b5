"""Shared by 5.1 and 5.2: inputs, and properties of a result in which numbers are only moved."""

import torch

from exercises.common import explainers
from exercises.common.inputs import B, H, S, T
from feedback import Property

SHAPES = (
    ("three heads of eleven features", B, T, H, 11),
    ("six heads of eleven features", B, S, 6, 11),
    ("one head", B, T, 1, 10),
    ("one position", B, 1, H, 4),
    ("one item", 1, T, H, 4),
)
NAMED_BY_POSITION = (
    torch.tensor([[[0.0, 1, 2, 3], [10, 11, 12, 13]]]),  # 12 stands for position 1, feature 2
    torch.tensor([[[0.0, 1, 2, 3], [10, 11, 12, 13], [20, 21, 22, 23]]]),
    torch.tensor([[[0.0, 1, 2, 3], [10, 11, 12, 13]], [[100, 101, 102, 103], [110, 111, 112, 113]]]),
)


def first_numbers(row):
    """Return the first numbers of a row; whole ones, which are names here, have no decimals."""
    return explainers.first_numbers(row, most=6).replace(".0,", ",").replace(".0]", "]")


def worst_row(case):
    """Show the row with the entry that is furthest off."""
    at = explainers.worst(case.first, case.expected_first)[:-1]
    return (
        f"your row {explainers.position(at)} is {first_numbers(case.first[at])}, and "
        f"{first_numbers(case.expected_first[at])} is right"
    )


def numbers_of_each_position(x):
    """Return all numbers of each position, sorted: (B, T, C)."""
    x = x if x.dim() == 3 else x.transpose(1, 2).flatten(2)
    return x.sort(dim=-1).values


@Property.named(
    "numbers-lost", "Nothing is calculated here. Which line leaves numbers out, repeats them or changes them?"
)
def numbers_lost(case):
    got, right = (x.flatten().sort().values for x in (case.first, case.expected_first))
    if torch.allclose(got, right):
        return None
    lost = right[~torch.isin(right, got)]
    example = f"; yours lacks {explainers.number(lost[0]).removesuffix('.0')}, for example" if len(lost) else ""
    return f"Numbers are only moved here: every number of x must appear in the result exactly once{example}."


@Property.named(
    "positions-mixed",
    "Which line cuts or joins axes that are not neighbors, or makes two axes change places that should not?",
)
def positions_mixed(case):
    got, right = numbers_of_each_position(case.first), numbers_of_each_position(case.expected_first)
    if torch.allclose(got, right):
        return None
    at = explainers.worst(got, right)[:-1]
    return (
        f"A position keeps its own numbers. Those of position {at[1]} of item {at[0]}, of all heads together and "
        f"sorted, are {first_numbers(right[at])} in x and {first_numbers(got[at])} in yours."
    )


@Property.named(
    "features-in-another-order",
    "Head 0 has the first D features of a position, head 1 the next D, and so on.",
)
def features_in_another_order(case):
    if torch.allclose(case.first, case.expected_first):
        return None
    return f"Every position has its own numbers, but in another order: {worst_row(case)}."


PROPERTIES = (numbers_lost, positions_mixed, features_in_another_order)
