"""What people get wrong in exercise 5.2, merge_heads."""

import torch

from exercises.common import explainers
from exercises.common.heads.split_and_merge import worst_row
from exercises.e5_2_merge_heads.reference import merge_heads
from feedback import Misconceptions

known = Misconceptions()


@known(
    "not-transposed-back",
    means="The shape is right, but it was made by view or reshape alone. In memory all rows of head 0 come first, "
    "so your row 0 holds several positions of head 0, not all heads of position 0.",
    hint="The heads of one position must become neighbors first: (B, H, T, D) to (B, T, H, D). Then join the last "
    "two axes.",
    explain=worst_row,
)
def not_transposed_back(x):
    B, H, T, D = x.shape
    return x.reshape(B, T, H * D)


@known(
    "not-contiguous",
    means="The transpose is right. After it the numbers no longer lie in memory in the order in which they are to "
    "be read, and view, which never moves a number, raises an error.",
    hint="Keep the transpose, and join the axes with something that may copy: reshape, flatten, or contiguous "
    "before view. (Without the transpose, view would run, and mix up the positions.)",
)
def viewed_after_the_transpose(x):
    B, H, T, D = x.shape
    return x.transpose(1, 2).view(B, T, H * D)


@known(
    "only-transposed",
    means="Heads and positions have changed places, but the heads are not joined yet: (B, T, H, D).",
    hint="The last two axes are to become one of C = H * D features.",
    explain=explainers.shape,
)
def only_transposed(x):
    return x.transpose(1, 2)


@known(
    "interleaved",
    means="The heads take turns within a row: first feature 0 of every head, then feature 1, and so on.",
    hint="Before the last two axes are joined they must be (H, D) in this order: (B, T, H, D).",
    explain=worst_row,
)
def interleaved(x):
    return x.permute(0, 2, 3, 1).flatten(2)


# ---------------------------------------------------------------- other axes

known(
    "wrong-axes",
    means="Axes other than heads and positions have changed places; the reshape then gave the right shape to the "
    "wrong order.",
    hint="The axes are (B, H, T, D), counted 0, 1, 2, 3. Which two are heads and positions?",
    explain=worst_row,
)
known(
    "other-axes",
    means="Axes other than heads and positions have changed places.",
    hint="The axes are (B, H, T, D), counted 0, 1, 2, 3. Which two are heads and positions? (The notebook's figure "
    "has no batch: there the heads are axis 0.)",
    explain=explainers.shape,
)


def add_wrong_axes(one, other):
    """One more pair of axes that change places, before a reshape to the right shape and before a flatten."""

    @known.also("wrong-axes")
    def swapped_and_reshaped(x):
        B, H, T, D = x.shape
        return x.transpose(one, other).reshape(B, T, H * D)

    @known.also("other-axes")
    def swapped_and_flattened(x):
        return x.transpose(one, other).flatten(-2)


for axes in ((0, 1), (1, 3), (0, 2)):
    add_wrong_axes(*axes)


@known.also("wrong-axes")
def last_axes_swapped_and_reshaped(x):
    B, H, T, D = x.shape
    return x.transpose(2, 3).reshape(B, T, H * D)


@known.also("other-axes")
def batch_and_heads_swapped(x):
    return x.transpose(0, 1)


@known(
    "joined-first",
    means="Axes were joined before heads and positions changed places: what ends up side by side is the positions "
    "of one head, not the heads of one position.",
    hint="Transpose first, (B, H, T, D) to (B, T, H, D). Then join the last two axes.",
    explain=worst_row,
)
def positions_and_features_joined_first(x):
    return x.flatten(2).transpose(1, 2)


@known.also("joined-first")
def heads_and_positions_joined_first(x):
    return x.flatten(1, 2).transpose(1, 2)


@known.also("joined-first")
def heads_and_positions_joined_first_then_batch_swapped(x):
    return x.flatten(1, 2).transpose(0, 1)


@known.also("joined-first")
def reshaped_first(x):
    B, H, T, D = x.shape
    return x.reshape(B, H * D, T).transpose(1, 2)


@known(
    "sizes-in-another-order",
    means="The sizes were read or combined in another order: x is (B, H, T, D), and each row of the result has H * D "
    "features.",
    hint="Which size of your result is which? Unpack `x.shape` in the order in which x has its axes.",
    explain=explainers.shape,
)
def sizes_in_another_order(x):
    B, T, H, D = x.shape
    return x.transpose(1, 2).reshape(B, T, H * D)


# ---------------------------------------------------------------- joined with something else


@known(
    "heads-along-positions",
    means="The heads were concatenated along the positions, not side by side.",
    hint="Heads of one position belong in one row: join H with D, the features.",
    explain=explainers.shape,
)
def heads_along_positions(x):
    return x.flatten(1, 2)


@known.also("heads-along-positions")
def heads_along_positions_after_the_transpose(x):
    return x.transpose(1, 2).flatten(1, 2)


@known(
    "positions-in-features",
    means="Positions and features were joined: (B, H, T * D). The heads are still separate.",
    hint="Join heads and features: first (B, H, T, D) to (B, T, H, D), then the last two axes.",
    explain=explainers.shape,
)
def positions_in_features(x):
    return x.flatten(2)


@known.also("positions-in-features")
def positions_in_features_the_other_way_round(x):
    return x.transpose(2, 3).flatten(2)


@known(
    "heads-in-batch",
    means="The heads were joined with the batch.",
    hint="The batch stays as it is; heads and features are joined.",
    explain=explainers.shape,
)
def heads_in_batch(x):
    return x.flatten(0, 1)


@known.also("heads-in-batch")
def heads_one_after_the_other_in_the_batch(x):
    return torch.cat(x.unbind(1))


@known(
    "positions-in-batch",
    means="The heads are side by side, but the batch and the positions were joined into one axis.",
    hint="Keep both: (B, T, C).",
    explain=explainers.shape,
)
def positions_in_batch(x):
    return merge_heads(x).flatten(0, 1)


@known(
    "summed",
    means="The heads were added up.",
    hint="Put them side by side: D features of each head make C = H * D.",
    explain=explainers.shape,
)
def summed(x):
    return x.sum(1)


@known(
    "averaged",
    means="The heads were averaged.",
    hint="Put them side by side: D features of each head make C = H * D.",
    explain=explainers.shape,
)
def averaged(x):
    return x.mean(1)


@known(
    "one-head-only",
    means="Only one head was returned.",
    hint="All heads belong side by side: D features of each make C = H * D.",
    explain=explainers.shape,
)
def first_head(x):
    return x[:, 0]


@known.also("one-head-only")
def last_head(x):
    return x[:, -1]


@known(
    "positions-last",
    means="Positions and features have changed places: (B, C, T).",
    hint="The last axis holds the C features of one position.",
    explain=explainers.shape,
)
def positions_last(x):
    return merge_heads(x).transpose(1, 2)


@known.also("positions-last")
def positions_last_with_heads_in_turns(x):
    return interleaved(x).transpose(1, 2)


@known(
    "batch-second",
    means="The positions come before the batch: (T, B, C).",
    hint="The batch stays in front: (B, T, C).",
    explain=explainers.shape,
)
def batch_second(x):
    return x.permute(2, 0, 1, 3).flatten(2)


@known(
    "heads-reversed",
    means="The heads are side by side, the last one first.",
    hint="Head 0 comes first in the row.",
    explain=worst_row,
)
def heads_reversed(x):
    return merge_heads(x.flip(1))


@known(
    "unchanged",
    means="x was returned as it was: nothing was joined.",
    hint="transpose, flatten and reshape return a new tensor; keep what they return.",
    explain=explainers.shape,
)
def unchanged(x):
    return x
