"""Right answers to exercise 3.5, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504, UP008 - naming a result before returning it, and the long super(), are styles that must pass

import math

import torch
import torch.nn.functional as F

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def masked_softmax_with_nan_replaced(scores, mask):
    return torch.softmax(scores.masked_fill(~mask, float("-inf")), dim=-1).nan_to_num(0.0)


@right
def masked_softmax_filled_low_and_zeroed(scores, mask):
    low = torch.finfo(scores.dtype).min
    return scores.masked_fill(~mask, low).softmax(dim=-1) * mask


@right.limited
def masked_softmax_filled_again_with_zero(scores, mask):
    weights = F.softmax(scores.masked_fill(~mask, -1e9), dim=-1)
    return weights.masked_fill(~mask, 0)


@right
def masked_softmax_that_unmasks_empty_rows_first(scores, mask):
    empty = ~mask.any(dim=-1, keepdim=True)
    weights = scores.masked_fill(~(mask | empty), -math.inf).softmax(dim=-1)
    return weights.masked_fill(empty, 0.0)


@right
def masked_softmax_by_where_twice(scores, mask):
    weights = torch.where(mask, scores, -torch.inf).softmax(-1)
    return torch.where(mask.any(-1, keepdim=True), weights, torch.zeros_like(weights))


@right
def masked_softmax_by_hand(scores, mask):
    largest = scores.masked_fill(~mask, -1e30).amax(-1, keepdim=True).detach()
    powers = torch.exp((scores - largest).masked_fill(~mask, -math.inf))
    return powers / powers.sum(-1, keepdim=True).clamp(min=1e-30)


@right
def masked_softmax_with_a_sink(scores, mask):
    filled = scores.masked_fill(~mask, -math.inf)
    sink = torch.full_like(filled[..., :1], torch.finfo(scores.dtype).min)
    return torch.cat([filled, sink], dim=-1).softmax(dim=-1)[..., :-1]


@right
def masked_softmax_row_by_row(scores, mask):
    rows = scores.reshape(-1, scores.shape[-1])
    allowed = mask.expand(scores.shape).reshape(rows.shape)
    weights = torch.zeros_like(rows)
    for i in range(rows.shape[0]):
        if allowed[i].any():
            weights[i, allowed[i]] = torch.softmax(rows[i][allowed[i]], dim=0)
    return weights.view(scores.shape)


@right
def masked_softmax_stacked_from_rows(scores, mask):
    mask = torch.broadcast_to(mask, scores.shape)
    if scores.dim() > 1:
        return torch.stack([masked_softmax_stacked_from_rows(s, m) for s, m in zip(scores, mask, strict=True)])
    if not mask.any():
        return scores * 0
    return torch.zeros_like(scores).masked_scatter(mask, scores[mask].softmax(0))


@right
def masked_softmax_in_float64(scores, mask):
    wide = scores.double().masked_fill(~mask, -1e300)
    return torch.where(mask, F.softmax(wide, -1), 0).to(scores.dtype)


@right
def masked_softmax_nan_found_by_isnan(scores, mask):
    filled = scores.clone()
    filled[~mask.expand_as(scores)] = float("-inf")
    weights = torch.softmax(filled, dim=-1)
    weights = weights.masked_fill(torch.isnan(weights), 0.0)
    return weights


@right
def masked_softmax_by_sdpa_of_the_identity(scores, mask):
    identity = torch.eye(scores.shape[-1], dtype=scores.dtype).expand(*scores.shape[:-2], -1, -1)
    allowed = mask.expand_as(scores)
    return F.scaled_dot_product_attention(scores, identity, identity, attn_mask=allowed, scale=1.0)


@right
def masked_softmax_by_the_masked_module(scores, mask):
    allowed = mask.expand_as(scores)
    return torch.masked.softmax(scores, -1, mask=allowed).masked_fill(~allowed, 0)


class MaskedSoftmaxFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, scores, mask):
        weights = torch.softmax(scores.masked_fill(~mask, -math.inf), -1).nan_to_num(0)
        ctx.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(ctx, gradient):
        (weights,) = ctx.saved_tensors
        return weights * (gradient - (weights * gradient).sum(-1, keepdim=True)), None


@right
def masked_softmax_with_its_own_backward(scores, mask):
    return MaskedSoftmaxFunction.apply(scores, mask)


@right.limited
def masked_softmax_added_then_multiplied(scores, mask):
    keep = mask.to(scores.dtype)
    print("rows without any key:", int((~mask.any(-1)).sum()))
    return torch.softmax(scores - (1.0 - keep) * 1e9, dim=-1) * keep


@right
def masked_softmax_with_zero_over_zero_behind_where(scores, mask):
    filled = scores.masked_fill(~mask, -1e30)
    powers = torch.exp(filled - filled.amax(-1, keepdim=True)) * mask
    total = powers.sum(-1, keepdim=True)
    return torch.where(total > 0, powers / total, 0.0)


@right
def masked_softmax_filled_50_below_the_least(scores, mask):
    weights = scores.masked_fill(~mask, scores.min().item() - 50).softmax(-1)
    return weights * mask


@right.limited
def masked_softmax_filled_with_minus_ten_thousand(scores, mask):
    hidden = mask.logical_not()
    return torch.softmax(scores.masked_fill(hidden, -1e4), dim=-1).masked_fill(hidden, 0.0)


@right.limited
def masked_softmax_filled_with_minus_thirty(scores, mask):
    return torch.softmax(torch.where(mask, scores, -30.0), dim=-1) * mask
