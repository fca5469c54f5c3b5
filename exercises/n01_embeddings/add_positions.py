"""add_positions: the reference, its steps and test cases; the page next to it says the rest."""

import torch

from exercises.common import explainers, properties
from exercises.common.inputs import AXES, B, T, normal, round_numbers
from exercises.common.inputs import D as C
from feedback import Property, TestCase
from feedback.format import sentence
from feedback.page_exercise import exercise


def add_positions(x, positions):
    """Add to each token the row of its position.

    Shapes: x (B, T, C), positions (max_T, C) with max_T >= T -> (B, T, C)
    Source: notebook 01
    """
    T = x.size(1)
    return x + positions[:T]  # (B, T, C) + (T, C)


def what_was_added(case):
    """What was added to the first token that is not right."""
    x, positions = case.args
    at = explainers.worst(case.actual, case.expected)[:-1]
    name = f"x[{at[0]}, {at[1]}]"
    if torch.allclose(case.actual[at], x[at], atol=1e-5):
        return f"nothing was added to {name}; row {at[1]} of positions belongs there"
    row = explainers.number_of_row(positions, case.actual[at] - x[at])
    if row is None or row == at[1]:
        return explainers.entry(case)
    return f"you added row {row} of positions to {name}; row {at[1]} belongs there"


def assemble(rows=lambda x, positions: positions[: x.size(1)], combine=lambda x, rows: x + rows):
    """Build add_positions from two steps."""
    return lambda x, positions: combine(x, rows(x, positions))


MAX_T = 13
A_TOKEN_OF_ZEROS = normal(B, T, C, seed=20) * (torch.arange(B * T) != 1).view(B, T, 1)


def stage_of(args):
    """Judge sizes that all differ first, then sizes that may hide a mistake, and float64 last."""
    x, positions = args
    if x.dtype == torch.float64:
        return 2
    minimal = x.numel() < 10  # minimal inputs illustrate the mistakes of every stage
    all_differ = len({*x.shape, *positions.shape}) == 4 and 1 not in x.shape
    return 0 if minimal or all_differ else 1


@Property.named("other-rows", "Token t gets row t: print what you add, and its shape.")
def rows_of_positions_were_added(case):
    found = what_was_added(case)
    return None if found.startswith("your") else sentence(found)


@Property.named(
    "items-differ", "Shape (T, C), added to (B, T, C), is broadcast over the batch. x itself must be in it unchanged."
)
def same_for_all_items(case):
    added = case.actual - case.args[0]
    if torch.allclose(added, added[:1].expand_as(added), atol=1e-4):
        return None
    item = int((added - added[:1]).abs().amax((1, 2)).argmax())
    return (
        f"What you return, minus x, should be the same for every item of the batch: the positions. Yours differs "
        f"between items 0 and {item}."
    )


EXERCISE = exercise(
    add_positions,
    assemble=assemble,
    returns=("out",),
    axis_names=AXES | {2: "B", 3: "B", 5: "T", 11: "C", 13: "max_T"},
    cases=(
        TestCase("a longer table of positions", (normal(B, T, C), normal(MAX_T, C, seed=2))),
        TestCase("as many positions as tokens", (normal(B, T, C, seed=3), normal(T, C, seed=4))),
        TestCase("as many items as tokens", (normal(19, 19, C, seed=5), normal(23, C, seed=6))),
        TestCase("as many columns as tokens", (normal(B, 19, 19, seed=7), normal(23, 19, seed=8))),
        TestCase("one item", (normal(1, T, C, seed=9), normal(MAX_T, C, seed=10))),
        TestCase("one token for each item", (normal(3, 1, C, seed=11), normal(MAX_T, C, seed=12))),
        TestCase("float64", (normal(B, T, C, seed=13).double(), normal(MAX_T, C, seed=14).double())),
        TestCase("a token of zeros", (A_TOKEN_OF_ZEROS, normal(MAX_T, C, seed=19))),
    ),
    minimal_inputs=tuple(
        (round_numbers(items, length, 2), 1 + round_numbers(rows, 2))
        for items, length, rows in ((1, 1, 1), (1, 2, 2), (1, 2, 3), (2, 1, 1), (2, 2, 2), (2, 2, 3))
    ),
    stage_of=stage_of,
    properties=(properties.FINITE, same_for_all_items, rows_of_positions_were_added),
)
