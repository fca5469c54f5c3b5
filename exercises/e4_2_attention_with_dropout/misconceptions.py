"""What people get wrong in exercise 4.2, attention_with_dropout."""

import math

import torch

from exercises.common import explainers
from exercises.common.attention import mistakes
from exercises.common.attention.steps import INF, compare, mix, right_weights, softmax
from exercises.common.dropout.mistakes import dropout_mistakes
from exercises.common.dropout.place_mistakes import place_mistakes
from exercises.common.dropout.steps import (
    dropout,
    dropped_attention_from,
    in_training,
    keep,
    one_for_each_column,
    one_for_each_row,
    one_matrix,
    with_fewer_draws,
)
from exercises.common.dropout.weights import DroppedWeights
from feedback import Misconceptions

DROPPED_WEIGHTS = DroppedWeights(
    weights=lambda args: right_weights(args[0], args[1]),
    values=lambda args: args[2],
    mode=lambda args: args[3:5],
    noun="weights",
    draw="torch.rand(weights.shape, ...)",
    share="Each weight becomes 0 with probability p: `torch.rand` draws uniformly from 0 to 1, so a share of p of "
    "its numbers lies below p. Do those numbers become exactly 0, and no others? "
    "Does any escape the draw?",
)


def assemble(drop=dropout, active=in_training, **steps):
    """Attention with dropout, from the steps of `dropped_attention_from`, and drop(x, p, g) where active(training)."""
    attention = dropped_attention_from(**steps)

    def attention_with_dropout(q, k, v, p, training, generator=None):
        return attention(q, k, v, lambda x: drop(x, p, generator) if active(training) else x)

    return attention_with_dropout


known = Misconceptions(assemble)
dropouts = dropout_mistakes(DROPPED_WEIGHTS)

known.include(place_mistakes(DROPPED_WEIGHTS))
known.include(
    dropouts,
    "renormalized",
    "not-scaled",
    "times-one-minus-p",
    "divided-by-p",
    "share-turned-around",
    "p-kept",
    "counted-share",
    "dropped-twice",
    means={
        "renormalized": "The weights that were left were made to sum to 1 again (or scores were replaced "
        "by -inf before the softmax, which does the same)."
    },
)


known(
    "whole-queries",
    means="Whole rows were dropped: such a query reads nothing at all.",
    hint="Every weight needs its own draw, as in exercise 4.1.",
    explain=DROPPED_WEIGHTS.tied,
    step="drop",
)(with_fewer_draws(one_for_each_row))

known(
    "same-for-every-query",
    means="The same keys were dropped for several queries, items or heads: there are fewer draws than weights.",
    hint="Every weight needs its own draw, as in exercise 4.1.",
    explain=DROPPED_WEIGHTS.tied,
)


def one_row_for_all_queries(w):
    return *w.shape[:-2], 1, w.size(-1)


def one_item(w):
    return w.shape[1:]


def one_for_all_of_axis_1(w):
    return len(w), 1, *w.shape[2:]


def one_head(w):
    return w[..., :1, :, :].shape if w.dim() > 2 else w.shape


def one_head_of_each_item(w):
    return w[:, :1].shape if w.dim() > 3 else w.shape


for shape in (
    one_for_each_column,
    one_matrix,
    one_row_for_all_queries,
    one_item,
    one_for_all_of_axis_1,
    one_head,
    one_head_of_each_item,
):
    known.also("same-for-every-query", step="drop")(with_fewer_draws(shape))

known.include(dropouts, "normal-not-uniform", "always-half", "only-with-a-generator")


# ---------------------------------------------------------------- what happens in evaluation


@known(
    "scaled-in-evaluation",
    means="Nothing was divided in training; the weights were multiplied by 1 - p in evaluation instead.",
    hint="That is how dropout was first published. Here, as in PyTorch, training does the scaling, so that "
    "evaluation does nothing.",
    explain=explainers.row_sum,
)
def scaled_in_evaluation(q, k, v, p, training, generator=None):
    weights = right_weights(q, k)
    weights = weights * keep(weights, p, generator) if training else weights * (1 - p)
    return weights @ v, weights


@known(
    "divided-in-evaluation",
    means="The weights were divided by 1 - p in evaluation too, where nothing is lost.",
    hint="The division belongs to dropout, and dropout to training.",
    explain=explainers.row_sum,
)
def divided_in_evaluation(q, k, v, p, training, generator=None):
    weights = right_weights(q, k)
    weights = dropout(weights, p, generator) if training else weights / (1 - p)
    return weights @ v, weights


# ---------------------------------------------------------------- attention without dropout

known.include(
    mistakes.SCALE_MISTAKES,
    "no-scale",
    "scaled-by-d",
    "root-without-brackets",
    "divided-by-d-and-by-2",
    "root-of-two",
    "fixed-scale",
    "multiplied",
    "scaled-by-another",
    "scaled-after-softmax",
    means={
        "scaled-by-another": "The scores were divided by the square root of a size other than D: of a number of "
        "positions or items, or of the width of v."
    },
)


@known.also("scaled-by-another", step="attend")
def scaled_by_the_width_of_the_values(q, k, v, drop, mask):
    weights = drop(softmax(compare(q, k) / math.sqrt(v.size(-1))))
    return mix(weights, v, q, k), weights


known.include(mistakes.SOFTMAX_MISTAKES, "no-softmax", "over-queries", "axis-from-the-front", "softmax-twice")


@known(
    "causal",
    means="Later keys were hidden: a causal mask, which nobody asked for here.",
    hint="Every query may read every key. The causal module is exercise 4.3.",
    explain=explainers.entry,
    step="hide",
)
def future_hidden(scores, mask):
    return scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), -INF)


known.include(mistakes.MIX_MISTAKES, "keys-as-values", "scores-returned", "only-out", "swapped-pair")
known.include(mistakes.COMPARE_MISTAKES, "keys-ask", "all-axes-reversed")

known(
    "axes-swapped-from-the-front",
    means="You count the axes of k to swap from the front, so this works only for inputs with exactly that many axes.",
    hint="Which two axes are to be swapped, counted from the end?",
    explain=explainers.shape,
)


@known.also("axes-swapped-from-the-front", step="compare")
def axes_0_and_1_swapped(q, k):
    return q @ k.transpose(0, 1)


@known.also("axes-swapped-from-the-front", step="compare")
def axes_1_and_2_swapped(q, k):
    return q @ k.transpose(1, 2)
