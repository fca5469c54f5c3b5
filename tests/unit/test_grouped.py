"""Grouped-query attention, compared with PyTorch's own, and what is kept of the past.

Exercises 10.1 and 10.2 check more, and test_ports_published.py compares the module with Llama's and Qwen's.
"""

import torch

from exercises.common.sizes import LargestTensor
from helpers.grouped import GroupedQueryAttention, grouped_attention, pool_heads
from helpers.masks import causal_mask
from tests.unit.refusals import require_refused
from tests.unit.tensors import agree, filled, random, some_mask

B, H, T, C = 2, 6, 5, 17


def test_keys_and_values_are_not_copied_for_each_head():
    q, (k, v) = torch.zeros(1, 8, 1, 32), torch.zeros(2, 1, 2, 100, 32)
    with LargestTensor() as largest:
        grouped_attention(q, k, v, torch.ones(100, dtype=torch.bool))
    assert largest.elements <= k.numel()  # copies would have four times as many


def module(groups=2, **options):
    return filled(GroupedQueryAttention(C, H, groups, **{"d_head": 4, **options}))


def test_the_module_hides_what_the_mask_hides_and_what_is_to_come():
    visible = causal_mask(T) & some_mask(B, 1, 1, T)
    weights = module()(random(B, T, C), visible[:, :, -1:])[1]
    assert (weights[~visible.expand_as(weights)] == 0).all()
    agree(weights.sum(-1), visible.any(-1).double().expand(B, H, T))


Q, K, ROWS = torch.zeros(1, 6, 3, 4), torch.zeros(1, 2, 5, 4), torch.zeros(12, 3)


def test_errors_are_one_sentence():
    x = random(B, T, C)
    require_refused(
        ("ValueError: got 2 groups for num_heads = 5", lambda: grouped_attention(Q[:, 1:], K, K)),
        ("ValueError: q must be (B, H, T, D), k (B, G, S, D)", lambda: grouped_attention(Q[0], K[0], K[0])),
        ("TypeError: mask must be bool", lambda: grouped_attention(Q, K, K, torch.ones(3, 5))),
        ("ValueError: the same number of rows for each of 5 heads, got (12, 3)", lambda: pool_heads(ROWS, 5, 1)),
        ("ValueError: groups must divide num_heads, got 4 groups", lambda: pool_heads(ROWS, 6, 4)),
        ("ValueError: num_heads must divide d_model, got 6 heads", lambda: GroupedQueryAttention(C, H, 2)),
        ("ValueError: d_head must be at least 1, got 0", lambda: GroupedQueryAttention(C, H, 2, d_head=0)),
        ("ValueError: x must be (B, T, 17), got (5, 17)", lambda: module()(x[0])),
        ("ValueError: mask (3, 3) does not broadcast", lambda: module()(x, torch.ones(3, 3) > 0)),
        ("ValueError: past must hold keys (2, 2, S, 4)", lambda: module()(x, None, (random(2, 6, 5, 4),) * 2)),
    )
