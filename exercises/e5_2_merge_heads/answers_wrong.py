"""Wrong answers to exercise 5.2, of the kind that learners write: the checker must reject all of them."""

# ruff: noqa: RET503, RET504 - a return inside a loop, and naming a result before returning it, are what learners do

import numpy as np
import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("not-transposed-back")
def merged_by_view_alone(x):
    """Viewed without transposing."""
    return x.view(x.shape[0], x.shape[2], -1)


@wrong("not-transposed-back")
def merged_by_contiguous_alone(x):
    """Made contiguous, not transposed."""
    B, H, T, D = x.shape
    return x.contiguous().view(B, T, H * D)


@wrong("not-contiguous")
def merged_view_then_contiguous(x):
    """View after permute, made contiguous too late."""
    B, H, T, D = x.shape
    return x.permute(0, 2, 1, 3).view(B, T, -1).contiguous()


@wrong("only-transposed")
def merged_transposed_only(x):
    """Transposed only."""
    return x.transpose(1, 2).contiguous()


@wrong("interleaved")
def merged_in_turns(x):
    """In turns."""
    return x.permute(0, 2, 3, 1).reshape(x.shape[0], x.shape[2], -1)


@wrong("interleaved")
def merged_by_stack_at_the_end(x):
    """Stacked at the end and flattened."""
    return torch.stack([x[:, h] for h in range(x.shape[1])], dim=-1).flatten(2)


@wrong("wrong-axes")
def merged_last_axes_exchanged(x):
    """The last two axes exchanged."""
    B, H, T, D = x.shape
    return x.transpose(-2, -1).reshape(B, T, H * D)


@wrong("wrong-axes")
def merged_batch_exchanged(x):
    """Batch and heads exchanged."""
    B, H, T, D = x.shape
    return x.transpose(0, 1).reshape(B, T, H * D)


@wrong("wrong-axes")
def merged_features_and_heads_exchanged(x):
    """Features and heads exchanged."""
    B, H, T, D = x.shape
    return x.permute(0, 3, 2, 1).reshape(B, T, H * D)


@wrong("heads-along-positions")
def merged_along_positions(x):
    """Joined along the positions."""
    return torch.cat(x.unbind(1), dim=1)


@wrong("wrong-shape")
def merged_flattened_all(x):
    """Flattened from axis 1 to the end."""
    return x.transpose(1, 2).flatten(1)


@wrong("positions-in-features")
def merged_positions_and_features(x):
    """Positions and features flattened."""
    B, H, T, D = x.shape
    return x.reshape(B, H, T * D)


@wrong("heads-in-batch")
def merged_along_the_batch(x):
    """Joined along the batch."""
    return torch.cat([x[:, h] for h in range(x.size(1))])


@wrong("summed")
def merged_by_sum(x):
    """Summed."""
    return x.sum(dim=1)


@wrong("averaged")
def merged_by_mean(x):
    """Averaged."""
    return sum(x.unbind(1)) / x.size(1)


@wrong("one-head-only")
def merged_last_head(x):
    """The last head, left over from a loop."""
    for h in range(x.shape[1]):
        merged = x[:, h]
    return merged


@wrong("positions-last")
def merged_features_before_positions(x):
    """Features before positions."""
    B, H, T, D = x.shape
    return x.transpose(2, 3).reshape(B, H * D, T)


@wrong("positions-in-batch")
def merged_into_two_axes(x):
    """Batch and positions joined."""
    B, H, T, D = x.shape
    return x.transpose(1, 2).reshape(B * T, H * D)


@wrong("batch-second")
def merged_positions_first(x):
    """The positions first."""
    B, H, T, D = x.shape
    return x.permute(2, 0, 1, 3).reshape(T, B, H * D)


@wrong("unchanged")
def merged_not_kept(x):
    """Nothing joined."""
    x.transpose(1, 2).flatten(2)
    return x


@wrong("heads-reversed")
def merged_reversed(x):
    """The last head first."""
    return torch.cat([x[:, h] for h in reversed(range(x.shape[1]))], dim=-1)


@wrong("numbers-lost")
def merged_without_the_last_head(x):
    """A loop that leaves out the last head."""
    B, H, T, D = x.shape
    merged = torch.zeros(B, T, H * D, dtype=x.dtype)
    for h in range(H - 1):
        merged[..., h * D : (h + 1) * D] = x[:, h]
    return merged


@wrong("numbers-lost")
def merged_same_place(x):
    """A loop that writes every head to the same place."""
    B, H, T, D = x.shape
    merged = torch.zeros(B, T, H * D, dtype=x.dtype)
    for h in range(H):
        merged[..., :D] = x[:, h]
    return merged


@wrong("sizes-in-another-order")
def merged_sizes_in_another_order(x):
    """Sizes read in the wrong order."""
    batch, length, heads, width = x.size()
    return x.permute(0, 2, 1, 3).contiguous().view(batch, length, heads * width)


@wrong("positions-mixed")
def merged_positions_rolled(x):
    """Batches mixed by a reshape."""
    return x.transpose(1, 2).flatten(2).roll(1, dims=1)


@wrong("numbers-lost")
def merged_divided(x):
    """Divided by the number of heads."""
    return x.transpose(1, 2).flatten(2) / x.shape[1]


@wrong()
def merged_always_12(x):
    """Always 12 wide."""
    B, H, T, D = x.shape
    return x.transpose(1, 2).reshape(B, T, 12)


@wrong()
def merged_permute_of_three(x):
    """A number of axes that permute does not take."""
    return x.permute(0, 2, 1).flatten(2)


@wrong("returns-none")
def merged_not_returned(x):
    """Nothing is returned."""
    merged = x.transpose(1, 2).flatten(2)
    print(merged.shape)


@wrong("returns-wrong-type")
def merged_as_a_list(x):
    """A list of rows."""
    return x.transpose(1, 2).flatten(2).tolist()


@wrong("returns-wrong-type")
def merged_as_a_pair(x):
    """A pair."""
    return x.transpose(1, 2).flatten(2), x.shape[1]


@wrong("wrong-dtype")
def merged_always_float32(x):
    """Always float32."""
    return x.transpose(1, 2).flatten(2).float()


@wrong("changes-input")
def merged_in_place(x):
    """X is exchanged in place."""
    x.transpose_(1, 2)
    return x.flatten(2)


@wrong()
def merged_misspelt(x):
    """A misspelt name."""
    return x.transpose(1, 2).flaten(2)


@wrong()
def merged_of_two_arguments(x, num_heads):
    """Num_heads is not given."""
    return x.transpose(1, 2).flatten(2)


@wrong("other-axes")
def merged_as_in_the_figure(x):
    """The figure's axes, which has no batch."""
    return x.transpose(0, 1).flatten(-2)


@wrong("joined-first")
def merged_joined_first(x):
    """Joined first."""
    return x.flatten(-2).transpose(1, 2)


@wrong()
def merged_by_numpy(x):
    """numpy() refuses a tensor that needs gradients."""
    back = np.swapaxes(x.numpy(), 1, 2)
    return torch.from_numpy(back.reshape(back.shape[0], back.shape[1], -1))


@wrong("no-gradients")
def merged_detached(x):
    return x.transpose(1, 2).flatten(-2).detach()


@wrong()
def merged_without_a_batch(x):
    H, T, D = x.shape
    return x.transpose(0, 1).reshape(T, H * D)


@wrong("wrong-shape")
def merged_and_squeezed(x):
    """Axes of size 1 are lost."""
    return x.transpose(1, 2).flatten(-2).squeeze()
