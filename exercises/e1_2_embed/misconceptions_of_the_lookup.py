"""What people get wrong in exercise 1.2, embed: which rows of the table are taken."""

import torch
import torch.nn.functional as F

from exercises.e1_2_embed.rows import row_taken
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
