"""Answers to exercise 6.3 with two mistakes at once: naming either is true, naming a third is not."""

import math

import torch

from feedback.bank import TwoMistakes

both = TwoMistakes()


def distance(T):
    return torch.arange(T)[:, None] - torch.arange(T)


def by_rows(q, rows):
    return torch.einsum("bhtd,tsd->bhts", q, rows)


@both("sign", "scaled")
def distances_with_wrong_sign_scaled(q, distance_embedding):
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[M - 1 - distance(q.size(2))]) / math.sqrt(q.size(-1))


@both("no-offset", "scaled")
def distances_without_offset_scaled(q, distance_embedding):
    return by_rows(q, distance_embedding[distance(q.size(2))]) / q.size(-1) ** 0.5


@both("m-too-small", "scaled")
def distances_with_small_m_scaled(q, distance_embedding):
    M = len(distance_embedding) // 2
    return by_rows(q / math.sqrt(q.size(-1)), distance_embedding[distance(q.size(2)) + M - 1])


@both("offset-t", "multiplied-by-root")
def distances_with_offset_t_enlarged(q, distance_embedding):
    T = q.size(2)
    return by_rows(q, distance_embedding[distance(T) + T - 1]) * math.sqrt(q.size(-1))


@both("row-by-key", "scaled")
def distances_as_scaled_keys(q, distance_embedding):
    return q @ distance_embedding[: q.size(2)].T / q.size(-1) ** 0.5


@both("sign", "m-too-small")
def distances_with_wrong_sign_and_small_m(q, distance_embedding):
    M = len(distance_embedding) // 2
    return by_rows(q, distance_embedding[-distance(q.size(2)) + M - 1])


@both("absolute", "key-asks")
def distances_absolute_of_the_key(q, distance_embedding):
    M = (len(distance_embedding) + 1) // 2
    return torch.einsum("bhsd,tsd->bhts", q, distance_embedding[distance(q.size(2)).abs() + M - 1])


@both("sign", "softmaxed")
def distances_with_wrong_sign_softmaxed(q, distance_embedding):
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q, distance_embedding[-distance(q.size(2)) + M - 1]).softmax(dim=-1)


@both("no-offset", "causal")
def distances_without_offset_causal(q, distance_embedding):
    return by_rows(q, distance_embedding[distance(q.size(2))]).tril()


@both("summed-over-heads", "scaled")
def distances_of_all_heads_scaled(q, distance_embedding):
    M = (len(distance_embedding) + 1) // 2
    return torch.einsum("bhtd,tsd->bts", q, distance_embedding[distance(q.size(2)) + M - 1]) / math.sqrt(q.size(-1))


@both("no-offset", "multiplied-by-root")
def distances_without_offset_enlarged(q, distance_embedding):
    rows = distance_embedding[distance(q.size(2))]
    return by_rows(q * q.size(-1) ** 0.5, rows)


@both("positions-from-another-axis", "scaled")
def distances_with_t_from_heads_scaled(q, distance_embedding):
    M = (len(distance_embedding) + 1) // 2
    return by_rows(q / math.sqrt(q.size(-1)), distance_embedding[distance(q.size(1)) + M - 1])
