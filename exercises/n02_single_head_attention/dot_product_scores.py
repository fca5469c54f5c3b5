"""dot_product_scores: the reference, its steps and test cases; the page next to it says the rest."""

from exercises.common.attention import compare
from exercises.common.inputs import AXES
from exercises.n02_single_head_attention.queries_and_keys import SMALL_PAIRS, query_key_cases, stage_of
from feedback.page_exercise import exercise


def dot_product_scores(q, k):
    """Compare every query with every key.

    Shapes: q (..., T, D), k (..., S, D) -> (..., T, S)
    """
    return q @ k.transpose(-2, -1)


def scores_from(compare=compare, finish=lambda scores, q, k: scores):
    """Build dot_product_scores from two steps; the right second step does nothing."""
    return lambda q, k: finish(compare(q, k), q, k)


EXERCISE = exercise(
    dot_product_scores,
    assemble=scores_from,
    returns=("scores",),
    axis_names=AXES,
    cases=query_key_cases(),
    minimal_inputs=SMALL_PAIRS,
    stage_of=stage_of,
)
