"""Right answers to exercise 13.9, in many styles: the checker must accept all of them."""

import torch

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def summarized_by_a_mask(scores, values):
    T = scores.size(1)
    future = torch.ones(T, T, dtype=torch.bool).triu(diagonal=1)
    weights = scores.unsqueeze(1).expand(-1, T, -1).masked_fill(future, -torch.inf).softmax(dim=-1)
    return weights @ values


@right
def summarized_by_sums_so_far(scores, values):
    powers = (scores - scores.amax(dim=1, keepdim=True)).exp().unsqueeze(-1)
    return (powers * values).cumsum(dim=1) / powers.cumsum(dim=1)


@right
def summarized_into_zeros(scores, values):
    summary = torch.zeros_like(values)
    for t in range(scores.size(1)):
        summary[:, t] = torch.einsum("bs,bsc->bc", scores[:, : t + 1].softmax(dim=1), values[:, : t + 1])
    return summary


@right
def summarized_as_attention(scores, values):
    ones = torch.ones_like(scores).unsqueeze(-1)
    attend = torch.nn.functional.scaled_dot_product_attention
    return attend(ones, scores.unsqueeze(-1), values, is_causal=True)
