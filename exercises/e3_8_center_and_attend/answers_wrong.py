"""Wrong answers to exercise 3.8, each with the diagnosis that it must get."""

import math

import torch
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def attend(x, W_query, W_key, W_value, first=1):
    q, k, v = x @ W_query, x @ W_key, x @ W_value
    hidden = torch.ones(x.size(-2), x.size(-2)).triu(first).bool()
    weights = (q @ k.mT / math.sqrt(q.size(-1))).masked_fill(hidden, -math.inf).softmax(-1)
    return weights @ v, weights


@wrong("future-before-the-mask")
def centered_by_a_sum_over_words(x, W_query, W_key, W_value):
    return attend(x - x.sum(-2, keepdim=True) / x.size(-2), W_query, W_key, W_value)


@wrong("one-mean-for-all")
def centered_by_one_number(x, W_query, W_key, W_value):
    return attend(x - x.sum() / x.numel(), W_query, W_key, W_value)


@wrong("axis-from-the-front")
def centered_by_the_mean_of_items(x, W_query, W_key, W_value):
    return attend(x - sum(x) / len(x), W_query, W_key, W_value)


@wrong("mean-of-the-past")
def centered_by_a_loop_over_the_past(x, W_query, W_key, W_value):
    words = [x[..., t, :] - x[..., : t + 1, :].mean(-2) for t in range(x.size(-2))]
    return attend(torch.stack(words, -2), W_query, W_key, W_value)


@wrong("not-centered")
def left_as_it_is(x, W_query, W_key, W_value):
    return attend(x, W_query, W_key, W_value)


@wrong("divided-too")
def normalized_by_hand(x, W_query, W_key, W_value):
    x = (x - x.mean(-1, keepdim=True)) / x.var(-1, correction=0, keepdim=True).add(1e-5).sqrt()
    return attend(x, W_query, W_key, W_value)


@wrong("another-mask")
def hidden_from_itself(x, W_query, W_key, W_value):
    return attend(x - x.mean(-2, keepdim=True), W_query, W_key, W_value, first=0)


@wrong("over-queries")
def columns_sum_to_one(x, W_query, W_key, W_value):
    x = x - x.mean(-1, keepdim=True)
    q, k, v = x @ W_query, x @ W_key, x @ W_value
    scores = (q @ k.mT / math.sqrt(q.size(-1))).masked_fill(torch.ones(x.size(-2), x.size(-2)).triu(1) > 0, -math.inf)
    weights = scores.mT.softmax(-1).mT
    return weights @ v, weights


@wrong()
def centered_by_the_median(x, W_query, W_key, W_value):
    return attend(x - x.median(-1, keepdim=True).values, W_query, W_key, W_value)


@wrong()
def unscaled(x, W_query, W_key, W_value):
    return attend(x - x.mean(-1, keepdim=True), W_query * W_query.size(-1) ** 0.5, W_key, W_value)


@wrong()
def centered_by_length(x, W_query, W_key, W_value):
    return attend(F.normalize(x, dim=-1), W_query, W_key, W_value)
