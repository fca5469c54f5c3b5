"""Exercise 3.3: mask_by_filling."""

from exercises.common import properties
from exercises.common.inputs import AXES
from exercises.common.masks.inputs import (
    HUGE_HIDDEN_SCORES,
    LIMITING_CASES,
    MASKED_SCORES,
    SMALL_MASKED_SCORES,
    stage_of,
)
from exercises.e3_3_mask_by_filling.misconceptions import known
from exercises.e3_3_mask_by_filling.reference import mask_by_filling
from feedback import Exercise, TestCase

EXERCISE = Exercise(
    minutes=5,
    difficulty=2,
    gives="the weights: hidden scores are filled before the softmax, so that hidden keys get exactly 0",
    reference=mask_by_filling,
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
    misconceptions=known,
    stage_of=stage_of,
    hints=(
        "A hidden score must lie below every other score, however low those are. Which float is lower than all "
        "numbers, and what is its exponential?",
        "`float('-inf')`, and `exp(-inf)` is exactly 0. Put it where the mask is False, then take the softmax over the "
        "last axis.",
        "`scores.masked_fill(where, value)` fills where `where` is True; `~mask` is True where the mask is False.",
    ),
    properties=(properties.FINITE, properties.POSITIVE, properties.ROWS, properties.HIDDEN_EXACTLY),
    when_correct="Hidden scores became weights of 0, and the softmax shared out the whole row among the others.",
)
