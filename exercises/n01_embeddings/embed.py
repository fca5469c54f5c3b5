"""embed: the reference, its steps and test cases; the page next to it says the rest."""

from dataclasses import replace

import torch

from exercises.common import explainers, properties
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, B, D, H, T, generator, normal, round_numbers
from feedback import Property, TestCase
from feedback.page_exercise import exercise


def embed(ids, table):
    """Take one row of the table for each id.

    Shapes: ids (...), table (V, C) -> (..., C)
    Source: notebook 01
    """
    return table[ids]


def row_taken(case):
    """Show a wrong row: which row of the table it is, and which one belongs there."""
    ids, table = case.args
    at = explainers.worst(case.actual, case.expected)[:-1]
    row = explainers.number_of_row(table, case.actual[at])
    if row is None:
        return explainers.entry(case)
    where = f"ids[{', '.join(map(str, at))}]" if at else "ids"
    id = ids[at].item()
    return f"for {where} = {id} you took row {row} of the table, and row {id} is right"


V = 13


def some_ids(*shape, seed, rows=V):
    """Reproducible ids, with repeats."""
    return torch.randint(rows, shape, generator=generator(seed))


def stage_of(args):
    """Judge a sentence first, then batches and confusing sizes, then a single id, and a float64 table last."""
    ids, table = args
    if table.dtype == torch.float64:
        return 3
    if ids.dim() == 0:
        return 2
    return 0 if ids.dim() == 1 and len(ids) < len(table) else 1


@Property.named("no-row-of-the-table", "Which line changes the numbers of a row?")
def rows_are_unchanged(case):
    ids, table = case.args
    vectors = case.actual.reshape(-1, table.size(-1))
    at = next((i for i, vector in enumerate(vectors) if explainers.number_of_row(table, vector) is None), None)
    if at is None:
        return None
    where = f" at {explainers.position(explainers.unraveled(at, ids.shape))}" if ids.dim() else ""
    return f"Each vector of the result must be a row of the table, unchanged; yours{where} is none of them."


@Property.named("another-row", "Print ids next to the rows that you took.")
def ids_choose_their_rows(case):
    found = row_taken(case)
    return f"Each id gets the row with its number: {found}." if "of the table" in found else None


LOOKED_UP = torch.tensor([[3, 1, 3], [0, 3, 1]])
TABLE = normal(7, D, seed=19)


EXERCISE = exercise(
    embed,
    returns=("vectors",),
    axis_names=AXES | {2: "B", 3: "H", 5: "T", 11: "C", 13: "V", 7: "C", 17: "V"},
    cases=(
        TestCase("ids (T,)", (some_ids(T, seed=2), normal(V, D))),
        TestCase("ids (B, T)", (some_ids(B, T, seed=4), normal(V, D, seed=2))),
        TestCase("a single id, a 0-d tensor", (torch.tensor(4), normal(V, D, seed=3))),
        TestCase(
            "the first row and the last, several times", (torch.tensor([V - 1, 0, 0, V - 1, 6]), normal(V, D, seed=4))
        ),
        TestCase("ids (B, H, T)", (some_ids(B, H, T, seed=6), normal(V, D, seed=5))),
        TestCase("float64", (some_ids(B, T, seed=7), normal(V, D, seed=6).double())),
        TestCase("as many ids as rows, and as many columns", (some_ids(19, rows=19, seed=10), normal(19, 19, seed=8))),
        TestCase("one row of ids", (some_ids(1, T, seed=9), normal(V, D, seed=9))),
    ),
    minimal_inputs=(
        (torch.tensor([1, 0]), round_numbers(3, 2)),
        (torch.tensor(1), round_numbers(3, 2)),
        (torch.tensor([[2, 0], [1, 1]]), round_numbers(3, 2)),
    ),
    stage_of=stage_of,
    properties=(properties.FINITE, rows_are_unchanged, ids_choose_their_rows),
    behavioral_tests=(
        gradients_flow(embed, (LOOKED_UP, TABLE), (None, "table"), compared=False),
        replace(
            gradients_flow(embed, (LOOKED_UP, TABLE), (None, "table")),
            id="wrong-gradients",
            hint="Take the rows from the table itself, each as it is. (Further arguments of `F.embedding`, such as "
            "`padding_idx`, change gradients.)",
        ),
    ),
    error_meanings=(
        (
            r"too many indices for tensor of dimension 2",
            "The table has two axes, and the brackets hold more indices than that: each entry of a tuple counts as an "
            "index of its own, whereas a whole tensor of ids is a single index.",
        ),
    ),
)
