"""What people get wrong in exercise 5.5, MultiHeadAttention."""

import torch

from exercises.common import explainers
from exercises.common.attention.mistakes import MIX_MISTAKES, SCALE_MISTAKES, SOFTMAX_MISTAKES, over_queries, unscaled
from exercises.common.attention.steps import give, multi_head_from
from exercises.common.dropout.mistakes import dropout_mistakes, include_mistakes_of_a_layer
from exercises.common.dropout.place_mistakes import place_mistakes
from exercises.common.dropout.steps import (
    dropout,
    dropped_attention_from,
    in_training,
    one_for_each_column,
    one_for_each_row,
    one_matrix,
    with_fewer_draws,
)
from exercises.common.heads.inputs import PROJECTIONS
from exercises.common.heads.layer_mistakes import (
    BY_HAND_MISTAKES,
    CONTEXT_MISTAKES,
    OUT_PROJ_MISTAKES,
    add_out_proj_by_hand,
)
from exercises.common.heads.mistakes import HEAD_MISTAKES
from exercises.common.masks.mistakes import MASK_MISTAKES
from exercises.common.modules import Assembled
from exercises.e5_5_multi_head_module.comparison import DROPPED_WEIGHTS
from feedback import Misconceptions
from helpers.heads import merge_heads, split_heads


def module_with(forward):
    """A module with the four layers and the given forward(self, x, context, mask)."""

    class Wrong(Assembled):
        def __init__(self, d_model, num_heads, dropout=0.0, layers=()):
            super().__init__(PROJECTIONS, d_model, layers)
            self.num_heads, self.p = num_heads, dropout

        def forward(self, x, context=None, mask=None):
            return forward(self, x, context, mask)

    return Wrong


def layers_of(module):
    return [getattr(module, name) for name in PROJECTIONS]


def read_from(x, context):
    """The right step `read`: what is read where no context is given."""
    return x if context is None else context


def visible(mask, training, context):
    """The right step `visible`: the mask that is used."""
    return mask


def assemble(
    drop=dropout,
    active=in_training,
    layers=layers_of,
    read=read_from,
    visible=visible,
    attention=None,
    give=give,
    attend=None,
    **steps,
):
    """A module, from the steps of `multi_head_from`, of `dropped_attention_from` and of dropout, and its own.

    attention(q, k, v, mask) replaces the steps within the heads, dropout included.
    """
    around = {name: steps.pop(name) for name in ("project", "split", "merge", "finish") if name in steps}
    within = dropped_attention_from(attend=attend, **steps)

    def forward(self, x, context, mask):
        def dropped(z):
            return drop(z, self.p) if active(self.training) else z

        def in_each_head(q, k, v, mask=None):
            return attention(q, k, v, mask) if attention else within(q, k, v, dropped, mask)

        whole = multi_head_from(**around, attention=in_each_head, give=give)
        return whole(x, read(x, context), layers(self), self.num_heads, visible(mask, self.training, context))

    return module_with(forward)


known = Misconceptions(assemble)
place = place_mistakes(DROPPED_WEIGHTS)
dropouts = dropout_mistakes(DROPPED_WEIGHTS)


# ---------------------------------------------------------------- the heads, and the layers

known.include(
    HEAD_MISTAKES,
    hints={
        "mask-reshaped": "Leave its shape alone: shapes are lined up from the right, so (S,), (T, S), (H, T, S) and "
        "(B, 1, 1, S) all stretch to (B, H, T, S)."
    },
)
known.include(OUT_PROJ_MISTAKES)
known.include(
    SCALE_MISTAKES,
    hints={"no-scale": "D is the width of one head: after the split, `q.size(-1)`."},
)
known.include(SOFTMAX_MISTAKES, "over-queries", "over-heads", "over-batch", "no-softmax")
known.also("over-queries", softmax=over_queries, scale=unscaled)
known.include(MIX_MISTAKES, "scores-returned", "weights-transposed", "mixed-by-scores", "only-out", "swapped-pair")
known.include(
    CONTEXT_MISTAKES,
    means={
        "context-asks-keeping-values": "Queries and keys have changed places: a row of your scores belongs to a key, "
        "not to a query.",
    },
    hints={
        "context-asks-keeping-values": "Row i must hold the query of position i of x against all keys: `q @ "
        "k.transpose(-2, -1)`.",
        "layer-skipped": "Three layers, three results: `q_proj(x)`, `k_proj(context)` and `v_proj(context)`.",
    },
)
known.include(BY_HAND_MISTAKES)
add_out_proj_by_hand(known)


@known(
    "values-and-out-exchanged",
    means="The weights are right, but `v_proj` and `out_proj` have changed places.",
    hint="`v_proj` makes the values, which the weights mix; `out_proj` comes last.",
    explain=explainers.out_alone,
    step="layers",
)
def values_by_out_proj(module):
    q_proj, k_proj, v_proj, out_proj = layers_of(module)
    return q_proj, k_proj, out_proj, v_proj


# ---------------------------------------------------------------- a context, or none


@known(
    "context-needed",
    means="Without a context the code stops: context is None then, and x should read itself.",
    hint="Where context is None, keys and values come from x: which line at the top of forward says so?",
    step="read",
)
def context_even_if_none(x, context):
    return context


@known(
    "context-never-none",
    means="x is read even where a context is given: your code looks for the context the wrong way around.",
    hint="Only where context is None does x stand in its place: context = x if context is None else context.",
    explain=explainers.shape,
    step="read",
)
def context_where_there_is_none(x, context):
    return context if context is None else x


@known.also("reads-both", step="read")
def both_where_there_is_a_context(x, context):
    return x if context is None else torch.cat([x, context], dim=1)


def with_lengths(cut, joined=None):
    """Queries, keys and values are all cut into cut(x, context) positions, where it is given, and joined likewise."""

    def forward(self, x, context, mask):
        context, (B, _, C) = read_from(x, context), x.shape
        q_proj, k_proj, v_proj, out_proj = layers_of(self)
        projected = q_proj(x), k_proj(context), v_proj(context)
        q, k, v = (
            z.reshape(B, cut(x, context) if cut else z.size(1), self.num_heads, C // self.num_heads).transpose(1, 2)
            for z in projected
        )

        def dropped(z):
            return dropout(z, self.p) if self.training else z

        out, weights = dropped_attention_from()(q, k, v, dropped, mask)
        length = (joined or cut)(x, context)
        return out_proj(out.transpose(1, 2).reshape(B, length, C)), weights

    return module_with(forward)


def length_of_x(x, context):
    return x.size(1)


def length_of_context(x, context):
    return context.size(1)


known(
    "one-length-for-all",
    means="q, k, v and out were not all cut with their own number of positions: q and out have T of them, as x; k and "
    "v have S, as context.",
    hint="Take the length from what you cut, or let your `split_heads` and `merge_heads` do it.",
    explain=explainers.shape,
)(with_lengths(length_of_x))
known.also("one-length-for-all")(with_lengths(length_of_context))
known.also("one-length-for-all")(with_lengths(None, length_of_context))


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


# ---------------------------------------------------------------- the mask

known.include(MASK_MISTAKES)


@known(
    "mask-for-self-attention-only",
    means="With a context the mask was not used.",
    hint="A context may have padding, too. Where does your code drop the mask?",
    explain=explainers.hidden_weight,
    step="visible",
)
def mask_only_without_context(mask, training, context):
    return mask if context is None else None


@known(
    "mask-for-context-only",
    means="Without a context the mask was not used.",
    hint="The mask may come alone: `forward(x, None, mask)`. Where does your code drop it?",
    explain=explainers.hidden_weight,
    step="visible",
)
def mask_only_with_context(mask, training, context):
    return None if context is None else mask


known.include(MIX_MISTAKES, "mask-for-out-only", "mask-for-weights-only")


@known(
    "mask-only-in-training",
    means="The mask is used in training only: in evaluation hidden keys are read.",
    hint="Take the mask out of `if self.training`: only dropout depends on the mode.",
    explain=explainers.hidden_weight,
    step="visible",
)
def mask_in_training(mask, training, context):
    return mask if training else None


@known(
    "mask-only-in-evaluation",
    means="The mask is used in evaluation only: in training hidden keys are read.",
    hint="The mask belongs to both modes: only dropout depends on the mode.",
    explain=explainers.hidden_weight,
    step="visible",
)
def mask_in_evaluation(mask, training, context):
    return None if training else mask


# ---------------------------------------------------------------- dropout

known.include(
    place,
    means={
        "always-on": "In evaluation something is dropped: the module does not look at its mode, or turns it around.",
        "before-softmax": "Dropout came before the softmax: on the scores, q, k or x. A dropped score is not a "
        "hidden one, since `exp(0)` = 1.",
        "on-values": "Dropout was applied to the values; no weight was dropped.",
    },
    hints={
        "always-on": "Where does your code look at the mode? `nn.Dropout` does so by itself, if made in "
        "`__init__`; `F.dropout` must be given `self.training`.",
        "training-turned-around": "`self.training` is True in training, and `nn.Dropout` looks at it by itself.",
        "before-softmax": "First the weights, with mask and softmax; then dropout on the weights.",
    },
)


include_mistakes_of_a_layer(known, dropouts)

known(
    "whole-positions",
    means="Several weights became 0 together: there are fewer draws than weights.",
    hint="Every weight of every head has its own draw. `nn.Dropout` does that; `nn.Dropout1d` and 2d drop whole "
    "rows or more.",
    explain=DROPPED_WEIGHTS.tied,
)


def one_for_all_heads(w):
    return len(w), 1, *w.shape[-2:]


for shape in (one_for_all_heads, one_for_each_column, one_matrix, one_for_each_row):
    known.also("whole-positions", step="drop")(with_fewer_draws(shape))
