"""What people get wrong in exercise 5.4, cross_attention."""

import torch

from exercises.common import explainers
from exercises.common.attention.mistakes import MIX_MISTAKES, SCALE_MISTAKES, SOFTMAX_MISTAKES, over_queries, unscaled
from exercises.common.attention.steps import INF, attention_from, multi_head_from
from exercises.common.heads.layer_mistakes import (
    BY_HAND_MISTAKES,
    CONTEXT_MISTAKES,
    OUT_PROJ_MISTAKES,
    add_out_proj_by_hand,
)
from exercises.common.heads.mistakes import HEAD_MISTAKES
from exercises.e5_4_cross_attention.reference import cross_attention
from feedback import Misconceptions
from helpers.masks import causal_mask


def assemble(**steps):
    """An answer to 5.4 with these steps replaced."""
    attend = multi_head_from(**steps)

    def answer(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
        return attend(x, context, (q_proj, k_proj, v_proj, out_proj), num_heads)

    return answer


known = Misconceptions(assemble)
known.include(CONTEXT_MISTAKES)
known.include(SOFTMAX_MISTAKES, "softmax-twice")

known(
    "causal",
    means="A causal mask was made here: later positions of context are hidden.",
    hint="context is not the past of x: every position of x may read all of it.",
    explain=explainers.sharpness,
)


@known.also("causal", step="hide")
def later_positions_hidden(scores, mask):
    return scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), -INF)


@known.also("causal", step="hide")
def square_mask(scores, mask):
    return scores.masked_fill(~causal_mask(scores.size(-2)), -INF)


# ---------------------------------------------------------------- two lengths


def cut_to_length(z, length, num_heads):
    return z.reshape(z.size(0), length, num_heads, -1).transpose(1, 2)


def attended(q, k, v, out_proj):
    out, weights = attention_from()(q, k, v)
    return out_proj(out.transpose(1, 2).flatten(2)), weights


@known(
    "one-length-for-all",
    means="q, k and v were not each cut with their own number of positions: x has T of them, and context has S.",
    hint="Take the length from what you cut, or let your `split_heads` from exercise 5.1 do it.",
    explain=explainers.shape,
)
def length_of_x_for_all(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = (cut_to_length(z, x.size(1), num_heads) for z in (q_proj(x), k_proj(context), v_proj(context)))
    return attended(q, k, v, out_proj)


@known.also("one-length-for-all")
def length_of_context_for_all(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = (cut_to_length(z, context.size(1), num_heads) for z in (q_proj(x), k_proj(context), v_proj(context)))
    return attended(q, k, v, out_proj)


def cut_to_sizes(z, length, num_heads):
    """Heads cut with every size given: where they do not fit, another message is raised."""
    return z.view(z.size(0), length, num_heads, z.size(2) // num_heads).transpose(1, 2)


@known.also("one-length-for-all")
def sizes_of_x_for_all(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = (cut_to_sizes(z, x.size(1), num_heads) for z in (q_proj(x), k_proj(context), v_proj(context)))
    return attended(q, k, v, out_proj)


@known.also("one-length-for-all")
def sizes_of_context_for_all(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    q, k, v = (cut_to_sizes(z, context.size(1), num_heads) for z in (q_proj(x), k_proj(context), v_proj(context)))
    return attended(q, k, v, out_proj)


# ---------------------------------------------------------------- as in 5.3

known.include(HEAD_MISTAKES, *(id for id in HEAD_MISTAKES.ids if id != "mask-reshaped"))
known.include(OUT_PROJ_MISTAKES)
known.include(BY_HAND_MISTAKES)
add_out_proj_by_hand(known)


@known(
    "values-and-out-exchanged",
    means="The weights are right, but `v_proj` and `out_proj` have changed places.",
    hint="`v_proj` makes the values, which the weights mix; `out_proj` comes last.",
    explain=explainers.out_alone,
)
def values_by_out_proj(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    return cross_attention(x, context, q_proj, k_proj, out_proj, v_proj, num_heads)


known.include(SCALE_MISTAKES, hints={"no-scale": "D is the width of one head: after the split, `q.size(-1)`."})
known.include(SOFTMAX_MISTAKES, "over-queries", "over-heads", "over-batch", "no-softmax")
known.also("over-queries", softmax=over_queries, scale=unscaled)
known.include(MIX_MISTAKES, "scores-returned", "weights-transposed", "mixed-by-scores", "only-out", "swapped-pair")
