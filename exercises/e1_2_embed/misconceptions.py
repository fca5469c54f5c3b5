"""What people get wrong in exercise 1.2, embed."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from exercises.common import explainers
from exercises.e1_2_embed.shared import _row
from feedback import Misconception


def _beside_its_row(case):
    """The vector that is furthest off, beside the row of the table that belongs there."""
    ids, _ = case.args
    if case.actual.shape != case.expected.shape:
        return explainers.shape(case)
    at = explainers.worst(case.actual, case.expected)[:-1]
    name = f"ids[{', '.join(map(str, at))}] = {ids[at].item()}" if at else f"ids = {ids.item()}"
    mine, right = (", ".join(explainers.number(v) for v in x[at][:4]) + (", ..." if x.size(-1) > 4 else "")
                   for x in (case.actual, case.expected))
    return f"for {name} yours is [{mine}], and row {ids[at].item()} of the table is [{right}]"


def _with_unpacked_sizes(ids, table):
    items, length = ids.shape
    return table[ids].reshape(items, length, -1)


def _with_two_loops(ids, table):
    return torch.stack([torch.stack([table[ids[b, t]] for t in range(ids.shape[1])]) for b in range(ids.shape[0])])


def _one_hot(classes, change):
    return lambda ids, table: F.one_hot(ids, classes(ids, table)).to(change(table)) @ table


MISCONCEPTIONS = (
        Misconception(
            "columns", "The ids chose columns of the table; each word has a row.",
            "The first axis of the table (V, C) counts the words: table[ids] takes rows.",
            (lambda ids, table: table[:, ids], lambda ids, table: table.T[ids],
             lambda ids, table: table.index_select(1, ids), lambda ids, table: table[:, ids].T,
             lambda ids, table: table[:, ids].transpose(0, 1)), _row),
        Misconception(
            "ids-multiplied", "The table was multiplied with the ids themselves, as if an id were an amount.",
            "An id is only a number to look up by: which row does table[3] give?",
            (lambda ids, table: ids @ table, lambda ids, table: ids.float() @ table,
             lambda ids, table: ids.to(table.dtype) @ table, lambda ids, table: ids * table,
             lambda ids, table: ids[..., None] @ table, lambda ids, table: ids.unsqueeze(-1) * table,
             lambda ids, table: table @ ids, lambda ids, table: table @ ids.to(table.dtype),
             lambda ids, table: table * ids), _row),
        Misconception(
            "one-hot-too-narrow", "one_hot was not told how many rows the table has: it then makes as many columns as "
            "the largest id at hand needs.",
            "F.one_hot(ids, len(table)). (Or without any one-hot rows: a tensor of ids can be an index.)",
            (_one_hot(lambda ids, table: -1, lambda table: table.dtype),
             lambda ids, table: F.one_hot(ids).float() @ table,
             lambda ids, table: F.one_hot(ids, int(ids.max()) + 1).float() @ table)),
        Misconception(
            "one-hot-of-columns", "one_hot was given the width of the table; it needs one class for each row.",
            "Which of (V, C) counts the words? len(table) and table.size(0) are V.",
            (_one_hot(lambda ids, table: table.size(1), lambda table: table.dtype),
             lambda ids, table: F.one_hot(ids, table.size(1)).float() @ table)),
        Misconception(
            "one-hot-dtype", "The one-hot rows have another dtype than the table, and a matrix product needs the same "
            "on both sides.",
            "F.one_hot gives whole numbers: bring them to the table's dtype with .to(table.dtype).",
            (lambda ids, table: F.one_hot(ids, len(table)) @ table,
             lambda ids, table: F.one_hot(ids, len(table)).float() @ table,
             lambda ids, table: F.one_hot(ids, len(table)).double() @ table)),
        Misconception(
            "one-hot-bare", "The one-hot rows are whole numbers, and have only as many columns as the largest id at "
            "hand needs. A product with the table needs the table's dtype, and a column for each of its rows.",
            "F.one_hot(ids, len(table)).to(table.dtype). (Or without any one-hot rows: a tensor of ids can be an "
            "index.)",
            (lambda ids, table: F.one_hot(ids) @ table, lambda ids, table: F.one_hot(ids, int(ids.max()) + 1) @ table)),
        Misconception(
            "one-hot-returned", "These are the one-hot rows; they still have to choose rows of the table.",
            "one_hot @ table, or simply table[ids].",
            (lambda ids, table: F.one_hot(ids, len(table)).to(table.dtype),
             lambda ids, table: F.one_hot(ids, len(table)), lambda ids, table: F.one_hot(ids, len(table)).float(),
             lambda ids, table: F.one_hot(ids))),
        Misconception(
            "off-by-one", "Every id was moved by one before the look-up.",
            "Rows are counted from 0, and so are ids: id 0 is row 0.",
            (lambda ids, table: table[ids - 1], lambda ids, table: table[ids + 1],
             lambda ids, table: table[(ids + 1) % len(table)], lambda ids, table: table.roll(-1, 0)[ids],
             lambda ids, table: table[(ids + 1).clamp(max=len(table) - 1)],
             lambda ids, table: table[(ids - 1).clamp(min=0)], lambda ids, table: table[1:][ids]), _row),
        Misconception(
            "first-id-only", "Only what stands first in ids was looked up; every id gets a row.",
            "If there is a loop: `return` inside it ends the function at once. table[ids] takes all of them together.",
            (lambda ids, table: table[ids.flatten()[0]], lambda ids, table: table[ids[0]],
             lambda ids, table: table[ids[..., 0]], lambda ids, table: table[ids.flatten()[:1]],
             lambda ids, table: table[ids[:1]], lambda ids, table: table[ids[0].item()],
             lambda ids, table: table[ids.flatten()[0]].expand(*ids.shape, -1)), _row),
        Misconception(
            "last-id-only", "Only what stands last in ids was looked up; every id gets a row.",
            "If there is a loop: does each round overwrite the one before? table[ids] takes all of them together.",
            (lambda ids, table: table[ids.flatten()[-1]], lambda ids, table: table[ids[-1]],
             lambda ids, table: table[ids[..., -1]],
             lambda ids, table: table[ids.flatten()[-1]].expand(*ids.shape, -1)), _row),
        Misconception(
            "rows-in-order", "The first rows of the table were taken, one after the other; what the ids say was not "
            "used.",
            "Row ids[i] belongs to place i, not row i.",
            (lambda ids, table: table[:len(ids)], lambda ids, table: table[:ids.size(-1)],
             lambda ids, table: table[range(len(ids))], lambda ids, table: table[:ids.numel()],
             lambda ids, table: table[:ids.numel()].reshape(*ids.shape, -1),
             lambda ids, table: table[torch.arange(len(ids))], lambda ids, table: table[torch.arange(ids.size(-1))],
             lambda ids, table: torch.stack([table[i] for i in range(len(ids))]),
             lambda ids, table: table[torch.arange(ids.size(-1)).expand(ids.shape)],
             lambda ids, table: table[torch.arange(ids.numel()).reshape(ids.shape)]), _row),
        Misconception(
            "whole-table", "This is the whole table; the ids were not used.",
            "table[ids] chooses the rows.",
            (lambda ids, table: table.clone(), lambda ids, table: table[:])),
        Misconception(
            "summed", "The rows of several ids were added up; each id keeps a row of its own.",
            "The result has one axis more than ids: (..., C).",
            (lambda ids, table: table[ids].sum(0), lambda ids, table: table[ids].sum(-2),
             lambda ids, table: table[ids].sum(1), lambda ids, table: table[ids.flatten()].sum(0))),
        Misconception(
            "averaged", "The rows of several ids were averaged; each id keeps a row of its own.",
            "The result has one axis more than ids: (..., C).",
            (lambda ids, table: table[ids].mean(0), lambda ids, table: table[ids].mean(-2),
             lambda ids, table: table[ids].mean(1), lambda ids, table: table[ids.flatten()].mean(0),
             lambda ids, table: F.embedding_bag(ids, table))),
        Misconception(
            "row-reduced", "Each row of the table shrank to one number; the whole row is wanted.",
            "The result has one axis more than ids: (..., C).",
            (lambda ids, table: table[ids].sum(-1), lambda ids, table: table[ids].mean(-1),
             lambda ids, table: table[ids][..., 0], lambda ids, table: table[ids, 0])),
        Misconception(
            "scaled", "The rows were multiplied with, or divided by, the square root of their width, or brought to "
            "length 1.",
            "Here the rows are taken as they are. The paper's factor sqrt(C) is another step.",
            (lambda ids, table: table[ids] * math.sqrt(table.size(-1)),
             lambda ids, table: table[ids] / math.sqrt(table.size(-1)),
             lambda ids, table: F.normalize(table[ids], dim=-1)), explainers.entry),
        Misconception(
            "flattened", "The rows are right, but the axes of ids were flattened into one.",
            "table[ids] keeps every axis of ids, and puts C behind them.",
            (lambda ids, table: table[ids.flatten()], lambda ids, table: table[ids].reshape(-1, table.size(-1)),
             lambda ids, table: torch.stack([table[i] for i in ids.flatten().tolist()]))),
        Misconception(
            "one-long-vector", "The rows are right, but they were joined into one long vector.",
            "torch.stack gives every row a place of its own; torch.cat and flatten join them.",
            (lambda ids, table: table[ids].flatten(), lambda ids, table: torch.cat([table[i] for i in ids]),
             lambda ids, table: torch.cat([table[i] for i in ids.flatten().tolist()]),
             lambda ids, table: table[ids].flatten(-2))),
        Misconception(
            "swapped-arguments", "The table stands where the ids belong.",
            "It is F.embedding(ids, table), and table[ids]: the ids choose, the table is chosen from.",
            (lambda ids, table: F.embedding(table, ids), lambda ids, table: ids[table],
             lambda ids, table: ids[table.long()], lambda ids, table: torch.index_select(ids, 0, table))),
        Misconception(
            "a-new-table", "A new table of random numbers was made, and the rows come from there.",
            "The argument table already holds the rows: table[ids].",
            (lambda ids, table: nn.Embedding(*table.shape)(ids), lambda ids, table: torch.randn(*table.shape)[ids],
             lambda ids, table: torch.rand(*table.shape)[ids],
             lambda ids, table: torch.randn(*ids.shape, table.size(-1)),
             lambda ids, table: nn.Embedding(*table.shape).to(table.dtype)(ids),
             lambda ids, table: nn.Parameter(torch.randn(*table.shape))[ids]), _beside_its_row),
        Misconception(
            "transposed", "The rows are right, but axes of the result have changed places.",
            "C comes last: (..., C).",
            (lambda ids, table: table[ids].transpose(-2, -1), lambda ids, table: table[ids].mT,
             lambda ids, table: table[ids].T, lambda ids, table: table[ids].transpose(0, 1),
             lambda ids, table: table.T[:, ids], lambda ids, table: torch.stack([table[i] for i in ids], dim=-1),
             lambda ids, table: torch.stack([table[i] for i in ids], dim=1))),
        Misconception(
            "no-single-id", "Your code suits ids with an axis, but not a single id: a 0-d tensor has no length, and "
            "cannot be looped over.",
            "table[ids] takes ids of any shape, also ().",
            (lambda ids, table: torch.stack([table[i] for i in ids]),
             lambda ids, table: torch.stack([table[ids[i]] for i in range(len(ids))]),
             lambda ids, table: torch.stack([table[ids[i]] for i in range(ids.shape[0])]),
             lambda ids, table: torch.stack([table[ids[i]] for i in range(ids.size(0))]))),
        Misconception(
            "fixed-axes", "Your code suits one number of axes only; ids come as (), (T,), (B, T) and more.",
            "table[ids] takes ids of any shape: no loop, no count of axes.",
            (lambda ids, table: table.index_select(0, ids),
             lambda ids, table: torch.stack([table[int(i)] for i in ids]),
             lambda ids, table: torch.stack([table[i.item()] for i in ids]),
             lambda ids, table: torch.stack([table[ids[i].item()] for i in range(len(ids))]),
             lambda ids, table: torch.stack([table[ids[i].item()] for i in range(ids.shape[0])]),
             lambda ids, table: torch.stack([torch.stack([table[int(i)] for i in row]) for row in ids]),
             lambda ids, table: torch.stack([torch.stack([table[i] for i in row]) for row in ids]),
             lambda ids, table: torch.stack([torch.stack([table[i.item()] for i in row]) for row in ids]),
             _with_unpacked_sizes, _with_two_loops)),
        Misconception(
            "single-numbers", "Single numbers of the table were taken; each id stands for a whole row.",
            "take and gather pick numbers one by one. table[ids] picks rows.",
            (lambda ids, table: table.take(ids), lambda ids, table: table.flatten()[ids],
             lambda ids, table: table.gather(0, ids), lambda ids, table: table.gather(0, ids[..., None]),
             lambda ids, table: table.gather(1, ids), lambda ids, table: table[ids, ids])),
        Misconception(
            "repeats-dropped", "An id that comes again lost its row, or the ids were sorted.",
            "One row for each id, in the order of ids.",
            (lambda ids, table: table[ids.unique()], lambda ids, table: table[ids.sort().values],
             lambda ids, table: table[ids.flatten().sort().values].reshape(*ids.shape, -1)), _row),
        Misconception(
            "ids-returned", "These are still the ids.",
            "The rows of the table are asked for: table[ids].",
            (lambda ids, table: ids.clone(), lambda ids, table: ids.float(), lambda ids, table: ids.to(table.dtype))),
)
