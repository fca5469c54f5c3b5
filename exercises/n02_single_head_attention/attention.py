"""attention: the reference, its steps and test cases; the page next to it says the rest."""

import math

from exercises.common import properties
from exercises.common.attention import attention_from
from exercises.common.experiments import items_apart
from exercises.common.gradients import gradients_flow
from exercises.common.inputs import AXES, DV, B, S, normal, round_numbers
from exercises.n02_single_head_attention import queries_and_keys
from feedback import TestCase
from feedback.page_exercise import exercise


def attention(q, k, v):
    """Average the values, weighted by how well each key answers the query.

    Shapes: q (..., T, D), k (..., S, D), v (..., S, Dv) -> (..., T, Dv), (..., T, S)
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.softmax(dim=-1)
    return weights @ v, weights


def values(k):
    """Return as many values as keys, with another number of features."""
    return normal(*k.shape[:-1], DV, seed=20, dtype=k.dtype)


INPUTS = (*queries_and_keys.BATCH, values(queries_and_keys.BATCH[1]))

EXERCISE = exercise(
    attention,
    assemble=attention_from,
    **properties.OUT_AND_WEIGHTS,
    axis_names=AXES,
    cases=(
        *queries_and_keys.query_key_cases(values),
        TestCase("as many features as keys", (*queries_and_keys.BATCH, normal(B, S, S, seed=22))),
        queries_and_keys.large_scores(values),
    ),
    minimal_inputs=tuple((q, k, round_numbers(*k.shape[:-1], 2) + 1) for q, k in queries_and_keys.SMALL_PAIRS),
    stage_of=queries_and_keys.stage_of,
    properties=(properties.FINITE, properties.POSITIVE, properties.ROWS),
    behavioral_tests=(items_apart(INPUTS), gradients_flow(attention, INPUTS, ("q", "k", "v"))),
)
