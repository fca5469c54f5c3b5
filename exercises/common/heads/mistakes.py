"""What people get wrong with several heads: wrong steps (see `attention.steps`), for 5.3, 5.4, 5.5 and 7.1.

`attention.mistakes` has what they get wrong inside one head, and `layer_mistakes` what they get wrong with the layers.
"""

import math

from exercises.common import explainers
from exercises.common.attention.mistakes import unscaled
from exercises.common.attention.steps import INF, compare, softmax
from feedback import Misconceptions
from helpers.attention import dot_product_attention
from helpers.heads import merge_heads

HEAD_MISTAKES = Misconceptions()


def as_it_is(z, num_heads=None):
    return z


# ---------------------------------------------------------------- heads split and merged wrongly


def uncut(z, num_heads):
    """(B, T, H, D): split, and not yet transposed."""
    return z.unflatten(-1, (num_heads, -1))


@HEAD_MISTAKES(
    "viewed",
    means="q, k and v were brought to (B, H, T, D) by view or reshape alone: the shape is right, but the "
    "numbers keep their order in memory, so the rows of a head contain pieces of other positions.",
    hint="Cut the last axis alone, (B, T, H, D), then let T and H change places: your `split_heads` from exercise "
    "5.1 does it.",
    explain=explainers.entry,
    step="split",
)
def viewed(z, num_heads):
    return z.reshape(z.size(0), num_heads, z.size(1), -1)


@HEAD_MISTAKES(
    "merge-not-transposed",
    means="The weights are right, but the heads were merged by view or reshape alone: a row of out holds "
    "several positions of one head, not all heads of one position.",
    hint="(B, H, T, D) to (B, T, H, D) to (B, T, C): your `merge_heads` from exercise 5.2 does it.",
    explain=explainers.out_alone,
    step="merge",
)
def rows_from_memory(z):
    return z.reshape(z.size(0), z.size(2), -1)


HEAD_MISTAKES.also("viewed", split=viewed, merge=rows_from_memory)


@HEAD_MISTAKES(
    "interleaved",
    means="The heads take turns among the features: head h got the features h, h + H, h + 2H and so on, not "
    "D neighbors.",
    hint="Head 0 has the first D features, head 1 the next D: your `split_heads` from exercise 5.1 does it.",
    explain=explainers.entry,
    step="split",
)
def interleaved(z, num_heads):
    return z.unflatten(-1, (-1, num_heads)).permute(0, 3, 1, 2)


@HEAD_MISTAKES(
    "merge-interleaved",
    means="The weights are right, but the merged heads take turns within a row: first feature 0 of every "
    "head, then feature 1, and so on.",
    hint="Before the last two axes are joined they must be (H, D) in this order: (B, T, H, D).",
    explain=explainers.out_alone,
    step="merge",
)
def interleaved_back(z):
    return z.permute(0, 2, 3, 1).flatten(2)


HEAD_MISTAKES.also("interleaved", split=interleaved, merge=interleaved_back)

HEAD_MISTAKES(
    "among-heads",
    means="The heads of one position attend to each other, since T and H never changed places: your products "
    "run over (B, T, H, D).",
    hint="The last two axes of q and k must be positions and features: (B, H, T, D).",
    explain=explainers.shape,
)


def joined_at_the_end(z):
    return z.flatten(2)


def without_mask(scores, mask=None):
    return softmax(scores)


for merge in (joined_at_the_end, merge_heads, rows_from_memory):
    HEAD_MISTAKES.also("among-heads", split=uncut, merge=merge)
    HEAD_MISTAKES.also("among-heads", split=uncut, merge=merge, masked_softmax=without_mask)


@HEAD_MISTAKES(
    "one-head",
    means="There is only one head: all C features were compared at once.",
    hint="Cut q, k and v into H heads before the dot products.",
    explain=explainers.shape,
    step="split",
)
def one_head(z, num_heads):
    return z.unsqueeze(1)


def weights_of_the_first_head(weights, q, k):
    return weights[:, 0]


def whole_vectors_compared(q, k):
    """All features at once, but divided by sqrt(D) afterwards."""
    return compare(merge_heads(q), merge_heads(k))


def whole_vectors_mixed(weights, v, q, k):
    return weights @ merge_heads(v)


def merged_by_unpacking(z):
    B, H, T, D = z.shape
    return z.transpose(1, 2).reshape(B, T, H * D)


def merged_counting_axes_from_the_front(z):
    return z.transpose(1, 2).reshape(z.size(0), z.size(2), -1)


def merged_by_flatten(z):
    return z.transpose(1, 2).flatten(-2)


HEAD_MISTAKES.also("one-head", split=one_head, show=weights_of_the_first_head)
HEAD_MISTAKES.also("one-head", split=as_it_is, merge=as_it_is, scale=unscaled)
HEAD_MISTAKES.also("one-head", compare=whole_vectors_compared, mix=whole_vectors_mixed, merge=as_it_is)
for merge in (as_it_is, merge_heads, merged_by_unpacking, merged_by_flatten, merged_counting_axes_from_the_front):
    HEAD_MISTAKES.also("one-head", split=as_it_is, merge=merge)
    HEAD_MISTAKES.also("one-head", split=as_it_is, merge=merge, attention=dot_product_attention)


HEAD_MISTAKES(
    "keys-turned-wrongly",
    means="The wrong axes of k were swapped, so `q @ k` does not fit.",
    hint="With heads, k has four axes, and only its last two change places.",
)


def add_swapped_keys(axes):
    """One more way to swap the wrong axes of k."""

    @HEAD_MISTAKES.also("keys-turned-wrongly", step="compare")
    def compared_with_swapped_keys(q, k):
        return q @ k.permute(axes)


for axes in ((0, 2, 1, 3), (3, 2, 1, 0), (1, 0, 2, 3), (0, 3, 2, 1), (2, 1, 0, 3)):
    add_swapped_keys(axes)


@HEAD_MISTAKES(
    "num-heads-as-size",
    means="The number of heads was mistaken for the size of a head: you made heads of H features each, and as many "
    "as fit.",
    hint="There are H heads, and each has D = `C // H` features.",
    explain=explainers.shape,
    step="split",
)
def heads_of_the_size_num_heads(z, num_heads):
    return z.unflatten(-1, (-1, num_heads)).transpose(1, 2)


# ---------------------------------------------------------------- the weights of several heads


@HEAD_MISTAKES(
    "weights-averaged",
    means="The returned weights are averaged over the heads.",
    hint="Each head has its own weights: return all of them, four axes, (B, H, queries, keys).",
    explain=explainers.shape,
    step="show",
)
def averaged_over_heads(weights, q, k):
    return weights.mean(1)


@HEAD_MISTAKES.also("weights-averaged", step="show")
def averaged_over_heads_keeping_the_axis(weights, q, k):
    return weights.mean(1, keepdim=True)


@HEAD_MISTAKES(
    "weights-summed",
    means="The returned weights are summed over the heads.",
    hint="Each head has its own weights: return all of them, four axes, (B, H, queries, keys).",
    explain=explainers.shape,
    step="show",
)
def summed_over_heads(weights, q, k):
    return weights.sum(1)


@HEAD_MISTAKES(
    "one-head-s-weights",
    means="The weights of one head were returned.",
    hint="Return those of all heads. In a loop: collect them in a list, and stack them after it.",
    explain=explainers.shape,
    step="show",
)
def weights_of_the_last_head(weights, q, k):
    return weights[:, -1]


HEAD_MISTAKES.also("one-head-s-weights", show=weights_of_the_first_head)

HEAD_MISTAKES(
    "weights-in-another-order",
    means="The weights are there, but their axes are in another order than batch, heads, queries, keys.",
    hint="Which axis is which in what you return? In a loop over heads, `torch.stack(list, dim=1)` puts the heads "
    "after the batch.",
    explain=explainers.shape,
)


def add_order_of_weights(axes, joined=0):
    """One more way to return the right weights with other axes: permuted, and then perhaps two of them joined."""

    @HEAD_MISTAKES.also("weights-in-another-order", step="show")
    def shown_in_another_order(weights, q, k):
        weights = weights.permute(axes)
        return weights.flatten(joined - 1, joined) if joined else weights


for axes in ((1, 0, 2, 3), (0, 2, 1, 3), (0, 2, 3, 1), (0, 1, 3, 2)):
    add_order_of_weights(axes)
add_order_of_weights((0, 1, 2, 3), joined=1)
add_order_of_weights((1, 0, 2, 3), joined=1)
add_order_of_weights((0, 1, 2, 3), joined=2)


# ---------------------------------------------------------------- the root, and the mask, of several heads


@HEAD_MISTAKES(
    "scaled-by-d-model",
    means="The scores were divided by `sqrt(C)`, the width of all heads together.",
    hint="A dot product runs over the D = C / H features of one head.",
    explain=explainers.sharpness,
    step="scale",
)
def by_the_root_of_all_features(q, k):
    return 1 / math.sqrt(q.size(1) * q.size(-1))


@HEAD_MISTAKES(
    "scaled-by-c",
    means="The scores were divided by C, the width of all heads together, without a root.",
    hint="A dot product runs over the D = C / H features of one head, and its spread grows like the root of "
    "their number.",
    explain=explainers.sharpness,
    step="scale",
)
def by_all_features(q, k):
    return 1 / (q.size(1) * q.size(-1))


@HEAD_MISTAKES(
    "scaled-by-num-heads",
    means="The scores were divided by H, the number of heads.",
    hint="A dot product runs over the D = C / H features of one head: how does its spread grow?",
    explain=explainers.sharpness,
    step="scale",
)
def by_the_number_of_heads(q, k):
    return 1 / q.size(1)


HEAD_MISTAKES(
    "mask-reshaped",
    means="Axes were added to the mask here, although it fits the scores as it comes.",
    hint="Leave its shape alone: shapes are lined up from the right, so (T, T), (H, T, T) and (B, 1, 1, T) "
    "all stretch to (B, H, T, T).",
    explain=explainers.shape,
)


@HEAD_MISTAKES.also("mask-reshaped", step="fill")
def axis_for_heads_in_every_mask(scores, mask):
    return scores.masked_fill(~mask.unsqueeze(1), -INF)


HEAD_MISTAKES.also("mask-reshaped", fill=axis_for_heads_in_every_mask, merge=merged_counting_axes_from_the_front)


@HEAD_MISTAKES.also("mask-reshaped", step="fill")
def axis_in_front_of_every_mask(scores, mask):
    return scores.masked_fill(~mask.unsqueeze(0), -INF)


@HEAD_MISTAKES.also("mask-reshaped", step="fill")
def two_axes_in_front_of_every_mask(scores, mask):
    return scores.masked_fill(~mask[None, None], -INF)


@HEAD_MISTAKES.also("mask-reshaped", step="fill")
def every_mask_taken_for_padding(scores, mask):
    return scores.masked_fill(~mask[:, None, None], -INF)


@HEAD_MISTAKES.also("mask-reshaped", step="fill")
def every_mask_taken_for_padding_of_two_axes(scores, mask):
    return scores.masked_fill(~mask[:, None, None, :], -INF)


@HEAD_MISTAKES.also("mask-reshaped", step="fill")
def two_axes_taken_for_padding(scores, mask):
    return scores.masked_fill(~(mask[:, None, None] if mask.dim() == 2 else mask), -INF)


@HEAD_MISTAKES.also("mask-reshaped", step="fill")
def three_axes_taken_for_items(scores, mask):
    """For a mask (B, T, T), as in notebook 03; but (H, T, T) has three axes too."""
    return scores.masked_fill(~(mask.unsqueeze(1) if mask.dim() == 3 else mask), -INF)
