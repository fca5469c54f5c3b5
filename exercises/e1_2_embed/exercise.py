"""Exercise 1.2: embed."""

import torch

from exercises.common import explainers, properties
from exercises.common.inputs import AXES, B, D, H, S, T, normal, round_numbers
from exercises.common.tables import _which_row
from exercises.e1_2_embed.misconceptions import MISCONCEPTIONS
from exercises.e1_2_embed.shared import _row
from feedback import BehavioralTest, Exercise, Property, TestCase
from helpers import embeddings

V = 13


def _some_ids(*shape, rows=V, seed=1):
    """Reproducible ids, with repeats."""
    return torch.randint(rows, shape, generator=torch.Generator().manual_seed(seed))


def _no_row_of_the_table(case):
    ids, table = case.args
    vectors = case.actual.reshape(-1, table.size(-1))
    at = next((i for i, vector in enumerate(vectors) if _which_row(table, vector) is None), None)
    if at is None:
        return None
    place = f" at {explainers.position(torch.unravel_index(torch.tensor(at), ids.shape))}" if ids.dim() else ""
    return f"Each vector of the result must be a row of the table, unchanged; yours{place} is none of them."


def _another_row(case):
    ids, table = case.args
    told = _row(case)
    if "of the table" not in told:
        return None
    return f"Each id gets the row with its number: {told}."


_LOOKED_UP = torch.tensor([[3, 1, 3], [0, 3, 1]])


def _with_gradients(attempt):
    """The gradient that reaches the table, or None."""
    table = normal(7, D, seed=19).requires_grad_()
    vectors = attempt(_LOOKED_UP, table)
    if vectors.requires_grad:
        (vectors * normal(2, 3, D, seed=20)).sum().backward()
    return table.grad if table.grad is None else table.grad.to_dense()  # F.embedding can give sparse ones


def _rows_can_learn(attempt):
    if _with_gradients(attempt) is not None:
        return None
    return "The numbers are right, but no gradient reaches the table, so its rows could never be trained."


def _gradients_are_right(attempt):
    got, right = _with_gradients(attempt), _with_gradients(embeddings.embed)
    if torch.allclose(got, right, rtol=1e-3, atol=1e-4):
        return None
    row = int((got - right).abs().sum(-1).argmax())
    times = int(_LOOKED_UP.eq(row).sum())
    return (f"The numbers are right, but the gradients are not: row {row} of the table was looked up "
            f"{explainers.counted(times, 'time', 'times')}, and its gradient is not the sum of what came back.")


_FROM_THE_TABLE = ("Take the rows from the table itself and stay in torch: no detach, .data, numpy, tolist, item or "
                   "no_grad, and no new nn.Embedding or nn.Parameter around it, which would be another table.")


EXERCISE = Exercise(
    id="1.2", name="embed", signature="embed(ids, table)", minutes=4, difficulty=1,
    gives="one row of the table for each id: (...) and (V, C) to (..., C)",
    reference=embeddings.embed, arguments=("ids", "table"), returns=("vectors",),
    axis_names=AXES | {2: "B", 3: "H", 5: "T", 11: "C", 13: "V", 7: "C", 17: "V"},
    cases=(
        TestCase("ids (T,)", (_some_ids(T, seed=2), normal(V, D))),
        TestCase("ids (B, T)", (_some_ids(B, T, seed=4), normal(V, D, seed=2))),
        TestCase("a single id, a 0-d tensor", (torch.tensor(4), normal(V, D, seed=3))),
        TestCase("the first row and the last, several times", (torch.tensor([V - 1, 0, 0, V - 1, 6]),
              normal(V, D, seed=4))),
        TestCase("ids (B, H, T)", (_some_ids(B, H, T, seed=6), normal(V, D, seed=5))),
        TestCase("float64", (_some_ids(B, T, seed=7), normal(V, D, seed=6).double())),
        TestCase("17 rows of 7 numbers", (_some_ids(B, T, rows=17, seed=8), normal(17, S, seed=7))),
        TestCase("as many ids as rows, and as many columns", (_some_ids(19, rows=19, seed=10), normal(19, 19, seed=8))),
        TestCase("one row of ids", (_some_ids(1, T, seed=9), normal(V, D, seed=9))),
    ),
    minimal_inputs=((torch.tensor([1, 0]), round_numbers(3, 2)), (torch.tensor([2, 0, 2]), round_numbers(3, 2)),
           (torch.tensor(1), round_numbers(3, 2)), (torch.tensor([[1, 2]]), round_numbers(3, 2)),
           (torch.tensor([[2, 0], [1, 1]]), round_numbers(3, 2)), (torch.tensor([1, 0]), round_numbers(2, 2))),
    misconceptions=MISCONCEPTIONS,
    hints=(
        "table[3] is row 3. What stands between the brackets may be a whole tensor of numbers.",
        "With ids of shape (B, T), table[ids] has the shape (B, T, C): one row in place of each id.",
    ),
    properties=(properties.FINITE, Property("no-row-of-the-table", _no_row_of_the_table, "Which line changes the numbers of a row?"),
          Property("another-row", _another_row, "Print ids beside the rows that you took.")),
    behavioral_tests=(
        BehavioralTest("no-gradients", _rows_can_learn, _FROM_THE_TABLE, required=True,
                   while_doing="with a table that needs gradients"),
        BehavioralTest("wrong-gradients", _gradients_are_right, _FROM_THE_TABLE, required=True, while_doing="on the way "
        "back"),
    ),
    when_correct="The index may have any shape, and gradients reach just the rows that were looked up.",
)
