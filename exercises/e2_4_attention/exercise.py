"""Exercise 2.4: attention."""

from exercises.common import properties
from exercises.common.attention.inputs import BATCH, SMALL_PAIRS, large_scores, query_key_cases, stage_of
from exercises.common.experiments import items_apart
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, DV, B, D, S, normal, round_numbers
from exercises.e2_4_attention.misconceptions import known
from exercises.e2_4_attention.reference import attention
from feedback import Exercise, TestCase


def values(k):
    """As many values as keys, with another number of features."""
    return normal(*k.shape[:-1], DV, seed=20, dtype=k.dtype)


INPUTS = (*BATCH, values(BATCH[1]))

EXERCISE = Exercise(
    minutes=6,
    difficulty=2,
    gives="the pair (out, weights): (..., T, Dv) and (..., T, S)",
    reference=attention,
    returns=("out", "weights"),
    axis_names=AXES,
    cases=(
        *query_key_cases(values),
        TestCase("values as wide as keys", (*BATCH, normal(B, S, D, seed=21))),
        TestCase("as many features as keys", (*BATCH, normal(B, S, S, seed=22))),
        large_scores(values),
    ),
    minimal_inputs=tuple((q, k, round_numbers(*k.shape[:-1], 2) + 1) for q, k in SMALL_PAIRS),
    misconceptions=known,
    stage_of=stage_of,
    judge_first=("weights",),
    none_hints=properties.WEIGHTS_ARE_NONE,
    hints=(
        "You have the weights from exercise 2.3. Row i says how much query i takes of each value.",
        "A weighted sum of the rows of v, for all queries at once, is the matrix product `weights @ v`.",
        "Return both: `return weights @ v, weights`.",
    ),
    properties=(properties.FINITE, properties.POSITIVE, properties.ROWS),
    behavioral_tests=(items_apart(INPUTS), gradients_flow(attention, INPUTS, ("q", "k", "v"))),
    when_correct="That is equation 1 of the paper: `softmax(q k^T / sqrt(D)) v`.",
)
