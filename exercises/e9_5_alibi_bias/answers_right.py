"""Right answers to exercise 9.5, in as many styles as learners have: the checker must accept all of them."""

import torch

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def biased_by_loops(num_heads, T, S):
    bias = torch.zeros(num_heads, T, S)
    for h in range(num_heads):
        for i in range(T):
            for j in range(S):
                bias[h, i, j] = -(2 ** (-8 * (h + 1) / num_heads)) * (S - T + i - j)
    return bias


@right
def biased_by_absolute_distance(num_heads, T, S):
    keys = torch.arange(S)
    slopes = torch.tensor([2 ** (-8 * (h + 1) / num_heads) for h in range(num_heads)])
    return -(keys[-T:, None] - keys[None]).abs() * slopes.view(-1, 1, 1)


@right
def biased_with_the_future_hidden(num_heads, T, S):
    distance = torch.arange(S)[None, :] - torch.arange(S - T, S)[:, None]
    bias = torch.einsum("h,ts->hts", 0.5 ** (8 * torch.arange(1, num_heads + 1) / num_heads), distance.float())
    return bias.masked_fill(distance > 0, float("-inf"))


@right
def biased_as_published(num_heads, T, S):
    start = 2 ** (-8 / num_heads)
    slopes = torch.tensor([start * start**i for i in range(num_heads)])
    relative = torch.arange(S)[None, :] - torch.arange(S)[:, None]
    return (slopes[:, None, None] * relative[None])[:, S - T :]


@right
def biased_by_powers_and_outer(num_heads, T, S):
    slopes = torch.logspace(-8 / num_heads, -8, num_heads, base=2)
    table = torch.arange(S).sub(torch.arange(S - T, S).unsqueeze(1))
    return torch.outer(slopes, table.flatten().float()).view(num_heads, T, S)


@right
def biased_head_by_head(num_heads, T, S):
    distance = torch.arange(S - T, S).float()[:, None] - torch.arange(S).float()
    heads = [distance * -(2.0 ** (-8.0 / num_heads * (h + 1))) for h in range(num_heads)]
    return torch.stack(heads)


@right
def biased_by_clamped_distance(num_heads, T, S):
    distance = (torch.arange(S - T, S)[:, None] - torch.arange(S)).clamp(min=0)
    return -distance * torch.pow(2, -8 / num_heads * torch.arange(1, num_heads + 1)).reshape(num_heads, 1, 1)


@right
def biased_by_cumulative_sums(num_heads, T, S):
    slopes = 2.0 ** (-torch.arange(8 / num_heads, 8 + 1e-6, 8 / num_heads))
    key = torch.ones(S).cumsum(0) - 1
    return (key - key[S - T :, None]) * slopes[:, None, None]
