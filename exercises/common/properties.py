"""Properties that the numbers of every right answer have, and a test that finds what a wrong answer mixes up."""

from functools import partial

import torch

from exercises.common import explainers
from feedback import Property


def _finite(case):
    bad = [got for _, got, _ in case.parts if not got.isfinite().all()]
    if not bad:
        return None
    at = tuple(int(i) for i in (~bad[0].isfinite()).nonzero()[0])
    return f"Every number must be finite; yours at {explainers.position(at)} is {explainers.number(bad[0][at])}."


def _rows_sum_to_one(case):
    sums, right = case.last.double().sum(-1), case.expected_last.double().sum(-1)
    if torch.allclose(sums, right, atol=1e-3):
        return None
    at = explainers.worst(sums, right)
    return f"Your row {explainers.position(at)} of the weights sums to {sums[at]:.4f}; it must sum to {right[at]:.0f}."


def _not_negative(case):
    if (case.last >= -1e-6).all():
        return None
    at = explainers.worst(case.last.clamp(max=0), torch.zeros_like(case.last))
    return f"A weight is never negative; yours at {explainers.position(at)} is {explainers.number(case.last[at])}."


def _hidden_is_zero(case, tolerance=1e-4):
    mask = explainers.given_mask(case)
    if mask is None:
        return None
    leak = case.last.double() * ~mask
    if (leak.abs() <= tolerance).all():
        return None
    exactly = "" if tolerance else "exactly "
    return f"A hidden key must get {exactly}the weight 0: {explainers.hidden_weight(case)}."


FINITE = Property("not-finite", _finite, "Print what each line gives: where does the first NaN or inf arise?")
ROWS = Property(
    "rows-do-not-sum-to-1",
    _rows_sum_to_one,
    "Print the row sums, `x.sum(dim=-1)`, after each step: which step takes them away from 1, or never brings them "
    "there?",
)
POSITIVE = Property(
    "negative-weights",
    _not_negative,
    "A weight is a share. Which step makes numbers positive, and what comes after it?",
)
HIDDEN = Property(
    "hidden-keys-read", _hidden_is_zero, "The mask is True where attending is allowed; everything else is 0."
)
HIDDEN_EXACTLY = Property(
    "hidden-keys-read",
    partial(_hidden_is_zero, tolerance=0.0),
    "The mask is True where attending is allowed. Which score becomes a weight of exactly 0?",
)


# The properties that exercises that return (out, weights) have in common.
OUT_AND_WEIGHTS = {
    "returns": ("out", "weights"),
    "judge_first": ("weights",),
    "none_hints": {
        "weights": "`F.scaled_dot_product_attention` keeps its weights to itself: make them with a softmax of the "
        "scores, as in notebook 02."
    },
}
