"""Right answers to exercise 2.7, in many styles: the checker must accept all of them."""

import math

import torch
import torch.nn.functional as F

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def repaired_by_the_keys(x, W_query, W_key, W_value):
    q, k, v = x @ W_query, x @ W_key, x @ W_value
    weights = (q @ k.mT / k.shape[-1] ** 0.5).softmax(-1)
    return weights @ v, weights


@right
def repaired_by_the_columns(x, W_query, W_key, W_value):
    q, k, v = x @ W_query, x @ W_key, x @ W_value
    scores = q @ k.transpose(-2, -1) / math.sqrt(W_query.size(1))
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights


@right
def repaired_in_the_queries(x, W_query, W_key, W_value):
    q = x @ W_query / math.sqrt(W_key.size(-1))
    weights = torch.einsum("...td,...sd->...ts", q, x @ W_key).softmax(dim=-1)
    return weights @ (x @ W_value), weights


@right
def repaired_by_pytorch(x, W_query, W_key, W_value):
    q, k, v = x @ W_query, x @ W_key, x @ W_value
    everyone = torch.eye(x.size(-2)).expand(*x.shape[:-1], -1)
    return F.scaled_dot_product_attention(q, k, v), F.scaled_dot_product_attention(q, k, everyone)


@right
def repaired_word_by_word(x, W_query, W_key, W_value):
    k, v = x @ W_key, x @ W_value
    rows = []
    for t in range(x.size(-2)):
        q = x[..., t, :] @ W_query
        rows.append(((k * q[..., None, :]).sum(-1) / math.sqrt(q.size(-1))).softmax(-1))
    weights = torch.stack(rows, dim=-2)
    return weights @ v, weights
