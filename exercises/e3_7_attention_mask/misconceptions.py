"""What people get wrong in exercise 3.7, attention_mask.

An answer has two steps: `keys(ids, pad_id)` says which keys may be read, (B, T, T); `pairs(length, causal)` says which
pairs of query and key the order allows, (T, T). `combine` makes one mask of both.
"""

import torch

from exercises.common import explainers
from feedback import Misconceptions


def real(ids, pad_id):
    """The right first step, (B, 1, T)."""
    return (ids != pad_id)[:, None, :]


def past(length, causal):
    """The right second step."""
    square = torch.ones(length, length, dtype=torch.bool)
    return square.tril() if causal else square


def both(keys, pairs):
    return keys & pairs


def unchanged(mask):
    return mask


def mask_from(keys=real, pairs=past, combine=both, give=unchanged):
    """A mask from these steps; `give` is what is done to it at the end."""

    def attention_mask(ids, pad_id, causal):
        return give(combine(keys(ids, pad_id), pairs(ids.size(1), causal)))

    return attention_mask


known = Misconceptions(mask_from)


# ---------------------------------------------------------------- which keys are real


@known(
    "padding-ignored",
    means="Padding is not hidden: your mask is the same whatever the ids are.",
    hint="Which entries of ids are real tokens, and how do you compare all of them with `pad_id` at once?",
    explain=explainers.true_at,
    step="keys",
)
def every_key(ids, pad_id):
    return torch.ones_like(real(ids, pad_id))


@known(
    "padding-inverted",
    means="Padding is read the wrong way around: your mask is True at padded keys, and hides the real tokens.",
    hint="True = may attend. For which ids should the comparison with `pad_id` be True?",
    explain=explainers.true_at,
    step="keys",
)
def padded_keys(ids, pad_id):
    return ~real(ids, pad_id)


@known(
    "queries-not-keys",
    means="Padded queries are hidden instead of padded keys: rows are False, and padding can still be read.",
    hint="Keys are the last axis. Where does the axis of size 1, which stretches over the queries, have to be?",
    explain=explainers.true_at,
    step="keys",
)
def padded_rows(ids, pad_id):
    return real(ids, pad_id).transpose(1, 2)


@known(
    "queries-too",
    means="Padded queries are hidden as well as padded keys: the rows of padded queries see nothing.",
    hint="The mask asks only whether the key is a real token; what a padded query reads is thrown away later.",
    explain=explainers.true_at,
    step="keys",
)
def pairs_of_real_tokens(ids, pad_id):
    return real(ids, pad_id) & padded_rows(ids, pad_id)


@known(
    "pad-id-0",
    means="0 is taken for the padding; `pad_id` was never used.",
    hint="Each tokenizer has its own id for padding, and 0 may be a real token. What are you given?",
    explain=explainers.true_at,
    step="keys",
)
def nonzero(ids, pad_id):
    return (ids != 0)[:, None, :]


@known.also("pad-id-0", step="keys")
def positive(ids, pad_id):
    return (ids > 0)[:, None, :]


@known(
    "larger-than-pad-id",
    means="Ids on one side of `pad_id` are taken for padding; a real token may have a smaller or a larger id.",
    hint="Padding is what is equal to `pad_id`, and nothing else.",
    explain=explainers.true_at,
    step="keys",
)
def above(ids, pad_id):
    return (ids > pad_id)[:, None, :]


@known.also("larger-than-pad-id", step="keys")
def below(ids, pad_id):
    return (ids < pad_id)[:, None, :]


def lengths(ids, pad_id):
    return (ids != pad_id).sum(dim=1)[:, None, None]


@known(
    "padding-at-the-end",
    means="The real tokens are taken to come first; here padding may also be in front.",
    hint="Exercise 3.4 was given lengths. Here you are given the ids themselves: where is each of them padding?",
    explain=explainers.true_at,
    step="keys",
)
def the_first_ones(ids, pad_id):
    return torch.arange(ids.size(1)) < lengths(ids, pad_id)


@known.also("padding-at-the-end", step="keys")
def up_to_the_first_padding(ids, pad_id):
    return (ids != pad_id).cumprod(dim=1).bool()[:, None, :]


@known(
    "padding-in-front",
    means="The real tokens are taken to come last; here padding may also be at the end.",
    hint="You are given the ids themselves: where is each of them padding?",
    explain=explainers.true_at,
    step="keys",
)
def the_last_ones(ids, pad_id):
    return torch.arange(ids.size(1)) >= ids.size(1) - lengths(ids, pad_id)


@known(
    "first-item-only",
    means="Every item got the mask of the first one.",
    hint="Padding differs from item to item: keep the batch axis of ids in the comparison.",
    explain=explainers.true_at,
    step="keys",
)
def first_for_all(ids, pad_id):
    return real(ids[:1], pad_id).expand(len(ids), -1, -1)


@known(
    "same-for-the-batch",
    means="A key counts as padding only if it is padding in every item, or in any: the items were mixed.",
    hint="Padding differs from item to item: keep the batch axis of ids in the comparison.",
    explain=explainers.true_at,
    step="keys",
)
def real_in_every_item(ids, pad_id):
    return real(ids, pad_id).all(dim=0).expand(len(ids), 1, -1)


@known.also("same-for-the-batch", step="keys")
def real_in_any_item(ids, pad_id):
    return real(ids, pad_id).any(dim=0).expand(len(ids), 1, -1)


# ---------------------------------------------------------------- what the order allows


@known(
    "never-causal",
    means="The future is never hidden: your mask is the same with and without causal.",
    hint="What does `causal` change in the code? Where it is True, a key later than the query is hidden.",
    explain=explainers.true_at,
    step="pairs",
)
def whole_square(length, causal):
    return past(length, False)


@known(
    "always-causal",
    means="The future is always hidden, also where causal is False.",
    hint="With `causal=False` every real token may be read, before and after the query.",
    explain=explainers.true_at,
    step="pairs",
)
def always_the_past(length, causal):
    return past(length, True)


@known(
    "causal-inverted",
    means="The argument causal is read the wrong way around: the future is hidden where it should not be.",
    hint="Follow your `if` once with `causal=True`, and once with `causal=False`.",
    explain=explainers.true_at,
    step="pairs",
)
def the_past_unless_causal(length, causal):
    return past(length, not causal)


@known(
    "future-alone",
    means="The triangle is the wrong one: with `causal=True` a query sees later keys, and not its past.",
    hint="Rows are queries, columns are keys. On which side of the diagonal is the past?",
    explain=explainers.true_at,
    step="pairs",
)
def the_future(length, causal):
    return past(length, causal) if not causal else past(length, False).triu(1)


@known.also("future-alone", step="pairs")
def the_present_and_the_future(length, causal):
    return past(length, causal) if not causal else past(length, False).triu()


@known(
    "diagonal-hidden",
    means="With `causal=True` a query does not see itself.",
    hint='"Not later than the query" includes the query itself.',
    explain=explainers.true_at,
    step="pairs",
)
def the_past_alone(length, causal):
    return past(length, False).tril(-1) if causal else past(length, False)


@known(
    "one-step-ahead",
    means="With `causal=True` a query still sees the next key.",
    hint="The border runs along the diagonal: column <= row.",
    explain=explainers.true_at,
    step="pairs",
)
def one_step_too_far(length, causal):
    return past(length, False).tril(1) if causal else past(length, False)


# ---------------------------------------------------------------- how the two become one


@known(
    "or-not-and",
    means="The two masks are combined with or: a key is visible as soon as one of them allows it.",
    hint="A key must be a real token, and not be later than the query: both at once.",
    explain=explainers.true_at,
    step="combine",
)
def either(keys, pairs):
    return keys | pairs


@known(
    "empty-rows-filled",
    means="Entries of rows that would see nothing were made True: the diagonal, or all of a row.",
    hint="A padded key is hidden from every query. A row may see nothing: exercise 3.5 takes care of it.",
    explain=explainers.true_at,
    step="combine",
)
def with_the_diagonal(keys, pairs):
    return keys & pairs | torch.eye(len(pairs), dtype=torch.bool)


@known.also("empty-rows-filled", step="combine")
def with_the_diagonal_of_empty_rows(keys, pairs):
    mask = keys & pairs
    return mask | (~mask.any(-1, keepdim=True) & torch.eye(len(pairs), dtype=torch.bool))


@known.also("empty-rows-filled", step="combine")
def with_everything_in_empty_rows(keys, pairs):
    mask = keys & pairs
    return mask | ~mask.any(-1, keepdim=True)


@known(
    "true-hides",
    means="True and False are the wrong way around: your mask is True where reading is forbidden.",
    hint="In this course, as in `F.scaled_dot_product_attention`, True = may attend.",
    explain=explainers.true_at,
    step="give",
)
def inverted(mask):
    return ~mask


# ---------------------------------------------------------------- shapes and dtypes


@known(
    "one-row-if-not-causal",
    means="Without causal the mask has one row for all queries, (B, 1, T); here each query has a row of its own.",
    hint="(B, 1, T) & (T, T) is (B, T, T). Which (T, T) mask hides nothing? Or stretch the axis with expand.",
    step="pairs",
)
def a_row_if_not_causal(length, causal):
    return past(length, causal) if causal else torch.ones(1, length, dtype=torch.bool)


@known(
    "head-axis",
    means="Your mask has an axis more, for heads: (B, 1, T, T).",
    hint="The mask asked for is (B, T, T). Who has heads can insert the axis: `mask[:, None]`.",
    step="give",
)
def an_axis_for_heads(mask):
    return mask[:, None]


@known(
    "batch-lost",
    means="Your mask has no batch axis: each item has its own padding, and needs its own (T, T) mask.",
    hint="Two shapes are combined here: (T, T) for the order, and one that begins with B for the padding.",
)
def the_triangle_alone(ids, pad_id, causal):
    return past(ids.size(1), causal)


@known.also("batch-lost", step="give")
def first_mask_alone(mask):
    return mask[0]


@known(
    "keys-only",
    means="Your mask has no axis for the queries: (B, T) says which tokens are real, not who may read whom.",
    hint="Insert an axis of size 1 for the queries, and let it broadcast to all of them.",
)
def real_tokens(ids, pad_id, causal):
    return ids != pad_id


def add_numbers(dtype):
    """The right mask with 0 and 1 in it."""

    @known.also("numbers-not-bool", step="give")
    def zeros_and_ones(mask):
        return mask.to(dtype)


known(
    "numbers-not-bool",
    means="The mask holds numbers instead of True and False.",
    hint="PyTorch's own functions silently add a mask of floats to the scores. A comparison gives True and False by "
    "itself, and masks of that kind are combined with `&`.",
)
for dtype in (torch.float32, torch.int64, torch.int32, torch.uint8):
    add_numbers(dtype)


@known(
    "additive",
    means="This is an additive mask of 0 and -inf (or a very low number); a bool mask is wanted.",
    hint="A bool mask says what is visible, and leaves it to the code how to hide the rest.",
    step="give",
)
def zeros_and_minus_infinity(mask):
    return torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)


@known.also("additive", step="give")
def zeros_and_minus_one_billion(mask):
    return torch.zeros(mask.shape).masked_fill(~mask, -1e9)


@known.also("additive", step="give")
def zeros_and_the_lowest_float(mask):
    return torch.zeros(mask.shape).masked_fill(~mask, torch.finfo(torch.float32).min)
