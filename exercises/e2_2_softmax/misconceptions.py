"""What people get wrong in exercise 2.2, softmax."""

import math

from torch import nn

from exercises.common import explainers
from exercises.common.properties import COUNT_FROM_THE_END, FROM_THE_FRONT
from feedback import Misconception


def _naive(scores, dim=-1):
    exponentials = scores.exp()
    return exponentials / exponentials.sum(dim=dim, keepdim=True)


def _stable(scores, shift, dim=-1):
    exponentials = (scores - shift).exp()
    return exponentials / exponentials.sum(dim=dim, keepdim=True)


def _shifted(scores):
    return (scores - scores.amax(-1, keepdim=True)).exp()


def _over_everything(scores):
    return scores.flatten().softmax(0).reshape(scores.shape)


MISCONCEPTIONS = (
        Misconception(
            "overflow", "Right for small scores, but exp(1000) is too large for a float: it becomes inf, and "
            "inf / inf is NaN.",
            "Softmax does not change when the same number is subtracted from a whole row. Which number makes "
            "every exponent at most 0? (max(dim=...) returns values and positions: it is the values you want.)",
            (_naive, lambda s: _stable(s, s.mean(-1, keepdim=True)), lambda s: _stable(s, s.amin(-1, keepdim=True)),
             lambda s: _stable(s, s[..., :1]), lambda s: _stable(s, s.argmax(-1, keepdim=True)),
             lambda s: s.exp() / (s.exp().sum(-1, keepdim=True) + 1e-6),
             lambda s: s.exp() / (s.exp().sum(-1, keepdim=True) + 1e-9)),
            explainers.not_a_number),
        Misconception(
            "overflow-hidden", "exp(1000) is inf, and the NaN that follows was replaced: large scores now get the "
            "weight 0, although they should get the most.",
            "Keep the inf from arising: subtract the row's largest score first.",
            (lambda s: _naive(s).nan_to_num(0.0), lambda s: _naive(s).nan_to_num(1.0)), explainers.entry),
        Misconception(
            "max-of-columns", "The maximum was taken down the columns; each row needs its own.",
            "max over the last axis, kept with keepdim=True.",
            (lambda s: _stable(s, s.amax(0)), lambda s: _stable(s, s.amax(0, keepdim=True)),
             lambda s: _stable(s, s.amax(-2, keepdim=True))), explainers.not_a_number),
        Misconception(
            "softmax-twice", "A softmax was applied twice: the second flattens what the first made.",
            "Once is enough: the rows sum to 1 after it.",
            lambda s: s.softmax(-1).softmax(-1), explainers.sharpness),
        Misconception(
            "sign", "The order is turned around: the smallest score got the largest weight.",
            "exp(s), not exp(-s).", lambda s: (-s).softmax(-1), explainers.entry),
        Misconception(
            "shifted-on-one-side", "The maximum was subtracted only above the fraction line, or only below it: the two "
            "no longer cancel.",
            "Subtract first, once: s = scores - max. Then use s above and below.",
            (lambda s: _shifted(s) / s.exp().sum(-1, keepdim=True),
             lambda s: s.exp() / _shifted(s).sum(-1, keepdim=True)), explainers.row_sum),
        Misconception(
            "largest-size", "The largest absolute value was subtracted. In a row of -1000s that leaves exp(-2000) = 0 "
            "everywhere, and 0 / 0 is NaN.",
            "Subtract the largest score itself, with its sign.",
            (lambda s: _stable(s, s.abs().amax(-1, keepdim=True)),), explainers.not_a_number),
        Misconception(
            "one-maximum-for-all", "The largest score of the whole tensor is subtracted from every row. A row far "
            "below it becomes exp(-2000) = 0 everywhere, and 0 / 0 is NaN.",
            "Each row needs its own largest score: max over the last axis, kept with keepdim=True.",
            (lambda s: _stable(s, s.max()), lambda s: _stable(s, s.amax((-2, -1), keepdim=True))),
            explainers.not_a_number),
        Misconception(
            "over-the-rows", "The softmax runs over the wrong axis: columns sum to 1, rows do not.",
            "Each query shares out its attention over the keys, and keys are the last axis: dim=-1.",
            (lambda s: s.softmax(-2), lambda s: _naive(s, -2),
             lambda s: _stable(s, s.amax(-2, keepdim=True), -2), lambda s: _stable(s, s.amax(-1, keepdim=True), -2)),
            explainers.row_sum),
        Misconception(
            "axis-from-the-front", FROM_THE_FRONT, COUNT_FROM_THE_END,
            (lambda s: s.softmax(0), lambda s: s.softmax(1), lambda s: nn.functional.softmax(s),
             lambda s: _naive(s, 0), lambda s: _naive(s, 1), lambda s: _stable(s, s.amax(0, keepdim=True), 0),
             lambda s: _stable(s, s.amax(1, keepdim=True), 1)), explainers.row_sum),
        Misconception(
            "over-everything", "All numbers of the tensor together sum to 1, instead of each row.",
            "sum() without an axis adds up everything: name the axis, and keep it with keepdim=True.",
            (lambda s: _stable(s, s.max(), tuple(range(s.dim()))), lambda s: s.exp() / s.exp().sum(),
             _over_everything, lambda s: _stable(s, s.amax(-1, keepdim=True), tuple(range(s.dim())))),
            explainers.row_sum),
        Misconception(
            "no-exponential", "The scores are divided by their sum without the exponential, so negative scores give "
            "negative weights.",
            "exp makes every number positive and keeps the order; then divide by the sum.",
            lambda s: s / s.sum(-1, keepdim=True), explainers.entry),
        Misconception(
            "divided-by-scores", "The exponentials were divided by the sum of the scores, not by their own sum.",
            "Give the exponentials a name: what stands above the line is what is summed below it.",
            (lambda s: s.exp() / s.sum(-1, keepdim=True), lambda s: _shifted(s) / s.sum(-1, keepdim=True),
             lambda s: _shifted(s) / (s - s.amax(-1, keepdim=True)).sum(-1, keepdim=True)), explainers.row_sum),
        Misconception(
            "not-divided", "The exponentials were never divided by the sum of their row.",
            "A row of weights must sum to 1.",
            (lambda s: s.exp(), lambda s: (s - s.amax(-1, keepdim=True)).exp()), explainers.row_sum),
        Misconception(
            "log-softmax", "These are the logarithms of the weights.",
            "log_softmax is used in losses; attention wants the weights themselves.",
            lambda s: s.log_softmax(-1), explainers.row_sum),
        Misconception(
            "sigmoid", "A sigmoid treats each score on its own; its rows do not sum to 1.",
            "In a softmax the keys of a row compete: each exponential is divided by the sum of its row.",
            lambda s: s.sigmoid(), explainers.row_sum),
        Misconception(
            "base-two", "This takes powers of 2 instead of powers of e.",
            "Use torch.exp.", lambda s: (s * math.log(2)).softmax(-1), explainers.entry),
)
