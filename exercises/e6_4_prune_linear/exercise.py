"""Exercise 6.4: prune_linear."""

import torch

from exercises.common import properties, references
from exercises.common.inputs import AXES, normal
from exercises.e6_4_prune_linear.misconceptions import MISCONCEPTIONS
from exercises.e6_4_prune_linear.shared import _origin
from feedback import Exercise, Property, TestCase


def _wrong_lines(case):
    found = _origin(case)
    return f"{found[0].upper()}{found[1:]}." if found else None


def _to_prune(seed, rows, columns, heads, num_heads, dim, bias=True, dtype=torch.float32):
    """Arguments for 6.4."""
    return (normal(rows, columns, seed=seed, dtype=dtype), normal(rows, seed=seed + 1, dtype=dtype) if bias else None,
            heads, num_heads, dim)


def _counted(rows, columns):
    """Numbers that say where they stand: 12 is row 1, column 2."""
    return 10.0 * torch.arange(rows)[:, None] + torch.arange(columns)


EXERCISE = Exercise(
    id="6.4", name="prune_linear", signature="prune_linear(weight, bias, heads, num_heads, dim)", minutes=10,
    difficulty=2,
    gives="the pair (weight, bias) without these heads: for dim 0 their rows and bias entries go, for dim 1 their "
          "columns. Head h owns D neighbours along dim, D = weight.size(dim) / num_heads; bias may be None",
    reference=references.prune_linear, arguments=("weight", "bias", "heads", "num_heads", "dim"),
    returns=("weight", "bias"), axis_names=AXES | dict.fromkeys((2, 3, 5, 7, 11, 13, 17), ""),
    cases=(
        TestCase("one of three heads, its rows", _to_prune(220, 12, 7, {1}, 3, 0)),
        TestCase("one of three heads, its columns", _to_prune(222, 7, 12, {1}, 3, 1)),
        TestCase("rows, without a bias", _to_prune(224, 12, 7, {0}, 3, 0, bias=False)),
        TestCase("columns, without a bias", _to_prune(226, 7, 12, {2}, 3, 1, bias=False)),
        TestCase("a list that is not sorted, rows", _to_prune(228, 10, 7, [3, 0], 5, 0)),
        TestCase("a tuple that is not sorted, columns", _to_prune(230, 13, 35, (4, 0, 2), 5, 1)),
        TestCase("no heads at all, rows", _to_prune(232, 12, 7, set(), 3, 0)),
        TestCase("no heads at all, columns", _to_prune(234, 7, 12, [], 3, 1)),
        TestCase("a square weight, rows, in float64", _to_prune(236, 12, 12, {0, 2}, 4, 0, dtype=torch.float64)),
        TestCase("a square weight, columns", _to_prune(238, 12, 12, [2, 1], 4, 1)),
        TestCase("heads of one feature", _to_prune(240, 5, 11, frozenset({1, 3}), 5, 0)),
        TestCase("a single head, which stays", _to_prune(242, 4, 7, (), 1, 0)),
        TestCase("more columns than rows, rows", _to_prune(244, 6, 22, {1}, 2, 0)),
        TestCase("more rows than columns, columns", _to_prune(246, 22, 6, {1}, 2, 1)),
        TestCase("columns, in float64", _to_prune(248, 7, 12, (2,), 3, 1, dtype=torch.float64)),
        TestCase("heads of one feature, one head stays", _to_prune(250, 4, 8, {1, 2, 3}, 4, 0)),
    ),
    minimal_inputs=((_counted(4, 1), torch.tensor([0.5, 1.5, 2.5, 3.5]), {0}, 2, 0),
           (_counted(1, 4), torch.tensor([0.5]), {0}, 2, 1),
           (_counted(4, 1), torch.tensor([0.5, 1.5, 2.5, 3.5]), [0, 1], 4, 0),
           (_counted(6, 1), torch.tensor([0.5, 1.5, 2.5, 3.5, 4.5, 5.5]), [2, 0], 3, 0),
           (_counted(1, 6), None, [2, 0], 3, 1),
           (_counted(4, 4), None, {0}, 2, 0), (_counted(4, 4), None, {0}, 2, 1)),
    misconceptions=MISCONCEPTIONS,
    hints=(
        "Which features stay? First say it of the heads, with num_heads times True or False; then each of them counts "
        "for D = weight.size(dim) // num_heads features: repeat_interleave(D).",
        "With the numbers of the features that stay, weight.index_select(dim, features) cuts rows or columns. Only for "
        "dim 0, and only where there is one, the bias is cut as well: bias[features].",
    ),
    properties=(Property("wrong-features", _wrong_lines,
              "Print the features that you keep: head h owns h * D to (h + 1) * D - 1, and what stays keeps its "
              "order."),
          properties.FINITE),
    when_correct="The layer is really smaller now: pruning saves memory and time, zeroing would save nothing.",
)
