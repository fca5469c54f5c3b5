"""Exercise 6.4: prune_linear."""

import torch

from exercises.common import properties
from exercises.common.explainers import number
from exercises.common.inputs import AXES, normal
from exercises.e6_4_prune_linear.misconceptions import known
from exercises.e6_4_prune_linear.reference import prune_linear
from exercises.e6_4_prune_linear.steps import where_from
from feedback import Exercise, Property, TestCase


def arguments(seed, rows, columns, heads, num_heads, dim, bias=True, dtype=torch.float32):
    """weight, bias, heads, num_heads and dim."""
    return (
        normal(rows, columns, seed=seed, dtype=dtype),
        normal(rows, seed=seed + 1, dtype=dtype) if bias else None,
        heads,
        num_heads,
        dim,
    )


def by_hand(rows, columns, heads, num_heads, dim, bias=True):
    """Arguments whose numbers say where they belong: 12 is row 1, column 2."""
    weight = 10.0 * torch.arange(rows)[:, None] + torch.arange(columns)
    return weight, torch.arange(rows) + 0.5 if bias else None, heads, num_heads, dim


def not_square(args):
    """A stage: in a square weight rows and columns can be mistaken for each other without an exception."""
    weight = args[0]
    return int(weight.size(0) != weight.size(1))


def wrong_lines(case):
    found = where_from(case)
    return f"{found[0].upper()}{found[1:]}." if found else None


def wrong_entries(case):
    mine, right = case.actual[1], case.expected[1]
    if right is None or torch.allclose(mine, right):
        return None
    at = int((~torch.isclose(mine, right)).nonzero()[0])
    return f"Your weight is right, but entry {at} of your bias is {number(mine[at])}, and {number(right[at])} is right."


EXERCISE = Exercise(
    minutes=10,
    difficulty=2,
    gives="the pair (weight, bias) without these heads: for dim 0 their rows and bias entries go, for dim 1 their "
    "columns. Head h owns D neighbors along dim, D = `weight.size(dim) // num_heads`; bias may be None",
    reference=prune_linear,
    returns=("weight", "bias"),
    axis_names=AXES | dict.fromkeys((2, 3, 5, 7, 11, 13, 17), ""),
    cases=(
        TestCase("head 1 of three, its rows", arguments(220, 12, 7, {1}, 3, 0)),
        TestCase("head 1 of three, its columns", arguments(222, 7, 12, {1}, 3, 1)),
        TestCase("head 0 of three, its rows, without a bias", arguments(224, 12, 7, {0}, 3, 0, bias=False)),
        TestCase("head 2 of three, its columns, without a bias", arguments(226, 7, 12, {2}, 3, 1, bias=False)),
        TestCase("heads [3, 0] of five, their rows", arguments(228, 10, 7, [3, 0], 5, 0)),
        TestCase("heads [4, 0, 2] of five, their columns", arguments(230, 13, 35, [4, 0, 2], 5, 1)),
        TestCase("no heads at all, rows", arguments(232, 12, 7, set(), 3, 0)),
        TestCase("no heads at all, columns", arguments(234, 7, 12, [], 3, 1)),
        TestCase("heads [2, 1] of four, rows of a square weight", arguments(252, 12, 12, [2, 1], 4, 0)),
        TestCase(
            "heads {0, 2} of four, rows of a square weight in float64",
            arguments(236, 12, 12, {0, 2}, 4, 0, dtype=torch.float64),
        ),
        TestCase("heads [2, 1] of four, columns of a square weight", arguments(238, 12, 12, [2, 1], 4, 1)),
        TestCase("heads {1, 3} of five, one row each", arguments(240, 5, 11, {1, 3}, 5, 0)),
        TestCase("a single head, which stays", arguments(242, 4, 7, [], 1, 0)),
        TestCase("head 1 of two, rows of a wide weight", arguments(244, 6, 22, {1}, 2, 0)),
        TestCase("head 1 of two, columns of a tall weight", arguments(246, 22, 6, {1}, 2, 1)),
        TestCase("head 2 of three, its columns, in float64", arguments(248, 7, 12, [2], 3, 1, dtype=torch.float64)),
        TestCase("heads {1, 2, 3} of four, one row each", arguments(250, 4, 8, {1, 2, 3}, 4, 0)),
    ),
    minimal_inputs=(
        by_hand(4, 1, {0}, 2, 0),
        by_hand(1, 4, {0}, 2, 1),
        by_hand(4, 1, [0, 1], 4, 0),
        by_hand(4, 4, {0}, 2, 0),
        by_hand(4, 4, {0}, 2, 1),
        by_hand(4, 4, [2, 0], 4, 0),
        by_hand(4, 4, [2, 0], 4, 1),
        by_hand(6, 1, [2, 0], 3, 0),
        by_hand(1, 6, [2, 0], 3, 1, bias=False),
    ),
    misconceptions=known,
    hints=(
        "Which features stay? Answer first for the heads, with True or False for each. How many features does each "
        "of these answers stand for?",
        "D is `weight.size(dim) // num_heads`, and `repeat_interleave(D)` repeats each answer D times. With the "
        "numbers of the features that stay, `weight.index_select(dim, features)` cuts rows or columns. Only for dim "
        "0, and only where there is one, the bias is cut as well: `bias[features]`.",
    ),
    stage_of=not_square,
    judge_first=("weight",),
    properties=(
        Property(
            "wrong-features",
            wrong_lines,
            "Print the features that you keep: head h owns h * D to (h + 1) * D - 1, and what stays keeps its order.",
        ),
        Property(
            "wrong-bias",
            wrong_entries,
            "The entries of bias that stay are those of the rows that stay: do you choose both by the same numbers?",
        ),
        properties.FINITE,
    ),
    when_correct="The layer is really smaller now: pruning saves memory and time, while zeros would save nothing.",
)
