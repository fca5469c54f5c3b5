"""What people get wrong in exercise 1.4, add_positions: which rows of the table are chosen.

An answer has two steps: choose rows, and combine them with x. Mistakes of the second are in misconceptions.py.
"""

import torch

from exercises.common import explainers
from exercises.e1_4_add_positions.explain import what_was_added
from feedback import Misconceptions


def first_rows(x, positions):
    return positions[: x.size(1)]


def added(x, rows):
    return x + rows


def assemble(rows=first_rows, combine=added):
    """add_positions made of two steps."""

    def add_positions(x, positions):
        return combine(x, rows(x, positions))

    return add_positions


known = Misconceptions(assemble)


@known(
    "whole-table",
    means="The whole table of positions was used; x may be shorter than the table.",
    hint="x has T tokens, and the table has `max_T` rows. Which of these rows belong to x?",
    explain=what_was_added,
    step="rows",
)
def all_rows(x, positions):
    return positions


@known(
    "whole-table-stretched",
    means="The whole table of positions was to be expanded to the shape of x; x may be shorter than the table.",
    hint="expand stretches only axes of size 1. Which rows of the table belong to x, and which shape do they have?",
    step="rows",
)
def all_rows_expanded_as_x(x, positions):
    return positions.expand_as(x)


@known.also("whole-table-stretched", step="rows")
def all_rows_expanded_for_each_item(x, positions):
    return positions.expand(len(x), x.size(1), -1)


@known(
    "last-rows",
    means="The last T rows of the table were added; token 0 is at position 0.",
    hint="Which row belongs to token 0, and which to the last token?",
    explain=what_was_added,
    step="rows",
)
def last_rows(x, positions):
    return positions[-x.size(1) :]


@known(
    "wrong-size",
    means="As many rows were taken as there are items in the batch; positions belong to tokens.",
    hint="In (B, T, C) the tokens are axis 1. Which axis do `len(x)` and `x.size(0)` count?",
    explain=what_was_added,
    step="rows",
)
def as_many_rows_as_items(x, positions):
    return positions[: len(x)]


@known.also("wrong-size")
def as_many_rows_as_items_in_a_loop(x, positions):
    return torch.stack([item + positions[: len(x)] for item in x])


@known(
    "axis-behind",
    means="The positions got an axis of size 1 at the end, (T, C, 1).",
    hint="Write (B, T, C) and the shape of your rows one below the other, right-aligned. Is an axis missing at all?",
    explain=what_was_added,
    step="rows",
)
def rows_with_an_axis_behind(x, positions):
    return positions[: x.size(1)].unsqueeze(-1)


@known(
    "as-many-as-columns",
    means="As many rows were taken as x has columns; positions belong to tokens.",
    hint="In (B, T, C) the tokens are axis 1. Which axis is the last one?",
    explain=what_was_added,
    step="rows",
)
def as_many_rows_as_columns(x, positions):
    return positions[: x.size(-1)]


@known(
    "by-item",
    means="Each item of the batch got one row, the same for all its tokens.",
    hint="Token t of every item gets row t. Does your loop, or your new axis, run over items or over tokens?",
    explain=what_was_added,
    step="rows",
)
def a_row_for_each_item(x, positions):
    return positions[: x.size(0)].unsqueeze(1)


@known(
    "axis-between",
    means="The positions got an axis of size 1 in the middle, (T, 1, C), and so they run along the batch.",
    hint="Write (B, T, C) and the shape of your rows one below the other, right-aligned. Is an axis missing at all?",
    explain=what_was_added,
    step="rows",
)
def rows_with_an_axis_between(x, positions):
    return positions[: x.size(1)].unsqueeze(1)


@known.also("axis-between", step="rows")
def rows_with_an_axis_on_both_sides(x, positions):
    return positions[: x.size(1)][None, :, None]


@known.also("axis-between", step="rows")
def all_rows_with_an_axis_between(x, positions):
    return positions[:, None]


@known(
    "one-row-for-all",
    means="Every token got the same row of positions, so that no position differs from another.",
    hint="Token t gets row t. A single number in brackets takes one row; what takes several?",
    explain=what_was_added,
    step="rows",
)
def row_zero(x, positions):
    return positions[0]


@known.also("one-row-for-all", step="rows")
def row_one(x, positions):
    return positions[1]


@known.also("one-row-for-all", step="rows")
def last_row_of_the_table(x, positions):
    return positions[-1]


@known.also("one-row-for-all", step="rows")
def row_of_the_last_token(x, positions):
    return positions[x.size(1) - 1]


@known.also("one-row-for-all", step="rows")
def row_number_t(x, positions):
    return positions[x.size(1)]


@known(
    "averaged",
    means="The rows of positions were averaged, and every token got the same numbers.",
    hint="Token t gets row t alone.",
    explain=explainers.entry,
    step="rows",
)
def mean_of_the_rows(x, positions):
    return positions[: x.size(1)].mean(0)


@known.also("averaged", step="rows")
def mean_of_all_rows(x, positions):
    return positions.mean(0)


@known(
    "rows-summed",
    means="The rows of positions were added up, and every token got the same numbers.",
    hint="Token t gets row t alone.",
    explain=explainers.entry,
    step="rows",
)
def sum_of_the_rows(x, positions):
    return positions[: x.size(1)].sum(0)


@known.also("rows-summed", step="rows")
def sum_of_all_rows(x, positions):
    return positions.sum(0)


@known(
    "one-number-for-each-row",
    means="Each row of positions was reduced to one number before it was added.",
    hint="A row has C numbers, and so does a token: they are added one to one.",
    explain=explainers.entry,
    step="rows",
)
def means_along_the_rows(x, positions):
    return positions[: x.size(1)].mean(-1, keepdim=True)


@known.also("one-number-for-each-row", step="rows")
def first_numbers_of_the_rows(x, positions):
    return positions[: x.size(1), :1]


@known.also("one-number-for-each-row", step="rows")
def sums_along_the_rows(x, positions):
    return positions[: x.size(1)].sum(-1, keepdim=True)


@known(
    "sliced-columns",
    means="The slice is on the wrong axis: `positions[:, :T]` keeps all rows of the table, and the first T of its "
    "columns.",
    hint="The table is (`max_T`, C). Which of its two axes counts the positions?",
    explain=explainers.entry,
    step="rows",
)
def first_columns(x, positions):
    return positions[:, : x.size(1)]


@known(
    "transposed",
    means="Rows and columns of the table have been swapped: what was added are its columns.",
    hint="The table is (`max_T`, C), with one row for each position. What does .T make of it?",
    explain=explainers.entry,
    step="rows",
)
def columns_as_rows(x, positions):
    return positions.T


@known.also("transposed", step="rows")
def first_rows_transposed(x, positions):
    return positions[: x.size(1)].T


@known.also("transposed", step="rows")
def a_square_of_the_table_transposed(x, positions):
    return positions[: x.size(1), : x.size(1)].T


@known(
    "off-by-one",
    means="The rows were shifted by one.",
    hint="Token 0 is at position 0. Which row is the first that you take?",
    explain=what_was_added,
    step="rows",
)
def from_row_one(x, positions):
    return positions[1 : x.size(1) + 1]


@known.also("off-by-one", step="rows")
def from_row_one_in_a_circle(x, positions):
    return positions.roll(-1, 0)[: x.size(1)]


@known.also("off-by-one", step="rows")
def from_the_last_row_of_the_table(x, positions):
    return positions.roll(1, 0)[: x.size(1)]


@known.also("off-by-one", step="rows")
def from_the_last_row_of_those_needed(x, positions):
    return positions[: x.size(1)].roll(1, 0)


@known.also("off-by-one", step="rows")
def from_row_one_of_those_needed(x, positions):
    return positions[: x.size(1)].roll(-1, 0)


@known(
    "reversed",
    means="The rows were added in reverse order: the last token got row 0.",
    hint="Token t gets row t.",
    explain=what_was_added,
    step="rows",
)
def rows_backwards(x, positions):
    return positions[: x.size(1)].flip(0)


@known.also("reversed", step="rows")
def table_backwards(x, positions):
    return positions.flip(0)[: x.size(1)]


@known(
    "random-rows",
    means="Rows were drawn at random: a position must have the same row in every text.",
    hint="Token t gets row t.",
    explain=what_was_added,
    step="rows",
)
def rows_drawn_from_the_table(x, positions):
    return positions[torch.randperm(len(positions))[: x.size(1)]]


@known.also("random-rows", step="rows")
def a_row_drawn_for_each_token_of_each_item(x, positions):
    return positions[torch.randint(len(positions), x.shape[:2])]


@known.also("random-rows", step="rows")
def first_rows_shuffled(x, positions):
    return positions[torch.randperm(x.size(1))]


@known.also("random-rows", step="rows")
def a_row_drawn_for_each_token(x, positions):
    return positions[torch.randint(len(positions), (x.size(1),))]


@known.also("random-rows", step="rows")
def one_row_drawn(x, positions):
    return positions[torch.randint(0, len(positions), (1,))]


@known(
    "numbers-not-rows",
    means="The numbers of the positions, 0, 1, 2, ..., were added, not the rows that belong to them.",
    hint="What does the table hold for position 2? That is what token 2 gets.",
    explain=explainers.entry,
    step="rows",
)
def numbers_of_positions(x, positions):
    return torch.arange(x.size(1), dtype=x.dtype)[:, None]


@known.also("numbers-not-rows", step="rows")
def numbers_of_positions_between_0_and_1(x, positions):
    return (torch.arange(x.size(1)) / x.size(1)).to(x.dtype)[:, None]


@known.also("numbers-not-rows", step="rows")
def numbers_of_positions_from_one(x, positions):
    return 1 + torch.arange(x.size(1), dtype=x.dtype)[:, None]
