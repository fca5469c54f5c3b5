"""Exercise 2.3: attention_weights."""

from exercises.common import properties
from exercises.common.attention.inputs import BATCH, SMALL_PAIRS, large_scores, query_key_cases, stage_of
from exercises.common.experiments import items_apart
from exercises.common.inputs import AXES
from exercises.e2_3_attention_weights.misconceptions import known
from exercises.e2_3_attention_weights.reference import attention_weights
from feedback import Exercise

EXERCISE = Exercise(
    minutes=6,
    difficulty=2,
    gives="the weights: the softmax of the scores, which are first divided so that their spread is 1 for every D",
    reference=attention_weights,
    returns=("weights",),
    axis_names=AXES,
    cases=(*query_key_cases(), large_scores()),
    minimal_inputs=SMALL_PAIRS,
    misconceptions=known,
    stage_of=stage_of,
    hints=(
        "A sum of D independent products of variance 1 has variance D. What is its standard deviation? Section 5 "
        "prints it for three D.",
        "Three steps: dot products of all queries with all keys, divide by `sqrt(D)`, softmax over the keys. D is the "
        "size of the last axis of q.",
        "scores / math.sqrt(q.size(-1)), then .softmax(dim=-1).",
    ),
    properties=(properties.FINITE, properties.POSITIVE, properties.ROWS),
    behavioral_tests=(items_apart(BATCH),),
    when_correct="Divided by `sqrt(D)`, the scores keep the same spread for every D.",
)
