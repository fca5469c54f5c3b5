"""What people get wrong in exercise 4.3, CausalAttention."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from exercises.common import explainers
from exercises.common.dropping import _INF, _evaluated, _keeps, _pair_of, _renormalised, _rows, _where
from exercises.common.self_attention import PROJECTIONS
from exercises.common.single_head import by_root
from exercises.e4_3_causal_attention.shared import _OF_CAUSAL, _future, _look_causal
from feedback import Misconception
from helpers.masks import causal_mask

_CAUSAL_EVALUATED = _evaluated(_look_causal, "dropout")


_CAUSAL_WHERE = _where(_look_causal, "dropout")


def _causal_module(forward, layer=nn.Dropout, bias=False):
    """A module with the three projections, the mask and the given forward: the frame of every wrong 4.3."""

    class Wrong(nn.Module):
        def __init__(self, d_in, d_out, context_length, dropout):
            super().__init__()
            for name in PROJECTIONS:
                setattr(self, name, nn.Linear(d_in, d_out, bias=bias))
            self.p, self.drop = dropout, layer(dropout)
            self.register_buffer("mask", causal_mask(context_length))

        def forward(self, x):
            return forward(self, x)

    return Wrong


def _scores(q, k, x):
    return q @ k.mT * by_root(q, k)


def _cut(mask, length):
    return mask[:length, :length]


def _filled(scores, mask):
    return scores.masked_fill(~mask, -_INF)


def _steps(score=_scores, cut=_cut, hide=_filled, dim=-1, drop=lambda self, weights: self.drop(weights), mix=None,
           layer=nn.Dropout):
    """Causal attention with dropout, one step of it exchanged; mix(self, x) are the values."""

    def forward(self, x):
        q, k, v = (getattr(self, name)(x) for name in PROJECTIONS)
        weights = drop(self, hide(score(q, k, x), cut(self.mask, x.size(1))).softmax(dim))
        return weights @ (mix(self, x) if mix else v), weights

    return _causal_module(forward, layer)


def _places(place, layer=nn.Dropout):
    """place(q, k, v, drop, mask) gives the pair."""

    def forward(self, x):
        return place(*(getattr(self, name)(x) for name in PROJECTIONS), self.drop, _cut(self.mask, x.size(1)))

    return _causal_module(forward, layer)


def _hidden_weights(q, k, mask):
    return _filled(q @ k.mT * by_root(q, k), mask).softmax(-1)


def _pairs_causally(weigh):
    """forward with weigh(q, k, mask, drop) giving the weights."""
    return _places(lambda q, k, v, drop, mask: _pair_of(weigh(q, k, mask, drop), v))


def _masked_when(when):
    """The mask in one mode only."""

    def forward(self, x):
        q, k, v = (getattr(self, name)(x) for name in PROJECTIONS)
        mask = _cut(self.mask, x.size(1)) if when(self.training) else torch.tensor(True)
        weights = self.drop(_hidden_weights(q, k, mask))
        return weights @ v, weights

    return _causal_module(forward)


def _dropped_input(self, x):
    q, k, v = (getattr(self, name)(self.drop(x)) for name in PROJECTIONS)
    return _pair_of(_hidden_weights(q, k, _cut(self.mask, x.size(1))), v)


def _dropped_input_once(self, x):
    x = self.drop(x)
    q, k, v = (getattr(self, name)(x) for name in PROJECTIONS)
    return _pair_of(_hidden_weights(q, k, _cut(self.mask, x.size(1))), v)


def _by_hand(drop):
    """Dropout written by hand: drop(weights, p), in training."""
    return _steps(drop=lambda self, w: drop(w, self.p) if self.training else w)


def _of_hidden_out(q, k, v, drop, mask):
    weights = _hidden_weights(q, k, mask)
    return drop(weights @ v), weights


def _dropped_again(weights, v, drop):
    return drop(weights @ v), weights


def _transposed_mix(weights, v):
    return weights.mT @ v, weights


class _AlwaysOn(nn.Dropout):
    """What a new nn.Dropout in every forward, and F.dropout without training=, do."""

    def forward(self, x):
        return F.dropout(x, self.p)


class _TurnedAround(nn.Dropout):
    def forward(self, x):
        return F.dropout(x, self.p, not self.training)


def _nothing(p):
    return nn.Identity()


def _twice(self, w):
    return self.drop(self.drop(w))


def _from(name, other):
    """The layer `other` in the place of `name`."""

    def forward(self, x):
        layers = [other if own == name else own for own in PROJECTIONS]
        q, k, v = (getattr(self, layer)(x) for layer in layers)
        weights = self.drop(_hidden_weights(q, k, _cut(self.mask, x.size(1))))
        return weights @ v, weights

    return _causal_module(forward)


MISCONCEPTIONS = (
        Misconception(
            "always-on", "Weights are dropped in evaluation too: the module does not look at its mode.",
            "Make self.dropout = nn.Dropout(dropout) in __init__, or call F.dropout(weights, p, self.training). (A new "
            "nn.Dropout in forward is always in training.)",
            (_steps(layer=_AlwaysOn), _places(lambda q, k, v, drop, mask: _of_hidden_out(q, k, v, drop, mask),
                                              _AlwaysOn),
             _places(lambda q, k, v, drop, mask: (drop(_hidden_weights(q, k, mask)) @ v, _hidden_weights(q, k, mask)),
                     _AlwaysOn)), _CAUSAL_EVALUATED),
        Misconception(
            "training-turned-around", "Dropout happens in evaluation, and not in training: the wrong way round.",
            "self.training is True in training: F.dropout(weights, p, self.training), or simply nn.Dropout.",
            _steps(layer=_TurnedAround), _CAUSAL_EVALUATED),
        Misconception(
            "never-on", "Nothing was dropped in training.",
            "A dropout layer gives a new tensor: weights = self.dropout(weights), before weights @ v.",
            _steps(layer=_nothing), _OF_CAUSAL.counted),
        Misconception(
            "before-softmax", "Dropout came before the softmax: on the scores, q, k or x. A dropped score is not a "
            "hidden one, since exp(0) = 1.",
            "First the weights, with mask and softmax; then dropout on the weights.",
            (_pairs_causally(lambda q, k, mask, drop: _filled(drop(q @ k.mT * by_root(q, k)), mask).softmax(-1)),
             _pairs_causally(lambda q, k, mask, drop: drop(_filled(q @ k.mT * by_root(q, k), mask)).softmax(-1)),
             _pairs_causally(lambda q, k, mask, drop: drop((q @ k.mT * by_root(q, k)).masked_fill(~mask, -1e9)).softmax(
                 -1)),
             _pairs_causally(lambda q, k, mask, drop: _hidden_weights(drop(q), k, mask)),
             _pairs_causally(lambda q, k, mask, drop: _hidden_weights(q, drop(k), mask)),
             _causal_module(_dropped_input), _causal_module(_dropped_input_once)), _OF_CAUSAL.counted),
        Misconception(
            "on-out", "Dropout was applied to out; no weight was dropped.",
            "It is single positions that a query may not lean on: drop weights, then multiply by v.",
            _places(lambda q, k, v, drop, mask: _of_hidden_out(q, k, v, drop, mask)), _CAUSAL_WHERE),
        Misconception(
            "on-values", "Dropout was applied to the values; no weight was dropped.",
            "It is single positions that a query may not lean on: drop weights, then multiply by v.",
            _places(lambda q, k, v, drop, mask: (_hidden_weights(q, k, mask) @ drop(v), _hidden_weights(q, k, mask))),
            _CAUSAL_WHERE),
        Misconception(
            "weights-before-dropout", "out is made with dropped weights, but the weights returned are those before "
            "dropout.",
            "Return what multiplied v: weights = self.dropout(weights), one name for both.",
            _places(lambda q, k, v, drop, mask: (drop(_hidden_weights(q, k, mask)) @ v, _hidden_weights(q, k, mask))),
            _CAUSAL_WHERE),
        Misconception(
            "out-undropped", "The weights returned were dropped, but out was made before, with all of them.",
            "Dropout first, then weights @ v: the order of your lines.",
            _places(lambda q, k, v, drop, mask: (_hidden_weights(q, k, mask) @ v, drop(_hidden_weights(q, k, mask)))),
            _CAUSAL_WHERE),
        Misconception(
            "two-draws", "out and the weights returned come from two draws: other places are 0 in each.",
            "Call dropout once, give the result a name, and use it twice.",
            _places(lambda q, k, v, drop, mask: (drop(_hidden_weights(q, k, mask)) @ v,
                                                 drop(_hidden_weights(q, k, mask)))), _CAUSAL_WHERE),
        Misconception(
            "on-weights-and-out", "Dropout was applied twice: to the weights, and to out again.",
            "Only the weights are dropped here.",
            _places(lambda q, k, v, drop, mask: _dropped_again(drop(_hidden_weights(q, k, mask)), v, drop)),
            _CAUSAL_WHERE),
        Misconception(
            "dropped-twice", "The weights were dropped twice, with two draws: more became 0 than dropout says.",
            "One call of dropout.", _steps(drop=_twice), _OF_CAUSAL.counted),
        Misconception(
            "share-turned-around", "A share of 1 - dropout of the weights became 0, and a share of dropout stayed.",
            "nn.Dropout(p) takes the share that becomes 0: hand it dropout as it is.",
            (_steps(layer=lambda p: nn.Dropout(1 - p)), _by_hand(lambda w, p: w * ~_keeps(w, p) / (1 - p)),
             _by_hand(lambda w, p: w * ~_keeps(w, p) / p), _by_hand(lambda w, p: w * ~_keeps(w, p))),
            _OF_CAUSAL.counted),
        Misconception(
            "always-half", "Half of the weights became 0, whatever dropout is.",
            "nn.Dropout() without a number drops a half: nn.Dropout(dropout).",
            (_steps(layer=lambda p: nn.Dropout()),), _OF_CAUSAL.counted),
        Misconception(
            "always-a-tenth", "A tenth of the weights became 0, whatever dropout is.",
            "The probability comes from outside: nn.Dropout(dropout).",
            (_steps(layer=lambda p: nn.Dropout(0.1)),), _OF_CAUSAL.counted),
        Misconception(
            "not-scaled", "The right share of weights was dropped, but those kept were not divided by 1 - dropout.",
            "nn.Dropout does both, and nothing in evaluation.",
            _by_hand(lambda w, p: w * _keeps(w, p)), _OF_CAUSAL.averaged),
        Misconception(
            "renormalised", "The weights that were left after dropout were made to sum to 1 again.",
            "Mask and softmax first, dropout last: then a row may sum to more or less than 1, and to 1 on average.",
            (_by_hand(lambda w, p: _renormalised(w, p, None)),
             _by_hand(lambda w, p: F.normalize(w * _keeps(w, p), p=1, dim=-1)),
             _by_hand(lambda w, p: w * _keeps(w, p) / ((w * _keeps(w, p)).sum(-1, keepdim=True) + 1e-9))),
            _OF_CAUSAL.scaled),
        Misconception(
            "whole-positions", "Several weights fell together: there are fewer draws than weights.",
            "Every weight has its own draw. nn.Dropout does that; nn.Dropout1d and 2d drop whole rows or more.",
            (_by_hand(lambda w, p: w * (torch.rand(w.shape[-1:]) >= p) / (1 - p)),
             _by_hand(lambda w, p: w * (torch.rand(w.shape[-2:]) >= p) / (1 - p)),
             _by_hand(lambda w, p: w * (torch.rand(_rows(w)) >= p) / (1 - p)),
             _by_hand(lambda w, p: w * (torch.rand(len(w), 1, w.size(-1)) >= p) / (1 - p))), _OF_CAUSAL.tied),
        Misconception(
            "not-causal", "Nothing is hidden: every position reads the future.",
            "The scores above the diagonal get -inf, before the softmax. masked_fill gives a new tensor: keep it.",
            _steps(hide=lambda s, mask: s), _future),
        Misconception(
            "mask-only-in-training", "The future is hidden in training only: in evaluation every position reads it.",
            "Take the mask out of `if self.training`: only dropout depends on the mode.",
            _masked_when(lambda training: training), _future),
        Misconception(
            "mask-only-in-evaluation", "The future is hidden in evaluation only: in training every position reads it, "
            "and learns to copy it.",
            "The mask belongs to both modes: only dropout depends on the mode.",
            _masked_when(lambda training: not training), _future),
        Misconception(
            "mask-turned-around", "The mask was read the wrong way round: the future is read, and the past is hidden.",
            "Fill where reading is forbidden, above the diagonal: a tril mask is True where reading is allowed.",
            (_steps(hide=lambda s, m: s.masked_fill(m, -_INF)), _steps(hide=lambda s, m: s.masked_fill(m, -1e9)),
             _steps(hide=lambda s, m: s.masked_fill(m, torch.finfo(s.dtype).min)),
             _steps(hide=lambda s, m: s.masked_fill(~m.mT, -_INF)),
             _steps(hide=lambda s, m: s.masked_fill(~m.mT, -1e9))),
            _future),
        Misconception(
            "diagonal-hidden", "The diagonal is hidden too: no position reads itself, and position 0 has nothing to "
            "read.",
            "Position i may read 0 to i: hide what triu(diagonal=1) keeps.",
            (_steps(hide=lambda s, m: s.masked_fill(~m.tril(-1), -_INF)),
             _steps(hide=lambda s, m: s.masked_fill(~m.tril(-1), -1e9)),
             _steps(hide=lambda s, m: s.masked_fill(~m.tril(-1), torch.finfo(s.dtype).min))), _future),
        Misconception(
            "one-step-ahead", "Each position also reads the next one: the word that it should predict.",
            "The border belongs at the diagonal: hide what triu(diagonal=1) keeps.",
            _steps(hide=lambda s, m: _filled(s, m | m.mT.triu() & ~m.mT.triu(2))), _future),
        Misconception(
            "zero-filled", "Hidden scores were set to 0, and exp(0) = 1: a score of 0 is an ordinary score.",
            "-inf is the score that becomes a weight of 0.",
            (_steps(hide=lambda s, m: s * m), _steps(hide=lambda s, m: s.masked_fill(~m, 1e-9))), _future),
        Misconception(
            "weak-fill", "The fill is not low enough: the future keeps a weight.",
            "-inf is low enough beside every score.",
            tuple(_steps(hide=lambda s, m, low=low: s.masked_fill(~m, low)) for low in (-1.0, -2.0, -5.0, -10.0)),
            _future),
        Misconception(
            "mask-added", "The mask was added to the scores as numbers, and nothing is hidden.",
            "Fill with -inf where the mask forbids.",
            (_steps(hide=lambda s, m: s + m), _steps(hide=lambda s, m: s + ~m)), _future),
        Misconception(
            "zero-times-infinity", "The numbers are NaN: 0 * -inf is NaN, not 0.",
            "Put -inf where the mask forbids, with masked_fill or torch.where.",
            (_steps(hide=lambda s, m: s + (~m).to(s.dtype) * -_INF),), explainers.not_a_number),
        Misconception(
            "masked-after-softmax", "The mask came after the softmax, and nothing was divided: rows do not sum to 1.",
            "Fill the scores first; then the softmax shares everything out among the visible positions.",
            _pairs_causally(lambda q, k, mask, drop: drop((q @ k.mT * by_root(q, k)).softmax(-1) * mask)),
            explainers.row_sum),
        Misconception(
            "mask-cut-elsewhere", "For an x shorter than context_length, the wrong part of the mask was used: it no "
            "longer has its diagonal from corner to corner.",
            "Both axes from the front: mask[:T, :T].",
            (_steps(cut=lambda mask, n: mask[-n:, :n]), _steps(cut=lambda mask, n: mask[:n, -n:]),
             _steps(cut=lambda mask, n: mask[:n, -n:], hide=lambda s, m: s.masked_fill(~m, -1e9)),
             _steps(cut=lambda mask, n: mask[:n, -n:], hide=lambda s, m: s.masked_fill(
                 ~m, torch.finfo(s.dtype).min))), _future),
        Misconception(
            "no-scale", "The scores were not divided by sqrt(d_out).",
            "q and k have d_out features: divide the scores by math.sqrt(q.size(-1)).",
            _steps(lambda q, k, x: q @ k.mT), explainers.sharpness),
        Misconception(
            "scaled-by-input", "The scores were divided by sqrt(d_in); the dot products run over d_out features.",
            "Take the size from q itself: q.size(-1).",
            _steps(lambda q, k, x: q @ k.mT / math.sqrt(x.size(-1))), explainers.sharpness),
        Misconception(
            "scaled-by-d", "The scores were divided by d_out instead of its square root.",
            "It is the standard deviation that grows like sqrt(D).",
            _steps(lambda q, k, x: q @ k.mT / q.size(-1)), explainers.sharpness),
        Misconception(
            "scaled-by-positions", "The scores were divided by the square root of the number of positions.",
            "The last axis is the one that a dot product sums over: q.size(-1).",
            _steps(lambda q, k, x: q @ k.mT / math.sqrt(x.size(1))), explainers.sharpness),
        Misconception(
            "over-queries", "The softmax runs over the queries: columns sum to 1, rows do not.",
            "In (B, T, T) the keys are the last axis: dim=-1.",
            _steps(dim=-2), explainers.row_sum),
        Misconception(
            "over-batch", "The softmax runs over the batch: the items of a batch compete with each other.",
            "In (B, T, T) the keys are the last axis: dim=-1.",
            (_steps(dim=0), _steps(dim=0, hide=lambda s, m: s.masked_fill(~m, -1e9))), explainers.row_sum),
        Misconception(
            "no-softmax", "The values were weighed by the scores themselves: the softmax is missing.",
            "Weights are positive; in evaluation each row sums to 1.",
            (_pairs_causally(lambda q, k, mask, drop: drop(_filled(q @ k.mT * by_root(q, k), mask))),
             _pairs_causally(lambda q, k, mask, drop: drop(q @ k.mT * by_root(q, k) * mask))), explainers.row_sum),
        Misconception(
            "keys-ask", "W_query and W_key have changed places: position j asks position i.",
            "Row i must hold position i's query against all keys: q @ k.transpose(-2, -1).",
            _steps(lambda q, k, x: _scores(k, q, x)), explainers.entry),
        Misconception(
            "query-layer-twice", "W_query made the keys as well; W_key was never used.",
            "k = self.W_key(x).", _from("W_key", "W_query"), explainers.sharpness),
        Misconception(
            "key-layer-twice", "W_key made the queries as well; W_query was never used.",
            "q = self.W_query(x).", _from("W_query", "W_key"), explainers.sharpness),
        Misconception(
            "keys-as-values", "The weights average the keys; W_value was never used.",
            "Keys decide how much is read; values are what is read.",
            _from("W_value", "W_key"), explainers.out_alone),
        Misconception(
            "queries-as-values", "The weights average the queries; W_value was never used.",
            "Values are what is read: v = self.W_value(x).", _from("W_value", "W_query"), explainers.out_alone),
        Misconception(
            "input-as-values", "The weights average x itself; W_value was never used.",
            "Values are a projection too: v = self.W_value(x).",
            _steps(mix=lambda self, x: x), explainers.shape),
        Misconception(
            "weights-transposed", "out was made with the weights transposed: columns, not rows, weigh the values.",
            "Row i of the weights says how position i mixes the values: weights @ v.",
            _places(lambda q, k, v, drop, mask: _transposed_mix(drop(_hidden_weights(q, k, mask)), v)),
            explainers.out_alone),
        Misconception(
            "only-out", "Only out was returned; the weights belong to the answer.",
            "End forward with `return out, weights`.",
            _places(lambda q, k, v, drop, mask: drop(_hidden_weights(q, k, mask)) @ v), explainers.shape),
        Misconception(
            "swapped-pair", "The pair is the wrong way round: out comes first, then the weights.",
            "In this course everything returns (out, weights).",
            _places(lambda q, k, v, drop, mask: _pair_of(drop(_hidden_weights(q, k, mask)), v)[::-1]),
            explainers.shape),
)
