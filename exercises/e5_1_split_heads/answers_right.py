"""Right answers to exercise 5.1, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504, UP008 - naming a result before returning it, and the long super(), are styles that must pass

import torch

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def split_by_view_and_transpose(x, num_heads):
    B, T, C = x.shape
    return x.view(B, T, num_heads, C // num_heads).transpose(1, 2)


@right
def split_by_unflatten(x, num_heads):
    return x.unflatten(-1, (num_heads, -1)).transpose(-3, -2)


@right
def split_by_reshape_and_permute(x, num_heads):
    batch, length, width = x.size()
    return x.reshape(batch, length, num_heads, -1).permute(0, 2, 1, 3).contiguous()


@right
def split_by_chunk_and_stack(x, num_heads):
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1)


@right
def split_by_split_and_stack(x, num_heads):
    d_head = x.shape[-1] // num_heads
    return torch.stack(torch.split(x, d_head, dim=2), 1)


@right
def split_by_tensor_split(x, num_heads):
    return torch.stack(torch.tensor_split(x, num_heads, dim=-1)).transpose(0, 1)


@right
def split_by_cat_of_unsqueezed_slices(x, num_heads):
    D = x.size(2) // num_heads
    return torch.cat([x[:, None, :, h * D : (h + 1) * D] for h in range(num_heads)], dim=1)


@right
def split_by_writing_into_empty(x, num_heads):
    B, T, C = x.shape
    D = int(C / num_heads)
    heads = torch.empty((B, num_heads, T, D), dtype=x.dtype)
    for h in range(num_heads):
        heads[:, h] = x[:, :, h * D : h * D + D]
    return heads


@right
def split_by_every_single_number(x, num_heads):
    B, T, C = x.shape
    heads = x.new_zeros(B, num_heads, T, C // num_heads)
    for t in range(T):
        for c in range(C):
            heads[:, c // heads.shape[-1], t, c % heads.shape[-1]] = x[:, t, c]
    return heads


@right
def split_by_unfold(x, num_heads):
    width = x.shape[-1] // num_heads
    return x.unfold(-1, width, width).movedim(2, 1)


@right
def split_by_a_table_of_indices(x, num_heads):
    columns = torch.arange(x.shape[-1]).view(num_heads, -1)
    return x[:, :, columns].swapaxes(1, 2)


@right
def split_by_einsum(x, num_heads):
    return torch.einsum("bthd->bhtd", x.view(*x.shape[:2], num_heads, -1))


@right
def split_features_first_and_back(x, num_heads):
    B, T, C = x.shape
    return x.transpose(1, 2).reshape(B, num_heads, C // num_heads, T).transpose(2, 3)


@right
def split_item_by_item(x, num_heads):
    return torch.stack([torch.stack(item.chunk(num_heads, dim=1)) for item in x])


@right
def split_by_as_strided(x, num_heads):
    B, T, C = x.shape
    b, t, c = x.stride()
    D = C // num_heads
    return torch.as_strided(x, (B, num_heads, T, D), (b, D * c, t, c))


@right
def split_by_selecting_matrices(x, num_heads):
    select = torch.eye(x.shape[-1], dtype=x.dtype).view(x.shape[-1], num_heads, -1)
    return torch.einsum("btc,chd->bhtd", x, select)


@right
def split_of_a_copy_in_place(x, num_heads, verbose=True):
    heads = x.clone().unflatten(2, (num_heads, x.shape[2] // num_heads))
    heads.transpose_(1, 2)
    if verbose:
        print(heads.shape)
    return heads
