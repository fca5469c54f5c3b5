"""Right answers to exercise 13.8, in many styles: the checker must accept all of them."""

import torch

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def weighed_with_heads_in_front(q, k):
    q, k = q.transpose(1, 2), k.transpose(1, 2)
    weights = (q @ k.transpose(-2, -1) / q.size(-1) ** 0.5).softmax(dim=-1)
    return weights.permute(0, 2, 3, 1)


@right
def weighed_head_by_head(q, k):
    scale = q.size(-1) ** -0.5
    found = [(q[:, :, h] @ k[:, :, h].transpose(1, 2) * scale).softmax(-1) for h in range(q.size(2))]
    return torch.stack(found, dim=-1)


@right
def weighed_by_broadcasting(q, k):
    scores = (q[:, :, None] * k[:, None]).sum(-1) / q.size(-1) ** 0.5
    powers = (scores - scores.amax(dim=2, keepdim=True)).exp()
    return powers / powers.sum(dim=2, keepdim=True)


@right
def weighed_by_negative_axes(q, k):
    return torch.einsum("bihd,bjhd->bijh", q * q.size(-1) ** -0.5, k).softmax(dim=-2)
