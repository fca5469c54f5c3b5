"""What people get wrong in exercise 1.2, embed."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from exercises.common import explainers
from exercises.e1_2_embed.explainers import next_to_its_row, row_taken
from feedback import Misconceptions

known = Misconceptions()


# ---------------------------------------------------------------- rows, columns, products


@known(
    "columns",
    means="The ids chose columns of the table; each word has a row.",
    hint="The table is (V, C), with a row for each word. Which of its axes do your ids choose from?",
    explain=row_taken,
)
def columns(ids, table):
    return table[:, ids]


@known.also("columns")
def rows_of_the_transpose(ids, table):
    return table.T[ids]


@known.also("columns")
def columns_by_index_select(ids, table):
    return table.index_select(1, ids)


@known.also("columns")
def embedding_of_the_transpose(ids, table):
    return F.embedding(ids, table.T)


@known.also("columns")
def columns_transposed(ids, table):
    return table[:, ids].transpose(0, 1)


@known(
    "ids-multiplied",
    means="The table was multiplied by the ids themselves, as if an id were an amount.",
    hint="An id is only a number to look up by. How do you get row 3 of a table?",
    explain=row_taken,
)
def ids_times_table(ids, table):
    return ids @ table


@known.also("ids-multiplied")
def float_ids_times_table(ids, table):
    return ids.float() @ table


@known.also("ids-multiplied")
def ids_times_table_elementwise(ids, table):
    return ids * table


@known.also("ids-multiplied")
def column_of_ids_times_table(ids, table):
    return ids[..., None] @ table


@known.also("ids-multiplied")
def column_of_ids_times_table_elementwise(ids, table):
    return ids.unsqueeze(-1) * table


@known.also("ids-multiplied")
def table_times_ids(ids, table):
    return table @ ids


@known.also("ids-multiplied")
def table_times_float_ids(ids, table):
    return table @ ids.to(table.dtype)


# ---------------------------------------------------------------- one-hot rows


@known(
    "one-hot-too-narrow",
    means="`one_hot` does not know how many rows the table has: it makes only as many columns as the largest id in "
    "ids needs.",
    hint="`one_hot` takes a second argument, the number of classes. How many columns does a product with the table "
    "need?",
)
def one_hot_without_classes(ids, table):
    return F.one_hot(ids).to(table.dtype) @ table


@known.also("one-hot-too-narrow")
def float_one_hot_without_classes(ids, table):
    return F.one_hot(ids).float() @ table


@known(
    "one-hot-of-columns",
    means="`one_hot` was given too few classes, such as the width of the table; it needs one for each row.",
    hint="Which size of (V, C) counts the words?",
)
def one_hot_as_wide_as_a_row(ids, table):
    return F.one_hot(ids, table.size(1)).to(table.dtype) @ table


@known(
    "one-hot-dtype",
    means="The one-hot rows have a different dtype from the table, and a matrix product needs the same on both sides.",
    hint="`F.one_hot` returns whole numbers. Which dtype does the table have, and how do you convert to it?",
)
def whole_one_hot(ids, table):
    return F.one_hot(ids, len(table)) @ table


@known.also("one-hot-dtype")
def float32_one_hot(ids, table):
    return F.one_hot(ids, len(table)).float() @ table


@known(
    "one-hot-bare",
    means="The one-hot rows hold whole numbers, and have only as many columns as the largest id in ids needs. A "
    "product with the table needs the table's dtype, and a column for each of its rows.",
    hint="`one_hot` takes a second argument, the number of classes; and a result can be converted to another dtype.",
)
def bare_one_hot(ids, table):
    return F.one_hot(ids) @ table


@known(
    "one-hot-returned",
    means="These are the one-hot rows; they have yet to choose rows of the table.",
    hint="What does a product of a one-hot row and the table give?",
)
def one_hot_alone(ids, table):
    return F.one_hot(ids, len(table)).to(table.dtype)


@known.also("one-hot-returned")
def whole_one_hot_alone(ids, table):
    return F.one_hot(ids, len(table))


@known.also("one-hot-returned")
def float_one_hot_alone(ids, table):
    return F.one_hot(ids, len(table)).float()


@known.also("one-hot-returned")
def bare_one_hot_alone(ids, table):
    return F.one_hot(ids)


# ---------------------------------------------------------------- other ids than those given


@known(
    "off-by-one",
    means="Every id was shifted by one before the lookup.",
    hint="Rows are counted from 0, and so are ids: id 0 is row 0.",
    explain=row_taken,
)
def one_row_earlier(ids, table):
    return table[ids - 1]


@known.also("off-by-one")
def one_row_later(ids, table):
    return table[ids + 1]


@known.also("off-by-one")
def one_row_later_in_a_circle(ids, table):
    return table[(ids + 1) % len(table)]


@known.also("off-by-one")
def one_row_later_up_to_the_last(ids, table):
    return table[(ids + 1).clamp(max=len(table) - 1)]


@known.also("off-by-one")
def one_row_earlier_down_to_the_first(ids, table):
    return table[(ids - 1).clamp(min=0)]


@known.also("off-by-one")
def without_the_first_row(ids, table):
    return table[1:][ids]


@known(
    "float-ids",
    means="The ids were turned into floats; an index must hold whole numbers.",
    hint="ids can be used as they come. Which line changes their dtype?",
)
def looked_up_by_floats(ids, table):
    return table[ids.float()]


@known(
    "first-id-only",
    means="Only the first entry of ids was looked up; every id gets a row.",
    hint="If there is a loop: `return` inside it ends the function at once. An index may also hold many ids.",
    explain=row_taken,
)
def first_of_all(ids, table):
    return table[ids.flatten()[0]]


@known.also("first-id-only")
def first_along_axis_0(ids, table):
    return table[ids[0]]


@known.also("first-id-only")
def first_along_the_last_axis(ids, table):
    return table[ids[..., 0]]


@known.also("first-id-only")
def first_along_axis_0_with_its_axis(ids, table):
    return table[ids[:1]]


@known.also("first-id-only")
def first_as_a_python_number(ids, table):
    return table[ids[0].item()]


@known.also("first-id-only")
def first_for_every_id(ids, table):
    return table[ids.flatten()[0]].expand(*ids.shape, -1)


@known(
    "last-id-only",
    means="Only the last entry of ids was looked up; every id gets a row.",
    hint="If there is a loop: does each round overwrite the one before? An index may also hold many ids.",
    explain=row_taken,
)
def last_of_all(ids, table):
    return table[ids.flatten()[-1]]


@known.also("last-id-only")
def last_along_axis_0(ids, table):
    return table[ids[-1]]


@known.also("last-id-only")
def last_along_the_last_axis(ids, table):
    return table[ids[..., -1]]


@known.also("last-id-only")
def last_for_every_id(ids, table):
    return table[ids.flatten()[-1]].expand(*ids.shape, -1)


@known(
    "rows-in-order",
    means="The first rows of the table were taken, one after the other, whatever the ids say.",
    hint="Your result should change when ids changes. Where in your code are the numbers in ids used?",
    explain=row_taken,
)
def first_rows(ids, table):
    return table[: len(ids)]


@known.also("rows-in-order")
def first_rows_along_the_last_axis(ids, table):
    return table[: ids.size(-1)]


@known.also("rows-in-order")
def first_rows_of_all(ids, table):
    return table[: ids.numel()]


@known.also("rows-in-order")
def first_rows_in_the_shape_of_ids(ids, table):
    return table[: ids.numel()].reshape(*ids.shape, -1)


@known.also("rows-in-order")
def first_rows_for_each_sentence(ids, table):
    return table[torch.arange(ids.size(-1)).expand(ids.shape)]


@known.also("rows-in-order")
def first_rows_by_counting(ids, table):
    return table[torch.arange(ids.numel()).reshape(ids.shape)]


@known(
    "whole-table",
    means="This is the whole table; the ids were not used.",
    hint="The ids choose rows of the table. How do you choose one row, and how several?",
)
def whole_table(ids, table):
    return table.clone()


# ---------------------------------------------------------------- the right rows, and something done to them


@known(
    "summed",
    means="Numbers were added up along an axis; each id keeps a whole row, as it is in the table.",
    hint="The result has one more axis than ids: (..., C).",
)
def summed_over_axis_0(ids, table):
    return table[ids].sum(0)


@known.also("summed")
def summed_over_the_tokens(ids, table):
    return table[ids].sum(-2)


@known.also("summed")
def summed_over_axis_1(ids, table):
    return table[ids].sum(1)


@known.also("summed")
def summed_over_all(ids, table):
    return table[ids.flatten()].sum(0)


@known(
    "averaged",
    means="Numbers were averaged along an axis; each id keeps a whole row, as it is in the table.",
    hint="The result has one more axis than ids: (..., C).",
)
def averaged_over_axis_0(ids, table):
    return table[ids].mean(0)


@known.also("averaged")
def averaged_over_the_tokens(ids, table):
    return table[ids].mean(-2)


@known.also("averaged")
def averaged_over_axis_1(ids, table):
    return table[ids].mean(1)


@known.also("averaged")
def averaged_over_all(ids, table):
    return table[ids.flatten()].mean(0)


@known.also("averaged")
def averaged_in_a_bag(ids, table):
    return F.embedding_bag(ids, table)


@known(
    "row-reduced",
    means="Each row of the table was reduced to one number; the whole row is wanted.",
    hint="The result has one more axis than ids: (..., C).",
)
def sums_of_rows(ids, table):
    return table[ids].sum(-1)


@known.also("row-reduced")
def means_of_rows(ids, table):
    return table[ids].mean(-1)


@known.also("row-reduced")
def first_numbers_of_rows(ids, table):
    return table[ids, 0]


@known(
    "scaled",
    means="The rows were multiplied by the square root of their width.",
    hint="Here the rows are taken as they are. The paper's factor `sqrt(C)` is a separate step.",
    explain=explainers.entry,
)
def rows_times_root(ids, table):
    return table[ids] * math.sqrt(table.size(-1))


@known(
    "normalized",
    means="Rows were divided by their length.",
    hint="Here the rows are taken as they are.",
    explain=explainers.entry,
)
def rows_of_length_one(ids, table):
    return F.normalize(table[ids], dim=-1)


@known(
    "flattened",
    means="The rows are right, but the axes of ids were flattened into one.",
    hint="Indexing with a tensor keeps every axis of it, and puts C after them. Where does yours lose an axis?",
)
def flattened(ids, table):
    return table[ids.flatten()]


@known(
    "one-long-vector",
    means="The rows are right, but they were joined into one long vector.",
    hint="`torch.stack` puts the rows along a new axis; `torch.cat` and flatten join them end to end.",
)
def flattened_completely(ids, table):
    return table[ids].flatten()


@known.also("one-long-vector")
def joined_by_cat(ids, table):
    return torch.cat([table[i] for i in ids])


@known.also("one-long-vector")
def sentences_joined(ids, table):
    return table[ids].flatten(-2)


@known(
    "swapped-arguments",
    means="The table is where the ids belong: ids and table have changed places.",
    hint="The ids choose, and the table is chosen from. In `F.embedding` the ids come first; with brackets, the "
    "table does.",
)
def embedding_of_the_table(ids, table):
    return F.embedding(table, ids)


@known.also("swapped-arguments")
def ids_indexed_by_the_table(ids, table):
    return ids[table]


@known.also("swapped-arguments")
def ids_selected_by_the_table(ids, table):
    return torch.index_select(ids, 0, table)


@known(
    "a-new-table",
    means="A new table of random numbers was made, and the rows come from there.",
    hint="The rows to choose from are already there: which argument holds them?",
    explain=next_to_its_row,
)
def new_layer(ids, table):
    return nn.Embedding(*table.shape)(ids)


@known.also("a-new-table")
def uniform_table(ids, table):
    return torch.rand(*table.shape)[ids]


@known.also("a-new-table")
def random_vectors(ids, table):
    return torch.randn(*ids.shape, table.size(-1))


@known.also("a-new-table")
def new_layer_in_the_dtype_of_the_table(ids, table):
    return nn.Embedding(*table.shape).to(table.dtype)(ids)


@known(
    "transposed",
    means="The rows are right, but axes of the result have been swapped.",
    hint="C comes last: (..., C). Which line moves it?",
)
def last_two_axes_swapped(ids, table):
    return table[ids].transpose(-2, -1)


@known.also("transposed")
def matrices_transposed(ids, table):
    return table[ids].mT


@known.also("transposed")
def all_axes_reversed(ids, table):
    return table[ids].T


@known.also("transposed")
def first_two_axes_swapped(ids, table):
    return table[ids].transpose(0, 1)


@known.also("transposed")
def columns_of_the_transpose(ids, table):
    return table.T[:, ids]


@known.also("transposed")
def stacked_along_the_last_axis(ids, table):
    return torch.stack([table[i] for i in ids], dim=-1)


@known.also("transposed")
def stacked_along_axis_1(ids, table):
    return torch.stack([table[i] for i in ids], dim=1)


# ---------------------------------------------------------------- ids of certain shapes only


@known(
    "no-single-id",
    means="Your code works for ids with an axis, but not for a single id: a 0-d tensor has no length, and cannot be "
    "looped over.",
    hint="Do you need a loop at all? An index may be a tensor of any shape, even ().",
)
def stacked_in_a_loop(ids, table):
    return torch.stack([table[i] for i in ids])


@known.also("no-single-id")
def stacked_in_a_loop_over_the_length(ids, table):
    return torch.stack([table[ids[i]] for i in range(ids.shape[0])])


@known(
    "fixed-axes",
    means="Your code expects a certain number of axes; ids may have shape (), (T,), (B, T) or more axes.",
    hint="An index, `table[...]`, may be a tensor of any shape. Which line counts the axes of ids, loops over them, or "
    "calls something that takes ids with one axis alone?",
)
def selected_along_one_axis(ids, table):
    return table.index_select(0, ids)


@known.also("fixed-axes")
def stacked_by_int(ids, table):
    return torch.stack([table[int(i)] for i in ids])


@known.also("fixed-axes")
def stacked_by_item(ids, table):
    return torch.stack([table[i.item()] for i in ids])


@known.also("fixed-axes")
def stacked_by_item_over_the_length(ids, table):
    return torch.stack([table[ids[i].item()] for i in range(ids.shape[0])])


@known.also("fixed-axes")
def stacked_from_a_list(ids, table):
    return torch.stack([table[i] for i in ids.tolist()])


@known.also("fixed-axes")
def stacked_from_a_list_of_lists(ids, table):
    return torch.stack([torch.stack([table[i] for i in row]) for row in ids.tolist()])


@known.also("fixed-axes")
def stacked_in_two_loops_by_int(ids, table):
    return torch.stack([torch.stack([table[int(i)] for i in row]) for row in ids])


@known.also("fixed-axes")
def stacked_in_two_loops(ids, table):
    return torch.stack([torch.stack([table[i] for i in row]) for row in ids])


@known.also("fixed-axes")
def stacked_in_two_loops_by_item(ids, table):
    return torch.stack([torch.stack([table[i.item()] for i in row]) for row in ids])


@known.also("fixed-axes")
def two_sizes_unpacked(ids, table):
    items, length = ids.shape
    return table[ids].reshape(items, length, -1)


@known.also("fixed-axes")
def stacked_in_two_loops_over_sizes(ids, table):
    return torch.stack([torch.stack([table[ids[b, t]] for t in range(ids.shape[1])]) for b in range(ids.shape[0])])


# ---------------------------------------------------------------- something else


@known(
    "single-numbers",
    means="Single numbers of the table were taken; each id stands for a whole row.",
    hint="take and gather pick numbers one by one. How do you pick a row?",
)
def taken(ids, table):
    return table.take(ids)


@known.also("single-numbers")
def gathered_along_rows(ids, table):
    return table.gather(0, ids)


@known.also("single-numbers")
def gathered_in_a_column(ids, table):
    return table.gather(0, ids[..., None])


@known.also("single-numbers")
def gathered_along_columns(ids, table):
    return table.gather(1, ids)


@known(
    "repeats-dropped",
    means="Only the unique ids were looked up: `unique()` sorts the ids and keeps each of them once.",
    hint="One row for each id, in the order of ids.",
    explain=row_taken,
)
def unique_ids(ids, table):
    return table[ids.unique()]


@known(
    "sorted",
    means="The ids were sorted before the lookup, so the rows are no longer in the order of ids.",
    hint="One row for each id, in the order of ids.",
    explain=row_taken,
)
def sorted_ids(ids, table):
    return table[ids.sort().values]


@known.also("sorted")
def all_ids_sorted(ids, table):
    return table[ids.flatten().sort().values].reshape(*ids.shape, -1)


@known(
    "ids-returned",
    means="These are still the ids.",
    hint="Each id stands for a row of the table. How do you get row 3 of a table?",
)
def ids_themselves(ids, table):
    return ids.clone()


@known.also("ids-returned")
def float_ids(ids, table):
    return ids.float()


@known.also("ids-returned")
def ids_in_the_dtype_of_the_table(ids, table):
    return ids.to(table.dtype)
