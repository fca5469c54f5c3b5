"""What people get wrong in exercise 2.4, attention."""

import math

from exercises.common import explainers
from exercises.common.properties import COUNT_FROM_THE_END, FROM_THE_FRONT
from exercises.common.self_attention import (
    _ROOTS,
    _WITHOUT_BRACKETS,
    _reshaped,
    _reversed_axes,
    _scores_returned,
)
from exercises.common.single_head import by_root, right_weights, weights_scaled_by
from feedback import Misconception


def _pair(weights):
    return lambda q, k, v: (weights(q, k) @ v, weights(q, k))


def _raw_scores(q, k, v):
    scores = q @ k.transpose(-2, -1) * by_root(q, k)
    return scores @ v, scores


MISCONCEPTIONS = (
        Misconception(
            "only-out", "Only out was returned; the weights belong to the answer.",
            "End with `return out, weights`: the weights are what you will look at.",
            lambda q, k, v: right_weights(q, k) @ v, explainers.shape),
        Misconception(
            "only-weights", "Only the weights were returned; they still have to mix the values.",
            "out = weights @ v; then `return out, weights`.",
            lambda q, k, v: right_weights(q, k), explainers.shape),
        Misconception(
            "swapped-pair", "The pair is the wrong way round: out comes first, then the weights.",
            "In this course everything returns (out, weights).",
            lambda q, k, v: (right_weights(q, k), right_weights(q, k) @ v), explainers.shape),
        Misconception(
            "no-scale", "The scores were not divided by sqrt(D).",
            "Your own attention_weights from exercise 2.3 does all of it.",
            _pair(weights_scaled_by(lambda q, k: 1)), explainers.sharpness),
        Misconception(
            "scaled-by-d", "The scores were divided by D instead of sqrt(D).",
            "It is the standard deviation that grows like sqrt(D); the variance grows like D.",
            _pair(weights_scaled_by(lambda q, k: 1 / q.size(-1))), explainers.sharpness),
        Misconception(
            "root-without-brackets", "The scores were divided by D / 2, or by 2 * D, not by sqrt(D): D ** 1 / 2 is "
            "half of D, and scores / D ** 1 / 2 divides by D and by 2.",
            "`**` binds before `/`: math.sqrt(D), D ** 0.5 or D ** (1 / 2).",
            tuple(_pair(weights_scaled_by(scale)) for scale in _WITHOUT_BRACKETS), explainers.sharpness),
        Misconception(
            "scaled-by-positions", "The scores were divided by the square root of a number of positions or items, or "
            "of the values' width, instead of D.",
            "D is the size of the last axis of q and k.",
            (*(_pair(weights_scaled_by(size)) for size in (
                lambda q, k: 1 / math.sqrt(k.size(0)), lambda q, k: 1 / math.sqrt(k.size(1)),
                lambda q, k: 1 / math.sqrt(q.size(0)), lambda q, k: 1 / math.sqrt(k.size(-2)))),
             _pair(weights_scaled_by(lambda q, k: 1 / math.sqrt(q.size(-2)))),
             _pair(weights_scaled_by(lambda q, k: 1 / math.sqrt(q.size(1)))),
             lambda q, k, v: _pair(weights_scaled_by(lambda q, k: 1 / math.sqrt(v.size(-1))))(q, k, v)),
            explainers.sharpness),
        Misconception(
            "over-queries", "The softmax runs over the queries: columns sum to 1, rows do not.",
            "Each query shares out its attention over the keys: the last axis, dim=-1.",
            _pair(weights_scaled_by(by_root, -2)), explainers.row_sum),
        Misconception(
            "axis-from-the-front", FROM_THE_FRONT, COUNT_FROM_THE_END,
            tuple(_pair(weights_scaled_by(by_root, dim)) for dim in (0, 1, None)), explainers.row_sum),
        Misconception(
            "root-of-two", "The scores were divided by √2: right only for D = 2, as in the example of six words.",
            "Take the size from q itself: math.sqrt(q.size(-1)).",
            _pair(weights_scaled_by(lambda q, k: 1 / math.sqrt(2))), explainers.sharpness),
        Misconception(
            "fixed-scale", "The scores were divided by a fixed number, such as 8, the root of 64: right only for one "
            "D.",
            "Take the size from q itself: math.sqrt(q.size(-1)).",
            tuple(_pair(weights_scaled_by(lambda q, k, root=root: 1 / root)) for root in _ROOTS),
            explainers.sharpness),
        Misconception(
            "multiplied", "The scores were multiplied by sqrt(D) instead of divided.",
            "The spread of the scores is to become smaller.",
            _pair(weights_scaled_by(lambda q, k: math.sqrt(q.size(-1)))), explainers.sharpness),
        Misconception(
            "scaled-after-softmax", "The division by sqrt(D) comes after the softmax, so rows no longer sum to 1.",
            "First make the scores smaller, then turn them into weights.",
            _pair(lambda q, k: (q @ k.transpose(-2, -1)).softmax(-1) * by_root(q, k)), explainers.row_sum),
        Misconception(
            "output-scaled", "The division by sqrt(D) came at the very end, on out; the scores were not divided.",
            "Scale the scores, before the softmax: afterwards it is too late.",
            lambda q, k, v: ((q @ k.transpose(-2, -1)).softmax(-1) @ v * by_root(q, k),
                             (q @ k.transpose(-2, -1)).softmax(-1)), explainers.sharpness),
        Misconception(
            "mixed-by-scores", "The weights are right, but the values were mixed by the scores instead.",
            "out = weights @ v: what you return as weights must be what multiplied v.",
            (lambda q, k, v: (q @ k.transpose(-2, -1) * by_root(q, k) @ v, right_weights(q, k)),
             lambda q, k, v: (q @ k.transpose(-2, -1) @ v, right_weights(q, k))), explainers.out_alone),
        Misconception(
            "all-axes-reversed", "k.T turns all axes of a batch around, not only the last two.",
            "For any number of axes: k.transpose(-2, -1) exchanges just the last two.",
            (_pair(lambda q, k: (q @ k.T * by_root(q, k)).softmax(-1)),
             _pair(lambda q, k: (_reversed_axes(q, k) * by_root(q, k)).softmax(-1))), explainers.shape),
        Misconception(
            "reshaped-not-transposed", "k was brought to the shape (D, S) by view or reshape: that breaks its lines "
            "elsewhere and mixes the keys.",
            "Rows must become columns: .transpose(-2, -1).",
            _pair(lambda q, k: (q @ _reshaped(k) * by_root(q, k)).softmax(-1)), explainers.entry),
        Misconception(
            "no-softmax", "The values were weighed by the scores themselves: the softmax is missing.",
            "Weights are positive and each row sums to 1.", _raw_scores, explainers.row_sum),
        Misconception(
            "scores-returned", "out is right, but the second thing returned is the scores, not the weights.",
            "Return what multiplied v.", _scores_returned, explainers.row_sum),
        Misconception(
            "keys-as-values", "The weights are right, but they were used to average k instead of v.",
            "Keys decide how much is read; values are what is read.",
            lambda q, k, v: (right_weights(q, k) @ k, right_weights(q, k)), explainers.shape),
        Misconception(
            "queries-as-values", "The weights are right, but they were used to average q instead of v.",
            "Values are what is read.",
            lambda q, k, v: (right_weights(q, k) @ q, right_weights(q, k)), explainers.shape),
        Misconception(
            "weights-transposed", "out was made with the weights transposed: columns, not rows, weigh the values.",
            "Row i of the weights says how query i mixes the values: weights @ v.",
            lambda q, k, v: (right_weights(q, k).transpose(-2, -1) @ v, right_weights(q, k)), explainers.out_alone),
        Misconception(
            "keys-ask", "Queries and keys have changed places: your rows belong to the keys.",
            "The rows of the weights are the queries: q @ k.transpose(-2, -1).",
            lambda q, k, v: _pair(lambda a, b: right_weights(b, a))(q, k, v), explainers.shape),
)
