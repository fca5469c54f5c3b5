"""Right answers to exercise 11.4, in as many styles as learners have: the checker must accept all of them."""

import numpy as np
import torch
import torch.nn.functional as F

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def capped_by_where(scores, cap, mask):
    return torch.where(mask, torch.tanh(scores / cap) * cap, -torch.inf)


@right
def capped_by_an_additive_mask(scores, cap, mask):
    bias = torch.zeros(mask.shape, dtype=scores.dtype).masked_fill(mask.logical_not(), -np.inf)
    return (scores / cap).tanh().mul(cap) + bias


@right
def capped_by_a_sigmoid(scores, cap, mask):
    capped = cap * (2 * torch.sigmoid(2 * scores / cap) - 1)
    return capped.masked_fill(mask == False, float("-inf"))  # noqa: E712


@right
def capped_with_a_copy(scores, cap, mask):
    out = cap * F.tanh(scores * (1.0 / cap))
    out[~mask.expand(scores.shape)] = -float("inf")
    return out


@right
def capped_by_one_exponential_that_cannot_overflow(scores, cap, mask):
    small = torch.exp(-2 * scores.abs() / cap)
    return torch.where(mask, cap * scores.sign() * (1 - small) / (1 + small), scores.new_tensor(-float("inf")))


@right
def capped_head_by_head(scores, cap, mask):
    mask = torch.broadcast_to(mask, scores.shape)
    heads = [torch.tanh(scores[:, h] / cap) * cap for h in range(scores.shape[1])]
    return torch.stack(heads, dim=1).masked_fill(1 - mask.int() == 1, -torch.inf)


@right
def hidden_before_and_after(scores, cap, mask):
    hidden = scores.masked_fill(~mask, -torch.inf)
    return (cap * torch.tanh(hidden / cap)).masked_fill(~mask, -torch.inf)
