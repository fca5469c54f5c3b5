"""What people get wrong in exercise 3.4, padding_mask."""

import torch

from exercises.common import explainers
from feedback import Misconceptions

known = Misconceptions()


def real(lengths, max_length):
    """The right mask."""
    return torch.arange(max_length) < lengths[:, None, None]


# ---------------------------------------------------------------- which positions are real


@known(
    "true-hides",
    means="True and False are the wrong way around: yours is True at the padding.",
    hint="True = may attend, so real tokens are True. (`nn.MultiheadAttention`'s `key_padding_mask` has it the "
    "other way.)",
    explain=explainers.true_at,
)
def padding(lengths, max_length):
    return ~real(lengths, max_length)


@known.also("true-hides")
def padding_without_its_first_position(lengths, max_length):
    return torch.arange(max_length) > lengths[:, None, None]


@known(
    "one-too-many",
    means="One padding position is still visible: positions count from 0.",
    hint="The real tokens of an item of length 3 are at 0, 1 and 2.",
    explain=explainers.true_at,
)
def one_too_many(lengths, max_length):
    return torch.arange(max_length) <= lengths[:, None, None]


@known(
    "one-too-few",
    means="The last real token is hidden.",
    hint="The real tokens of an item of length 3 are at 0, 1 and 2.",
    explain=explainers.true_at,
)
def one_too_few(lengths, max_length):
    return real(lengths - 1, max_length)


@known(
    "padding-in-front",
    means="The real tokens are taken to be at the end; here padding comes last.",
    hint="The first `length` positions are real.",
    explain=explainers.true_at,
)
def padding_in_front(lengths, max_length):
    return torch.arange(max_length) >= max_length - lengths[:, None, None]


@known(
    "everything-visible",
    means="Nothing is hidden: every entry is True.",
    hint="A position is real only if it is smaller than the item's length.",
    explain=explainers.true_at,
)
def all_true(lengths, max_length):
    return torch.ones(len(lengths), 1, max_length, dtype=torch.bool)


@known(
    "longest-for-all",
    means="Every item got the mask of the longest one.",
    hint="Each item has its own length, and needs a row of its own.",
    explain=explainers.true_at,
)
def longest_for_all(lengths, max_length):
    return real(lengths.amax().expand(len(lengths)), max_length)


@known(
    "first-item-only",
    means="Every item got the mask of the first one.",
    hint="Each item has its own length, and needs a row of its own.",
    explain=explainers.true_at,
)
def first_for_all(lengths, max_length):
    return real(lengths[0].expand(len(lengths)), max_length)


@known(
    "return-in-loop",
    means="Only the first item has a mask: the loop ends at its first `return`.",
    hint="`return` leaves the function at once. Collect in the loop, and return after it.",
    explain=explainers.true_at,
)
def first_row_filled(lengths, max_length):
    mask = torch.zeros(len(lengths), 1, max_length, dtype=torch.bool)
    mask[0] = real(lengths, max_length)[0]
    return mask


@known.also("return-in-loop")
def first_row_filled_with_numbers(lengths, max_length):
    return first_row_filled(lengths, max_length).float()


@known.also("return-in-loop")
def first_item_alone(lengths, max_length):
    return real(lengths[:1], max_length)


@known.also("return-in-loop")
def first_row_alone(lengths, max_length):
    return real(lengths, max_length)[0, 0]


# ---------------------------------------------------------------- axes and sizes


def add_missing_axis(mask, dtype):
    """The axis of the queries is missing, and perhaps something else is wrong as well."""

    @known.also("no-query-axis")
    def without_the_axis_of_the_queries(lengths, max_length):
        return mask(lengths, max_length)[:, 0].to(dtype)


known(
    "no-query-axis",
    means="The axis of the queries is missing.",
    hint="Next to scores (B, T, S), the batch axis would be mistaken for the queries. Where does an axis of size 1 "
    "have to be inserted?",
)
for mask in (real, padding, padding_without_its_first_position, one_too_many, one_too_few):
    for dtype in (torch.bool, torch.float32, torch.int64):
        add_missing_axis(mask, dtype)


@known(
    "queries-not-keys",
    means="The mask runs along the queries: (B, `max_length`, 1) hides rows, not keys.",
    hint="Keys are the last axis. No query, not even one on padding, may see padded keys.",
)
def axis_at_the_end(lengths, max_length):
    return real(lengths, max_length).transpose(1, 2)


@known(
    "queries-too",
    means="Padded queries were masked as well as padded keys: their whole rows are empty.",
    hint="Hide the padded keys only; what padded queries compute is thrown away later.",
)
def pairs_of_real_tokens(lengths, max_length):
    return real(lengths, max_length) & real(lengths, max_length).transpose(1, 2)


@known(
    "batch-in-the-middle",
    means="The batch axis is in the middle: (1, B, `max_length`).",
    hint="The batch comes first, then the queries. Where does the axis of size 1 have to be inserted?",
)
def axis_in_front(lengths, max_length):
    return real(lengths, max_length).transpose(0, 1)


@known(
    "full-size",
    means="The mask is written out for every query: (B, `max_length`, `max_length`).",
    hint="An axis of size 1 is enough: broadcasting stretches it to all queries.",
)
def a_row_for_every_query(lengths, max_length):
    return real(lengths, max_length).expand(-1, max_length, -1)


@known(
    "to-the-longest",
    means="The mask is as wide as the longest item; `max_length` was not used.",
    hint="A batch may be padded further than its longest item.",
)
def to_the_longest(lengths, max_length):
    return real(lengths, int(lengths.max()))


@known(
    "causal",
    means="This is a causal mask; padding does not depend on the query.",
    hint="Compare each position with the length of its item.",
)
def causal_for_each_item(lengths, max_length):
    return torch.ones(len(lengths), max_length, max_length, dtype=torch.bool).tril()


@known.also("causal")
def causal_for_all(lengths, max_length):
    return torch.ones(max_length, max_length, dtype=torch.bool).tril()


# ---------------------------------------------------------------- the dtype


def add_numbers(dtype):
    """The right mask with 0 and 1 in it."""

    @known.also("numbers-not-bool")
    def zeros_and_ones(lengths, max_length):
        return real(lengths, max_length).to(dtype)


known(
    "numbers-not-bool",
    means="The mask holds numbers instead of True and False.",
    hint="A comparison gives True and False by itself; a mask that is filled step by step needs `dtype=torch.bool`.",
)
for dtype in (torch.float32, torch.int64, torch.int32):
    add_numbers(dtype)
