"""mask_by_filling: the reference, its steps and test cases; the page next to it says the rest."""

from exercises.common import properties
from exercises.common.attention.steps import masked_softmax_from
from exercises.common.inputs import AXES
from exercises.common.masked_scores import (
    HUGE_HIDDEN_SCORES,
    LIMITING_CASES,
    MASKED_SCORES,
    SMALL_MASKED_SCORES,
    stage_of,
)
from feedback import TestCase
from feedback.paged import exercise


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
        *MASKED_SCORES,
        TestCase(
            "huge hidden scores",
            HUGE_HIDDEN_SCORES,
            limitation="It has a limit: try scores = [[0, 200, 200], [0.5, -0.5, 200], [0.1, 0.2, 0.3]] with a "
            "causal mask. A huge hidden score must not matter; with a low enough fill before the "
            "softmax it does not.",
        ),
        *LIMITING_CASES,
    ),
    minimal_inputs=SMALL_MASKED_SCORES,
    stage_of=stage_of,
    properties=(properties.FINITE, properties.POSITIVE, properties.ROWS, properties.HIDDEN_EXACTLY),
)
