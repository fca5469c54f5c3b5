"""What people get wrong in exercise 1.2, embed: what is done to the right rows, and ids of certain shapes.

The first that fits speaks; those of misconceptions_of_the_lookup.py come before these.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn

from exercises.common import explainers
from exercises.e1_2_embed.misconceptions_of_the_lookup import known
from exercises.e1_2_embed.rows import next_to_its_row, row_taken

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
    hint="An index may be a tensor of any shape. Which line counts the axes of ids, or loops over them?",
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
