"""What people get wrong in exercise 7.1, MyBertSelfAttention."""

from torch.nn import functional as F

from exercises.common import explainers
from exercises.common.attention.mistakes import MIX_MISTAKES, SCALE_MISTAKES, SOFTMAX_MISTAKES, over_queries, unscaled
from exercises.common.attention.steps import attention_from, multi_head_from
from exercises.common.heads.layer_mistakes import BY_HAND_MISTAKES, layers_mixed_up
from exercises.common.heads.mistakes import HEAD_MISTAKES, as_it_is
from exercises.common.masks.mistakes import MASK_MISTAKES
from exercises.common.modules import Assembled
from feedback import Misconceptions
from helpers.heads import merge_heads, split_heads

LAYERS = ("query", "key", "value")


def module_with(forward):
    """A module with the three layers and the given forward(self, x, mask)."""

    class Wrong(Assembled):
        def __init__(self, config, layers=()):
            super().__init__(LAYERS, config.hidden_size, layers)
            self.num_heads = config.num_attention_heads

        def forward(self, x, mask=None):
            return forward(self, x, mask)

    return Wrong


def assemble(**steps):
    """An answer to 7.1 with these steps replaced; there is no last layer."""
    attend = multi_head_from(**steps)

    def forward(self, x, mask):
        return attend(x, x, (self.query, self.key, self.value, as_it_is), self.num_heads, mask)

    return module_with(forward)


known = Misconceptions(assemble)
known.include(HEAD_MISTAKES)


# ---------------------------------------------------------------- the heads of out


@known(
    "not-merged",
    means="The weights are right, but the heads of out are still separate: it has four axes.",
    hint="Put the heads of each position side by side, (B, T, C): your `merge_heads` from exercise 5.2 does it.",
    step="merge",
)
def not_merged(z):
    return z


@known.also("not-merged", step="merge")
def only_transposed(z):
    return z.transpose(1, 2)


@known(
    "heads-averaged",
    means="The weights are right, but the heads of out were averaged.",
    hint="Put them side by side: D features of each head make C = H * D.",
    step="merge",
)
def heads_averaged(z):
    return z.mean(1)


@known(
    "heads-summed",
    means="The weights are right, but the heads of out were added up.",
    hint="Put them side by side: D features of each head make C = H * D.",
    step="merge",
)
def heads_summed(z):
    return z.sum(1)


@known(
    "merged-along-positions",
    means="The weights are right, but the heads of out were concatenated along the positions.",
    hint="Heads of one position belong in one row, side by side: your `merge_heads` from exercise 5.2 does it.",
    step="merge",
)
def merged_along_positions(z):
    return z.flatten(1, 2)


@known.also("merged-along-positions", step="merge")
def merged_along_positions_after_the_transpose(z):
    return z.transpose(1, 2).flatten(1, 2)


@known(
    "not-contiguous",
    means="The transpose is right. After it the numbers no longer lie in memory in the order in which they are to "
    "be read, and view, which never moves a number, raises an error.",
    hint="Keep the transpose, and join the axes with something that may copy: reshape, flatten, or contiguous "
    "before view.",
    step="merge",
)
def viewed_after_the_transpose(z):
    return z.transpose(1, 2).view(z.size(0), z.size(2), -1)


known(
    "residual",
    means="x was added to out. That belongs to the next module, BertSelfOutput.",
    hint="Here out is the merged heads, and nothing else.",
    explain=explainers.out_alone,
)
known(
    "normalized",
    means="out was normalized, with or without x added to it. That belongs to the next module, BertSelfOutput.",
    hint="Here out is the merged heads, and nothing else.",
    explain=explainers.out_alone,
)


@known.also("residual", step="finish")
def x_added(merged, last, x):
    return merged + x


@known.also("normalized", step="finish")
def normalized(merged, last, x):
    return F.layer_norm(merged, merged.shape[-1:])


@known.also("normalized", step="finish")
def added_and_normalized(merged, last, x):
    return F.layer_norm(merged + x, merged.shape[-1:])


# ---------------------------------------------------------------- batch, dropout


@known(
    "batch-as-positions",
    means="Batch and positions have changed places before the scores: positions read across the items of the batch, "
    "which have nothing to do with each other.",
    hint="Keep the batch in front: from (B, T, H, D) only T and H change places.",
    step="split",
)
def heads_across_the_batch(z, num_heads):
    return split_heads(z.transpose(0, 1), num_heads)


def merged_and_swapped_back(z):
    return merge_heads(z).transpose(0, 1)


known.also("batch-as-positions", split=heads_across_the_batch, merge=merged_and_swapped_back)

known(
    "dropout-in-eval",
    means="Dropout is active in evaluation too, and every call drops different numbers.",
    hint="Which dropout follows `model.eval()`, and which drops in every mode? (Dropout is not asked for here.)",
    explain=explainers.row_sum,
)


def add_dropout(p):
    """Dropout that does not look at the mode: on the weights, on those that mix the values, on out."""

    @known.also("dropout-in-eval", step="softmax")
    def dropped_weights(scores):
        return F.dropout(scores.softmax(-1), p)

    @known.also("dropout-in-eval", step="mix")
    def mixed_by_dropped_weights(weights, v, q, k):
        return F.dropout(weights, p) @ v

    @known.also("dropout-in-eval", step="finish")
    def dropped_out(merged, last, x):
        return F.dropout(merged, p)


for p in (0.1, 0.2, 0.5):
    add_dropout(p)


# ---------------------------------------------------------------- as in 5.3

known.include(SCALE_MISTAKES, hints={"no-scale": "D is the width of one head: after the split, `q.size(-1)`."})
known.include(SOFTMAX_MISTAKES, "over-queries", "over-heads", "over-batch", "no-softmax")
known.also("over-queries", softmax=over_queries, scale=unscaled)
known.include(MIX_MISTAKES, "scores-returned", "weights-transposed", "mixed-by-scores", "only-out", "swapped-pair")
known.include(layers_mixed_up("self.query", "self.key", "self.value"))
known.include(BY_HAND_MISTAKES)
known.include(MASK_MISTAKES)
known.include(MIX_MISTAKES, "mask-for-out-only", "mask-for-weights-only")

known(
    "layer-meets-one-head",
    means="x was split into heads before the layers: a layer was given D features, as wide as one head, and takes "
    "all C features of a position.",
    hint="First project, then split.",
)


@known.also("layer-meets-one-head")
@module_with
def split_before_the_layers(self, x, mask):
    z = split_heads(x, self.num_heads)
    out, weights = attention_from()(self.query(z), self.key(z), self.value(z), mask)
    return merge_heads(out), weights
