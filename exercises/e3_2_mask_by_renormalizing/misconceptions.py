"""What people get wrong in exercise 3.2, mask_by_renormalizing."""

from exercises.common import explainers
from exercises.common.masking import _INF, _lower
from feedback import Misconception
from helpers import masks


def _zeroed(w, mask):
    return w * mask


def _with_epsilon(epsilon):
    return lambda w, mask: _zeroed(w, mask) / (_zeroed(w, mask).sum(-1, keepdim=True) + epsilon)


def _normalised_first(w, mask):
    return w / w.sum(-1, keepdim=True) * mask


MISCONCEPTIONS = (
        Misconception(
            "not-renormalised", "Hidden keys got the weight 0, but the rest of the row was not made to sum to 1 "
            "again.",
            "What was taken from the hidden keys is missing: divide each row by its new sum.",
            (_zeroed, _normalised_first), explainers.row_sum),
        Misconception(
            "true-hides", "The mask was read the wrong way round: you kept what is hidden.",
            "True = may attend. Multiply by the mask itself, not by its opposite.",
            (lambda w, m: _zeroed(w, ~m) / _zeroed(w, ~m).sum(-1, keepdim=True), lambda w, m: _zeroed(w, ~m)),
            explainers.hidden_weight),
        Misconception(
            "mask-ignored", "The mask was never used: these are the weights that came in.",
            "weights * mask gives a new tensor; keep it.",
            (lambda w, m: w.clone(), lambda w, m: w / w.sum(-1, keepdim=True)), explainers.hidden_weight),
        Misconception(
            "own-causal-mask", "A causal mask was made here, whatever mask is given.",
            "Use the argument mask: it may be of any kind.",
            (lambda w, m: masks.mask_by_renormalizing(w, _lower(w)),), explainers.hidden_weight),
        Misconception(
            "divided-by-count", "The weights were divided by the number of visible keys, not by what they sum to.",
            "Sum the weights that are left: visible.sum(dim=-1, keepdim=True).",
            lambda w, m: _zeroed(w, m) / m.expand(w.shape).sum(-1, keepdim=True), explainers.row_sum),
        Misconception(
            "softmax-again", "A softmax was applied a second time: a weight of 0 becomes exp(0) = 1, so hidden keys "
            "are back, and the rest is flattened.",
            "The numbers are weights already; dividing by their sum is enough.",
            (lambda w, m: (w * m).softmax(-1),), explainers.hidden_weight),
        Misconception(
            "filled-weights", "A huge negative number was put into weights, and a softmax taken over them: a softmax "
            "of a softmax.",
            "-inf belongs into scores, before the softmax (exercise 3.3). Here multiply, then divide.",
            (lambda w, m: w.masked_fill(~m, -_INF).softmax(-1), lambda w, m: w.masked_fill(~m, -1e9).softmax(-1)),
            explainers.entry),
        Misconception(
            "columns-renormalised", "The columns were made to sum to 1, not the rows.",
            "Each query shares out its attention over its keys: sum over the last axis.",
            (lambda w, m: _zeroed(w, m) / _zeroed(w, m).sum(-2, keepdim=True),
             lambda w, m: _zeroed(w, m) / _zeroed(w, m).sum(0, keepdim=True),
             lambda w, m: _zeroed(w, m) / _zeroed(w, m).sum(1, keepdim=True)), explainers.row_sum),
        Misconception(
            "one-sum-for-all", "Everything was divided by one sum over the whole tensor.",
            "Each row has its own sum: sum(dim=-1, keepdim=True).",
            lambda w, m: _zeroed(w, m) / _zeroed(w, m).sum(), explainers.row_sum),
        Misconception(
            "large-epsilon", "The number added to the sum, to avoid dividing by 0, is so large that rows no longer "
            "sum to 1.",
            "Something like 1e-9 is enough, and here you can do without.",
            tuple(_with_epsilon(e) for e in (1.0, 0.1, 1e-2, 1e-3, 1e-4)), explainers.row_sum),
        Misconception(
            "mask-added", "The mask was added to the weights, not multiplied: True counts as 1.",
            "Multiplying by True keeps a number, by False makes it 0.",
            lambda w, m: (w + m) / (w + m).sum(-1, keepdim=True), explainers.hidden_weight),
        Misconception(
            "evenly-spread", "All visible keys got the same weight: the weights themselves were lost.",
            "Keep the proportions of the visible weights.",
            lambda w, m: (m / m.sum(-1, keepdim=True)).to(w.dtype).expand_as(w).clone(), explainers.entry),
)
