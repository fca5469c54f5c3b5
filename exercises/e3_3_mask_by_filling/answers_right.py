"""Right answers to exercise 3.3, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504, UP008 - naming a result before returning it, and the long super(), are styles that must pass

import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def filled_with_minus_infinity(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1)


@right.limited
def filled_with_minus_one_billion(scores, mask):
    scores = scores.masked_fill(mask == 0, -1e9)
    return F.softmax(scores, dim=-1)


@right
def filled_with_the_smallest_number(scores, mask):
    return scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min).softmax(-1)


@right.limited
def filled_with_minus_ten_thousand(scores, mask):
    return scores.masked_fill(~mask, -10000.0).softmax(dim=-1)


@right
def filled_by_where(scores, mask):
    return torch.where(mask, scores, -torch.inf).softmax(dim=-1)


@right
def filled_by_adding_a_log_mask(scores, mask):
    return torch.softmax(scores + mask.to(scores.dtype).log(), dim=-1)


@right.limited
def filled_by_adding_large_negatives(scores, mask):
    return F.softmax(scores + (1 - mask.to(scores.dtype)) * -1e9, dim=-1)


@right
def filled_by_adding_a_mask_of_infinities(scores, mask):
    additive = torch.zeros(mask.shape, dtype=scores.dtype).masked_fill_(~mask, -math.inf)
    return F.softmax(scores + additive, -1)


@right
def filled_far_below_the_smallest_score(scores, mask):
    low = scores.amin(dim=-1, keepdim=True) - 1000
    return torch.where(mask, scores, low).softmax(-1)


@right
def filled_in_place_on_a_clone(scores, mask):
    scores = scores.clone()
    scores[~mask.expand(scores.shape)] = -math.inf
    return nn.Softmax(dim=-1)(scores)


@right
def filled_row_by_row(scores, mask):
    rows = scores.reshape(-1, scores.shape[-1])
    allowed = mask.expand_as(scores).reshape(rows.shape)
    weights = torch.zeros_like(rows)
    for i, (row, seen) in enumerate(zip(rows, allowed, strict=True)):
        weights[i, seen] = row[seen].softmax(0)
    return weights.reshape(scores.shape)


@right
def filled_by_the_masked_module(scores, mask):
    return torch.masked.softmax(scores, -1, mask=mask.expand_as(scores))


@right
def filled_and_exponentiated_by_hand(scores, mask):
    filled = scores.masked_fill(~mask, -math.inf)
    powers = torch.exp(filled - filled.max(dim=-1, keepdim=True).values)
    return powers / powers.sum(-1, keepdim=True)


@right
def filled_by_logsumexp_of_the_visible(scores, mask):
    total = scores.masked_fill(~mask, -math.inf).logsumexp(-1, keepdim=True)
    return (scores - total).exp().where(mask, torch.zeros((), dtype=scores.dtype))


@right
def filled_by_numpy(scores, mask):
    filled = np.where(mask.numpy(), scores.numpy(), -np.inf)
    powers = np.exp(filled - filled.max(-1, keepdims=True))
    return torch.from_numpy(powers / powers.sum(-1, keepdims=True)).to(scores.dtype)


@right
def filled_in_float64(scores, mask):
    return F.softmax(scores.masked_fill(~mask, -1e30), dim=-1, dtype=torch.float64).to(scores.dtype)


@right
def filled_by_sdpa_of_the_identity(scores, mask):
    identity = torch.eye(scores.shape[-1], dtype=scores.dtype).expand(*scores.shape[:-2], -1, -1)
    allowed = mask.expand_as(scores)
    return F.scaled_dot_product_attention(scores, identity, identity, attn_mask=allowed, scale=1.0)


@right
def filled_50_below_the_least_and_zeroed(scores, mask):
    weights = scores.masked_fill(~mask, scores.min().item() - 50).softmax(-1)
    return weights * mask


@right.limited
def filled_by_renormalizing(scores, mask):
    weights = torch.softmax(scores, dim=-1) * mask
    return weights / weights.sum(dim=-1, keepdim=True)
