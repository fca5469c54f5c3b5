"""Wrong answers to exercise 3.7, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def triangle(length, diagonal=0):
    return torch.tril(torch.ones(length, length), diagonal=diagonal) == 1


def combined(real, causal):
    """A right second half: the mask of the keys as it is, or its triangle."""
    length = real.size(-1)
    return real.expand(-1, length, -1) & (triangle(length) if causal else torch.ones(length, length).bool())


@wrong("padding-ignored")
def mask_without_padding(ids, pad_id, causal):
    """Only the order is looked at."""
    B, T = ids.shape
    mask = torch.ones(B, T, T, dtype=torch.bool)
    return torch.tril(mask) if causal else mask


@wrong("padding-inverted")
def mask_of_padding(ids, pad_id, causal):
    """== instead of !=."""
    return combined((ids == pad_id).unsqueeze(1), causal)


@wrong("queries-not-keys")
def mask_of_rows(ids, pad_id, causal):
    """The axis of size 1 at the end."""
    T = ids.size(1)
    mask = (ids != pad_id).unsqueeze(-1).repeat(1, 1, T)
    return mask.tril() if causal else mask


@wrong("queries-too")
def mask_of_real_pairs(ids, pad_id, causal):
    """Both the query and the key must be real."""
    real = ids != pad_id
    mask = real.unsqueeze(1) & real.unsqueeze(2)
    if causal:
        mask = mask & triangle(ids.size(1))
    return mask


@wrong("pad-id-0")
def mask_of_nonzero(ids, pad_id, causal):
    """0 is the padding."""
    return combined(ids.bool()[:, None], causal)


@wrong("pad-id-0")
def mask_of_positive(ids, pad_id, causal):
    """Ids above 0."""
    return combined(torch.gt(ids, 0).unsqueeze(1), causal)


@wrong("larger-than-pad-id")
def mask_of_larger(ids, pad_id, causal):
    """Ids above pad_id."""
    return combined(torch.gt(ids, pad_id).unsqueeze(1), causal)


@wrong("larger-than-pad-id")
def mask_of_smaller(ids, pad_id, causal):
    """Ids below pad_id: right for one that is the last of the vocabulary."""
    return combined((pad_id > ids).unsqueeze(1), causal)


@wrong("padding-at-the-end")
def mask_by_lengths(ids, pad_id, causal):
    """Exercise 3.4, with counted lengths."""
    lengths = torch.tensor([sum(int(i != pad_id) for i in row) for row in ids])
    positions = torch.arange(ids.size(1))
    return combined((positions[None, :] < lengths[:, None]).unsqueeze(1), causal)


@wrong("padding-at-the-end")
def mask_until_padding(ids, pad_id, causal):
    """The loop over keys ends at the first padding."""
    B, T = ids.shape
    mask = torch.zeros(B, T, T, dtype=torch.bool)
    for b in range(B):
        for j in range(T):
            if ids[b, j] == pad_id:
                break
            mask[b, (j if causal else 0) :, j] = True
    return mask


@wrong("padding-in-front")
def mask_by_lengths_from_the_end(ids, pad_id, causal):
    """The last `length` tokens are real."""
    T = ids.size(1)
    padded = (ids == pad_id).sum(-1)
    return combined((torch.arange(T).expand_as(ids) >= padded[:, None]).unsqueeze(1), causal)


@wrong("first-item-only")
def mask_of_the_first_item(ids, pad_id, causal):
    """The first row stands for all."""
    B, T = ids.shape
    mask = (ids[0] != pad_id).repeat(T, 1)
    mask = mask & triangle(T) if causal else mask
    return torch.stack([mask] * B)


@wrong("same-for-the-batch")
def mask_of_columns_without_padding(ids, pad_id, causal):
    """A column is real if no item has padding there."""
    B, T = ids.shape
    mask = torch.ones(B, T, T, dtype=torch.bool)
    for j in range(T):
        if (ids[:, j] == pad_id).any():
            mask[:, :, j] = False
    return mask.tril() if causal else mask


@wrong("never-causal")
def mask_without_order(ids, pad_id, causal):
    """causal is not used."""
    return (ids != pad_id)[:, None, :].expand(ids.size(0), ids.size(1), ids.size(1))


@wrong("never-causal")
def mask_with_a_lost_triangle(ids, pad_id, causal):
    """The result of tril is thrown away."""
    mask = (ids != pad_id).unsqueeze(1).repeat(1, ids.size(1), 1)
    if causal:
        mask.tril()
    return mask


@wrong("always-causal")
def mask_always_causal(ids, pad_id, causal):
    """No if."""
    return (ids != pad_id).unsqueeze(1) & triangle(ids.size(1))


@wrong("always-causal")
def mask_by_is_not_none(ids, pad_id, causal):
    """`if causal is not None` is always true."""
    mask = (ids != pad_id).unsqueeze(1).repeat(1, ids.size(1), 1)
    if causal is not None:
        mask = mask.tril()
    return mask


@wrong("causal-inverted")
def mask_by_if_not(ids, pad_id, causal):
    """The branches of the if have changed places."""
    mask = (ids != pad_id).unsqueeze(1).repeat(1, ids.size(1), 1)
    if not causal:
        mask = mask.tril()
    return mask


@wrong("future-alone")
def mask_of_the_future(ids, pad_id, causal):
    """triu instead of tril."""
    mask = (ids != pad_id).unsqueeze(1).repeat(1, ids.size(1), 1)
    return torch.triu(mask) if causal else mask


@wrong("future-alone")
def mask_of_what_is_later(ids, pad_id, causal):
    """triu(1), which is what should be hidden."""
    mask = (ids != pad_id).unsqueeze(1).repeat(1, ids.size(1), 1)
    if causal:
        mask = mask & torch.ones(ids.size(1), ids.size(1)).triu(1).bool()
    return mask


@wrong("diagonal-hidden")
def mask_of_the_strict_past(ids, pad_id, causal):
    """Earlier than, instead of not later than."""
    positions = torch.arange(ids.shape[1])
    mask = (ids != pad_id)[:, None, :].repeat(1, len(positions), 1)
    if causal:
        mask &= positions[:, None] > positions
    return mask


@wrong("one-step-ahead")
def mask_with_the_next(ids, pad_id, causal):
    """One step too far."""
    mask = (ids != pad_id)[:, None, :].repeat(1, ids.shape[1], 1)
    return mask & triangle(ids.shape[1], 1) if causal else mask


@wrong("or-not-and")
def mask_by_or(ids, pad_id, causal):
    """| instead of &."""
    T = ids.size(1)
    order = triangle(T) if causal else torch.ones(T, T, dtype=torch.bool)
    return (ids != pad_id)[:, None, :] | order


@wrong("or-not-and")
def mask_by_adding(ids, pad_id, causal):
    """The sum of both, as bool."""
    T = ids.size(1)
    order = torch.ones(T, T).tril() if causal else torch.ones(T, T)
    return ((ids != pad_id).float()[:, None] + order).bool()


@wrong("empty-rows-filled")
def mask_with_a_diagonal(ids, pad_id, causal):
    """So that no row is empty."""
    mask = combined((ids != pad_id).unsqueeze(1), causal).clone()
    mask.diagonal(dim1=1, dim2=2).fill_(True)
    return mask


@wrong("empty-rows-filled")
def mask_with_open_empty_rows(ids, pad_id, causal):
    """Rows that see nothing may see everything."""
    mask = combined((ids != pad_id).unsqueeze(1), causal).clone()
    mask[~mask.any(dim=-1)] = True
    return mask


@wrong("true-hides")
def mask_for_multihead_attention(ids, pad_id, causal):
    """True where reading is blocked."""
    blocked = (ids == pad_id)[:, None].repeat(1, ids.size(1), 1)
    if causal:
        blocked = blocked | torch.triu(torch.ones(ids.size(1), ids.size(1)), 1).bool()
    return blocked


@wrong("one-row-if-not-causal")
def mask_of_one_row(ids, pad_id, causal):
    """(B, 1, T) where causal is False."""
    mask = (ids != pad_id).unsqueeze(1)
    if causal:
        mask = mask & triangle(ids.size(1))
    return mask


@wrong("head-axis")
def mask_for_heads(ids, pad_id, causal):
    """(B, 1, T, T)."""
    return combined((ids != pad_id).unsqueeze(1), causal).unsqueeze(1)


@wrong("batch-lost")
def mask_without_batch(ids, pad_id, causal):
    """The triangle alone."""
    T = ids.size(1)
    return torch.tril(torch.ones(T, T, dtype=torch.bool)) if causal else torch.ones(T, T, dtype=torch.bool)


@wrong("batch-lost")
def mask_returned_in_loop(ids, pad_id, causal):
    """Return inside the loop."""
    for row in ids:
        mask = (row != pad_id).repeat(len(row), 1)
        return mask.tril() if causal else mask


@wrong("keys-only")
def mask_of_tokens(ids, pad_id, causal):
    """(B, T)."""
    real = ids.ne(pad_id)
    return real


@wrong("numbers-not-bool")
def mask_of_floats(ids, pad_id, causal):
    """0.0 and 1.0."""
    T = ids.size(1)
    order = torch.ones(T, T).tril() if causal else torch.ones(T, T)
    return (ids != pad_id)[:, None, :] * order


@wrong("numbers-not-bool")
def mask_of_whole_numbers(ids, pad_id, causal):
    """0 and 1."""
    return combined((ids != pad_id).unsqueeze(1), causal).long()


@wrong("additive")
def mask_to_be_added(ids, pad_id, causal):
    """0 and -inf."""
    visible = combined((ids != pad_id).unsqueeze(1), causal)
    return torch.where(visible, 0.0, float("-inf"))


@wrong("additive")
def mask_to_be_added_of_large_numbers(ids, pad_id, causal):
    """0 and -1e9."""
    visible = combined((ids != pad_id).unsqueeze(1), causal)
    return (1.0 - visible.float()) * -1e9


@wrong("changes-input")
def mask_that_writes_into_ids(ids, pad_id, causal):
    """ids are turned into 0 and 1 in place."""
    ids[ids == pad_id] = 0
    ids[ids != 0] = 1
    return combined(ids.bool().unsqueeze(1), causal)


@wrong()
def mask_with_keys_of_the_batch(ids, pad_id, causal):
    """The axis is missing, so the batch meets the queries."""
    return (ids != pad_id) & triangle(ids.size(1))


@wrong("batch-lost")
def mask_with_the_axis_in_front(ids, pad_id, causal):
    """One mask for all, of items that are all real together."""
    real = (ids != pad_id).all(dim=0)
    T = ids.size(1)
    return real[None, :] & (triangle(T) if causal else torch.ones(T, T, dtype=torch.bool))


@wrong()
def mask_by_python_and(ids, pad_id, causal):
    """and instead of &."""
    return (ids != pad_id)[:, None] and triangle(ids.size(1))


@wrong("returns-none")
def mask_not_returned(ids, pad_id, causal):
    """Nothing is returned where causal is False."""
    if causal:
        return (ids != pad_id).unsqueeze(1) & triangle(ids.size(1))


@wrong("returns-wrong-type")
def mask_as_a_list(ids, pad_id, causal):
    """A list of masks."""
    return [(row != pad_id).repeat(len(row), 1) for row in ids]


@wrong("returns-wrong-type")
def mask_as_a_pair(ids, pad_id, causal):
    """Both masks, not combined."""
    return (ids != pad_id)[:, None], triangle(ids.size(1))


@wrong()
def mask_of_one_sentence(ids, pad_id, causal):
    """Written for ids of shape (T,)."""
    length = len(ids)
    mask = (ids != pad_id).expand(length, length)
    return mask.tril() if causal else mask


@wrong()
def mask_without_causal(ids, pad_id):
    """An argument too few."""
    return (ids != pad_id)[:, None].expand(-1, ids.size(1), -1)
