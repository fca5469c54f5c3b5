"""What people get wrong in exercise 13.8, weights_by_position."""

import math

import torch

from exercises.common import explainers
from feedback import Misconceptions

known = Misconceptions()

CHOOSES = "A query chooses among keys. The axes are item, query, key, head: which one counts the keys?"


def scores_of(q, k):
    return torch.einsum("bthd,bshd->btsh", q, k) / math.sqrt(q.size(-1))


@known(
    "over-queries",
    means="The softmax went over the queries: the weights that a key gives to all queries sum to 1.",
    hint=CHOOSES,
    explain=explainers.entry,
)
def over_queries(q, k):
    return scores_of(q, k).softmax(dim=1)


@known(
    "over-heads",
    means="The softmax went over the heads, the last axis, so that heads compete for each pair of query and key.",
    hint=CHOOSES,
    explain=explainers.entry,
)
def over_heads(q, k):
    return scores_of(q, k).softmax(dim=-1)


@known(
    "over-keys-and-heads",
    means="One softmax went over keys and heads together: all heads of a query share one sum.",
    hint="Each head attends for itself. How many numbers must sum to 1?",
    explain=explainers.entry,
)
def over_keys_and_heads(q, k):
    scores = scores_of(q, k)
    return scores.flatten(-2).softmax(dim=-1).view_as(scores)


@known(
    "no-softmax",
    means="These are the scores.",
    hint="Weights are positive, and those of one query and head sum to 1.",
    explain=explainers.entry,
)
def only_scores(q, k):
    return scores_of(q, k)


@known(
    "no-scale",
    means="The dot products were not divided by √D.",
    hint="What keeps dot products of long vectors from becoming large?",
    explain=explainers.entry,
)
def no_scale(q, k):
    return torch.einsum("bthd,bshd->btsh", q, k).softmax(dim=2)


@known(
    "scaled-by-all-heads",
    means="The dot products were divided by the root of H · D, the width of all heads together.",
    hint="How many features does one dot product sum over?",
    explain=explainers.entry,
)
def scaled_by_all_heads(q, k):
    return (scores_of(q, k) / math.sqrt(q.size(-2))).softmax(dim=2)


@known(
    "heads-in-front",
    means="The heads stand in front of the queries: (B, H, T, S).",
    hint="The task wants (B, T, S, H). `permute` moves axes.",
    explain=explainers.shape,
)
def heads_in_front(q, k):
    return scores_of(q, k).softmax(dim=2).permute(0, 3, 1, 2)
