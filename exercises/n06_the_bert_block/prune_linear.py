"""prune_linear: the reference, test cases, and a sentence about the learner's rows or columns."""

import torch

from exercises.common import explainers, properties
from exercises.common.explainers import number
from exercises.common.inputs import AXES, normal
from feedback import Property, TestCase
from feedback.page_exercise import exercise


def prune_linear(weight, bias, heads, num_heads, dim):
    """Take heads out of a layer: their rows and bias entries (dim 0), or their columns (dim 1).

    Shapes: weight (out, in), bias (out,) or None -> (weight, bias) without these heads
    Source: Michel et al. 2019; notebook 06
    """
    keep = torch.ones(num_heads, dtype=torch.bool, device=weight.device)
    keep[list(heads)] = False
    features = keep.repeat_interleave(weight.size(dim) // num_heads).nonzero().flatten()
    smaller = weight.index_select(dim, features)
    return smaller, bias if bias is None or dim == 1 else bias[features]


def where_from(case):
    """Say where the first wrong row or column of weight comes from, or return None."""
    weight, _, _, _, dim = case.args
    word = ("row", "column")[dim]
    mine, expected, given = (x.unbind(dim) for x in (case.actual[0], case.expected[0], weight))
    for n, (a, b) in enumerate(zip(mine, expected, strict=True)):
        if not torch.allclose(a, b):
            found = [i for i, line in enumerate(given) if torch.allclose(a, line)]
            belongs = next(i for i, line in enumerate(given) if torch.equal(b, line))
            source = f"{word} {found[0]}" if found else f"none of the {word}s"
            return f"{word} {n} of your weight is {source} of the weight given; {word} {belongs} belongs there"
    return None


def line_from(case):
    return where_from(case) or explainers.entry(case)


def arguments(seed, rows, columns, heads, num_heads, dim, bias=True, dtype=torch.float32):
    """Return weight, bias, heads, num_heads and dim."""
    bias = normal(rows, seed=seed + 1, dtype=dtype) if bias else None
    return normal(rows, columns, seed=seed, dtype=dtype), bias, heads, num_heads, dim


@Property.named(
    "wrong-features",
    "Print the features that you keep: head h owns h * D to (h + 1) * D - 1, and what stays keeps its order.",
)
def wrong_lines(case):
    found = where_from(case)
    _, _, heads, num_heads, _ = case.args
    return f"With heads {heads} of {num_heads}: {found}." if found else None


@Property.named(
    "wrong-bias",
    "The entries of bias that stay are those of the rows that stay: do you choose both by the same numbers?",
)
def wrong_entries(case):
    mine, right = case.actual[1], case.expected[1]
    if right is None or torch.allclose(mine, right):
        return None
    at = int((~torch.isclose(mine, right)).nonzero()[0])
    return f"Your weight is right, but entry {at} of your bias is {number(mine[at])}, and {number(right[at])} is right."


EXERCISE = exercise(
    prune_linear,
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
    ),
    minimal_inputs=(),
    # with a square weight, mistaking rows for columns raises no exception
    stage_of=lambda args: int(args[0].size(0) != args[0].size(1)),
    judge_first=("weight",),
    properties=(wrong_lines, wrong_entries, properties.FINITE),
)
