"""Exercise 1.4: add_positions."""

import torch

from exercises.common import properties
from exercises.common.inputs import AXES, B, D, T, normal, round_numbers
from exercises.e1_4_add_positions.misconceptions import MISCONCEPTIONS
from exercises.e1_4_add_positions.shared import _added
from feedback import Exercise, Property, TestCase
from helpers import embeddings

C = D


_MAX_T = 13


def _rows_added(case):
    """What was added must be rows of positions."""
    told = _added(case)
    return None if told.startswith("your") else told[0].upper() + told[1:] + "."


def _same_for_all_items(case):
    added = case.actual - case.args[0]
    if torch.allclose(added, added[:1].expand_as(added), atol=1e-4):
        return None
    item = int((added - added[:1]).abs().amax((1, 2)).argmax())
    return (f"What you return, minus x, should be the same for every item of the batch: the positions. Yours differs "
            f"between items 0 and {item}.")


EXERCISE = Exercise(
    id="1.4", name="add_positions", signature="add_positions(x, positions)", minutes=4, difficulty=1,
    gives="x (B, T, C) with row t of positions (max_T, C) added to token t of every item",
    reference=embeddings.add_positions, arguments=("x", "positions"), returns=("out",),
    axis_names=AXES | {2: "B", 3: "B", 5: "T", 11: "C", 13: "max_T"},
    cases=(
        TestCase("a longer table of positions", (normal(B, T, C), normal(_MAX_T, C, seed=2))),
        TestCase("as many positions as tokens", (normal(B, T, C, seed=3), normal(T, C, seed=4))),
        TestCase("as many items as tokens", (normal(19, 19, C, seed=5), normal(23, C, seed=6))),
        TestCase("as many items as positions", (normal(19, T, C, seed=15), normal(19, C, seed=16))),
        TestCase("as many columns as tokens", (normal(B, 19, 19, seed=7), normal(23, 19, seed=8))),
        TestCase("one item", (normal(1, T, C, seed=9), normal(_MAX_T, C, seed=10))),
        TestCase("one token for each item", (normal(3, 1, C, seed=11), normal(_MAX_T, C, seed=12))),
        TestCase("float64", (normal(B, T, C, seed=13).double(), normal(_MAX_T, C, seed=14).double())),
        TestCase("a cube", (normal(19, 19, 19, seed=17), normal(19, 19, seed=18))),
    ),
    minimal_inputs=((round_numbers(1, 1, 2), 1 + round_numbers(1, 2)), (round_numbers(1, 2, 2), 1 + round_numbers(2, 2)),
           (round_numbers(1, 2, 2), 1 + round_numbers(3, 2)), (round_numbers(2, 2, 2), 1 + round_numbers(2, 2)),
           (round_numbers(2, 2, 2), 1 + round_numbers(3, 2))),
    misconceptions=MISCONCEPTIONS,
    hints=(
        "x has T tokens, the table max_T rows, and max_T may be larger. Which rows belong to x?",
        "positions[:T] has the shape (T, C). Beside (B, T, C) it is stretched over the batch by itself.",
        "x + positions[:x.size(1)]",
    ),
    properties=(properties.FINITE,
          Property("items-differ", _same_for_all_items,
              "(T, C) beside (B, T, C) is stretched over the batch by itself. x itself must come through as it is."),
          Property("other-rows", _rows_added, "Token t gets row t: print what you add, and its shape.")),
    when_correct="The same word now has another vector at each place.",
)
