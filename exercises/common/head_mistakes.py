"""What people get wrong with several heads: wrong steps (see `attention_steps`), for 5.3, 5.4 and 7.1.

`attention_mistakes` has what they get wrong inside one head.
"""

import math

from exercises.common import explainers
from exercises.common.attention_mistakes import unscaled
from exercises.common.attention_steps import INF, compare, softmax
from feedback import Misconceptions
from helpers.attention import dot_product_attention
from helpers.heads import merge_heads

HEAD_MISTAKES = Misconceptions()
OUT_PROJ_MISTAKES = Misconceptions()


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


# ---------------------------------------------------------------- the last layer


@OUT_PROJ_MISTAKES(
    "layer-meets-one-head",
    means="A layer was given D features, as wide as one head; each of the four layers takes all C "
    "features of a position.",
    hint="If it was `q_proj`, `k_proj` or `v_proj`: project, then split. If it was `out_proj`: put the heads side "
    "by side (do not add or average them), then project.",
    step="merge",
)
def not_merged(z):
    return z


def not_merged_as_after_a_transpose(z):
    """With the strides of a transposed view: a layer of another width then raises in other words."""
    return z.transpose(1, 2).contiguous().transpose(1, 2)


def only_transposed(z):
    return z.transpose(1, 2)


def heads_averaged(z):
    return z.mean(1)


def merged_after_the_layer(heads, out_proj, x):
    return merge_heads(out_proj(heads))


def flattened_after_the_layer(heads, out_proj, x):
    return out_proj(heads).flatten(2)


for merge in (not_merged_as_after_a_transpose, only_transposed, heads_averaged):
    OUT_PROJ_MISTAKES.also("layer-meets-one-head", merge=merge)
for merge in (not_merged, not_merged_as_after_a_transpose):
    OUT_PROJ_MISTAKES.also("layer-meets-one-head", merge=merge, finish=merged_after_the_layer)
OUT_PROJ_MISTAKES.also("layer-meets-one-head", merge=only_transposed, finish=flattened_after_the_layer)


@OUT_PROJ_MISTAKES(
    "no-out-proj",
    means="The weights are right, but `out_proj` was never used: out holds the merged heads themselves.",
    hint="Which of the four layers mixes what the heads have found?",
    explain=explainers.out_alone,
    step="finish",
)
def merged_heads_as_out(merged, out_proj, x):
    return merged


@OUT_PROJ_MISTAKES(
    "residual",
    means="x was added to out. That step belongs to the block around attention (notebook 06).",
    hint="Here out is what `out_proj` gives, and nothing else.",
    explain=explainers.out_alone,
    step="finish",
)
def x_added(merged, out_proj, x):
    return out_proj(merged) + x


# ---------------------------------------------------------------- the layers in front


def layers_used(q, k, v):
    """A step `project` by other layers: 'xq' is q_proj(x), 'ck' is k_proj(context), 'x' is x itself."""

    def project(x, context, *layers):
        def made(word):
            z = x if word[0] == "x" else context
            return layers["qkv".index(word[1])](z) if len(word) > 1 else z

        return made(q), made(k), made(v)

    return project


def layers_mixed_up(q_proj, k_proj, v_proj):
    """Mistakes of self-attention with its three layers, which go by these names."""
    known = Misconceptions()

    def mistake(id, means, hint, explain, *used):
        known(id, means, hint, explain)
        for words in used:
            known.also(id, project=layers_used(*words))

    mistake(
        "query-layer-for-all",
        f"{q_proj} made the queries, the keys and the values; {k_proj} and {v_proj} were never used.",
        "Each of the three layers is needed.",
        explainers.entry,
        ("xq", "xq", "xq"),
    )
    mistake(
        "query-layer-twice",
        f"{q_proj} made the keys as well, in place of {k_proj}.",
        "Each of the three layers is needed.",
        explainers.sharpness,
        ("xq", "xq", "xv"),
    )
    mistake(
        "key-layer-twice",
        f"{k_proj} made the queries as well, in place of {q_proj}.",
        "Each of the three layers is needed.",
        explainers.sharpness,
        ("xk", "xk", "xv"),
    )
    mistake(
        "keys-ask",
        "Queries and keys have changed places: position j asks position i.",
        "Row i must hold position i's query against all keys.",
        explainers.entry,
        ("xk", "xq", "xv"),
    )
    mistake(
        "keys-as-values",
        f"The weights are right, but they average the keys; {v_proj} was never used.",
        "Keys decide how much is read; values are what is read.",
        explainers.out_alone,
        ("xq", "xk", "xk"),
    )
    mistake(
        "queries-as-values",
        f"The weights are right, but they average the queries; {v_proj} was never used.",
        "Values are what is read.",
        explainers.out_alone,
        ("xq", "xk", "xq"),
    )
    mistake(
        "values-as-keys",
        f"The queries were compared with the values: {v_proj} made the keys, in place of {k_proj}.",
        "Keys decide how much is read.",
        explainers.entry,
        ("xq", "xv", "xv"),
    )
    mistake(
        "keys-and-values-exchanged",
        "Keys and values have changed places.",
        "Keys are compared with the queries, values are mixed.",
        explainers.entry,
        ("xq", "xv", "xk"),
    )
    mistake(
        "layer-skipped",
        "x itself was used where its projection belongs.",
        f"Three layers make three things from x: {q_proj}(x), {k_proj}(x) and {v_proj}(x).",
        explainers.entry,
        ("xq", "xk", "x"),
        ("xq", "x", "xv"),
        ("x", "xk", "xv"),
        ("x", "x", "xv"),
        ("x", "x", "x"),
    )
    return known


# ---------------------------------------------------------------- layers multiplied by hand

BY_HAND_MISTAKES = Misconceptions()
BY_HAND_MISTAKES(
    "bias-forgotten",
    means="The bias of a layer was left out: a layer adds it to `x @ layer.weight.T`.",
    hint="Call the layer itself, like a function.",
    explain=explainers.entry,
)
BY_HAND_MISTAKES(
    "weight-as-it-is",
    means="The weight of a layer was used without the transpose: `nn.Linear` multiplies by `weight.T`, and adds "
    "the bias.",
    hint="Call the layer itself, like a function.",
    explain=explainers.entry,
)


def without_bias(layer, z):
    return z @ layer.weight.T


def not_transposed(layer, z):
    return z @ layer.weight + layer.bias


def not_transposed_without_bias(layer, z):
    return z @ layer.weight


def projected_by(apply):
    """A step `project` whose layers are applied by apply(layer, z)."""

    def project(x, context, q_proj, k_proj, v_proj):
        return apply(q_proj, x), apply(k_proj, context), apply(v_proj, context)

    return project


def finished_by(apply):
    """A step `finish` whose layer is applied by apply(layer, z)."""

    def finish(merged, out_proj, x):
        return apply(out_proj, merged)

    return finish


for id, apply in (
    ("bias-forgotten", without_bias),
    ("weight-as-it-is", not_transposed),
    ("weight-as-it-is", not_transposed_without_bias),
):
    BY_HAND_MISTAKES.also(id, project=projected_by(apply))


def add_out_proj_by_hand(known):
    """The same mistakes with out_proj, for exercises that have one."""
    for id, apply in (
        ("bias-forgotten", without_bias),
        ("weight-as-it-is", not_transposed),
        ("weight-as-it-is", not_transposed_without_bias),
    ):
        known.also(id, project=projected_by(apply), finish=finished_by(apply))
    known.also("bias-forgotten", finish=finished_by(without_bias))
