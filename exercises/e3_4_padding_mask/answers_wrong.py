"""Wrong answers to exercise 3.4, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import numpy as np
import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("no-query-axis")
def padding_two_axes(lengths, max_length):
    """No axis for the queries: (B, max_length)."""
    return torch.arange(max_length) < lengths[:, None]


@wrong("queries-not-keys")
def padding_axis_at_the_end(lengths, max_length):
    """The axis of size 1 at the end: query rows are hidden."""
    return (torch.arange(max_length) < lengths[:, None]).unsqueeze(-1)


@wrong("batch-in-the-middle")
def padding_axis_in_front(lengths, max_length):
    """The axis of size 1 in front."""
    return (torch.arange(max_length) < lengths[:, None])[None]


@wrong("wrong-shape")
def padding_four_axes(lengths, max_length):
    """An axis for the heads too."""
    return (torch.arange(max_length) < lengths[:, None])[:, None, None, :]


@wrong("full-size")
def padding_expanded(lengths, max_length):
    """Written out for every query."""
    mask = torch.arange(max_length) < lengths[:, None]
    return mask[:, None, :].expand(-1, max_length, -1)


@wrong("queries-too")
def padding_pairs(lengths, max_length):
    """Pairs of real tokens: query rows are hidden too."""
    mask = torch.arange(max_length) < lengths[:, None]
    return mask[:, None, :] & mask[:, :, None]


@wrong("true-hides")
def padding_inverted(lengths, max_length):
    """Inverted."""
    return torch.arange(max_length) >= lengths[:, None, None]


@wrong("no-query-axis")
def padding_inverted_two_axes(lengths, max_length):
    """Inverted and without the axis for the queries."""
    return torch.arange(max_length) >= lengths[:, None]


@wrong("one-too-many")
def padding_one_too_many(lengths, max_length):
    """<= instead of <: one padding key is seen."""
    positions = torch.arange(max_length)
    return torch.stack([positions < n + 1 for n in lengths])[:, None]


@wrong("one-too-few")
def padding_counted_from_one(lengths, max_length):
    """Counted from 1: the last real token is hidden."""
    return torch.arange(1, max_length + 1) < lengths[:, None, None]


@wrong("one-too-few")
def padding_slice_one_short(lengths, max_length):
    """The last real token is hidden, by a slice."""
    mask = torch.zeros(len(lengths), 1, max_length, dtype=torch.bool)
    for i, length in enumerate(lengths):
        mask[i, 0, : length - 1] = True
    return mask


@wrong()
def padding_equal(lengths, max_length):
    """Only the place after the last token."""
    return torch.arange(max_length) == lengths[:, None, None]


@wrong("padding-in-front")
def padding_in_front(lengths, max_length):
    """Padding in front."""
    return torch.arange(max_length) >= (max_length - lengths)[:, None, None]


@wrong("to-the-longest")
def padding_to_the_longest(lengths, max_length):
    """The longest length is used instead of max_length."""
    return torch.arange(int(lengths.max())) < lengths[:, None, None]


@wrong("wrong-shape")
def padding_to_the_batch(lengths, max_length):
    """The number of items is used instead of max_length."""
    return torch.arange(len(lengths)) < lengths[:, None, None]


@wrong()
def padding_lengths_as_a_row(lengths, max_length):
    """Lengths along the wrong axis."""
    return (torch.arange(max_length) < lengths).unsqueeze(1)


@wrong("wrong-shape")
def padding_transposed(lengths, max_length):
    """Lengths along the wrong axis, keys down the other."""
    return (torch.arange(max_length)[:, None] < lengths[None, :]).unsqueeze(1)


@wrong("numbers-not-bool")
def padding_as_float(lengths, max_length):
    """Float."""
    return (torch.arange(max_length) < lengths[:, None, None]).float()


@wrong("numbers-not-bool")
def padding_zeros_without_dtype(lengths, max_length):
    """Zeros without a dtype: float."""
    mask = torch.zeros(len(lengths), 1, max_length)
    for i, length in enumerate(lengths):
        mask[i, :, :length] = True
    return mask


@wrong("numbers-not-bool")
def padding_as_int(lengths, max_length):
    """Int."""
    return (torch.arange(max_length) < lengths[:, None, None]).long()


@wrong("wrong-dtype")
def padding_additive(lengths, max_length):
    """0 and -inf, to be added."""
    mask = torch.zeros(len(lengths), 1, max_length)
    return mask.masked_fill(torch.arange(max_length) >= lengths[:, None, None], float("-inf"))


@wrong("first-item-only")
def padding_first_length(lengths, max_length):
    """The first item's length for all."""
    return (torch.arange(max_length) < lengths[0]).expand(len(lengths), 1, max_length)


@wrong("return-in-loop")
def padding_return_in_loop(lengths, max_length):
    """Return inside the loop."""
    mask = torch.zeros(len(lengths), 1, max_length, dtype=torch.bool)
    for i, length in enumerate(lengths):
        mask[i, 0, :length] = True
        return mask


@wrong("everything-visible")
def padding_of_nonzero_lengths(lengths, max_length):
    """Zero lengths looked for instead of padded places."""
    return (lengths != 0)[:, None, None].expand(-1, 1, max_length)


@wrong("wrong-shape")
def padding_and_causal(lengths, max_length):
    """Causal as well."""
    causal = torch.ones(max_length, max_length, dtype=torch.bool).tril()
    return (torch.arange(max_length) < lengths[:, None, None]) & causal


@wrong()
def padding_arguments_swapped(max_length, lengths):
    """The arguments the other way around."""
    return torch.arange(max_length) < lengths[:, None, None]


@wrong("changes-input")
def padding_in_place(lengths, max_length):
    """The lengths are changed in place."""
    lengths -= 1
    return torch.arange(max_length) <= lengths[:, None, None]


@wrong("returns-wrong-type")
def padding_as_lists(lengths, max_length):
    """A list comes out."""
    return [[[key < length for key in range(max_length)]] for length in lengths.tolist()]


@wrong("returns-wrong-type")
def padding_as_a_list_of_tensors(lengths, max_length):
    """A list of tensors."""
    return [torch.arange(max_length)[None] < length for length in lengths]


@wrong("returns-wrong-type")
def padding_as_numpy(lengths, max_length):
    """A numpy array."""
    return np.arange(max_length) < lengths.numpy()[:, None, None]


@wrong("returns-none")
def padding_not_returned(lengths, max_length):
    """Nothing is returned."""
    mask = torch.arange(max_length) < lengths[:, None, None]
    print(mask)


@wrong()
def padding_range_of_a_tensor(lengths, max_length):
    """range of a tensor of lengths."""
    mask = torch.zeros(len(lengths), 1, max_length, dtype=torch.bool)
    for i in range(len(lengths)):
        for j in range(lengths):
            mask[i, 0, j] = True
    return mask


@wrong()
def padding_if_on_a_tensor(lengths, max_length):
    """An if on a tensor of several values."""
    mask = torch.zeros(len(lengths), 1, max_length, dtype=torch.bool)
    for key in range(max_length):
        if key < lengths:
            mask[:, 0, key] = True
    return mask


@wrong()
def padding_of_one_argument(lengths):
    """One argument only."""
    return torch.arange(int(lengths.max())) < lengths[:, None, None]


@wrong()
def padding_misspelt(lengths, max_length):
    """unsqueeze misspelt."""
    return torch.arange(max_length) < lengths.unsqeeze(1).unsqeeze(2)


@wrong()
def padding_index_past_the_end(lengths, max_length):
    """An index one past the end."""
    mask = torch.zeros(len(lengths), 1, max_length, dtype=torch.bool)
    for i, length in enumerate(lengths):
        for j in range(length + 1):
            mask[i, 0, j] = True
    return mask


@wrong("no-query-axis")
def padding_two_axes_of_zeros(lengths, max_length):
    """The first idea: zeros and a loop, without the axis for the queries."""
    mask = torch.zeros(len(lengths), max_length)
    for i, length in enumerate(lengths):
        mask[i, :length] = 1
    return mask


@wrong("no-query-axis")
def padding_two_axes_one_too_many(lengths, max_length):
    """<= instead of <, without the axis for the queries."""
    positions = torch.arange(max_length).unsqueeze(0)
    return positions <= lengths.unsqueeze(1)


@wrong("no-query-axis")
def padding_two_axes_of_inverted_numbers(lengths, max_length):
    """1 at the padding, without the axis for the queries."""
    mask = torch.ones(len(lengths), max_length)
    for i, length in enumerate(lengths):
        mask[i, :length] = 0
    return mask


@wrong("wrong-shape")
def padding_squeezed(lengths, max_length):
    """squeeze() takes away the axis that was just inserted."""
    mask = torch.arange(max_length) < lengths[:, None, None]
    return mask.squeeze()


@wrong("longest-for-all")
def padding_of_the_longest(lengths, max_length):
    """The longest length for all."""
    row = torch.arange(max_length) < lengths.max()
    return row.repeat(lengths.size(0), 1).unsqueeze(1)


@wrong("return-in-loop")
def padding_row_returned_in_loop(lengths, max_length):
    """A row is returned inside the loop."""
    for length in lengths:
        return (torch.arange(max_length) < length)[None, None]


@wrong("causal")
def padding_by_a_triangle(lengths, max_length):
    """The mask of exercise 3.1."""
    return torch.tril(torch.ones(max_length, max_length)).bool()


@wrong("causal")
def padding_by_a_triangle_for_each_item(lengths, max_length):
    """The mask of exercise 3.1, for each item."""
    triangle = torch.ones(max_length, max_length, dtype=torch.bool).tril()
    return torch.stack([triangle for _ in lengths])


@wrong("no-query-axis")
def padding_two_axes_of_lists(lengths, max_length):
    """Whole numbers, written out item by item."""
    return torch.tensor([[1] * n + [0] * (max_length - n) for n in lengths.tolist()])
