"""Exercise 3.3: mask_by_filling."""

from exercises.common import properties
from exercises.common.inputs import AXES
from exercises.common.masking import _ADVISED, _MASKED_SCORES, _SMALL_SCORES
from exercises.e3_3_mask_by_filling.misconceptions import MISCONCEPTIONS
from feedback import Exercise
from helpers import masks

EXERCISE = Exercise(
    id="3.3", name="mask_by_filling", signature="mask_by_filling(scores, mask)", minutes=5, difficulty=2,
    gives="the weights: hidden scores are filled before the softmax, so that hidden keys get exactly 0",
    reference=masks.mask_by_filling, arguments=("scores", "mask"), returns=("weights",),
    axis_names=AXES, cases=(*_MASKED_SCORES, *_ADVISED),
    minimal_inputs=_SMALL_SCORES,
    misconceptions=MISCONCEPTIONS,
    hints=(
        "exp(-inf) is exactly 0. Put -inf where the mask is False, then take the softmax over the last axis.",
        "scores.masked_fill(where, value) fills where `where` is True; ~mask is True where the mask is False.",
    ),
    properties=(properties.FINITE, properties.POSITIVE, properties.HIDDEN, properties.ROWS),
    when_correct="Hidden scores became weights of 0, and the softmax shared out the rest.",
)
