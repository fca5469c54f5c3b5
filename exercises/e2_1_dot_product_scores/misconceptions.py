"""What people get wrong in exercise 2.1, dot_product_scores."""

import math

import torch
from torch import nn

from exercises.common import explainers
from exercises.common.self_attention import (
        _reshaped,
        _reversed_axes,
        _transposed,
)
from feedback import Misconception

MISCONCEPTIONS = (
        Misconception(
            "already-scaled", "These scores are already divided by sqrt(D); that step comes in exercise 2.3.",
            "Here the bare dot products are wanted: multiply and add, nothing else.",
            lambda q, k: q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)), explainers.entry),
        Misconception(
            "keys-ask", "Queries and keys have changed places: your rows belong to the keys.",
            "Row i should hold query i against every key. Which factor gives the rows of a matrix product?",
            lambda q, k: k @ q.transpose(-2, -1), _transposed),
        Misconception(
            "all-axes-reversed", "k.T turns all axes of a batch around, not only the last two.",
            "For any number of axes: k.transpose(-2, -1) exchanges just the last two.",
            (lambda q, k: q @ k.T, _reversed_axes), explainers.shape),
        Misconception(
            "fixed-axes", "The axes that change places are counted from the front, which fits only one number of axes.",
            "Count from the end: the last two axes are -2 and -1, with and without a batch.",
            (lambda q, k: q @ k.transpose(0, 1), lambda q, k: q @ k.transpose(1, 2),
             lambda q, k: q @ k.permute(0, 2, 1), lambda q, k: torch.bmm(q, k.transpose(1, 2))),
            explainers.shape),
        Misconception(
            "cosine", "These are cosines: the vectors were brought to length 1 before comparing.",
            "Attention compares with plain dot products; a long vector may score more than a short one.",
            lambda q, k: nn.functional.normalize(q, dim=-1) @ nn.functional.normalize(k, dim=-1).transpose(-2, -1),
            explainers.entry),
        Misconception(
            "softmaxed", "These are weights, not scores: a softmax was applied already.",
            "Scores may be negative and larger than 1. The softmax is exercise 2.2.",
            (lambda q, k: (q @ k.transpose(-2, -1)).softmax(-1),
             lambda q, k: (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1)), explainers.entry),
        Misconception(
            "keys-ignored", "The queries are compared with themselves: k is never used.",
            "Each of the T queries meets each of the S keys.",
            lambda q, k: q @ q.transpose(-2, -1), explainers.shape),
        Misconception(
            "queries-ignored", "The keys are compared with themselves: q is never used.",
            "Each of the T queries meets each of the S keys.",
            lambda q, k: k @ k.transpose(-2, -1), explainers.shape),
        Misconception(
            "reshaped-not-transposed", "k was brought to the shape (D, S) by view or reshape: that breaks its lines "
            "elsewhere and mixes the keys.",
            "Rows must become columns: .transpose(-2, -1).",
            lambda q, k: q @ _reshaped(k), explainers.entry),
        Misconception(
            "distance", "These are distances: they grow as query and key become less alike.",
            "A dot product is large when two vectors point the same way: multiply position by position, then add.",
            (lambda q, k: torch.cdist(q, k), lambda q, k: -torch.cdist(q, k)), explainers.entry),
)
