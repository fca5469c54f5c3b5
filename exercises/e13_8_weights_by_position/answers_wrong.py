"""Wrong answers to exercise 13.8, each with the diagnosis that it must get."""

import torch

from feedback.bank import WrongAnswers

wrong = WrongAnswers()


def products(q, k):
    """(B, H, T, S)"""
    return q.transpose(1, 2) @ k.permute(0, 2, 3, 1)


@wrong("over-queries")
def weighed_over_queries(q, k):
    return (products(q, k) * q.size(-1) ** -0.5).softmax(dim=-2).permute(0, 2, 3, 1)


@wrong("over-heads")
def weighed_over_heads(q, k):
    return (products(q, k) * q.size(-1) ** -0.5).softmax(dim=1).permute(0, 2, 3, 1)


@wrong("over-keys-and-heads")
def weighed_all_at_once(q, k):
    powers = (products(q, k) * q.size(-1) ** -0.5).exp().permute(0, 2, 3, 1)
    return powers / powers.sum(dim=(2, 3), keepdim=True)


@wrong("no-softmax")
def weighed_by_scores(q, k):
    return products(q, k).permute(0, 2, 3, 1) / q.size(-1) ** 0.5


@wrong("no-scale")
def weighed_unscaled(q, k):
    return products(q, k).softmax(dim=-1).permute(0, 2, 3, 1)


@wrong("scaled-by-all-heads")
def weighed_by_the_width_of_the_model(q, k):
    width = q.flatten(2).size(-1)
    return (products(q, k) / width**0.5).softmax(dim=-1).permute(0, 2, 3, 1)


@wrong("heads-in-front")
def weighed_and_left(q, k):
    return (products(q, k) / q.size(-1) ** 0.5).softmax(dim=-1)


@wrong()
def weighed_by_shares(q, k):
    scores = (products(q, k) / q.size(-1) ** 0.5).permute(0, 2, 3, 1).abs()
    return scores / scores.sum(dim=2, keepdim=True)


@wrong()
def weighed_twice(q, k):
    scores = torch.einsum("bthd,bshd->btsh", q, k) / q.size(-1) ** 0.5
    return scores.softmax(dim=2).softmax(dim=2)
