"""What people get wrong in exercise 2.3, attention_weights."""

import math

from exercises.common import explainers
from exercises.common.properties import COUNT_FROM_THE_END, FROM_THE_FRONT
from exercises.common.self_attention import (
        _ROOTS,
        _WITHOUT_BRACKETS,
        _reshaped,
        _reversed_axes,
        _transposed,
)
from exercises.common.single_head import by_one, by_root, weights_scaled_by
from feedback import Misconception

MISCONCEPTIONS = (
        Misconception(
            "no-scale", "The scores were not divided by sqrt(D).",
            "A dot product of D terms has a spread of about sqrt(D); dividing by it keeps the softmax soft.",
            weights_scaled_by(lambda q, k: 1), explainers.sharpness),
        Misconception(
            "scaled-by-d", "The scores were divided by D instead of sqrt(D).",
            "It is the standard deviation that grows like sqrt(D); the variance grows like D.",
            weights_scaled_by(lambda q, k: 1 / q.size(-1)), explainers.sharpness),
        Misconception(
            "root-without-brackets", "The scores were divided by D / 2, or by 2 * D, not by sqrt(D): D ** 1 / 2 is "
            "half of D, and scores / D ** 1 / 2 divides by D and by 2.",
            "`**` binds before `/`: math.sqrt(D), D ** 0.5 or D ** (1 / 2).",
            tuple(weights_scaled_by(scale) for scale in _WITHOUT_BRACKETS), explainers.sharpness),
        Misconception(
            "root-of-two", "The scores were divided by √2: right only for D = 2.",
            "Take the size from q itself: math.sqrt(q.size(-1)).",
            weights_scaled_by(lambda q, k: 1 / math.sqrt(2)), explainers.sharpness),
        Misconception(
            "fixed-scale", "The scores were divided by a fixed number, such as 8, the root of 64: right only for one "
            "D.",
            "Take the size from q itself: math.sqrt(q.size(-1)).",
            tuple(weights_scaled_by(lambda q, k, root=root: 1 / root) for root in _ROOTS),
            explainers.sharpness),
        Misconception(
            "multiplied", "The scores were multiplied by sqrt(D) instead of divided.",
            "The spread of the scores is to become smaller.",
            weights_scaled_by(lambda q, k: math.sqrt(q.size(-1))), explainers.sharpness),
        Misconception(
            "wrong-size-in-root", "The scores were divided by the square root of another size than D: a number of "
            "positions, of items, or of all numbers.",
            "What is summed in a dot product? The last axis: q.size(-1).",
            tuple(weights_scaled_by(f) for f in (
                lambda q, k: 1 / math.sqrt(q.size(-2)), lambda q, k: 1 / math.sqrt(k.size(-2)),
                lambda q, k: 1 / math.sqrt(q.size(0)), lambda q, k: 1 / math.sqrt(q.size(1)),
                lambda q, k: 1 / math.sqrt(k.size(0)), lambda q, k: 1 / math.sqrt(k.size(1)),
                lambda q, k: 1 / math.sqrt(q.numel()))), explainers.sharpness),
        Misconception(
            "scaled-after-softmax", "The division by sqrt(D) comes after the softmax, so rows no longer sum to 1.",
            "First make the scores smaller, then turn them into weights.",
            (lambda q, k: (q @ k.transpose(-2, -1)).softmax(-1) * by_root(q, k),), explainers.row_sum),
        Misconception(
            "over-queries", "The softmax runs over the queries: columns sum to 1, rows do not.",
            "Each query shares out its attention over the keys: the last axis, dim=-1.",
            (weights_scaled_by(by_root, -2), weights_scaled_by(by_one, -2)), explainers.row_sum),
        Misconception(
            "axis-from-the-front", FROM_THE_FRONT, COUNT_FROM_THE_END,
            tuple(weights_scaled_by(scale, dim) for scale in (by_root, by_one) for dim in (0, 1, None)),
            explainers.row_sum),
        Misconception(
            "raw-scores", "These are the bare scores: neither divided by sqrt(D), nor turned into weights.",
            "Divide by math.sqrt(q.size(-1)), then the softmax.",
            lambda q, k: q @ k.transpose(-2, -1), explainers.row_sum),
        Misconception(
            "not-divided", "These are the exponentials alone: they were never divided by the sum of their row.",
            "A row of weights must sum to 1.",
            (lambda q, k: (q @ k.transpose(-2, -1) * by_root(q, k)).exp(),), explainers.row_sum),
        Misconception(
            "log-softmax", "These are the logarithms of the weights.",
            "log_softmax is used in losses; attention wants the weights themselves.",
            lambda q, k: (q @ k.transpose(-2, -1) * by_root(q, k)).log_softmax(-1), explainers.row_sum),
        Misconception(
            "sigmoid", "A sigmoid treats each score on its own; its rows do not sum to 1.",
            "In a softmax the keys of a row compete for one whole.",
            lambda q, k: (q @ k.transpose(-2, -1) * by_root(q, k)).sigmoid(), explainers.row_sum),
        Misconception(
            "keys-ignored", "The queries are compared with themselves: k is never used.",
            "Each of the T queries meets each of the S keys.",
            lambda q, k: (q @ q.transpose(-2, -1) * by_root(q, k)).softmax(-1), explainers.shape),
        Misconception(
            "reshaped-not-transposed", "k was brought to the shape (D, S) by view or reshape: that breaks its lines "
            "elsewhere and mixes the keys.",
            "Rows must become columns: .transpose(-2, -1).",
            lambda q, k: (q @ _reshaped(k) * by_root(q, k)).softmax(-1), explainers.entry),
        Misconception(
            "fixed-axes", "The axes that change places are counted from the front, which fits only one number of axes.",
            "Count from the end: the last two axes are -2 and -1, with and without a batch.",
            (lambda q, k: (q @ k.transpose(0, 1) * by_root(q, k)).softmax(-1),
             lambda q, k: (q @ k.transpose(1, 2) * by_root(q, k)).softmax(-1),
             lambda q, k: (q @ k.permute(0, 2, 1) * by_root(q, k)).softmax(-1)), explainers.shape),
        Misconception(
            "no-softmax", "These are the scaled scores: the softmax is missing.",
            "Weights are positive and each row sums to 1.",
            lambda q, k: q @ k.transpose(-2, -1) * by_root(q, k), explainers.row_sum),
        Misconception(
            "keys-ask", "Queries and keys have changed places: your rows belong to the keys.",
            "Row i should hold how query i shares its attention over the keys.",
            lambda q, k: (k @ q.transpose(-2, -1) * by_root(q, k)).softmax(-1), _transposed),
        Misconception(
            "all-axes-reversed", "k.T turns all axes of a batch around, not only the last two.",
            "For any number of axes: k.transpose(-2, -1) exchanges just the last two.",
            (lambda q, k: (q @ k.T * by_root(q, k)).softmax(-1),
             lambda q, k: (_reversed_axes(q, k) * by_root(q, k)).softmax(-1)), explainers.shape),
)
