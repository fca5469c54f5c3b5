"""masked_softmax: the reference, its test cases and a test of its gradients; the page next to it says the rest."""

import torch

from exercises.common import explainers, properties
from exercises.common.attention import masked_softmax_from
from exercises.common.gradients import gradients_flow, stays_finite
from exercises.common.inputs import AXES, B, S, T, normal, round_numbers, some_hidden
from exercises.n03_causal_masking import masked_scores
from feedback import TestCase
from feedback.page_exercise import exercise


def masked_softmax(scores, mask):
    """Softmax over the keys that may be seen; a row that sees none gives zeros.

    Shapes: scores (..., T, S), mask broadcastable to it -> weights (..., T, S)
    """
    # With -inf, a row that sees nothing would be NaN until something replaces it. Gradients would stay finite even so,
    # but only because masked_fill passes none on to what it filled.
    lowest = torch.finfo(scores.dtype).min
    weights = scores.masked_fill(~mask, lowest).softmax(dim=-1)
    return weights.masked_fill(~mask, 0.0)


def empty_row(case):
    """Show the first fully masked row."""
    empty = ~case.args[-1].expand(case.last.shape).any(-1)
    if not empty.any():
        return explainers.entry(case)
    at = tuple(int(i) for i in empty.nonzero()[0])
    row = ", ".join(explainers.number(v) for v in case.last[at][:4])
    return f"row {explainers.position(at)} sees no key at all and should be all zeros; yours begins {row}"


EMPTY_ROWS = some_hidden(B, T, S, seed=3)
EMPTY_ROWS[1], EMPTY_ROWS[0, 2] = False, False  # one item, and one row of the other, see nothing


def stage_of(args):
    """Judge as in 3.3, then rows that see nothing, then huge scores, and last whether float64 stays float64."""
    scores, mask = args
    stage = masked_scores.stage_of(args)
    return stage if stage != 1 else 3 if scores.max() > 100 else 1 if mask.any(-1).all() else 2


EXERCISE = exercise(
    masked_softmax,
    assemble=masked_softmax_from,
    returns=("weights",),
    axis_names=AXES,
    cases=(
        *masked_scores.CASES,
        TestCase("fully masked rows", (normal(B, T, S, seed=7), EMPTY_ROWS)),
        TestCase("nothing visible, float64", (normal(T, S, seed=12).double(), torch.zeros(T, S, dtype=torch.bool))),
        TestCase(
            "huge hidden scores",
            (torch.tensor([[0.0, 200.0, 200.0], [0.5, -0.5, 200.0], [0.1, 0.2, 0.3]]), torch.ones(3, 3).tril().bool()),
        ),
        *masked_scores.LIMITING_CASES,
    ),
    minimal_inputs=(
        *masked_scores.MINIMAL_INPUTS,
        (torch.tensor([[0.5, 1.0]]), torch.tensor([[False, False]])),
        (round_numbers(2, 2), torch.tensor([[True, False], [False, False]])),
        (torch.tensor([[0.0, 200.0]]), torch.tensor([[True, False]])),
    ),
    stage_of=stage_of,
    properties=(properties.FINITE, properties.POSITIVE, properties.HIDDEN, properties.ROWS),
    behavioral_tests=(
        stays_finite(
            "where rows see no key at all",
            (normal(B, T, S, seed=9), EMPTY_ROWS),
            ("scores", None),
            "Replacing the NaN in the result is not enough: the backward pass still multiplies by the NaN inside the "
            "softmax or the division. How can you keep it from arising at all?",
        ),
        gradients_flow(masked_softmax, (normal(B, T, S, seed=9), EMPTY_ROWS), ("scores", None)),
    ),
)
