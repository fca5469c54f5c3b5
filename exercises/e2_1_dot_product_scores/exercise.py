"""Exercise 2.1: dot_product_scores."""

from exercises.common.attention.inputs import SMALL_PAIRS, query_key_cases, stage_of
from exercises.common.inputs import AXES
from exercises.e2_1_dot_product_scores.misconceptions import known
from exercises.e2_1_dot_product_scores.reference import dot_product_scores
from feedback import Exercise

EXERCISE = Exercise(
    minutes=5,
    difficulty=1,
    gives="the dot product of every query with every key: (..., T, D) and (..., S, D) to (..., T, S)",
    reference=dot_product_scores,
    returns=("scores",),
    axis_names=AXES,
    cases=query_key_cases(),
    minimal_inputs=SMALL_PAIRS,
    misconceptions=known,
    stage_of=stage_of,
    hints=(
        "One dot product is `(q[i] * k[j]).sum()`. You want it for all i and all j at once: that is a matrix product.",
        "`q @ something`, where something has shape (..., D, S). k has shape (..., S, D).",
        "Swap the last two axes of k, and only these: `k.transpose(-2, -1)`.",
    ),
    when_correct="Row i holds query i against every key, and a batch of any shape comes along for free.",
)
