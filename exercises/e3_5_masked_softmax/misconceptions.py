"""What people get wrong in exercise 3.5, masked_softmax."""

import torch
import torch.nn.functional as F

from exercises.common import explainers
from exercises.common.masking import _BELOW_THE_LEAST, _INF, _fill
from exercises.common.properties import COUNT_FROM_THE_END, FROM_THE_FRONT
from feedback import Misconception
from helpers import masks


def _zeros_after_softmax(dim):
    """The right road, over another axis."""
    return lambda s, m: F.softmax(s.masked_fill(~m, torch.finfo(s.dtype).min), dim=dim).masked_fill(~m, 0.0)


def _additive_10000(s, m):
    return (s + (~m).to(s.dtype) * -10000.0).softmax(-1)


def _first_key(s, m):
    """A fully masked row gives all to the first key."""
    weights = s.masked_fill(~m, -_INF).softmax(-1)
    first = torch.zeros_like(weights)
    first[..., 0] = 1
    return torch.where(m.any(-1, keepdim=True), weights, first)


def _empty_row(case):
    """What the first fully masked row holds."""
    empty = ~case.args[-1].expand(case.last.shape).any(-1)
    at = tuple(int(i) for i in empty.nonzero()[0]) if empty.any() else None
    if at is None:
        return explainers.entry(case)
    row = ", ".join(explainers.number(v) for v in case.last[at][:4])
    return f"row {explainers.position(at)} sees no key at all and should be all zeros; yours begins {row}"


MISCONCEPTIONS = (
        Misconception(
            "nan-rows", "A row that sees no key is NaN: its exponentials sum to 0, and 0 / 0 is NaN.",
            "Give such a row finite scores to softmax over, and set its weights to 0 afterwards. (NaN * 0 is NaN, and "
            "NaN == NaN is False: neither multiplying nor comparing removes it.)",
            (_fill(-_INF), lambda s, m: (s + m.to(s.dtype).log()).softmax(-1),
             lambda s, m: s.exp() * m / (s.exp() * m).sum(-1, keepdim=True),
             lambda s, m: (s.softmax(-1) * m) / (s.softmax(-1) * m).sum(-1, keepdim=True)), _empty_row),
        Misconception(
            "uniform-rows", "A row that sees no key reads everything evenly. (One finite fill does that: it makes all "
            "scores of the row equal.)",
            "After the softmax, set what is hidden to 0: masked_fill(~mask, 0.0).",
            (_fill(torch.finfo(torch.float32).min), _fill(-1e9), _fill(-1e4),
             lambda s, m: s.masked_fill(~m, -_INF).softmax(-1).nan_to_num(1 / s.size(-1)),
             lambda s, m: s.masked_fill(~m, torch.finfo(s.dtype).min).softmax(-1)), _empty_row),
        Misconception(
            "unmasked-rows", "A row that sees no key attends as if there were no mask. (Adding the same number to all "
            "its scores does that: a softmax does not notice.)",
            "Set what is hidden to 0 after the softmax.",
            (_additive_10000, lambda s, m: (s + (~m).to(s.dtype) * -1000.0).softmax(-1),
             lambda s, m: torch.where(m.any(-1, keepdim=True), s.masked_fill(~m, -_INF), s).softmax(-1)), _empty_row),
        Misconception(
            "first-key", "A row that sees no key gives everything to the first key.",
            "It should give zeros.", _first_key, _empty_row),
        Misconception(
            "masked-after-softmax", "The mask came after the softmax alone: empty rows are 0, but the others no longer "
            "sum to 1.",
            "Fill the scores before the softmax as well.",
            (lambda s, m: s.softmax(-1) * m, lambda s, m: s.softmax(-1).masked_fill(~m, 0.0)), explainers.row_sum),
        Misconception(
            "zero-filled", "Hidden scores were set to 0, and exp(0) = 1: a score of 0 is an ordinary score.",
            "Fill with the lowest number there is: torch.finfo(scores.dtype).min.",
            (_fill(0.0), lambda s, m: (s * m).softmax(-1), lambda s, m: (s * m).softmax(-1) * m),
            explainers.hidden_weight),
        Misconception(
            "weak-fill", "The fill is not low enough for these scores: visible keys lose weight to hidden ones.",
            "Take torch.finfo(scores.dtype).min or -inf: low enough beside everything.",
            (*(lambda s, m, v=v: s.masked_fill(~m, -v).softmax(-1).masked_fill(~m, 0.0) for v in (1.0, 5.0, 10.0)),
             _fill(-5.0), _fill(-10.0), *_BELOW_THE_LEAST,
             *(lambda s, m, code=code: code(s, m).masked_fill(~m, 0.0) for code in _BELOW_THE_LEAST)),
            explainers.row_sum),
        Misconception(
            "mask-ignored", "The mask was never used: these are the weights of unmasked attention.",
            "masked_fill returns a new tensor; the old one stays as it was. Keep what it returns.",
            lambda s, m: s.softmax(-1), explainers.hidden_weight),
        Misconception(
            "true-hides", "The mask was read the wrong way round: visible keys were filled, hidden ones kept.",
            "masked_fill fills where its mask is True: give it ~mask.",
            (lambda s, m: masks.masked_softmax(s, ~m), lambda s, m: s.masked_fill(m, -_INF).softmax(-1),
             lambda s, m: s.masked_fill(m, -_INF).softmax(-1).nan_to_num(0.0)), explainers.hidden_weight),
        Misconception(
            "over-queries", "The softmax runs over the queries: columns sum to 1, rows do not.",
            "Each query shares out its attention over the keys: the last axis, dim=-1.",
            (_zeros_after_softmax(-2), lambda s, m: s.masked_fill(~m, -_INF).softmax(-2).nan_to_num(0.0)),
            explainers.row_sum),
        Misconception(
            "axis-from-the-front", FROM_THE_FRONT, COUNT_FROM_THE_END,
            (_zeros_after_softmax(0), _zeros_after_softmax(1), _zeros_after_softmax(None)), explainers.row_sum),
        Misconception(
            "visible-zeroed", "The visible keys got 0 after the softmax, so nothing is left.",
            "masked_fill fills where its mask is True: give it ~mask, both times. (Or did 0 * -inf make NaN of "
            "everything, and the NaN became 0?)",
            lambda s, m: s.masked_fill(~m, torch.finfo(s.dtype).min).softmax(-1).masked_fill(m, 0.0), _empty_row),
        Misconception(
            "whole-item-zeroed", "One empty row made its whole item zero: the test for emptiness looks at more than "
            "one row.",
            "Ask each row by itself: mask.any(dim=-1, keepdim=True).",
            lambda s, m: masks.masked_softmax(s, m) * m.expand(s.shape).any(-1, keepdim=True).all(-2, keepdim=True),
            explainers.row_sum),
)
