"""Answers to exercise 3.7 with two mistakes at once: the checker may name either, and no third."""

import torch

from feedback.bank import TwoMistakes

both = TwoMistakes()


@both("always-causal", "padding-ignored")
def a_triangle_for_each_item(ids, pad_id, causal):
    return torch.ones(len(ids), ids.size(1), ids.size(1), dtype=torch.bool).tril()


@both("pad-id-0", "always-causal")
def nonzero_and_always_causal(ids, pad_id, causal):
    return (ids != 0)[:, None] & torch.ones(ids.size(1), ids.size(1)).tril().bool()


@both("diagonal-hidden", "queries-too")
def strict_past_of_real_pairs(ids, pad_id, causal):
    real = ids != pad_id
    mask = real[:, None] & real[:, :, None]
    return mask.tril(-1) if causal else mask


@both("future-alone", "padding-at-the-end")
def future_of_the_first_tokens(ids, pad_id, causal):
    lengths = (ids != pad_id).sum(1)
    mask = (torch.arange(ids.size(1)) < lengths[:, None])[:, None].repeat(1, ids.size(1), 1)
    return mask.triu() if causal else mask


@both("one-row-if-not-causal", "padding-inverted")
def one_row_of_padding(ids, pad_id, causal):
    mask = (ids == pad_id)[:, None]
    return mask & torch.ones(ids.size(1), ids.size(1), dtype=torch.bool).tril() if causal else mask


@both("never-causal", "queries-not-keys")
def rows_without_order(ids, pad_id, causal):
    return (ids != pad_id)[:, :, None].expand(-1, -1, ids.size(1))


@both("numbers-not-bool", "causal-inverted")
def numbers_of_the_wrong_branch(ids, pad_id, causal):
    mask = (ids != pad_id)[:, None].repeat(1, ids.size(1), 1).float()
    return mask if causal else mask.tril()


@both("one-step-ahead", "or-not-and")
def next_key_or_real(ids, pad_id, causal):
    order = torch.ones(ids.size(1), ids.size(1), dtype=torch.bool)
    return (ids != pad_id)[:, None] | (order.tril(1) if causal else order)
