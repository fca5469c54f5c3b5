"""What people get wrong in exercise 1.4, add_positions: what is done with the rows of the table.

The first that fits speaks; those of misconceptions_of_the_rows.py come before these.
"""

import math

import torch

from exercises.common import explainers
from exercises.e1_4_add_positions.explain import what_was_added
from exercises.e1_4_add_positions.misconceptions_of_the_rows import known

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
