"""Wrong answers to exercise 1.4, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import math

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("whole-table")
def placed_by_the_whole_table(x, positions):
    """The whole table."""
    return x + positions


@wrong("last-rows")
def placed_at_the_end(x, positions):
    """The last rows."""
    T = x.shape[1]
    return x + positions[-T:]


@wrong("wrong-size")
def placed_by_len(x, positions):
    """Len(x) counts items."""
    return x + positions[: len(x)]


@wrong("as-many-as-columns")
def placed_by_columns(x, positions):
    """As many rows as columns."""
    return x + positions[: x.shape[-1], :]


@wrong("by-item")
def placed_by_item(x, positions):
    """One row for each item."""
    B = x.shape[0]
    return x + positions[:B].unsqueeze(1)


@wrong("by-item")
def placed_by_item_in_a_loop(x, positions):
    """One row for each item, in a loop."""
    out = torch.zeros_like(x)
    for b, item in enumerate(x):
        out[b] = item + positions[b]
    return out


@wrong("axis-between")
def placed_with_an_axis_between(x, positions):
    """An axis in the middle."""
    return x + positions[: x.size(1)].unsqueeze(1)


@wrong("concatenated")
def placed_behind(x, positions):
    """Concatenated."""
    B, T, C = x.shape
    return torch.cat([x, positions[:T].expand(B, T, C)], dim=-1)


@wrong("concatenated")
def placed_behind_without_a_batch(x, positions):
    """Concatenated without a batch axis."""
    return torch.cat([x, positions], dim=1)


@wrong("multiplied")
def placed_by_multiplying(x, positions):
    """Multiplied."""
    return x * positions[: x.size(1)]


@wrong("subtracted")
def placed_by_subtracting(x, positions):
    """Subtracted."""
    return x - positions[: x.size(1)]


@wrong("scaled")
def placed_and_scaled(x, positions):
    """Scaled as in the paper."""
    return x * math.sqrt(x.size(2)) + positions[: x.size(1)]


@wrong("one-row-for-all")
def placed_at_zero(x, positions):
    """Row 0 for all."""
    return x + positions[0]


@wrong("one-row-for-all")
def placed_at_t(x, positions):
    """Row T for all."""
    return x + positions[x.size(1)]


@wrong("averaged")
def placed_by_the_average(x, positions):
    """The average for all."""
    return x + positions[: x.size(1)].mean(dim=0)


@wrong("one-number-for-each-row")
def placed_by_one_number(x, positions):
    """One number for each row."""
    return x + positions[: x.size(1)].mean(dim=-1, keepdim=True)


@wrong("sliced-columns")
def placed_by_columns_of_the_table(x, positions):
    """Columns instead of rows."""
    return x + positions[:, : x.size(1)]


@wrong("transposed")
def placed_by_the_transpose(x, positions):
    """The table transposed."""
    return x + positions.T[: x.size(1)]


@wrong("positions-alone")
def placed_without_x(x, positions):
    """The positions alone."""
    return positions[: x.size(1)]


@wrong("nothing-added")
def placed_nowhere(x, positions):
    """X alone."""
    x + positions[: x.size(1)]  # noqa: B018
    return x


@wrong("off-by-one")
def placed_from_one(x, positions):
    """From row 1."""
    return x + positions[1 : x.size(1) + 1]


@wrong("off-by-one")
def placed_one_back(x, positions):
    """One step back."""
    return x + positions[torch.arange(x.size(1)) - 1]


@wrong("reversed")
def placed_in_reverse(x, positions):
    """In reverse order."""
    return x + positions[: x.size(1)].flip(0)


@wrong("random-rows")
def placed_at_random(x, positions):
    """Rows at random."""
    return x + positions[torch.randperm(len(positions))[: x.size(1)]]


@wrong("numbers-not-rows")
def placed_by_numbers(x, positions):
    """The numbers of the positions."""
    return x + torch.arange(x.size(1), dtype=x.dtype).unsqueeze(-1)


@wrong("first-item-only")
def placed_in_the_first_item(x, positions):
    """The first item only."""
    out = x.clone()
    out[0] += positions[: x.size(1)]
    return out


@wrong("first-item-only")
def placed_in_a_loop_that_returns(x, positions):
    """Return in the loop over the items."""
    for item in x:
        return item + positions[: x.size(1)]


@wrong("one-token-only")
def placed_in_the_last_token(x, positions):
    """The last token only."""
    for t in range(x.size(1)):
        out = x.clone()
        out[:, t] += positions[t]
    return out


@wrong("added-again")
def placed_once_for_each_item(x, positions):
    """Once for each item."""
    out = x.clone()
    for _ in range(len(x)):
        out += positions[: x.size(1)]
    return out


@wrong("halved")
def placed_and_halved(x, positions):
    """Halved."""
    return (x + positions[: x.size(1)]) / 2


@wrong("extra-axis")
def placed_with_an_axis_too_many(x, positions):
    """An axis too many."""
    return x + positions[None, None, : x.size(1)]


@wrong("changes-input")
def placed_in_place(x, positions):
    """In place."""
    x += positions[: x.size(1)]
    return x


@wrong("changes-input")
def placed_in_place_by_item(x, positions):
    """In place, item by item."""
    for item in x:
        item += positions[: x.size(1)]
    return x


@wrong("returns-none")
def placed_in_place_without_return(x, positions):
    """In place, and nothing returned."""
    x += positions[: x.size(1)]


@wrong("wrong-dtype")
def placed_in_float32(x, positions):
    """Always float32."""
    return (x + positions[: x.size(1)]).float()


@wrong("returns-wrong-type")
def placed_as_numpy(x, positions):
    """A numpy array."""
    return x.numpy() + positions[: x.size(1)].numpy()


@wrong("returns-wrong-type")
def placed_as_a_pair(x, positions):
    """A pair."""
    return x + positions[: x.size(1)], positions


@wrong()
def placed_by_five(x, positions):
    """The first five rows, read off the checker's messages."""
    return x + positions[:5]


@wrong()
def placed_misspelt(x, positions):
    """A misspelt name."""
    return x + position[: x.size(1)]  # noqa: F821


@wrong()
def placed_by_square_brackets(x, positions):
    """Shape of the wrong kind of brackets."""
    return x + positions[: x.size[1]]


@wrong("other-rows")
def placed_on_every_other_row(x, positions):
    """Each row twice."""
    return x + positions[torch.arange(x.size(1)) // 2]


@wrong("items-differ")
def placed_on_and_on(x, positions):
    """The rows run on through the batch."""
    B, T, C = x.shape
    rows = torch.arange(B * T) % len(positions)
    return x + positions[rows].view(B, T, C)


@wrong("items-differ")
def placed_and_forgotten(x, positions):
    """The token is forgotten after position 0."""
    out = positions[: x.size(1)].repeat(len(x), 1, 1)
    out[:, 0] += x[:, 0]
    return out


@wrong()
def placed_by_half(x, positions):
    """Positions added in half."""
    return x + 0.5 * positions[: x.size(1)]


@wrong("whole-table-stretched")
def placed_by_expand_as(x, positions):
    """The whole table expanded."""
    return x + positions.expand_as(x)


@wrong("whole-table-stretched")
def placed_by_expand(x, positions):
    """The whole table expanded, by sizes."""
    B, T, C = x.shape
    return x + positions.expand(B, T, C)


@wrong("by-item")
def placed_by_enumerate_in_place(x, positions):
    """A loop over the batch that takes items for tokens, in place."""
    for t, row in enumerate(x):
        x[t] = row + positions[t]
    return x


@wrong("not-repeatable")
def positions_of_new_noise(x, positions):
    """New positions, drawn at random."""
    return x + positions[: x.size(1)] + torch.rand(x.size(1), x.size(2), dtype=x.dtype)


@wrong("sliced-columns")
def placed_by_a_slice_of_columns(x, positions):
    """The first T columns of all rows."""
    B, T, C = x.shape
    pe = positions[:, 0:T]
    return pe + x


@wrong("rows-summed")
def placed_by_the_sum_of_rows(x, positions):
    """All rows added, one after the other, to every token."""
    out = x
    for t in range(x.size(1)):
        out = out + positions[t]
    return out


@wrong("positions-scaled")
def placed_with_scaled_positions(x, positions):
    """The positions are scaled down."""
    B, T, C = x.shape
    return x + positions[:T] * C**-0.5


@wrong("sum-scaled")
def placed_and_scaled_at_the_end(x, positions):
    """The sum is scaled up."""
    T, C = x.shape[1:]
    out = x + positions[:T]
    return out * C**0.5


@wrong("whole-table")
def placed_by_the_whole_table_first(x, positions):
    """The whole table, plus x."""
    return positions + x


@wrong("axis-between")
def placed_with_an_axis_before_the_columns(x, positions):
    """Axes of size 1 on both sides of the positions."""
    T = x.shape[1]
    rows = positions[:T].reshape(1, T, 1, -1)
    return x + rows


@wrong("axis-behind")
def placed_with_an_axis_behind(x, positions):
    return x + positions[: x.shape[1]].unsqueeze(-1)


@wrong("axis-lost")
def placed_and_squeezed(x, positions):
    return (x + positions[: x.shape[1]]).squeeze(0)


@wrong()
def placed_item_by_item_with_the_length_of_the_batch(x, positions):
    out = x.clone()
    for b in range(len(x)):
        out[b] += positions[: len(x)]
    return out


@wrong("wrong-size")
def placed_and_stacked_with_the_length_of_the_batch(x, positions):
    return torch.stack([sentence + positions[: len(x)] for sentence in x])


@wrong("items-differ")
def placed_but_for_zeros(x, positions):
    """Zeros are taken for padding."""
    return x + (x.abs().sum(-1, keepdim=True) > 0) * positions[: x.shape[1]]
