"""Wrong answers to exercise 13.7, each with the diagnosis that it must get."""

import math

import torch
import torch.nn.functional as F

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def later_keys(T, S):
    return torch.arange(S) > torch.arange(S - T, S)[:, None]


@wrong("whole-text-without-mask")
def attended_with_a_shortcut(q, k, v, bias):
    T, S = q.size(-2), k.size(-2)
    mask = bias if T == S else torch.where(later_keys(T, S), -torch.inf, bias)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


@wrong("future-read")
def attended_to_all(q, k, v, bias):
    return F.scaled_dot_product_attention(q, k, v, attn_mask=bias)


@wrong("aligned-at-the-start")
def attended_from_the_start(q, k, v, bias):
    T, S = q.size(-2), k.size(-2)
    past = torch.ones(T, S, dtype=torch.bool).tril()
    return F.scaled_dot_product_attention(q, k, v, attn_mask=torch.where(past, bias, -torch.inf))


@wrong("own-hidden")
def attended_to_earlier_ones(q, k, v, bias):
    T, S = q.size(-2), k.size(-2)
    earlier = torch.arange(S) < torch.arange(S - T, S)[:, None]
    earlier = earlier | ~earlier.any(dim=-1, keepdim=True)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=torch.where(earlier, bias, -torch.inf))


@wrong("true-hides")
def attended_to_the_future(q, k, v, bias):
    T, S = q.size(-2), k.size(-2)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=torch.where(later_keys(T, S), bias, -torch.inf))


@wrong("bias-ignored")
def attended_without_bias(q, k, v, bias):
    return F.scaled_dot_product_attention(q, k, v, attn_mask=~later_keys(q.size(-2), k.size(-2)))


@wrong("bias-divided")
def attended_with_all_divided(q, k, v, bias):
    scores = torch.einsum("bhtd,bhsd->bhts", q, k) + bias
    scores = torch.where(later_keys(q.size(-2), k.size(-2)), -torch.inf, scores * q.size(-1) ** -0.5)
    return scores.softmax(dim=-1) @ v


@wrong("no-scale")
def attended_unscaled(q, k, v, bias):
    mask = torch.where(later_keys(q.size(-2), k.size(-2)), -torch.inf, bias)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=1.0)


@wrong()
def attended_with_the_bias_subtracted(q, k, v, bias):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)) - bias
    return scores.masked_fill(later_keys(q.size(-2), k.size(-2)), -torch.inf).softmax(dim=-1) @ v
