"""Right answers to exercise 3.7, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504, SIM108 - naming a result before returning it, and an if of four lines, are styles that must pass

import numpy as np
import torch

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def mask_by_and(ids, pad_id, causal):
    T = ids.shape[1]
    mask = (ids != pad_id)[:, None, :].expand(-1, T, -1)
    if causal:
        mask = mask & torch.ones(T, T, dtype=torch.bool).tril()
    return mask


@right
def mask_by_three_loops(ids, pad_id, causal):
    B, T = ids.shape
    mask = torch.zeros(B, T, T, dtype=torch.bool)
    for b in range(B):
        for query in range(T):
            for key in range(T):
                real = ids[b, key] != pad_id
                in_time = key <= query or not causal
                mask[b, query, key] = real and in_time
    return mask


@right
def mask_by_repeat(ids, pad_id, causal=False):
    batch, length = ids.size()
    padding = ids.ne(pad_id).unsqueeze(1).repeat(1, length, 1)
    triangle = torch.tril(torch.ones(batch, length, length)).bool()
    return padding & triangle if causal else padding


@right
def mask_by_comparing_positions(ids, pad_id, causal):
    positions = torch.arange(ids.size(-1), device=ids.device)
    in_time = positions[None, :] <= positions[:, None]
    return ids.not_equal(pad_id).unsqueeze(-2) & (in_time | (not causal))


@right
def mask_by_products(ids, pad_id, causal):
    length = ids.shape[1]
    square = torch.ones(length, length)
    square = square.tril() if causal else square
    return (square * (ids != pad_id)[:, None].float()) == 1


@right
def mask_item_by_item(ids, pad_id, causal):
    masks = []
    for row in ids:
        mask = torch.stack([row != pad_id] * len(row))
        masks.append(mask.tril() if causal else mask)
    return torch.stack(masks)


@right
def mask_by_filling(ids, pad_id, causal):
    length = ids.shape[1]
    mask = torch.ones(ids.shape[0], length, length, dtype=torch.bool)
    if causal:
        mask = mask.tril()
    return mask.masked_fill((ids == pad_id).unsqueeze(1), False)


@right
def mask_by_indices(ids, pad_id, causal):
    B, T = ids.shape
    mask = torch.full((B, T, T), True)
    items, keys = (ids == pad_id).nonzero(as_tuple=True)
    mask[items, :, keys] = False
    if causal:
        rows, columns = torch.triu_indices(T, T, offset=1)
        mask[:, rows, columns] = False
    return mask


@right
def mask_by_nested_lists(ids, pad_id, causal):
    rows = ids.tolist()
    return torch.tensor(
        [
            [[key != pad_id and (not causal or j <= i) for j, key in enumerate(row)] for i in range(len(row))]
            for row in rows
        ]
    )


@right
def mask_by_numpy(ids, pad_id, causal):
    tokens = ids.numpy()
    mask = np.broadcast_to((tokens != pad_id)[:, None, :], (*tokens.shape, tokens.shape[1]))
    return torch.from_numpy(np.tril(mask) if causal else mask.copy())


@right
def mask_by_what_is_hidden(ids, pad_id, causal):
    length = ids.size(1)
    hidden = (ids == pad_id)[:, None, :] | torch.zeros(length, length, dtype=torch.bool)
    if causal:
        hidden |= torch.ones(length, length, dtype=torch.bool).triu(diagonal=1)
    return ~hidden


@right
def mask_by_einsum(ids, pad_id, causal):
    queries = torch.ones_like(ids)
    pairs = torch.einsum("bt,bs->bts", queries, (ids != pad_id).to(ids.dtype)).bool()
    return pairs.tril() if causal else pairs


@right
def mask_by_where(ids, pad_id, causal):
    length = ids.size(1)
    keys = torch.where(ids == pad_id, length + 1, torch.arange(length))[:, None, :]
    latest = torch.arange(length)[:, None] if causal else torch.full((length, 1), length)
    print("keys", keys.shape)
    return keys <= latest


@right
def mask_by_logical_and(ids, pad_id, causal):
    real = torch.logical_not(torch.eq(ids, pad_id))
    length = real.shape[-1]
    if causal:
        order = torch.ones((length, length), dtype=torch.bool).triu(1).logical_not()
    else:
        order = torch.ones((length, length), dtype=torch.bool)
    return torch.logical_and(real.view(-1, 1, length), order.view(1, length, length))


right(
    lambda ids, pad_id, causal: (m := (ids != pad_id)[:, None].expand(-1, ids.size(1), -1))
    & (m.tril() if causal else m)
)
