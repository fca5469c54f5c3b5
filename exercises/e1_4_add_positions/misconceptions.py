"""What people get wrong in exercise 1.4, add_positions.

An answer has two steps: choose rows of the table, and combine them with x.
"""

import math

import torch

from exercises.common import explainers
from exercises.e1_4_add_positions.explainers import what_was_added
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


# ---------------------------------------------------------------- what is done with them


@known(
    "concatenated",
    means="The positions were concatenated with x instead of added.",
    hint="Adding keeps the shape of x: number by number.",
    step="combine",
)
def next_to_the_columns(x, rows):
    return torch.cat([x, rows.expand_as(x)], dim=-1)


@known.also("concatenated", step="combine")
def behind_the_tokens(x, rows):
    return torch.cat([x, rows.expand_as(x)], dim=1)


@known.also("concatenated", step="combine")
def before_the_columns(x, rows):
    return torch.cat([rows.expand_as(x), x], dim=-1)


@known.also("concatenated", step="combine")
def behind_the_items(x, rows):
    return torch.cat([x, rows.expand_as(x)])


@known.also("concatenated")
def all_rows_behind_the_tokens(x, positions):
    return torch.cat([x, positions.expand(len(x), -1, -1)], dim=1)


@known.also("concatenated", step="combine")
def without_a_batch_axis(x, rows):
    return torch.cat([x, rows], dim=-1)


@known.also("concatenated", step="combine")
def as_one_more_item(x, rows):
    return torch.cat([x, rows[None]])


@known(
    "multiplied",
    means="The positions were multiplied by x instead of added.",
    hint="Which operation does the name of the function ask for?",
    explain=explainers.entry,
    step="combine",
)
def multiplied(x, rows):
    return x * rows


@known(
    "subtracted",
    means="One was subtracted from the other instead of added to it.",
    hint="Which operation does the name of the function ask for?",
    explain=explainers.entry,
    step="combine",
)
def subtracted(x, rows):
    return x - rows


@known.also("subtracted", step="combine")
def subtracted_the_other_way(x, rows):
    return rows - x


@known(
    "scaled",
    means="x was multiplied by the square root of C before the positions were added.",
    hint="Here the two are added as they are. The paper's factor `sqrt(C)` belongs to the embedding.",
    explain=explainers.entry,
    step="combine",
)
def x_times_root(x, rows):
    return x * math.sqrt(x.size(-1)) + rows


@known(
    "positions-scaled",
    means="The positions were scaled by the square root of C before they were added.",
    hint="Here the two are added as they are. The paper's factor `sqrt(C)` belongs to the embedding.",
    explain=explainers.entry,
    step="combine",
)
def positions_over_root(x, rows):
    return x + rows / math.sqrt(x.size(-1))


@known.also("positions-scaled", step="combine")
def positions_times_root(x, rows):
    return x + rows * math.sqrt(x.size(-1))


@known(
    "sum-scaled",
    means="The sum of x and the positions was multiplied by the square root of C.",
    hint="Here the two are added as they are. The paper's factor `sqrt(C)` belongs to the embedding.",
    explain=explainers.entry,
    step="combine",
)
def sum_times_root(x, rows):
    return (x + rows) * math.sqrt(x.size(-1))


@known(
    "positions-alone",
    means="These are the positions; x is missing.",
    hint="The result has the shape of x. Where does x enter your result?",
    explain=explainers.shape,
    step="combine",
)
def rows_alone(x, rows):
    return rows.clone()


@known.also("positions-alone", step="combine")
def rows_alone_for_every_item(x, rows):
    return rows.expand_as(x)


@known.also("positions-alone", step="combine")
def rows_alone_for_one_item(x, rows):
    return rows[None]


@known.also("positions-alone")
def table_alone(x, positions):
    return positions.clone()


@known(
    "nothing-added",
    means="This is x unchanged: no positions were added.",
    hint="x + ... gives a new tensor, and leaves x as it was. What do you do with that tensor?",
    explain=what_was_added,
    step="combine",
)
def x_alone(x, rows):
    return x.clone()


@known(
    "first-item-only",
    means="Only the first item of the batch got its positions.",
    hint="Every item gets the same rows. Does a loop end too early, or does an index take one item?",
    explain=what_was_added,
    step="combine",
)
def added_to_the_first_item(x, rows):
    return torch.cat([x[:1] + rows, x[1:]])


@known.also("first-item-only", step="combine")
def first_item_alone(x, rows):
    return x[0] + rows


@known.also("first-item-only", step="combine")
def first_item_alone_with_its_axis(x, rows):
    return x[:1] + rows


@known(
    "one-token-only",
    means="Only one token of each item got its position.",
    hint="If there is a loop: `return` inside it ends the function at once, and each round must write into the same "
    "tensor.",
    explain=what_was_added,
    step="combine",
)
def added_to_the_first_token(x, rows):
    return torch.cat([x[:, :1] + rows[:1], x[:, 1:]], dim=1)


@known.also("one-token-only", step="combine")
def added_to_the_last_token(x, rows):
    return torch.cat([x[:, :-1], x[:, -1:] + rows[-1]], dim=1)


@known.also("one-token-only", step="combine")
def first_token_alone(x, rows):
    return x[:, 0] + rows[0]


@known.also("one-token-only", step="combine")
def first_token_alone_with_its_axis(x, rows):
    return x[:, :1] + rows[:1]


@known(
    "added-again",
    means="The positions were added more than once.",
    hint="Once is enough. If there is a loop over the items: does each round add to the whole batch?",
    explain=explainers.entry,
    step="combine",
)
def added_twice(x, rows):
    return x + 2 * rows


@known.also("added-again", step="combine")
def added_once_for_each_item(x, rows):
    return x + len(x) * rows


@known(
    "halved",
    means="The sum of x and positions was halved.",
    hint="Here the two are added, not averaged.",
    explain=explainers.entry,
    step="combine",
)
def mean_of_both(x, rows):
    return (x + rows) / 2


@known(
    "extra-axis",
    means="The result has an extra axis of size 1.",
    hint="Both (T, C) and (1, T, C) can be added to (B, T, C). How many axes does each side of your sum have?",
    step="combine",
)
def added_with_two_more_axes(x, rows):
    return x + rows[None, None]


@known(
    "axis-lost",
    means="An axis of size 1 was lost: with one item, the result has no axis for items.",
    hint="The result has the shape of x, (B, T, C). What in your code takes an axis away?",
    step="combine",
)
def added_and_squeezed(x, rows):
    return (x + rows).squeeze(0)


@known.also("extra-axis", step="combine")
def added_with_an_axis_behind_the_items(x, rows):
    return (x + rows).unsqueeze(1)
