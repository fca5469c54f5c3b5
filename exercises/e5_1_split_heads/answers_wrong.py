"""Wrong answers to exercise 5.1, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("viewed")
def split_reshaped(x, num_heads):
    """The final shape by reshape with -1."""
    return x.reshape(x.shape[0], num_heads, x.shape[1], -1)


@wrong("viewed")
def split_flattened_first(x, num_heads):
    """Flattened, then reshaped."""
    return x.flatten(1).reshape(len(x), num_heads, x.shape[1], x.shape[2] // num_heads)


@wrong("viewed")
def split_heads_in_front_of_memory(x, num_heads):
    """Heads in front by reshape, then exchanged with the batch."""
    B, T, C = x.shape
    return x.reshape(num_heads, B, T, C // num_heads).transpose(0, 1)


@wrong("transposed-first")
def split_transposed_then_reshaped(x, num_heads):
    """Transposed before the reshape."""
    B, T, C = x.shape
    return x.permute(0, 2, 1).contiguous().view(B, num_heads, T, C // num_heads)


@wrong("not-transposed")
def split_not_transposed(x, num_heads):
    """Not transposed."""
    B, T, C = x.shape
    return x.view(B, T, num_heads, C // num_heads)


@wrong("not-transposed")
def split_stacked_behind_positions(x, num_heads):
    """Stacked behind the positions."""
    return torch.stack(x.chunk(num_heads, dim=-1), dim=2)


@wrong("wrong-axes")
def split_stacked_at_the_end(x, num_heads):
    """Stacked at the end."""
    return torch.stack(torch.chunk(x, num_heads, dim=2), dim=-1)


@wrong("heads-first")
def split_stacked_in_front(x, num_heads):
    """Stacked in front of the batch."""
    return torch.stack(torch.tensor_split(x, num_heads, dim=2), dim=0)


@wrong("interleaved")
def split_in_turns(x, num_heads):
    """Features in turns."""
    B, T, C = x.shape
    return x.view(B, T, C // num_heads, num_heads).permute(0, 3, 1, 2)


@wrong("interleaved")
def split_by_strided_slices(x, num_heads):
    """Features in turns, by strided slices."""
    return torch.stack([x[:, :, h::num_heads] for h in range(num_heads)], dim=1)


@wrong("num-heads-as-size")
def split_with_size_num_heads(x, num_heads):
    """Split with num_heads as the size."""
    return torch.stack(x.split(num_heads, dim=-1), dim=1)


@wrong("num-heads-as-size")
def split_d_and_h_exchanged(x, num_heads):
    """D and H exchanged in the view."""
    B, T, C = x.shape
    return x.view(B, T, C // num_heads, num_heads).transpose(1, 2)


@wrong("wrong-axes")
def split_last_axes_exchanged(x, num_heads):
    """The last two axes exchanged."""
    B, T, C = x.shape
    return x.view(B, T, num_heads, C // num_heads).transpose(-2, -1)


@wrong("wrong-axes")
def split_axes_1_and_3(x, num_heads):
    """Axes 1 and 3 exchanged."""
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 3)


@wrong("features-before-positions")
def split_permuted_to_b_h_d_t(x, num_heads):
    """Permuted to (B, H, D, T)."""
    return x.unflatten(-1, (num_heads, -1)).permute(0, 2, 3, 1)


@wrong("heads-in-batch")
def split_heads_in_the_batch(x, num_heads):
    """Heads joined with the batch."""
    B, T, C = x.shape
    return x.view(B, T, num_heads, C // num_heads).transpose(1, 2).reshape(B * num_heads, T, -1)


@wrong("heads-in-positions")
def split_by_cat(x, num_heads):
    """Cat instead of stack."""
    return torch.cat(x.chunk(num_heads, dim=-1), dim=1)


@wrong("positions-cut")
def split_positions(x, num_heads):
    """Positions cut instead of features."""
    parts = torch.chunk(x, num_heads, dim=1)
    return torch.stack(parts).transpose(0, 1)


@wrong("repeated")
def split_repeated(x, num_heads):
    """Every head gets everything."""
    return torch.stack([x] * num_heads, dim=1)


@wrong("overlapping")
def split_overlapping(x, num_heads):
    """Slices that overlap."""
    D = x.shape[-1] // num_heads
    return torch.stack([x[..., h : h + D] for h in range(num_heads)], dim=1)


@wrong("slices-of-num-heads")
def split_slices_of_h(x, num_heads):
    """Slices of H features."""
    return torch.stack([x[..., h * num_heads : (h + 1) * num_heads] for h in range(num_heads)], dim=1)


@wrong("same-slice")
def split_same_slice(x, num_heads):
    """The same slice for every head."""
    D = x.shape[-1] // num_heads
    return torch.stack([x[..., :D] for _ in range(num_heads)], dim=1)


@wrong("return-in-loop")
def split_return_in_loop(x, num_heads):
    """Return inside the loop."""
    D = x.shape[-1] // num_heads
    for h in range(num_heads):
        return x[..., h * D : (h + 1) * D]


@wrong("unchanged")
def split_not_kept(x, num_heads):
    """The view is not kept."""
    B, T, C = x.shape
    x.view(B, T, num_heads, C // num_heads).transpose(1, 2)
    return x


@wrong()
def split_divided_with_one_slash(x, num_heads):
    """A size that is a float."""
    B, T, C = x.shape
    return x.view(B, T, num_heads, C / num_heads).transpose(1, 2)


@wrong()
def split_by_a_float(x, num_heads):
    """Split with a size that is a float."""
    return torch.stack(x.split(x.shape[-1] / num_heads, dim=-1), dim=1)


@wrong()
def split_always_three(x, num_heads):
    """Always three heads."""
    B, T, C = x.shape
    return x.view(B, T, 3, C // 3).transpose(1, 2)


@wrong()
def split_always_of_four(x, num_heads):
    """Always heads of four features."""
    B, T, C = x.shape
    return x.view(B, T, num_heads, 4).transpose(1, 2)


@wrong("returns-wrong-type")
def split_as_a_tuple(x, num_heads):
    """A tuple of heads."""
    return x.chunk(num_heads, dim=-1)


@wrong("returns-wrong-type")
def split_as_a_list(x, num_heads):
    """A list of heads."""
    return list(x.unflatten(-1, (num_heads, -1)).unbind(2))


@wrong("returns-none")
def split_not_returned(x, num_heads):
    """Nothing is returned."""
    heads = x.unflatten(-1, (num_heads, -1)).transpose(1, 2)
    print(heads.shape)


@wrong("wrong-dtype")
def split_always_float32(x, num_heads):
    """Made with zeros in float32."""
    B, T, C = x.shape
    D = C // num_heads
    heads = torch.zeros(B, num_heads, T, D)
    for h in range(num_heads):
        heads[:, h] = x[..., h * D : (h + 1) * D]
    return heads


@wrong("changes-input")
def split_in_place(x, num_heads):
    """X is scaled in place on the way."""
    D = x.shape[-1] // num_heads
    x /= D**0.5
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2) * D**0.5


@wrong("numbers-lost")
def split_and_scaled(x, num_heads):
    """Scaled as well."""
    heads = x.unflatten(-1, (num_heads, -1)).transpose(1, 2)
    return heads / heads.size(-1) ** 0.5


@wrong("numbers-lost")
def split_without_the_last_head(x, num_heads):
    """The last head is left out."""
    D = x.shape[-1] // num_heads
    heads = torch.zeros(x.shape[0], num_heads, x.shape[1], D, dtype=x.dtype)
    for h in range(num_heads - 1):
        heads[:, h] = x[..., h * D : (h + 1) * D]
    return heads


@wrong("features-in-another-order")
def split_reversed(x, num_heads):
    """The heads in reverse order."""
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2).flip(1)


@wrong("positions-mixed")
def split_rolled(x, num_heads):
    """The positions rolled by one."""
    return x.unflatten(-1, (num_heads, -1)).transpose(1, 2).roll(1, dims=2)


@wrong()
def split_of_one_argument(x):
    """One argument only."""
    return x.unflatten(-1, (3, -1)).transpose(1, 2)


@wrong("wrong-shape")
def split_one_feature_short(x, num_heads):
    """Slices one feature short."""
    D = x.size(-1) // num_heads
    return torch.stack([x[..., h * D : (h + 1) * D - 1] for h in range(num_heads)], dim=1)


@wrong("sizes-of-the-figure")
def split_in_two_and_two_by_view(x, num_heads):
    """The sizes of the figure, by view."""
    B, T, C = x.shape
    return x.view(B, T, 2, 2).transpose(1, 2)


@wrong()
def split_by_numpy(x, num_heads):
    """numpy() refuses a tensor that needs gradients."""
    cut = x.numpy().reshape(x.shape[0], x.shape[1], num_heads, -1)
    return torch.from_numpy(cut.transpose(0, 2, 1, 3).copy())


@wrong("no-gradients")
def split_detached(x, num_heads):
    B, T, C = x.shape
    return x.detach().view(B, T, num_heads, C // num_heads).transpose(1, 2)


@wrong()
def split_without_a_batch(x, num_heads):
    T, C = x.shape
    return x.view(T, num_heads, C // num_heads).transpose(0, 1)
