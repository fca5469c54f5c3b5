"""Wrong answers to exercise 2.7, each with the diagnosis that it must get."""

import math

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


@wrong("another-spread")
def divided_by_the_rows_of_the_matrix(x, W_query, W_key, W_value):
    q, k, v = x @ W_query, x @ W_key, x @ W_value
    weights = torch.softmax(q @ k.mT * len(W_query) ** -0.5, dim=-1)
    return weights @ v, weights


@wrong("by-the-words")
def divided_by_the_columns_of_the_scores(x, W_query, W_key, W_value):
    q, k, v = x @ W_query, x @ W_key, x @ W_value
    scores = q @ k.mT
    weights = (scores / math.sqrt(scores.size(-1))).softmax(dim=-1)
    return weights @ v, weights


@wrong("not-divided")
def undivided(x, W_query, W_key, W_value):
    weights = torch.einsum("...td,...sd->...ts", x @ W_query, x @ W_key).softmax(dim=-1)
    return weights @ (x @ W_value), weights


@wrong("no-root")
def divided_twice(x, W_query, W_key, W_value):
    q, k, v = x @ W_query, x @ W_key, x @ W_value
    weights = (q @ k.mT / math.sqrt(q.size(-1)) / math.sqrt(k.size(-1))).softmax(dim=-1)
    return weights @ v, weights


@wrong("over-queries")
def columns_sum_to_one(x, W_query, W_key, W_value):
    q, k, v = x @ W_query, x @ W_key, x @ W_value
    weights = (q @ k.mT / math.sqrt(x.size(-1))).mT.softmax(dim=-1).mT
    return weights @ v, weights


@wrong("keys-ask")
def scores_transposed(x, W_query, W_key, W_value):
    q, k, v = x @ W_query, x @ W_key, x @ W_value
    weights = ((q @ k.mT).mT / math.sqrt(x.size(-1))).softmax(dim=-1)
    return weights @ v, weights


@wrong()
def divided_by_all_features(x, W_query, W_key, W_value):
    q, k, v = x @ W_query, x @ W_key, x @ W_value
    weights = (q @ k.mT / math.sqrt(x.size(-1) + q.size(-1))).softmax(dim=-1)
    return weights @ v, weights


@wrong()
def values_of_the_words_themselves(x, W_query, W_key, W_value):
    q, k = x @ W_query, x @ W_key
    weights = (q @ k.mT / math.sqrt(q.size(-1))).softmax(dim=-1)
    return (weights @ x) @ W_value + W_value[0], weights
