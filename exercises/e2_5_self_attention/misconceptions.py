"""What people get wrong in exercise 2.5, SelfAttention."""

import math

from torch import nn

from exercises.common import explainers, references
from exercises.common.self_attention import (
    _ROOTS,
    _WITHOUT_BRACKETS,
    PROJECTIONS,
    _reversed_axes,
    _scores_returned,
)
from exercises.common.single_head import attended, by_root, right_weights
from feedback import Misconception


def _module(forward, bias=False):
    """A module with the three projections and the given forward: the frame of every wrong 2.5."""

    class Wrong(nn.Module):
        def __init__(self, d_in, d_out):
            super().__init__()
            for name in PROJECTIONS:
                setattr(self, name, nn.Linear(d_in, d_out, bias=bias))

        def forward(self, x):
            return forward(self, x)

    return Wrong


def _qkv(self, x):
    return self.W_query(x), self.W_key(x), self.W_value(x)


def _attend(weights):
    """forward(self, x) with the given weights(q, k, x)."""

    def forward(self, x):
        q, k, v = _qkv(self, x)
        return weights(q, k, x) @ v, weights(q, k, x)

    return _module(forward)


def _value_from(pick):
    """forward(self, x) with right weights, and pick(self, q, k, x) in place of the values."""

    def forward(self, x):
        q, k, _ = _qkv(self, x)
        return right_weights(q, k) @ pick(self, q, k, x), right_weights(q, k)

    return _module(forward)


def _items_mixed(self, x):
    """The batch axis taken for positions."""
    out, weights = references.attention(*(t.transpose(0, 1) for t in _qkv(self, x)))
    return out.transpose(0, 1), weights


def _one_sequence(self, x):
    """All items flattened into one long sequence."""
    q, k, v = (t.flatten(0, 1) for t in _qkv(self, x))
    weights = right_weights(q, k)
    return (weights @ v).reshape(*x.shape[:2], -1), weights


def _only_out(self, x):
    return references.attention(*_qkv(self, x))[0]


def _swapped(self, x):
    return references.attention(*_qkv(self, x))[::-1]


def _with_transposed_weights(q, k, v):
    return right_weights(q, k).transpose(-2, -1) @ v, right_weights(q, k)


MISCONCEPTIONS = (
        Misconception(
            "no-scale", "The scores were not divided by sqrt(d_out).",
            "q and k have d_out features: divide the scores by math.sqrt(q.size(-1)).",
            _attend(lambda q, k, x: (q @ k.transpose(-2, -1)).softmax(-1)), explainers.sharpness),
        Misconception(
            "scaled-by-input", "The scores were divided by sqrt(d_in); the dot products run over d_out features.",
            "Take the size from q itself: q.size(-1).",
            _attend(lambda q, k, x: (q @ k.transpose(-2, -1) / math.sqrt(x.size(-1))).softmax(-1)),
            explainers.sharpness),
        Misconception(
            "scaled-by-d", "The scores were divided by d_out instead of its square root.",
            "It is the standard deviation that grows like sqrt(D).",
            _attend(lambda q, k, x: (q @ k.transpose(-2, -1) / q.size(-1)).softmax(-1)), explainers.sharpness),
        Misconception(
            "root-without-brackets", "The scores were divided by d_out / 2, or by 2 * d_out, not by sqrt(d_out): d_out "
            "** 1 / 2 is half of d_out, and scores / d_out ** 1 / 2 divides by d_out and by 2.",
            "`**` binds before `/`: math.sqrt(d_out), d_out ** 0.5 or d_out ** (1 / 2).",
            tuple(_attend(lambda q, k, x, scale=scale: (q @ k.transpose(-2, -1) * scale(q, k)).softmax(-1))
                  for scale in _WITHOUT_BRACKETS), explainers.sharpness),
        Misconception(
            "scaled-by-positions", "The scores were divided by the square root of the number of positions.",
            "The last axis is the one that a dot product sums over: q.size(-1).",
            _attend(lambda q, k, x: (q @ k.transpose(-2, -1) / math.sqrt(x.size(1))).softmax(-1)),
            explainers.sharpness),
        Misconception(
            "root-of-two", "The scores were divided by √2: right only for d_out = 2, as in the example of six words.",
            "Take the size from q itself: math.sqrt(q.size(-1)).",
            _attend(lambda q, k, x: (q @ k.transpose(-2, -1) / math.sqrt(2)).softmax(-1)), explainers.sharpness),
        Misconception(
            "fixed-scale", "The scores were divided by a fixed number, such as 8, the root of 64: right only for one "
            "d_out.",
            "Take the size from q itself: math.sqrt(q.size(-1)).",
            tuple(_attend(lambda q, k, x, root=root: (q @ k.transpose(-2, -1) / root).softmax(-1))
                  for root in (*_ROOTS, math.sqrt(13))), explainers.sharpness),
        Misconception(
            "query-layer-twice", "W_query made the keys as well; W_key was never used.",
            "k = self.W_key(x).",
            _module(lambda self, x: attended(self.W_query(x), self.W_query(x), self.W_value(x))), explainers.sharpness),
        Misconception(
            "key-layer-twice", "W_key made the queries as well; W_query was never used.",
            "q = self.W_query(x).",
            _module(lambda self, x: attended(self.W_key(x), self.W_key(x), self.W_value(x))), explainers.sharpness),
        Misconception(
            "keys-ask", "W_query and W_key have changed places: position j asks position i.",
            "Row i must hold position i's query against all keys: q @ k.transpose(-2, -1).",
            _attend(lambda q, k, x: right_weights(k, q)), explainers.entry),
        Misconception(
            "keys-as-values", "The weights average the keys; W_value was never used.",
            "Keys decide how much is read; values are what is read.",
            _value_from(lambda self, q, k, x: k), explainers.out_alone),
        Misconception(
            "input-as-values", "The weights average x itself; W_value was never used.",
            "Values are a projection too: v = self.W_value(x).",
            _value_from(lambda self, q, k, x: x), explainers.shape),
        Misconception(
            "queries-as-values", "The weights average the queries; W_value was never used.",
            "Values are what is read: v = self.W_value(x).",
            _value_from(lambda self, q, k, x: q), explainers.out_alone),
        Misconception(
            "over-queries", "The softmax runs over the queries: columns sum to 1, rows do not.",
            "In (B, T, T) the keys are the last axis: dim=-1.",
            _attend(lambda q, k, x: (q @ k.transpose(-2, -1) * by_root(q, k)).softmax(-2)), explainers.row_sum),
        Misconception(
            "over-batch", "The softmax runs over the batch: the items of a batch compete with each other, and rows do "
            "not sum to 1.",
            "In (B, T, T) the keys are the last axis: dim=-1.",
            (_attend(lambda q, k, x: (q @ k.transpose(-2, -1) * by_root(q, k)).softmax(0)),), explainers.row_sum),
        Misconception(
            "weights-transposed", "out was made with the weights transposed: columns, not rows, weigh the values.",
            "Row i of the weights says how position i mixes the values: weights @ v.",
            _module(lambda self, x: _with_transposed_weights(*_qkv(self, x))), explainers.out_alone),
        Misconception(
            "scores-returned", "out is right, but the second thing returned is the scores, not the weights.",
            "Return what multiplied v.",
            _module(lambda self, x: _scores_returned(*_qkv(self, x))), explainers.row_sum),
        Misconception(
            "values-as-keys", "The queries were compared with the values; W_key was never used.",
            "Keys decide how much is read: q @ k.transpose(-2, -1).",
            _module(lambda self, x: attended(self.W_query(x), self.W_value(x), self.W_value(x))), explainers.sharpness),
        Misconception(
            "no-softmax", "The values were weighed by the scores themselves: the softmax is missing.",
            "Weights are positive and each row sums to 1.",
            _attend(lambda q, k, x: q @ k.transpose(-2, -1) * by_root(q, k)), explainers.row_sum),
        Misconception(
            "batch-as-positions", "Positions read across the items of the batch, which have nothing to do with each "
            "other.",
            "The batch stays in front untouched: (B, T, D) @ (B, D, T) is one product for each item.",
            (_module(_items_mixed), _module(_one_sequence)), explainers.shape),
        Misconception(
            "all-axes-reversed", "k.T turns all axes of a batch around, not only the last two.",
            "k.transpose(-2, -1) exchanges just the last two.",
            (_attend(lambda q, k, x: (q @ k.T * by_root(q, k)).softmax(-1)),
             _attend(lambda q, k, x: (_reversed_axes(q, k) * by_root(q, k)).softmax(-1))), explainers.shape),
        Misconception(
            "only-out", "Only out was returned; the weights belong to the answer.",
            "End forward with `return out, weights`.", _module(_only_out), explainers.shape),
        Misconception(
            "swapped-pair", "The pair is the wrong way round: out comes first, then the weights.",
            "In this course everything returns (out, weights).", _module(_swapped), explainers.shape),
)
