"""attention_weights: the reference, its steps and test cases; the page next to it says the rest."""

import math

from exercises.common import properties
from exercises.common.attention import weights_from
from exercises.common.experiments import items_apart
from exercises.common.inputs import AXES
from exercises.n02_single_head_attention import queries_and_keys
from feedback.page_exercise import exercise


def attention_weights(q, k):
    """How much each query reads from each key.

    Shapes: q (..., T, D), k (..., S, D) -> (..., T, S)
    """
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    return scores.softmax(dim=-1)


EXERCISE = exercise(
    attention_weights,
    assemble=weights_from,
    returns=("weights",),
    axis_names=AXES,
    cases=(*queries_and_keys.query_key_cases(), queries_and_keys.large_scores()),
    minimal_inputs=queries_and_keys.SMALL_PAIRS,
    stage_of=queries_and_keys.stage_of,
    properties=(properties.FINITE, properties.POSITIVE, properties.ROWS),
    behavioral_tests=(items_apart(queries_and_keys.BATCH),),
)
