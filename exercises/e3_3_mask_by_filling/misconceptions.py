"""What people get wrong in exercise 3.3, mask_by_filling."""

import math

import torch

from exercises.common import explainers
from exercises.common.masking import (
    _BELOW_THE_LEAST,
    _INF,
    _fill,
    _lower,
)
from exercises.common.properties import COUNT_FROM_THE_END, FROM_THE_FRONT
from feedback import Misconception
from helpers import masks


def _times_minus_infinity(s, m):
    return (s + (1 - m.to(s.dtype)) * -_INF).softmax(-1)


MISCONCEPTIONS = (
        Misconception(
            "zero-filled", "Hidden scores were set to 0 (or to a tiny number such as 1e-9), and exp(0) = 1: a score "
            "of 0 is an ordinary score.",
            "Which score becomes a weight of 0? Think of exp(x) for very negative x.",
            (_fill(0.0), lambda s, m: (s * m).softmax(-1), _fill(1e-9), _fill(-1e-9)),
            explainers.hidden_weight),
        Misconception(
            "weak-fill", "The fill is not low enough for these scores: hidden keys keep a weight.",
            "A score of -10 is hidden beside 0, but not beside -7, and 10 below the least score is not far enough. "
            "-inf is low enough beside everything.",
            (*(_fill(float(-v)) for v in (1, 2, 5, 10, 15)), *_BELOW_THE_LEAST), explainers.hidden_weight),
        Misconception(
            "positive-fill", "The fill is a huge positive number, so that hidden keys take everything.",
            "The sign: -inf, not inf.", (_fill(1e9), _fill(1e4)), explainers.entry),
        Misconception(
            "scaled-again", "The scores were divided once more before the softmax; here they come ready to use.",
            "Fill, then softmax: nothing else.",
            tuple(lambda s, m, size=size: (s.masked_fill(~m, -_INF) / math.sqrt(size(s))).softmax(-1)
                  for size in (lambda s: 2, lambda s: s.size(-1), lambda s: s.size(-2))), explainers.entry),
        Misconception(
            "infinite-fill", "The fill is +inf or NaN, and every row with a hidden key is NaN: inf - inf is no number.",
            "The sign: float('-inf').", (_fill(_INF),), explainers.not_a_number),
        Misconception(
            "softmax-twice", "A softmax was applied twice: for the second, a hidden weight of 0 is an ordinary score.",
            "Fill, then one softmax.",
            lambda s, m: s.masked_fill(~m, -_INF).softmax(-1).softmax(-1), explainers.hidden_weight),
        Misconception(
            "own-causal-mask", "A causal mask was made here, whatever mask is given.",
            "Use the argument mask: it may be of any kind.",
            (lambda s, m: masks.mask_by_filling(s, _lower(s)),), explainers.hidden_weight),
        Misconception(
            "true-hides", "The mask was read the wrong way round: visible keys were filled, hidden ones kept.",
            "masked_fill fills where its mask is True; yours is True where attending is allowed. Fill where ~mask.",
            (lambda s, m: s.masked_fill(m, -_INF).softmax(-1), lambda s, m: s.masked_fill(m, -1e9).softmax(-1)),
            explainers.hidden_weight),
        Misconception(
            "zero-times-infinity", "Every number is NaN. Multiplying a mask by -inf does that, since 0 * -inf is NaN, "
            "not 0; so does +inf as a score.",
            "Put -inf where ~mask is True: masked_fill or torch.where.",
            (_times_minus_infinity, lambda s, m: (s + (~m).to(s.dtype) * -_INF).softmax(-1),
             lambda s, m: (s * m + (~m).to(s.dtype) * -_INF).softmax(-1)), explainers.not_a_number),
        Misconception(
            "scores-times-infinity", "The scores were multiplied with -inf: a negative score becomes +inf.",
            "Replace a hidden score, do not multiply it.",
            (lambda s, m: torch.where(m, s, s * -_INF).softmax(-1),), explainers.not_a_number),
        Misconception(
            "mask-added", "The mask was added to the scores as numbers: visible ones stand 1 higher than hidden ones, "
            "and nothing is hidden.",
            "Only a mask of 0 and -inf can be added; this one holds True and False.",
            (lambda s, m: (s + m).softmax(-1), lambda s, m: (s + m.to(s.dtype)).softmax(-1)),
            explainers.hidden_weight),
        Misconception(
            "masked-after-softmax", "The mask came after the softmax, and nothing was divided: rows do not sum to 1.",
            "Fill the scores first; then the softmax shares everything out among the visible keys.",
            (lambda s, m: s.softmax(-1) * m, lambda s, m: s.softmax(-1).masked_fill(~m, 0.0)), explainers.row_sum),
        Misconception(
            "weights-filled", "-inf was put in after the softmax: the result holds -inf instead of 0.",
            "First fill the scores, then take the softmax.",
            (lambda s, m: s.softmax(-1).masked_fill(~m, -_INF), lambda s, m: s.softmax(-1).masked_fill(~m, -1e9)),
            explainers.entry),
        Misconception(
            "no-softmax", "These are the filled scores: the softmax is missing.",
            "End with .softmax(dim=-1).",
            (lambda s, m: s.masked_fill(~m, -_INF), lambda s, m: s.masked_fill(~m, -1e9)), explainers.entry),
        Misconception(
            "over-queries", "The softmax runs over the queries: columns sum to 1, rows do not.",
            "Each query shares out its attention over the keys: the last axis, dim=-1.",
            (_fill(-_INF, -2), _fill(-1e9, -2)), explainers.row_sum),
        Misconception(
            "axis-from-the-front", FROM_THE_FRONT, COUNT_FROM_THE_END,
            (_fill(-_INF, 0), _fill(-_INF, 1), _fill(-_INF, None), _fill(-1e9, 0), _fill(-1e9, 1)), explainers.row_sum),
        Misconception(
            "mask-ignored", "The mask was never used: these are the weights of unmasked attention.",
            "masked_fill returns a new tensor; the old one stays as it was. Keep what it returns.",
            lambda s, m: s.softmax(-1), explainers.hidden_weight),
)
