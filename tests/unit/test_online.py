"""Attention in parts; exercise 12.1 checks the merging."""

import pytest
import torch

from helpers.attention import dot_product_attention
from helpers.online import merge, partial_attention
from tests.unit.refusals import require_refused
from tests.unit.tensors import agree, random, some_mask

B, H, T, S, D, E = 2, 3, 5, 7, 11, 13


def qkv():
    return random(B, H, T, D), random(B, H, S, D, seed=1), random(B, H, S, E, seed=2)


@pytest.mark.parametrize("mask", [None, some_mask(T, S), some_mask(B, H, T, S)], ids=["no mask", "mask", "mask of all"])
def test_a_part_is_attention_and_the_sum(mask):
    q, k, v = qkv()
    out, lse = partial_attention(q, k, v, mask)
    agree(out, dot_product_attention(q, k, v, mask)[0])
    scores = q @ k.mT / D**0.5
    agree(lse, (scores if mask is None else scores.masked_fill(~mask, float("-inf"))).logsumexp(dim=-1))


def test_merging_has_right_gradients():
    part = [random(2, 3, 4).requires_grad_(), random(2, 3, seed=1).requires_grad_()]
    assert torch.autograd.gradcheck(merge, part * 2)


OUT, LSE, Q = torch.zeros(2, 3, 4), torch.zeros(2, 3), torch.zeros(3, 4)


def test_errors_are_one_sentence():
    require_refused(
        ("ValueError: T is 3 in out_a and 1 in lse_a", lambda: merge(OUT, LSE[..., None], OUT, LSE)),
        ("ValueError: D is 4 in q and 2 in k", lambda: partial_attention(Q, Q[:, :2], Q)),
        ("TypeError: mask must be bool", lambda: partial_attention(Q, Q, Q, torch.ones(3, 3))),
    )
