"""Right answers to exercise 3.2, in as many styles as learners have: the checker must accept all of them."""

# ruff: noqa: RET504, UP008 - naming a result before returning it, and the long super(), are styles that must pass

import torch
import torch.nn.functional as F

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def renormalize_by_product(weights, mask):
    masked = weights * mask
    return masked / masked.sum(dim=-1, keepdim=True)


@right
def renormalize_by_masked_fill(weights, mask):
    visible = weights.masked_fill(~mask, 0.0)
    return visible / visible.sum(-1).unsqueeze(-1)


@right
def renormalize_by_where(weights, mask):
    visible = torch.where(mask, weights, 0)
    return visible.div(visible.sum(-1, keepdim=True))


@right
def renormalize_by_functional_normalize(weights, mask):
    return F.normalize(weights * mask.to(weights.dtype), p=1, dim=-1)


@right
def renormalize_with_a_tiny_epsilon(weights, mask, eps=1e-12):
    weights = weights * mask
    return weights / (weights.sum(dim=-1, keepdim=True) + eps)


@right
def renormalize_with_a_clamped_sum(weights, mask):
    kept = weights * mask.type_as(weights)
    return kept / torch.clamp(torch.sum(kept, dim=-1, keepdim=True), min=1e-9)


@right
def renormalize_in_place_on_a_clone(weights, mask):
    result = weights.clone()
    result[~mask.expand_as(result)] = 0
    result /= result.sum(-1, keepdim=True)
    return result


@right
def renormalize_row_by_row(weights, mask):
    rows = weights.reshape(-1, weights.shape[-1])
    allowed = mask.broadcast_to(weights.shape).reshape(rows.shape)
    result = torch.zeros_like(rows)
    for i in range(len(rows)):
        seen = rows[i][allowed[i]]
        result[i, allowed[i]] = seen / seen.sum()
    return result.view_as(weights)


@right
def renormalize_by_einsum(weights, mask):
    total = torch.einsum("...s,...s->...", weights, mask.to(weights.dtype).expand(weights.shape))
    return torch.einsum("...s,...->...s", weights * mask, 1 / total)


@right
def renormalize_by_log_and_softmax(weights, mask):
    return weights.log().masked_fill(mask.logical_not(), float("-inf")).softmax(dim=-1)


@right
def renormalize_by_numpy(weights, mask):
    visible = weights.numpy() * mask.numpy()
    return torch.from_numpy(visible / visible.sum(axis=-1, keepdims=True))


@right
def renormalize_in_float64(weights, mask):
    wide = weights.double() * mask
    return (wide / wide.sum(-1, keepdim=True)).type(weights.dtype)


@right
def renormalize_by_dividing_first(weights, mask):
    visible_sum = (weights * mask).sum(-1, keepdim=True)
    return weights / visible_sum * mask


@right
def renormalize_by_loops_over_everything(weights, mask):
    *_, keys = weights.shape
    allowed = torch.broadcast_to(mask, weights.shape)
    flat, flat_mask = weights.reshape(-1, keys).tolist(), allowed.reshape(-1, keys).tolist()
    result = []
    for row, row_mask in zip(flat, flat_mask, strict=True):
        total = sum(weight for weight, seen in zip(row, row_mask, strict=True) if seen)
        result.append([weight / total if seen else 0.0 for weight, seen in zip(row, row_mask, strict=True)])
    return torch.tensor(result, dtype=weights.dtype).reshape(weights.shape)


@right.limited
def renormalize_by_what_was_hidden(weights, mask):
    hidden = (weights * ~mask).sum(dim=-1, keepdim=True)
    return weights * mask / (1 - hidden)
