"""What people get wrong in exercise 4.3, CausalAttention."""

import math

import torch
from torch import nn

from exercises.common import explainers
from exercises.common.attention import mistakes
from exercises.common.attention.projections import PROJECTIONS
from exercises.common.attention.steps import INF, compare, right_weights, scale
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
from exercises.common.dropout.weights import DroppedWeights
from exercises.common.masks.mistakes import MASK_MISTAKES
from exercises.common.modules import Blank
from feedback import Misconceptions
from helpers.masks import causal_mask

# ---------------------------------------------------------------- what is right


def queries_keys_values(args):
    x, *weights = args[:4]
    return [x @ weight.to(x.dtype).mT for weight in weights]


def causal_weights(args):
    q, k, _ = queries_keys_values(args)
    return right_weights(q, k, causal_mask(q.size(1)))


def values(args):
    return queries_keys_values(args)[2]


DROPPED_WEIGHTS = DroppedWeights(
    weights=causal_weights,
    values=values,
    mode=lambda args: args[-2:],
    noun="visible weights",
    draw="nn.Dropout",
    p_name="dropout",
    share="`nn.Dropout(dropout)` zeroes each weight with probability dropout. Is it given this very number, and "
    "applied once?",
)


def future(case):
    """The hidden key that gets the largest weight."""
    hidden = ~causal_mask(case.last.size(-1))
    leak = case.last.double().nan_to_num(0.0) * hidden
    if not leak.any():
        return explainers.not_a_number(case) if case.last.isnan().any() else explainers.entry(case)
    at = explainers.worst(leak, torch.zeros_like(leak))
    return (
        f"position {at[-2]} reads position {at[-1]}, which comes later, with the weight {explainers.number(leak[at])}"
    )


# ---------------------------------------------------------------- wrong answers, from wrong steps


def project(x, W_query, W_key, W_value, drop):
    return W_query(x), W_key(x), W_value(x)


def cut(mask, length, training):
    """The part of the buffer that is used, True = may attend."""
    return mask[:length, :length]


def assemble(project=project, cut=cut, drop=dropout, active=in_training, **steps):
    """A module, from the steps of `dropped_attention_from`, of dropout and its own: project, and cut the mask."""
    attention = dropped_attention_from(**steps)

    class Wrong(nn.Module):
        def __init__(self, d_in, d_out, context_length, dropout):
            super().__init__()
            for name in PROJECTIONS:
                setattr(self, name, Blank(d_in, d_out, bias=False))
            self.p = dropout
            self.register_buffer("mask", causal_mask(context_length))

        def dropped(self, x):
            return drop(x, self.p) if active(self.training) else x

        def forward(self, x):
            layers = (getattr(self, name) for name in PROJECTIONS)
            mask = cut(self.mask, x.size(1), self.training)
            return attention(*project(x, *layers, self.dropped), self.dropped, mask)

    return Wrong


known = Misconceptions(assemble)
dropouts = dropout_mistakes(DROPPED_WEIGHTS)


# ---------------------------------------------------------------- when and where dropout is applied

known.include(
    place_mistakes(DROPPED_WEIGHTS),
    means={
        "always-on": "In evaluation something is dropped: the module does not look at its mode, or turns it around.",
        "before-softmax": "Dropout came before the softmax (or before a second one): on the scores, q, k or x. A "
        "dropped score is not a hidden one, since `exp(0)` = 1.",
        "on-values": "Dropout was applied to the values; no weight was dropped.",
    },
    hints={
        "always-on": "Where does your code look at the mode? `nn.Dropout` does so by itself, if made in "
        "`__init__` and kept on self; `F.dropout` must be given `self.training`.",
        "training-turned-around": "`self.training` is True in training, and `nn.Dropout` looks at it by itself.",
        "before-softmax": "First the weights, with mask and softmax; then dropout on the weights.",
    },
)


@known.also("before-softmax", step="attend")
def scores_dropped_with_their_fill(q, k, v, drop, mask):
    """A low number that is dropped becomes 0, and hides nothing."""
    weights = drop((compare(q, k) * scale(q, k)).masked_fill(~mask, -1e9)).softmax(dim=-1)
    return weights @ v, weights


def input_dropped(x, W_query, W_key, W_value, drop):
    x = drop(x)
    return W_query(x), W_key(x), W_value(x)


def weights_not_dropped(q, k, v, drop, mask):
    weights = right_weights(q, k, mask)
    return weights @ v, weights


known.also("before-softmax", project=input_dropped, attend=weights_not_dropped)
known.also("on-scores-and-weights", project=input_dropped)


@known.also("on-scores-and-weights", step="attend")
def scores_with_their_fill_and_weights_dropped(q, k, v, drop, mask):
    _, weights = scores_dropped_with_their_fill(q, k, v, drop, mask)
    weights = drop(weights)
    return weights @ v, weights


# ---------------------------------------------------------------- dropout itself

include_mistakes_of_a_layer(known, dropouts)


@known.also("dropped-twice", step="drop")
def half_dropped_and_then_dropped(x, p, generator=None):
    """F.dropout without p, next to self.dropout."""
    return dropout(dropout(x, 0.5), p)


known(
    "whole-positions",
    means="Several weights became 0 together: there are fewer draws than weights.",
    hint="Every weight has its own draw. `nn.Dropout` does that; `nn.Dropout1d` and 2d drop whole rows or more.",
    explain=DROPPED_WEIGHTS.tied,
)


def one_row_for_each_item(w):
    return len(w), 1, w.size(-1)


for shape in (one_for_each_column, one_matrix, one_for_each_row, one_row_for_each_item):
    known.also("whole-positions", step="drop")(with_fewer_draws(shape))


# ---------------------------------------------------------------- the mask


@known(
    "mask-cut-elsewhere",
    means="For an x shorter than `context_length`, the wrong part of the mask was used: it no longer has its "
    "diagonal from corner to corner.",
    hint="Which rows and which columns of the mask belong to the positions 0 to T - 1?",
    explain=future,
    step="cut",
)
def rows_from_the_end(mask, length, training):
    return mask[-length:, :length]


@known.also("mask-cut-elsewhere", step="cut")
def columns_from_the_end(mask, length, training):
    return mask[:length, -length:]


def filled_with_a_finite_number(scores, mask):
    return scores.masked_fill(~mask, -1e9)


known.also("mask-cut-elsewhere", cut=columns_from_the_end, fill=filled_with_a_finite_number)

known.include(
    MASK_MISTAKES,
    "mask-ignored",
    "true-hides",
    "zero-filled",
    "weak-fill",
    "mask-added",
    "mask-inverted-added",
    "zero-times-infinity",
    "positive-fill",
    "infinite-fill",
    explain=future,
    means={
        "mask-ignored": "Nothing is hidden: every position reads the future.",
        "true-hides": "The mask was read the wrong way around: the future is read, and the past is hidden.",
        "weak-fill": "The fill is not low enough: the future keeps a weight.",
        "mask-added": "The mask was added to the scores as numbers: some become larger by 1, and nothing is hidden.",
        "mask-inverted-added": "The mask was added to the scores as numbers: the scores of the future become larger "
        "by 1, and nothing is hidden.",
        "zero-times-infinity": "The numbers are NaN: multiplying a mask by -inf does that, since 0 * -inf is NaN, "
        "not 0.",
    },
    hints={
        "mask-ignored": "Does the mask reach the scores? `masked_fill` returns a new tensor: keep it.",
        "true-hides": "`masked_fill` fills where its mask is True. Is yours True above the diagonal, or below it?",
        "weak-fill": "Which number is lower than every score?",
        "mask-added": "Only a mask of 0 and -inf can be added. What is yours made of?",
        "mask-inverted-added": "Only a mask of 0 and -inf can be added. What is yours made of?",
        "zero-times-infinity": "How can -inf be written only where the future is, without multiplying anything by it?",
    },
)


@known(
    "mask-only-in-training",
    means="The future is hidden in training only: in evaluation every position reads it.",
    hint="Take the mask out of `if self.training`: only dropout depends on the mode.",
    explain=future,
    step="cut",
)
def cut_in_training(mask, length, training):
    return cut(mask, length, training) if training else torch.ones_like(cut(mask, length, training))


@known(
    "mask-only-in-evaluation",
    means="The future is hidden in evaluation only: in training every position reads it, and learns to copy it.",
    hint="The mask belongs to both modes: only dropout depends on the mode.",
    explain=future,
    step="cut",
)
def cut_in_evaluation(mask, length, training):
    return cut_in_training(mask, length, not training)


@known.also("true-hides", step="fill")
def past_filled(scores, mask):
    return scores.masked_fill(~mask.mT, -INF)


def add_hidden_diagonal(value):
    @known.also("diagonal-hidden", step="fill")
    def filled_from_the_diagonal(scores, mask):
        return scores.masked_fill(~mask.tril(-1), value)


known(
    "diagonal-hidden",
    means="The diagonal is hidden too: no position reads itself, and position 0 has nothing to read.",
    hint="Position i may read 0 to i. On which diagonal does your triangle begin?",
    explain=future,
)
add_hidden_diagonal(-INF)
add_hidden_diagonal(-1e9)


@known(
    "one-step-ahead",
    means="Each position also reads the next one: the word that it should predict.",
    hint="Position i may read 0 to i. On which diagonal does your triangle begin?",
    explain=future,
    step="fill",
)
def filled_one_step_later(scores, mask):
    return scores.masked_fill(torch.ones_like(mask).triu(2), -INF)


known.include(
    MASK_MISTAKES,
    "masked-after-softmax",
    "weights-filled",
    "softmax-twice",
    hints={
        "masked-after-softmax": "Hide the scores first; then the softmax shares everything out among the visible "
        "positions."
    },
)


# ---------------------------------------------------------------- attention without mask and dropout

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
    means={
        "no-scale": "The scores were not divided by `sqrt(d_out)`.",
        "scaled-by-d": "The scores were divided by `d_out` instead of its square root.",
        "multiplied": "The scores were multiplied by `sqrt(d_out)` instead of divided by it.",
        "scaled-by-another": "The scores were divided by the square root of the number of positions or items.",
    },
    hints={
        "scaled-by-another": "Which axis does a dot product sum over? Its size is `q.size(-1)`.",
        "no-scale": "q and k have `d_out` features: divide the scores by the root of `q.size(-1)`.",
    },
)


@known(
    "scaled-by-input",
    means="The scores were divided by `sqrt(d_in)`; the dot products run over `d_out` features.",
    hint="Take the size from q itself: `q.size(-1)`.",
    explain=explainers.sharpness,
    step="project",
)
def queries_scaled_by_the_input(x, W_query, W_key, W_value, drop):
    """The same as scores divided by sqrt(d_in) in place of sqrt(d_out)."""
    q, k, v = project(x, W_query, W_key, W_value, drop)
    return q * math.sqrt(q.size(-1) / x.size(-1)), k, v


known.include(
    mistakes.SOFTMAX_MISTAKES,
    "over-queries",
    "over-batch",
    "no-softmax",
    hints={
        "over-queries": "Which axis of (B, T, T) are the keys?",
        "over-batch": "Which axis of (B, T, T) are the keys?",
        "no-softmax": "Weights are positive; in evaluation each row sums to 1.",
    },
)


known.also("over-batch", softmax=mistakes.over_the_batch, fill=filled_with_a_finite_number)


@known.also("no-softmax", step="masked_softmax")
def scores_times_mask(scores, mask):
    return scores * mask


known.include(
    mistakes.COMPARE_MISTAKES,
    "keys-ask",
    "all-axes-reversed",
    means={"keys-ask": "`W_query` and `W_key` have changed places: position j asks position i."},
    hints={"keys-ask": "Row i must hold position i's query against all keys."},
)

known(
    "axes-swapped-from-the-front",
    means="The wrong axes of k change places: B and T, instead of T and `d_out`.",
    hint="Which two axes are to be swapped, counted from the end?",
    explain=explainers.shape,
)


@known.also("axes-swapped-from-the-front", step="compare")
def axes_0_and_1_swapped(q, k):
    return q @ k.transpose(0, 1)


@known(
    "query-layer-twice",
    means="`W_query` made the keys as well, in place of `W_key`.",
    hint="Which layer makes k?",
    explain=explainers.sharpness,
    step="project",
)
def queries_as_keys(x, W_query, W_key, W_value, drop):
    return W_query(x), W_query(x), W_value(x)


@known(
    "key-layer-twice",
    means="`W_key` made the queries as well, in place of `W_query`.",
    hint="Which layer makes q?",
    explain=explainers.sharpness,
    step="project",
)
def keys_as_queries(x, W_query, W_key, W_value, drop):
    return W_key(x), W_key(x), W_value(x)


known.include(
    mistakes.MIX_MISTAKES,
    "keys-as-values",
    "queries-as-values",
    means={
        "keys-as-values": "The weights average the keys; `W_value` was never used.",
        "queries-as-values": "The weights average the queries; `W_value` was never used.",
    },
    hints={"queries-as-values": "Values are what is read. Which layer makes them?"},
    explain=explainers.out_alone,
)


@known(
    "input-as-values",
    means="The weights average x itself; `W_value` was never used.",
    hint="Values are a projection of x too. Which layer makes them?",
    explain=explainers.shape,
    step="project",
)
def input_as_values(x, W_query, W_key, W_value, drop):
    return W_query(x), W_key(x), x


known.include(
    mistakes.MIX_MISTAKES,
    "weights-transposed",
    "only-out",
    "swapped-pair",
    hints={"only-out": "End forward with `return out, weights`."},
)
