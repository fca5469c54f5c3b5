"""What people get wrong in exercise 2.1, dot_product_scores.

All of it is the step `compare` of attention, so that later exercises can take it over.
"""

import math

import torch
import torch.nn.functional as F

from exercises.common import explainers
from exercises.common.attention.mistakes import COMPARE_MISTAKES, PRODUCT_MISTAKES
from feedback import Misconceptions


def scores_from(compare):
    """Scores are one step, the comparison."""
    return compare


known = Misconceptions(scores_from)
known.include(
    COMPARE_MISTAKES,
    "keys-ask",
    "keys-ignored",
    "reshaped-not-transposed",
    "all-axes-reversed",
    hints={"keys-ask": "Row i should hold query i against every key. Which factor gives the rows of a matrix product?"},
)


@known(
    "already-scaled",
    means="These scores are already divided by `sqrt(D)`; that step comes in exercise 2.3.",
    hint="Here the plain dot products are wanted: multiply and add, nothing else.",
    step="compare",
)
def divided_by_root(q, k):
    return q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))


@known(
    "mean",
    means="These are means over the D features; a dot product is their sum.",
    hint="Multiply and add, nothing else: nothing is divided here.",
    step="compare",
)
def divided_by_d(q, k):
    return q @ k.transpose(-2, -1) / q.size(-1)


known.include(PRODUCT_MISTAKES, "elementwise", "fixed-axes")


@known(
    "cosine",
    means="These are cosines: the vectors were brought to length 1 before they were compared.",
    hint="Attention compares with plain dot products; a long vector may score more than a short one.",
    step="compare",
)
def cosines(q, k):
    return F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1)


@known(
    "softmaxed",
    means="These are weights, not scores: a softmax was already applied.",
    hint="Scores may be negative and larger than 1. The softmax is exercise 2.2.",
    step="compare",
)
def softmax_of_scores(q, k):
    return (q @ k.transpose(-2, -1)).softmax(-1)


@known.also("softmaxed", step="compare")
def softmax_of_scaled_scores(q, k):
    return (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)


@known(
    "queries-ignored",
    means="The keys are compared with themselves: q is never used.",
    hint="Each of the T queries is compared with each of the S keys.",
    explain=explainers.shape,
    step="compare",
)
def keys_with_keys(q, k):
    return k @ k.transpose(-2, -1)


@known(
    "distance",
    means="These are distances, or their negatives; here similarity is measured by a dot product.",
    hint="A dot product is large when two vectors point the same way: multiply feature by feature, then add.",
    step="compare",
)
def distances(q, k):
    return torch.cdist(q, k)


@known.also("distance", step="compare")
def negative_distances(q, k):
    return -torch.cdist(q, k)
