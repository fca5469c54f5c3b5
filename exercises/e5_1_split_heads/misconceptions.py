"""What people get wrong in exercise 5.1, split_heads."""

import torch

from exercises.common import explainers
from exercises.common.heads.split_and_merge import worst_row
from exercises.e5_1_split_heads.reference import split_heads
from feedback import Misconceptions

known = Misconceptions()


# ---------------------------------------------------------------- the right shape, and the wrong numbers in it


@known(
    "viewed",
    means="The shape is right, but it was made by view or reshape where axes have to change places. The numbers "
    "keep their order in memory and are only regrouped, so the rows of a head contain pieces of other "
    "positions.",
    hint="Two steps: cut the last axis alone, (B, T, C) to (B, T, H, D), then let T and H change places.",
    explain=worst_row,
)
def viewed(x, num_heads):
    B, T, C = x.shape
    return x.view(B, num_heads, T, C // num_heads)


@known.also("viewed")
def viewed_with_heads_in_front(x, num_heads):
    B, T, C = x.shape
    return x.view(num_heads, B, T, C // num_heads).transpose(0, 1)


@known.also("viewed")
def viewed_with_positions_last(x, num_heads):
    B, T, C = x.shape
    return x.view(B, num_heads, C // num_heads, T).transpose(2, 3)


@known.also("viewed")
def viewed_with_features_in_front(x, num_heads):
    B, T, C = x.shape
    return x.view(B, C // num_heads, num_heads, T).permute(0, 2, 3, 1)


@known.also("viewed")
def viewed_with_positions_in_front(x, num_heads):
    B, T, C = x.shape
    return x.view(T, B, num_heads, C // num_heads).permute(1, 2, 0, 3)


@known(
    "transposed-first",
    means="Positions and features changed places before the features were cut into heads.",
    hint="Cut first, while the features are the last axis: (B, T, C) to (B, T, H, D). Then transpose.",
    explain=worst_row,
)
def transposed_first(x, num_heads):
    B, T, C = x.shape
    return x.transpose(1, 2).reshape(B, num_heads, T, C // num_heads)


@known.also("transposed-first")
def transposed_first_and_viewed(x, num_heads):
    B, T, C = x.shape
    return x.transpose(1, 2).view(B, num_heads, T, C // num_heads)


# ---------------------------------------------------------------- axes in another order


@known(
    "not-transposed",
    means="The features are cut correctly, but the positions still come before the heads: (B, T, H, D).",
    hint="Each head is to have a table (T, D) of its own, so H must come before T: which two axes change places?",
    explain=explainers.shape,
)
def cut(x, num_heads):
    return x.unflatten(-1, (num_heads, -1))


@known(
    "interleaved",
    means="The heads take turns: head h got the features h, h + H, h + 2H and so on, not D neighbors.",
    hint="A cut into (T, H, D) makes H groups of D neighbors; a cut into (T, D, H) makes D groups of H.",
    explain=worst_row,
)
def interleaved(x, num_heads):
    return x.unflatten(-1, (-1, num_heads)).permute(0, 3, 1, 2)


@known(
    "num-heads-as-size",
    means="`num_heads` was mistaken for the size of a head: you made heads of H features each, and as many as fit.",
    hint="`num_heads` says how many heads there are; each has D = `C // num_heads` features. `x.chunk(n)` makes n "
    "parts, `x.split(n)` makes parts of size n.",
    explain=explainers.shape,
)
def heads_of_the_size_num_heads(x, num_heads):
    return x.unflatten(-1, (-1, num_heads)).transpose(1, 2)


@known.also("num-heads-as-size")
def heads_of_the_size_num_heads_not_transposed(x, num_heads):
    return x.unflatten(-1, (-1, num_heads))


@known.also("num-heads-as-size")
def heads_of_the_size_num_heads_in_front(x, num_heads):
    return torch.stack(x.split(num_heads, dim=-1))


@known(
    "features-before-positions",
    means="Positions and features have changed places within each head: (B, H, D, T).",
    hint="The last axis holds the D features of one position. From (B, T, H, D) only T and H change places.",
    explain=explainers.shape,
)
def features_before_positions(x, num_heads):
    return cut(x, num_heads).permute(0, 2, 3, 1)


known(
    "wrong-axes",
    means="Axes other than T and H have changed places.",
    hint="After the cut the axes are (B, T, H, D), counted 0, 1, 2, 3. Which two are T and H?",
    explain=explainers.shape,
)


def add_wrong_axes(axes):
    """One more order of axes."""

    @known.also("wrong-axes")
    def permuted(x, num_heads):
        return cut(x, num_heads).permute(axes)


for axes in ((0, 1, 3, 2), (0, 3, 2, 1), (1, 0, 2, 3), (2, 1, 0, 3), (0, 3, 1, 2), (1, 2, 0, 3)):
    add_wrong_axes(axes)


@known(
    "heads-first",
    means="The heads come before the batch: (H, B, T, D).",
    hint="The batch stays in front: its axis is 0 before and after.",
    explain=explainers.shape,
)
def heads_first(x, num_heads):
    return torch.stack(x.chunk(num_heads, dim=-1))


@known(
    "heads-in-batch",
    means="Heads and batch were joined into one axis.",
    hint="Here they stay separate: four axes, (B, H, T, D).",
    explain=explainers.shape,
)
def heads_in_batch(x, num_heads):
    return split_heads(x, num_heads).flatten(0, 1)


@known.also("heads-in-batch")
def heads_in_batch_by_cat(x, num_heads):
    return torch.cat(x.chunk(num_heads, dim=-1))


@known(
    "heads-in-positions",
    means="The heads were concatenated along the positions: they have no axis of their own.",
    hint="cat joins along an axis that is there, stack makes a new one.",
    explain=explainers.shape,
)
def heads_in_positions(x, num_heads):
    return split_heads(x, num_heads).flatten(1, 2)


@known.also("heads-in-positions")
def heads_next_to_each_other_in_positions(x, num_heads):
    return cut(x, num_heads).flatten(1, 2)


# ---------------------------------------------------------------- other parts of x

known(
    "sizes-of-the-figure",
    means="Fixed numbers say how x is cut: 2 and 2 belong to the figure, where C = 4.",
    hint="How many heads, and how many features for each, follows from `num_heads` and from the shape of x.",
)


@known.also("sizes-of-the-figure")
def unflattened_into_two_and_two(x, num_heads):
    return x.unflatten(-1, (2, 2)).transpose(1, 2)


@known.also("sizes-of-the-figure")
def viewed_as_two_and_two(x, num_heads):
    return x.view(*x.shape[:2], 2, 2).transpose(1, 2)


@known.also("sizes-of-the-figure")
def two_heads(x, num_heads):
    return x.view(*x.shape[:2], 2, -1).transpose(1, 2)


@known.also("sizes-of-the-figure")
def two_heads_of_half_the_features(x, num_heads):
    return x.view(*x.shape[:2], 2, x.size(2) // 2).transpose(1, 2)


@known.also("sizes-of-the-figure")
def all_sizes_of_the_figure_with_a_batch(x, num_heads):
    return x.view(1, 3, 2, 2).transpose(1, 2)


@known.also("sizes-of-the-figure")
def all_sizes_of_the_figure(x, num_heads):
    return x.view(3, 2, 2).transpose(0, 1)


@known.also("sizes-of-the-figure")
def all_sizes_of_the_figure_heads_first(x, num_heads):
    return x.view(2, 3, 2)


@known(
    "positions-cut",
    means="The positions were cut into heads, not the features.",
    hint="Every head sees all T positions and a part of the features: cut the last axis.",
    explain=explainers.shape,
)
def positions_cut(x, num_heads):
    return torch.stack(x.chunk(num_heads, dim=1), dim=1)


@known.also("positions-cut")
def positions_cut_by_unflatten(x, num_heads):
    return x.unflatten(1, (num_heads, -1))


@known.also("positions-cut")
def positions_cut_by_view(x, num_heads):
    B, T, C = x.shape
    return x.view(B, num_heads, T // num_heads, C)


@known(
    "repeated",
    means="Every head got all C features: x was repeated, not cut.",
    hint="The heads share the features among them: each has D = C / H of them.",
    explain=explainers.shape,
)
def repeated(x, num_heads):
    return x.unsqueeze(1).repeat(1, num_heads, 1, 1)


@known(
    "overlapping",
    means="The slices overlap: each head starts one feature after the one before.",
    hint="Where does head 1 start, if head 0 has the first D features?",
    explain=worst_row,
)
def overlapping(x, num_heads):
    D = x.size(-1) // num_heads
    return torch.stack([x[..., h : h + D] for h in range(num_heads)], dim=1)


@known(
    "slices-of-num-heads",
    means="The slices are H wide: D and H were mixed up.",
    hint="Head h starts at h * D and ends before (h + 1) * D, with D = `C // num_heads`.",
    explain=explainers.shape,
)
def slices_of_num_heads(x, num_heads):
    starts = range(0, num_heads * num_heads, num_heads)
    return torch.stack([x[..., start : start + num_heads] for start in starts], dim=1)


@known(
    "same-slice",
    means="All heads are the same: each is the first slice.",
    hint="The slice must move with h.",
    explain=worst_row,
)
def same_slice(x, num_heads):
    D = x.size(-1) // num_heads
    return torch.stack([x[..., :D]] * num_heads, dim=1)


@known(
    "return-in-loop",
    means="Only the first head was returned.",
    hint="If a loop makes the heads: `return` leaves the function at once. Collect them, and stack after the loop.",
    explain=explainers.shape,
)
def first_head(x, num_heads):
    return split_heads(x, num_heads)[:, 0]


@known.also("return-in-loop")
def first_head_with_its_axis(x, num_heads):
    return split_heads(x, num_heads)[:, :1]


@known(
    "unchanged",
    means="x was returned as it was: nothing was cut.",
    hint="view, unflatten and transpose return a new tensor; keep what they return.",
    explain=explainers.shape,
)
def unchanged(x, num_heads):
    return x
