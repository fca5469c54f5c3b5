"""Right answers to exercise 11.1, in as many styles as learners have: the checker must accept all of them."""

import torch

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def window_by_two_triangles(T, S, window):
    ones = torch.ones(T, S, dtype=torch.bool)
    return ones.tril(S - T) & ones.triu(S - T - window + 1)


@right
def window_by_a_difference_of_triangles(T, S, window):
    ones = torch.ones(T, S)
    return (ones.tril(S - T) - ones.tril(S - T - window)).bool()


@right
def window_by_loops(T, S, window):
    mask = torch.zeros(T, S, dtype=torch.bool)
    for t in range(T):
        for s in range(S):
            mask[t, s] = S - T + t - window < s <= S - T + t
    return mask


@right
def window_by_slices(T, S, window):
    mask = torch.full((T, S), False)
    for t in range(T):
        end = S - T + t + 1
        mask[t, max(0, end - window) : end] = True
    return mask


@right
def window_of_the_last_rows(T, S, window):
    i = torch.arange(S)
    distance = i.unsqueeze(1) - i.unsqueeze(0)
    return ((distance >= 0) * (distance <= window - 1))[-T:]


@right
def window_by_clamping(T, S, window):
    distance = torch.arange(S - T, S).view(-1, 1) - torch.arange(S).view(1, -1)
    return distance == distance.clamp(0, window - 1)


@right
def window_by_logical_and(T, S, window):
    q, k = torch.meshgrid(torch.arange(S - T, S), torch.arange(S), indexing="ij")
    return torch.logical_and(k <= q, q < k + window)
