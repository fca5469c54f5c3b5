"""Right answers to exercise 10.2, in as many styles as learners have: the checker must accept all of them."""

import torch

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def pooled_by_view(weight, num_heads, groups):
    rows, C = weight.shape
    return weight.view(groups, num_heads // groups, rows // num_heads, C).mean(1).reshape(-1, C)


@right
def pooled_group_by_group(weight, num_heads, groups):
    out = []
    for group in weight.chunk(groups):
        heads = group.chunk(num_heads // groups)
        out.append(sum(heads) / len(heads))
    return torch.cat(out)


@right
def pooled_by_loops(weight, num_heads, groups):
    D, size = len(weight) // num_heads, num_heads // groups
    out = torch.zeros(groups * D, weight.size(1), dtype=weight.dtype)
    for h in range(num_heads):
        g = h // size
        out[g * D : (g + 1) * D] += weight[h * D : (h + 1) * D] / size
    return out


@right
def pooled_by_a_matrix(weight, num_heads, groups):
    size = num_heads // groups
    average = torch.eye(groups, dtype=weight.dtype).repeat_interleave(size, dim=1) / size  # (G, H)
    return torch.einsum("gh,hdc->gdc", average, weight.reshape(num_heads, -1, weight.size(1))).flatten(0, 1)


@right
def pooled_by_kronecker(weight, num_heads, groups):
    size, D = num_heads // groups, len(weight) // num_heads
    average = torch.kron(torch.eye(groups), torch.full((1, size), 1 / size)).to(weight.dtype)
    return torch.kron(average, torch.eye(D, dtype=weight.dtype)) @ weight


@right
def pooled_by_index_add(weight, num_heads, groups):
    D, size = len(weight) // num_heads, num_heads // groups
    rows = torch.arange(len(weight))
    target = rows // (D * size) * D + rows % D
    return weight.new_zeros(groups * D, weight.size(1)).index_add(0, target, weight) / size
