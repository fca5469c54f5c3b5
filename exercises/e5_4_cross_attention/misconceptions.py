"""What people get wrong in exercise 5.4, cross_attention."""

import torch

from exercises.common import explainers
from exercises.common.attention_mistakes import (
    MIX_MISTAKES,
    SCALE_MISTAKES,
    SOFTMAX_MISTAKES,
    over_queries,
    unscaled,
)
from exercises.common.attention_steps import INF, attention_from, multi_head_from
from exercises.common.head_mistakes import (
    BY_HAND_MISTAKES,
    HEAD_MISTAKES,
    OUT_PROJ_MISTAKES,
    add_out_proj_by_hand,
    layers_used,
)
from exercises.e5_4_cross_attention.reference import cross_attention
from feedback import Misconceptions
from helpers.attention import dot_product_attention
from helpers.masks import causal_mask


def assemble(**steps):
    """An answer to 5.4 with these steps replaced."""
    attend = multi_head_from(**steps)

    def answer(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
        return attend(x, context, (q_proj, k_proj, v_proj, out_proj), num_heads)

    return answer


known = Misconceptions(assemble)


# ---------------------------------------------------------------- who asks, and which layer


def add_layers(id, means, hint, explain, *used):
    """A mistake in `project`: 'xq' is q_proj(x), 'ck' is k_proj(context), 'x' is x itself."""
    known(id, means, hint, explain)
    for words in used:
        known.also(id, project=layers_used(*words))


add_layers(
    "keys-from-x",
    "The keys were made from x: x is compared with itself.",
    "x only asks. What are its queries compared with, and where does that come from?",
    explainers.shape,
    ("xq", "xk", "cv"),
)
known.also("keys-from-x", project=layers_used("xq", "xk", "cv"), attention=dot_product_attention)
add_layers(
    "values-from-x",
    "The values were made from x; what is read comes from context.",
    "x only asks. What is read, and where does it come from?",
    explainers.out_alone,
    ("xq", "ck", "xv"),
)
known.also("values-from-x", project=layers_used("xq", "ck", "xv"), attention=dot_product_attention)
add_layers(
    "queries-from-context",
    "The queries were made from context: context reads itself, and x has no part in it.",
    "x asks: its queries are what the keys are compared with.",
    explainers.shape,
    ("cq", "ck", "cv"),
)
add_layers(
    "context-ignored",
    "This is self-attention: queries, keys and values all come from x, and context was never used.",
    "x asks, context answers: keys and values come from context.",
    explainers.shape,
    ("xq", "xk", "xv"),
)
add_layers(
    "context-asks",
    "The roles have changed places: context asks and x answers.",
    "out has one row for each position of x: queries from x, keys and values from context.",
    explainers.shape,
    ("cq", "xk", "xv"),
)
add_layers(
    "context-asks-keeping-values",
    "Queries and keys have changed places: the rows of your scores belong to context, their columns to x.",
    "x asks: the rows of the scores belong to the queries, made from x.",
    explainers.shape,
    ("cq", "xk", "cv"),
    ("ck", "xq", "cv"),
)
add_layers(
    "query-layer-for-all",
    "q_proj made the queries, the keys and the values; k_proj and v_proj were never used.",
    "Each of the three layers is needed.",
    explainers.entry,
    ("xq", "cq", "cq"),
)
add_layers(
    "query-layer-twice",
    "q_proj made the keys as well; k_proj was never used.",
    "Each of the three layers is needed.",
    explainers.sharpness,
    ("xq", "cq", "cv"),
)
add_layers(
    "key-layer-twice",
    "k_proj made the queries as well; q_proj was never used.",
    "Each of the three layers is needed.",
    explainers.sharpness,
    ("xk", "ck", "cv"),
)
add_layers(
    "layers-exchanged",
    "q_proj and k_proj have changed places: k_proj was applied to x, q_proj to context.",
    "q_proj makes queries from x, k_proj keys from context.",
    explainers.sharpness,
    ("xk", "cq", "cv"),
)
add_layers(
    "keys-as-values",
    "The weights are right, but they average the keys; v_proj was never used.",
    "Keys decide how much is read; values are what is read.",
    explainers.out_alone,
    ("xq", "ck", "ck"),
)
add_layers(
    "values-as-keys",
    "The queries were compared with the values; k_proj was never used.",
    "Keys decide how much is read.",
    explainers.entry,
    ("xq", "cv", "cv"),
)
add_layers(
    "keys-and-values-exchanged",
    "Keys and values have changed places.",
    "Keys are compared with the queries, values are mixed.",
    explainers.entry,
    ("xq", "cv", "ck"),
)
add_layers(
    "layer-skipped",
    "x or context itself was used where its projection belongs.",
    "Three layers, three results: q_proj(x), k_proj(context) and v_proj(context).",
    explainers.entry,
    ("xq", "ck", "c"),
    ("xq", "c", "cv"),
    ("x", "ck", "cv"),
    ("xq", "c", "c"),
    ("x", "c", "cv"),
    ("x", "c", "c"),
)


@known(
    "reads-both",
    means="x reads itself as well as the context: both were joined before the keys were made.",
    hint="Keys and values come from context alone.",
    explain=explainers.shape,
    step="project",
)
def keys_of_both(x, context, q_proj, k_proj, v_proj):
    both = torch.cat([x, context], dim=1)
    return q_proj(x), k_proj(both), v_proj(both)


@known.also("reads-both", step="project")
def keys_of_both_context_first(x, context, q_proj, k_proj, v_proj):
    both = torch.cat([context, x], dim=1)
    return q_proj(x), k_proj(both), v_proj(both)


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
    means="q, k and v were all cut with the same number of positions; but x has T of them, and context has S.",
    hint="Take the length from what you cut, or let your split_heads from exercise 5.1 do it.",
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
    """The same with every size given, which raises in other words."""
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
    means="The weights are right, but v_proj and out_proj have changed places.",
    hint="v_proj makes the values, which the weights mix; out_proj comes last.",
    explain=explainers.out_alone,
)
def values_by_out_proj(x, context, q_proj, k_proj, v_proj, out_proj, num_heads):
    return cross_attention(x, context, q_proj, k_proj, out_proj, v_proj, num_heads)


known.include(SCALE_MISTAKES, hints={"no-scale": "D is the width of one head: after the split, q.size(-1)."})
known.include(SOFTMAX_MISTAKES, "over-queries", "over-heads", "over-batch", "no-softmax")
known.also("over-queries", softmax=over_queries, scale=unscaled)
known.include(MIX_MISTAKES, "scores-returned", "weights-transposed", "mixed-by-scores", "only-out", "swapped-pair")
