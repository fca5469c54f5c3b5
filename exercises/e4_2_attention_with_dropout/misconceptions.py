"""What people get wrong in exercise 4.2, attention_with_dropout."""

import math

import torch
from torch.nn import functional as F

from exercises.common import explainers, references
from exercises.common.dropping import (
    _INF,
    _NO_GENERATOR,
    _below_normal,
    _evaluated,
    _half,
    _keeps,
    _pair_of,
    _renormalised,
    _rows,
    _where,
)
from exercises.common.properties import COUNT_FROM_THE_END, FROM_THE_FRONT
from exercises.common.single_head import attended, by_one, by_root, right_weights, weights_scaled_by
from exercises.e4_2_attention_with_dropout.shared import _OF_WEIGHTS, _look_attention
from feedback import Misconception

_EVALUATED = _evaluated(_look_attention)


_WHERE = _where(_look_attention)


def _mixes(weigh=right_weights, drop=references.dropout, when=lambda training: training):
    """Attention with dropout, one step of it exchanged."""

    def code(q, k, v, p, training, g=None):
        weights = weigh(q, k)
        if when(training):
            weights = drop(weights, p, g)
        return weights @ v, weights

    return code


def _with_f_dropout(w, p, g):
    return F.dropout(w, p)


def _drops(place, when=lambda training: training):
    """place(q, k, v, drop) gives the pair; drop(x) is a dropout with a draw of its own."""

    def code(q, k, v, p, training, g=None):
        return place(q, k, v, (lambda x: references.dropout(x, p, g)) if when(training) else lambda x: x)

    return code


def _always(training):
    return True


def _of_scores(q, k, v, drop):
    weights = drop(q @ k.transpose(-2, -1) * by_root(q, k)).softmax(-1)
    return weights @ v, weights


def _of_raw_scores(q, k, v, drop):
    weights = (drop(q @ k.transpose(-2, -1)) * by_root(q, k)).softmax(-1)
    return weights @ v, weights


def _of_queries(q, k, v, drop):
    return attended(drop(q), k, v)


def _of_keys(q, k, v, drop):
    return attended(q, drop(k), v)


def _of_both(q, k, v, drop):
    return attended(drop(q), drop(k), v)


def _of_out(q, k, v, drop):
    weights = right_weights(q, k)
    return drop(weights @ v), weights


def _of_values(q, k, v, drop):
    weights = right_weights(q, k)
    return weights @ drop(v), weights


def _kept_secret(q, k, v, drop):
    weights = right_weights(q, k)
    return drop(weights) @ v, weights


def _only_shown(q, k, v, drop):
    weights = right_weights(q, k)
    return weights @ v, drop(weights)


def _two_draws(q, k, v, drop):
    weights = right_weights(q, k)
    return drop(weights) @ v, drop(weights)


def _weights_and_out(q, k, v, drop):
    weights = drop(right_weights(q, k))
    return drop(weights @ v), weights


def _of_axes(shape):
    """Dropout of weights with fewer draws than weights: shape(w) of them."""
    return lambda w, p, g: w * (torch.rand(shape(w), generator=g) >= p) / (1 - p)


def _causally(q, k, low):
    scores = q @ k.transpose(-2, -1) * by_root(q, k)
    return scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), low).softmax(-1)


def _classic(q, k, v, p, training, g=None):
    weights = right_weights(q, k)
    weights = weights * _keeps(weights, p, g) if training else weights * (1 - p)
    return weights @ v, weights


def _also_scaled(q, k, v, p, training, g=None):
    weights = right_weights(q, k)
    weights = references.dropout(weights, p, g) if training else weights / (1 - p)
    return weights @ v, weights


MISCONCEPTIONS = (
        Misconception(
            "always-on", "Weights are dropped in evaluation too: training was not looked at.",
            "In evaluation every weight counts, and the same input gives the same output: if training: ...",
            (_mixes(when=_always), _mixes(drop=_with_f_dropout, when=_always), _drops(_kept_secret, _always),
             _drops(_of_out, _always)), _EVALUATED),
        Misconception(
            "training-turned-around", "Dropout happens in evaluation, and not in training: the wrong way round.",
            "Drop where training is True.", _mixes(when=lambda training: not training), _EVALUATED),
        Misconception(
            "never-on", "Nothing was dropped in training.",
            "dropout(weights, p, generator) gives a new tensor; keep it, and use it for out.",
            _mixes(when=lambda training: False), _OF_WEIGHTS.counted),
        Misconception(
            "before-softmax", "Dropout came before the softmax, on the scores, q or k: none of the weights is 0. A "
            "score of 0 is an ordinary score, and exp(0) = 1.",
            "First the weights, with their softmax; then dropout on the weights.",
            (_drops(_of_scores), _drops(_of_raw_scores), _drops(_of_queries), _drops(_of_keys), _drops(_of_both)),
            _OF_WEIGHTS.counted),
        Misconception(
            "on-out", "Dropout was applied to out; no weight was dropped.",
            "It is single keys that a query may not lean on: drop weights, then multiply by v.",
            _drops(_of_out), _WHERE),
        Misconception(
            "on-values", "Dropout was applied to v; no weight was dropped.",
            "It is single keys that a query may not lean on: drop weights, then multiply by v.",
            _drops(_of_values), _WHERE),
        Misconception(
            "weights-before-dropout", "out is made with dropped weights, but the weights returned are those before "
            "dropout.",
            "Return what multiplied v, so that a picture of the weights shows what happened: one name for both.",
            _drops(_kept_secret), _WHERE),
        Misconception(
            "out-undropped", "The weights returned were dropped, but out was made before, with all of them.",
            "Dropout first, then weights @ v: the order of your lines.", _drops(_only_shown), _WHERE),
        Misconception(
            "two-draws", "out and the weights returned come from two draws: other places are 0 in each.",
            "Call dropout once, give the result a name, and use it twice.", _drops(_two_draws), _WHERE),
        Misconception(
            "on-weights-and-out", "Dropout was applied twice: to the weights, and to out again.",
            "Only the weights are dropped here.", _drops(_weights_and_out), _WHERE),
        Misconception(
            "renormalised", "The weights that were left were made to sum to 1 again (or were dropped as scores of "
            "-inf, which does the same).",
            "Dividing by 1 - p is all: a row may then sum to more or less than 1, and to 1 on average.",
            (_mixes(drop=_renormalised),
             _mixes(drop=lambda w, p, g: w.log().masked_fill(~_keeps(w, p, g), -_INF).softmax(-1)),
             _mixes(drop=lambda w, p, g: F.normalize(w * _keeps(w, p, g), p=1, dim=-1))), _OF_WEIGHTS.scaled),
        Misconception(
            "not-scaled", "The right share of weights was dropped, but those kept were not divided by 1 - p.",
            "Your own dropout from exercise 4.1 does both.",
            _mixes(drop=lambda w, p, g: w * _keeps(w, p, g)), _OF_WEIGHTS.averaged),
        Misconception(
            "times-one-minus-p", "The weights kept were multiplied by 1 - p instead of divided.",
            "Some weights are lost; those left must become larger to make up for it.",
            _mixes(drop=lambda w, p, g: w * _keeps(w, p, g) * (1 - p)), _OF_WEIGHTS.averaged),
        Misconception(
            "divided-by-p", "The weights kept were divided by p instead of 1 - p.",
            "p is the share that is lost; what is left is a share of 1 - p.",
            (_mixes(drop=lambda w, p, g: w * _keeps(w, p, g) / p),
             _mixes(drop=lambda w, p, g: w * _keeps(w, p, g) / p if p else w)), _OF_WEIGHTS.averaged),
        Misconception(
            "share-turned-around", "A share of 1 - p of the weights became 0, and a share of p stayed.",
            "p is the probability of becoming 0. torch.rand(...) < p is True for a share of p.",
            (_mixes(drop=lambda w, p, g: w * ~_keeps(w, p, g) / (1 - p)),
             _mixes(drop=lambda w, p, g: w * ~_keeps(w, p, g)),
             _mixes(drop=lambda w, p, g: w * ~_keeps(w, p, g) / p),
             _mixes(drop=lambda w, p, g: references.dropout(w, 1 - p, g) if p else w * 0)), _OF_WEIGHTS.counted),
        Misconception(
            "dropped-twice", "The weights were dropped twice, with two draws: more became 0 than p says.",
            "One call of dropout.",
            _mixes(drop=lambda w, p, g: references.dropout(references.dropout(w, p, g), p, g)), _OF_WEIGHTS.counted),
        Misconception(
            "whole-queries", "Whole rows were dropped: such a query reads nothing at all.",
            "Every weight has its own draw, as in exercise 4.1.",
            _mixes(drop=_of_axes(_rows)), _OF_WEIGHTS.tied),
        Misconception(
            "same-for-every-query", "The same keys were dropped for several queries, items or heads: there are fewer "
            "draws than weights.",
            "Every weight has its own draw: torch.rand(weights.shape, ...).",
            (_mixes(drop=_of_axes(lambda w: w.shape[-1:])), _mixes(drop=_of_axes(lambda w: w.shape[-2:])),
             _mixes(drop=_of_axes(lambda w: (*w.shape[:-2], 1, w.size(-1)))),
             _mixes(drop=_of_axes(lambda w: w.shape[1:])),
             _mixes(drop=_of_axes(lambda w: (len(w), 1, *w.shape[2:]))),
             _mixes(drop=_of_axes(lambda w: w[..., :1, :, :].shape if w.dim() > 2 else w.shape)),
             _mixes(drop=_of_axes(lambda w: w[:, :1].shape if w.dim() > 3 else w.shape))), _OF_WEIGHTS.tied),
        Misconception(
            "normal-not-uniform", "The share is that of normally distributed numbers below p: it looks as if randn "
            "was drawn.",
            "torch.rand draws evenly from 0 to 1, so that a share of p lies below p. randn does not.",
            (_mixes(drop=_below_normal),
             _mixes(drop=lambda w, p, g: w * (torch.randn(w.shape, generator=g) >= p))), _OF_WEIGHTS.counted),
        Misconception(
            "always-half", "Half of the weights became 0, whatever p is.",
            "Compare the random numbers with p. torch.randint(0, 2, ...) and a rounded torch.rand know only halves.",
            (_mixes(drop=_half), _mixes(drop=lambda w, p, g: _half(w, p, g) / (1 - p)),
             _mixes(drop=lambda w, p, g: _half(w, p, g) * 2)), _OF_WEIGHTS.counted),
        Misconception(
            "only-with-a-generator", "Without a generator nothing was dropped.", _NO_GENERATOR,
            (_mixes(drop=lambda w, p, g: w if g is None else references.dropout(w, p, g)),), _OF_WEIGHTS.counted),
        Misconception(
            "scaled-in-evaluation", "Nothing was divided in training; the weights were multiplied by 1 - p in "
            "evaluation instead.",
            "That is how dropout was first published. Here, as in PyTorch, training does the scaling, so that "
            "evaluation does nothing.", _classic, explainers.row_sum),
        Misconception(
            "divided-in-evaluation", "The weights were divided by 1 - p in evaluation too, where nothing is lost.",
            "The division belongs to dropout, and dropout to training.", _also_scaled, explainers.row_sum),
        Misconception(
            "no-scale", "The scores were not divided by sqrt(D).",
            "Your own attention_weights from exercise 2.3 does all of it.",
            _mixes(weights_scaled_by(by_one)), explainers.sharpness),
        Misconception(
            "scaled-by-d", "The scores were divided by D instead of sqrt(D).",
            "It is the standard deviation that grows like sqrt(D); the variance grows like D.",
            _mixes(weights_scaled_by(lambda q, k: 1 / q.size(-1))), explainers.sharpness),
        Misconception(
            "scaled-by-positions", "The scores were divided by the square root of a number of positions.",
            "D is the size of the last axis of q and k.",
            (_mixes(weights_scaled_by(lambda q, k: 1 / math.sqrt(k.size(-2)))),
             _mixes(weights_scaled_by(lambda q, k: 1 / math.sqrt(q.size(-2))))), explainers.sharpness),
        Misconception(
            "no-softmax", "The values were weighed by the scores themselves: the softmax is missing.",
            "Weights are positive, and in evaluation each row sums to 1.",
            _mixes(lambda q, k: q @ k.transpose(-2, -1) * by_root(q, k)), explainers.row_sum),
        Misconception(
            "over-queries", "The softmax runs over the queries: columns sum to 1, rows do not.",
            "Each query shares out its attention over the keys: the last axis, dim=-1.",
            _mixes(weights_scaled_by(by_root, -2)), explainers.row_sum),
        Misconception(
            "axis-from-the-front", FROM_THE_FRONT, COUNT_FROM_THE_END,
            (_mixes(weights_scaled_by(by_root, 0)), _mixes(weights_scaled_by(by_root, 1))), explainers.row_sum),
        Misconception(
            "causal", "Later keys were hidden: a causal mask, which nobody asked for here.",
            "Every query may read every key. The causal module is exercise 4.3.",
            (_mixes(lambda q, k: _causally(q, k, -_INF)), _mixes(lambda q, k: _causally(q, k, -1e9))),
            explainers.entry),
        Misconception(
            "keys-as-values", "The weights were used to average k instead of v.",
            "Keys decide how much is read; values are what is read.",
            _drops(lambda q, k, v, drop: _pair_of(drop(right_weights(q, k)), k)), explainers.shape),
        Misconception(
            "keys-ask", "Queries and keys have changed places: your rows belong to the keys.",
            "The rows of the weights are the queries: q @ k.transpose(-2, -1).",
            _mixes(lambda q, k: right_weights(k, q)), explainers.shape),
        Misconception(
            "only-out", "Only out was returned; the weights belong to the answer.",
            "End with `return out, weights`.",
            lambda *args: references.attention_with_dropout(*args)[0], explainers.shape),
        Misconception(
            "swapped-pair", "The pair is the wrong way round: out comes first, then the weights.",
            "In this course everything returns (out, weights).",
            lambda *args: references.attention_with_dropout(*args)[::-1], explainers.shape),
)
