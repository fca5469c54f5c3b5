"""What people get wrong in exercise 2.7, project_and_attend."""

import math

from exercises.common import explainers
from exercises.e2_7_project_and_attend.given import project_and_attend as given
from feedback import Misconceptions

SCALED_WRONGLY = "In a sum of products, which number decides how far it spreads? Section 5 measured it."


def _head(x, W_query, W_key, W_value, divisor, axis=-1):
    q, k, v = x @ W_query, x @ W_key, x @ W_value
    weights = (q @ k.transpose(-2, -1) / divisor).softmax(dim=axis)
    return weights @ v, weights


known = Misconceptions()

known(
    "another-spread",
    means="This is the code as it was given, or does what it does. Its rows sum to 1, and with square matrices it "
    "agrees with `F.scaled_dot_product_attention`. With others it does not.",
    hint="Run both with matrices of (3, 3) and of (3, 2), and compare them with `assert_close`. What is different in "
    "the second run?",
    explain=explainers.sharpness,
)(given)


@known(
    "by-the-words",
    means="The divisor grows with the number of words, so a word reads a long text more evenly than a short one.",
    hint=SCALED_WRONGLY,
    explain=explainers.sharpness,
)
def by_the_root_of_the_words(x, W_query, W_key, W_value):
    return _head(x, W_query, W_key, W_value, math.sqrt(x.size(-2)))


@known.also("by-the-words")
def by_the_root_of_the_first_axis(x, W_query, W_key, W_value):
    return _head(x, W_query, W_key, W_value, math.sqrt(len(x)))


@known(
    "not-divided",
    means="The scores are no longer divided: the more columns the matrices have, the sharper the rows.",
    hint=SCALED_WRONGLY,
    explain=explainers.sharpness,
)
def as_they_are(x, W_query, W_key, W_value):
    return _head(x, W_query, W_key, W_value, 1)


@known(
    "no-root",
    means="The scores are divided by D, the variance of the sum, and not by its spread.",
    hint="Of which is the standard deviation the square root?",
    explain=explainers.sharpness,
)
def by_the_variance(x, W_query, W_key, W_value):
    return _head(x, W_query, W_key, W_value, W_query.size(-1))


@known(
    "over-queries",
    means="The softmax runs over the queries, so rows no longer sum to 1. In the code that was given it was right.",
    hint="Each query divides its attention among the keys: which axis of the scores belongs to them?",
    explain=explainers.row_sum,
)
def over_queries(x, W_query, W_key, W_value):
    return _head(x, W_query, W_key, W_value, math.sqrt(x.size(-1)), axis=-2)


@known.also("over-queries")
def over_queries_and_repaired(x, W_query, W_key, W_value):
    return _head(x, W_query, W_key, W_value, math.sqrt(W_query.size(-1)), axis=-2)


@known.also("over-queries")
def over_axis_1(x, W_query, W_key, W_value):
    return _head(x, W_query, W_key, W_value, math.sqrt(x.size(-1)), axis=1)


@known(
    "keys-ask",
    means="Keys and queries have changed places. In the code that was given, this was right.",
    hint="Rows are queries, columns are keys. What stands on the left in the product that makes the scores?",
    explain=explainers.entry,
)
def keys_ask(x, W_query, W_key, W_value):
    return _head(x, W_key, W_query, W_value, math.sqrt(x.size(-1)))


@known.also("keys-ask")
def keys_ask_and_repaired(x, W_query, W_key, W_value):
    return _head(x, W_key, W_query, W_value, math.sqrt(W_query.size(-1)))
