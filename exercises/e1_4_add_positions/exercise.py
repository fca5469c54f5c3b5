"""Exercise 1.4, add_positions: each token learns where it is."""

import torch

from exercises.common import properties
from exercises.common.inputs import AXES, B, T, normal, round_numbers
from exercises.common.inputs import D as C
from exercises.e1_4_add_positions.explainers import what_was_added
from exercises.e1_4_add_positions.misconceptions import known
from exercises.e1_4_add_positions.reference import add_positions
from feedback import Exercise, Property, TestCase

MAX_T = 13


def with_a_token_of_zeros(*shape):
    x = normal(*shape, seed=20)
    x[0, 1] = 0
    return x


def stage_of(args):
    """Sizes that all differ are judged first, then those where a mistake may go unseen, and last float64."""
    x, positions = args
    if x.dtype == torch.float64:
        return 2
    minimal = x.numel() < 10  # minimal inputs illustrate the mistakes of every stage
    all_differ = len({*x.shape, *positions.shape}) == 4 and 1 not in x.shape
    return 0 if minimal or all_differ else 1


def rows_of_positions_were_added(case):
    told = what_was_added(case)
    return None if told.startswith("your") else told[0].upper() + told[1:] + "."


def same_for_all_items(case):
    added = case.actual - case.args[0]
    if torch.allclose(added, added[:1].expand_as(added), atol=1e-4):
        return None
    item = int((added - added[:1]).abs().amax((1, 2)).argmax())
    return (
        f"What you return, minus x, should be the same for every item of the batch: the positions. Yours differs "
        f"between items 0 and {item}."
    )


EXERCISE = Exercise(
    minutes=4,
    difficulty=1,
    gives="x (B, T, C) with row t of positions (`max_T`, C) added to token t of every item",
    reference=add_positions,
    returns=("out",),
    axis_names=AXES | {2: "B", 3: "B", 5: "T", 11: "C", 13: "max_T"},
    cases=(
        TestCase("a longer table of positions", (normal(B, T, C), normal(MAX_T, C, seed=2))),
        TestCase("as many positions as tokens", (normal(B, T, C, seed=3), normal(T, C, seed=4))),
        TestCase("as many items as tokens", (normal(19, 19, C, seed=5), normal(23, C, seed=6))),
        TestCase("as many items as positions", (normal(19, T, C, seed=15), normal(19, C, seed=16))),
        TestCase("as many columns as tokens", (normal(B, 19, 19, seed=7), normal(23, 19, seed=8))),
        TestCase("one item", (normal(1, T, C, seed=9), normal(MAX_T, C, seed=10))),
        TestCase("one token for each item", (normal(3, 1, C, seed=11), normal(MAX_T, C, seed=12))),
        TestCase("float64", (normal(B, T, C, seed=13).double(), normal(MAX_T, C, seed=14).double())),
        TestCase("a token of zeros", (with_a_token_of_zeros(B, T, C), normal(MAX_T, C, seed=19))),
        TestCase("a cube", (normal(19, 19, 19, seed=17), normal(19, 19, seed=18))),
    ),
    minimal_inputs=tuple(
        (round_numbers(items, length, 2), 1 + round_numbers(rows, 2))
        for items, length, rows in ((1, 1, 1), (1, 2, 2), (1, 2, 3), (2, 2, 2), (2, 2, 3))
    ),
    stage_of=stage_of,
    misconceptions=known,
    hints=(
        "x has T tokens, the table `max_T` rows, and `max_T` may be larger. Which rows belong to x?",
        "`positions[:T]` has shape (T, C). Added to (B, T, C), it is broadcast over the batch.",
        "`x + positions[:x.size(1)]`",
    ),
    properties=(
        properties.FINITE,
        Property(
            "items-differ",
            same_for_all_items,
            "Shape (T, C), added to (B, T, C), is broadcast over the batch. x itself must be in it unchanged.",
        ),
        Property("other-rows", rows_of_positions_were_added, "Token t gets row t: print what you add, and its shape."),
    ),
    when_correct="The same word now has a different vector at each position.",
)
