"""mask_by_filling: the reference and the test cases; the page next to it says the rest."""

import torch

from exercises.common import properties
from exercises.common.attention import masked_softmax_from
from exercises.common.inputs import AXES
from exercises.n03_causal_masking import masked_scores
from feedback import TestCase
from feedback.page_exercise import exercise


def mask_by_filling(scores, mask):
    """Hide keys before the softmax: hidden keys get a weight of exactly 0.

    Shapes: scores (..., T, S), mask broadcastable to it -> weights (..., T, S)
    """
    return scores.masked_fill(~mask, float("-inf")).softmax(dim=-1)


EXERCISE = exercise(
    mask_by_filling,
    assemble=masked_softmax_from,
    returns=("weights",),
    axis_names=AXES,
    cases=(
        *masked_scores.CASES,
        TestCase(
            "a huge hidden score",
            (torch.tensor([[0.0, 200.0]]), torch.tensor([[True, False]])),
            limitation="It has a limit: try the scores [[0, 200]] with only the first key visible. A huge hidden score "
            "must not matter; with a low enough fill before the softmax it does not.",
        ),
        *masked_scores.LIMITING_CASES,
    ),
    minimal_inputs=masked_scores.MINIMAL_INPUTS,
    stage_of=masked_scores.stage_of,
    properties=(properties.FINITE, properties.POSITIVE, properties.ROWS, properties.HIDDEN_EXACTLY),
)
