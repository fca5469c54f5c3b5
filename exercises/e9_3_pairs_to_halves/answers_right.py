"""Right answers to exercise 9.3, in as many styles as learners have: the checker must accept all of them."""

import torch

from feedback.bank import RightAnswers

right = RightAnswers()


@right
def sorted_by_view_and_transpose(weight, num_heads):
    rows, C = weight.shape
    D = rows // num_heads
    return weight.view(num_heads, D // 2, 2, C).transpose(1, 2).reshape(rows, C)


@right
def sorted_head_by_head(weight, num_heads):
    out = []
    for head in weight.chunk(num_heads):
        out += [head[0::2], head[1::2]]
    return torch.cat(out)


@right
def sorted_by_an_index(weight, num_heads):
    D = len(weight) // num_heads
    order = torch.cat([torch.arange(0, D, 2), torch.arange(1, D, 2)])
    index = (torch.arange(num_heads)[:, None] * D + order).flatten()
    return weight[index]


@right
def sorted_into_an_empty_tensor(weight, num_heads):
    D = weight.shape[0] // num_heads
    new = torch.empty_like(weight)
    for h in range(num_heads):
        for i in range(D // 2):
            new[h * D + i] = weight[h * D + 2 * i]
            new[h * D + i + D // 2] = weight[h * D + 2 * i + 1]
    return new


@right
def sorted_by_a_permutation_matrix(weight, num_heads):
    D = len(weight) // num_heads
    order = list(range(0, D, 2)) + list(range(1, D, 2))
    P = torch.block_diag(*[torch.eye(D, dtype=weight.dtype)[order]] * num_heads)
    return P @ weight


@right
def sorted_by_argsort(weight, num_heads):
    rows = torch.arange(len(weight))
    D = len(weight) // num_heads
    key = rows // D * D + rows % D // 2 + rows % 2 * (D // 2)  # where each row goes
    return weight.index_select(0, key.argsort())


@right
def sorted_by_scattering(weight, num_heads):
    heads = weight.reshape(num_heads, -1, weight.size(1))
    first, second = heads[:, ::2], heads[:, 1::2]
    return torch.cat((first, second), dim=1).reshape(-1, weight.size(1))


@right
def sorted_with_einsum_style_permute(weight, num_heads):
    return weight.unflatten(0, (num_heads, weight.size(0) // num_heads // 2, 2)).permute(0, 2, 1, 3).flatten(end_dim=2)
